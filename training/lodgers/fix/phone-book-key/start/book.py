import json
import sys

with open("contacts.json") as file:
    contacts = json.load(file)

for contact in contacts:
    if contact["name"] == sys.argv[1]:
        print(contact["name"], contact["phone"])
