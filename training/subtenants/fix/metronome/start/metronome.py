def beat_ms(bpm):
    """Milliseconds from one beat to the next."""
    seconds = 60 / bpm
    return seconds * 100


def bar_ms(bpm, beats=4):
    return beats * beat_ms(bpm)


if __name__ == "__main__":
    for bpm in (60, 120, 200):
        print(bpm, beat_ms(bpm))
