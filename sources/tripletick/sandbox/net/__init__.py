"""The network of mode `net`: a proxy outside the sandbox, a forwarder in it, and rules for allowed hosts."""

PORT = 61080
"""Where the proxy listens in a box: above the ports that the kernel hands out, so that no program has it by
chance.
"""
