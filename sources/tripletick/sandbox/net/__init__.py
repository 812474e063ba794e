"""The network of mode `net`: a proxy of ours outside the box, a forwarder inside, and who may be reached."""
