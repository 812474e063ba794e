# TODO: read the config
port = 8080  # TODO TODO check this


def start():
    # todo later
    return port  # TODO
