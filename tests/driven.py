"""Remembers if the running test drives a terminal, a screen or a browser. Only such a test may be run again."""

_driving: list[bool] = []


def drives() -> None:
    """Note that the running test types into a terminal, a Textual screen or a browser, or is judged by its times."""
    _driving.append(True)


def forget() -> None:
    """Reset the note, at the start of another test."""
    _driving.clear()


def is_driving() -> bool:
    """True if anything was driven since the test began."""
    return bool(_driving)
