"""Tidy up lists of lines."""


def drop_blank(lines):
    """Give the lines without those that are empty or only white space."""
    for line in lines:
        if not line.strip():
            lines.remove(line)
    return lines
