"""What the tools of a page are called by here.

A handle is as short as tells a tool from all others: its name, the name and the document's host, or both and the
position of its frame. A shorter one that several documents share belongs to none of them, so that a handle never comes
to mean another document's tool because that document arrived later. Source: docs/decisions/0006-pages.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

_NO_HOST = "opaque"
"""In place of the host of an opaque origin."""


class Handles:
    """The handles of all tools of a page."""

    def __init__(self, tools: Iterable[tuple[str, str, tuple[int, ...]]]) -> None:
        """`tools`: name, origin and position of the frame of each."""
        self._shared: Counter[str] = Counter()
        for name, origin, position in tools:
            self._shared.update(_forms(name, origin, position))

    def of(self, name: str, origin: str, position: tuple[int, ...]) -> str:
        """The handle of one of these tools."""
        *shorter, whole = _forms(name, origin, position)
        return next((form for form in shorter if self._shared[form] == 1), whole)


def _forms(name: str, origin: str, position: tuple[int, ...]) -> Iterator[str]:
    """From the shortest on. The last one belongs to this tool alone."""
    _, _, host = origin.partition("://")
    known = f"{name}@{host or _NO_HOST}"
    # The draft allows no `@` in a name: one that has it gets the longest form, which no other tool's can equal.
    if "@" not in name:
        yield name
        yield known
    yield f"{known}@{'frame' + '.'.join(map(str, position)) if position else 'page'}"
