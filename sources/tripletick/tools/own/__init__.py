"""Tools that users write themselves: found, described, and called in a process of their own."""
