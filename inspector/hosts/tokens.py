"""How tokens are counted: by a tokenizer, or by an estimate that says that it is one."""

from collections.abc import Callable

from msgspec import Struct

from inspector.hosts.definitions.projection import tokens

ESTIMATE = "an estimate: bytes / 4"
MAX_COUNTED = 1 << 20
"""Characters of one text that a tokenizer counts; the tokens of a longer one are estimated."""
_PIECE = 10_000


def _estimated(text: str) -> int:
    return tokens(len(text.encode("utf-8", "surrogatepass")))


class Tokenizer(Struct, frozen=True, kw_only=True):
    """Counts the tokens of texts."""

    label: str
    """What the numbers are, for the user."""
    exact: Callable[[str], int] | None = None
    """Counts those of a short text; None to estimate."""

    def count(self, text: str) -> int:
        """The tokens of a text, in pieces, so that no text of a server takes long."""
        if self.exact is None or len(text) > MAX_COUNTED:
            return _estimated(text)
        return sum(self.exact(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE))


ESTIMATED = Tokenizer(label=ESTIMATE)
