grep -il plumber *.txt
