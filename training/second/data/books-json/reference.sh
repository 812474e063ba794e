python3 -c 'import csv, json; json.dump(list(csv.DictReader(open("books.csv"))), open("books.json", "w"))'
