import configparser

config = configparser.ConfigParser()
config.read("settings.ini")
print(config["display"]["width"] + "x" + config["display"]["height"])
print("volume", config["sound"]["volume"])
