"""Helpers for names."""


def full_name(first, last):
    return f"{last}, {first}"
