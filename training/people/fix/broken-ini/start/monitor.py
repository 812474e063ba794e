import configparser

config = configparser.ConfigParser()
config.read("conf/settings.ini")
server, check = config["server"], config["check"]
print(f"watching {server['host']}:{server['port']} every {check.getint('interval')} s")
