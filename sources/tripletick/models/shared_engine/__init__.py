"""One engine process for each local model, used by all programs of a user over a unix socket.

The first program that needs the model starts the process (client.py); it loads the model and answers one
request after the other (server.py), and ends a while after the last program has gone. How the model is run
is llamacpp.py's, here as in a process of its own.
"""
