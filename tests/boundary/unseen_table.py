"""Makes the table in `inspector/boundary/unseen.py`: `python -m tests.boundary.unseen_table`, with unicodedata2 for a newer Unicode."""

import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec

OTHER_DEFAULT_IGNORABLE = (
    "034f 115f-1160 17b4-17b5 2065 3164 ffa0 fff0-fff8 e0000 e0002-e001f e0080-e00ff e01f0-e0fff"
)
"""The code points with the property Other_Default_Ignorable_Code_Point, from Unicode's PropList.txt.

They have not changed since Unicode 7. Python's `unicodedata` does not have this property. The property
Default_Ignorable_Code_Point consists of these code points, the variation selectors, and some of the category Cf.
"""
BLANK = "2800"
"""The empty Braille pattern: a symbol by its category, and blank in every font."""


def is_unseen(character: str, category: Callable[[str], str] = unicodedata.category) -> bool:
    """True if the table contains a character."""
    if category(character) == "Cc":
        return character != "\0" and not character.isspace()
    return category(character) in {"Cf", "Cs", "Mn", "Me"} or ord(character) in _LISTED


def numbers(ranges: str) -> Iterator[int]:
    """The code points of ranges as they are written in the table."""
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def _written(codes: Iterable[int]) -> str:
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return " ".join(f"{first:04x}" if first == last else f"{first:04x}-{last:04x}" for first, last in found)


_LISTED = frozenset(numbers(f"{OTHER_DEFAULT_IGNORABLE} {BLANK}"))


def main() -> None:
    """Print the table."""
    newer = find_spec("unicodedata2")
    database = import_module("unicodedata2") if newer else unicodedata
    category, version = (getattr(database, name) for name in ("category", "unidata_version"))
    ranges = _written(code for code in range(0x110000) if is_unseen(chr(code), category))
    lines = [f'UNICODE = "{version}"', '_RANGES = """', *textwrap.wrap(ranges, 100), '"""']
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
