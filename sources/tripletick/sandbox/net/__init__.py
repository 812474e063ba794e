"""The network of mode `net`: a proxy outside the sandbox, a forwarder in it, and rules for allowed hosts."""
