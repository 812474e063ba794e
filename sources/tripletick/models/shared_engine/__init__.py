"""One engine process per local model, shared by all programs of a user over a Unix socket."""
