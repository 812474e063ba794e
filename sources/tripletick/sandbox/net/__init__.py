"""The network of mode `net`: a proxy outside the box, a forwarder inside, and rules for allowed hosts."""
