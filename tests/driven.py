"""Whether the test that runs drives a terminal, a screen or a browser: only such a test may be run again."""

_driving: list[bool] = []


def drives() -> None:
    """For what types into a terminal, a Textual screen or a browser, as it begins."""
    _driving.append(True)


def forget() -> None:
    """Another test begins."""
    _driving.clear()


def is_driving() -> bool:
    """Whether anything was driven since the test began."""
    return bool(_driving)
