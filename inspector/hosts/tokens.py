"""Counts tokens with a tokenizer, or estimates their number and says so."""

from collections.abc import Callable

from msgspec import Struct

from inspector.hosts.definitions.projection import tokens

ESTIMATE = "an estimate: bytes / 4"
MAX_COUNTED = 1 << 20
"""The maximum length, in characters, of a text that a tokenizer counts. The tokens of a longer text are estimated."""
_PIECE = 10_000


def _estimated(text: str) -> int:
    return tokens(len(text.encode("utf-8", "surrogatepass")))


class Tokenizer(Struct, frozen=True, kw_only=True):
    """Counts the tokens of texts."""

    label: str
    """The method of counting tokens, in words for the user."""
    exact: Callable[[str], int] | None = None
    """Returns the number of tokens in a short text; None to estimate."""

    def count(self, text: str) -> int:
        """The number of tokens in a text. Counts in pieces, so that no text of a server takes long."""
        if self.exact is None or len(text) > MAX_COUNTED:
            return _estimated(text)
        return sum(self.exact(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE))


ESTIMATED = Tokenizer(label=ESTIMATE)
