"""What our own process does on the web: one page got, searched for, read. Nothing of it is imported at start.

Whom a tag may reach unasked is approval's; what the model reads of a page is tools/web.py's.
"""
