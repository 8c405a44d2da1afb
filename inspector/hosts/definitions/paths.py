"""Places in a schema as linked tokens: pointers are made of them where one is asked for, and counted."""

from dataclasses import dataclass

from inspector.boundary.ledger import UnjudgeableError
from inspector.json.pointer import join

MAX_POINTER_CHARACTERS = 4_000_000
"""In all pointers that are made for one definition."""


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a document."""

    above: "Path | None"
    token: str
    depth: int

    def down(self, *tokens: str | int) -> "Path":
        """The place below it."""
        path = self
        for token in tokens:
            path = Path(path, str(token), path.depth + 1)
        return path

    @property
    def tokens(self) -> list[str]:
        """From the document's root."""
        found: list[str] = []
        path = self
        while path.above:
            found.append(path.token)
            path = path.above
        found.reverse()
        return found


TOP = Path(None, "", 0)


class Purse:
    """What may still be spent on pointers."""

    def __init__(self) -> None:
        self._left = MAX_POINTER_CHARACTERS

    def pointer(self, path: Path) -> str:
        """The pointer to `path`. Raises UnjudgeableError past the bound."""
        tokens = path.tokens
        self._left -= sum(map(len, tokens)) + len(tokens) + 1
        if self._left < 0:
            raise UnjudgeableError("its output schema differs in more places than can be listed")
        return join(tokens)
