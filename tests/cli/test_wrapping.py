"""Lines are wrapped exactly as by a walk over their characters."""

import random

from inspector.cli.output import cells, wrapped

ALPHABETS = ("ab ", "ab \u0301", "a\u6f22 ", "\u6f22\u5b57", "x", " ")


def walked(text: str, width: int) -> list[str]:
    """The same, character by character."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        taken, stop = 0, start
        while stop < len(text):
            taken += cells(text[stop])
            if taken > width and stop > start:
                break
            stop += 1
        if stop < len(text):
            blank = text.rfind(" ", start, stop)
            if blank - start > width // 2 and cells(text[blank + 1]):
                stop = blank + 1
        pieces.append(text[start:stop])
        start = stop
    return pieces or [""]


def test_wrapping_agrees_with_a_walk_over_all_characters() -> None:
    chosen = random.Random(7)  # noqa: S311 - the same lines each time
    for _ in range(20_000):
        length = chosen.randrange(40)
        text = "".join(chosen.choice(chosen.choice(ALPHABETS)) for _ in range(length))
        width = chosen.randrange(1, 12)
        assert wrapped(text, width) == walked(text, width), (text, width)
