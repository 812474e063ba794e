import json

with open("settings.json") as file:
    settings = json.load(file)
print(settings["name"], "for", ", ".join(settings["cities"]), "in", settings["unit"])
