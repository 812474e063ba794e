cp pancakes.txt pancakes-old.txt
