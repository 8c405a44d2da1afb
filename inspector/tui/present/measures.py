"""Sizes, times and counts in words."""


def size(size_bytes: int) -> str:
    """`812 B`, `1.2 kB`, `5.0 MB`: powers of ten."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    value = size_bytes / 1000
    for unit in ("kB", "MB"):
        if value < 999.5:
            return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def duration(duration_s: float) -> str:
    """`4 ms`, `1.25 s`, `2 min 05 s`."""
    if duration_s < 0.9995:
        return f"{duration_s * 1000:.0f} ms"
    if duration_s < 59.95:
        return f"{duration_s:.2f} s" if duration_s < 9.995 else f"{duration_s:.1f} s"
    minutes, seconds = divmod(round(duration_s), 60)
    return f"{minutes} min {seconds:02d} s"


def count(number: int, singular: str, plural: str = "") -> str:
    """`1 tool`, `10,000 tools`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def tokens(size_bytes: int) -> str:
    """A rough count of tokens, at four bytes each."""
    return f"about {count(max(1, round(size_bytes / 4)), 'token')}"
