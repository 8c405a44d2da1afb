"""Patterns for keys. Matching takes time linear in the key, so a server's pattern cannot stall the program.

Source: JSON Schema, `patternProperties`; ECMA-262 syntax without look-around and back-references.
"""

from enum import Enum, auto

from jsonschema_rs import Draft202012Validator, ReferencingError, RegexOptions, ValidationError

_LINEAR = RegexOptions(size_limit=1_000_000, dfa_size_limit=1_000_000)


class KeyMatch(Enum):
    """The result of matching a key with a pattern."""

    YES = auto()
    NO = auto()
    UNKNOWN = auto()
    """The pattern cannot be judged, or the key is not valid Unicode."""


class KeyPattern:
    """One pattern, compiled to be matched with keys."""

    __slots__ = ("_validator",)

    def __init__(self, pattern: str) -> None:
        try:
            self._validator = Draft202012Validator({"pattern": pattern}, pattern_options=_LINEAR)
        except (ValidationError, ReferencingError, ValueError):
            self._validator = None

    def match(self, key: str) -> KeyMatch:
        """Search `key` for the pattern. Never raises."""
        if self._validator is None:
            return KeyMatch.UNKNOWN
        try:
            return KeyMatch.YES if self._validator.is_valid(key) else KeyMatch.NO
        except ValueError:
            return KeyMatch.UNKNOWN
