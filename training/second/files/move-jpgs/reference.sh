mv *.jpg photos/
