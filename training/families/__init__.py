"""The families: what is asked for, how often, and by which agent it is done."""
