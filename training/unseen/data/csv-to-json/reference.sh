python3 -c "import csv, json; json.dump(list(csv.DictReader(open('contacts.csv'))), open('contacts.json', 'w'), indent=2)"
