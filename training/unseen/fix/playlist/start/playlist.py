songs = ["Yesterday", "Africa", "Jolene", "Waterloo"]

i = 0
while i <= len(songs):
    print(i + 1, songs[i])
    i += 1
