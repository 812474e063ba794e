from notes import Notebook

home, work = Notebook(), Notebook()
home.add("water plants")
work.add("call Kim")
print("home:", *home.notes)
print("work:", *work.notes)
