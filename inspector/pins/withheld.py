"""Finds copies of withheld values in results, stderr and definitions. No definition with a copy is stored."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal
from inspector.boundary.mask import MASK
from inspector.boundary.options import DEFAULT_POLICY
from inspector.boundary.reading import raw_of
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import join
from inspector.json.walk import places
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, Outcome
from inspector.recording.bounding import Bounder
from inspector.recording.markers import MarkerKey

_WORDS = re.compile(r"\S+")


class WithheldValues:
    """Remembers the withheld values of calls, and finds copies of them. Use it in one thread at a time."""

    def __init__(self) -> None:
        self._bounder = Bounder(MarkerKey(bytes(32)), DEFAULT_POLICY, ())

    def learn(self, tool: Tool | None, outcome: Outcome, removals: Iterable[Removal]) -> None:
        """Add the withheld values of one result. `removals`: those at the boundary level `declared`."""
        if not isinstance(outcome, Failure):
            self._bounder.judged(tool, raw_of(outcome), removals)

    def learn_arguments(self, tool: Tool | None, arguments: JsonObject) -> None:
        """Add the arguments of a call that the input schema marks sensitive."""
        self._bounder.asked(tool, arguments)

    def conceal(self, secrets: Iterable[str]) -> None:
        """Treat these values as withheld too, although no boundary withheld them, for example fetched secrets."""
        self._bounder.known.learn(list(secrets))

    @property
    def texts(self) -> frozenset[str]:
        """The withheld texts so far, without short ones, which occur by chance."""
        return self._bounder.known.texts

    def repeats(self, value: Json) -> bool:
        """True if a value repeats a withheld value. Short values do not count, because they occur by chance."""
        known = self._bounder.known
        return not known.is_empty and known.repeats(value)

    def repeated_in(self, value: Json) -> str | None:
        """The pointer to the first text in `value` that repeats a withheld value; None if it repeats none.

        The pointer is empty if only several texts together repeat one.
        """
        if not self.repeats(value):
            return None
        known = self._bounder.known
        found = places(value, lambda leaf: isinstance(leaf, str) and known.repeats(leaf))
        return join(next(found, ()))

    def masked_text(self, text: str) -> str:
        """Mask each copy of a withheld value or of a part of one. Short values are masked too.

        If a copy cannot be masked on its own, its whole line or all lines are masked; see `mask_lines`.
        """
        return self._bounder.known.masked_text(text)

    def masked_at(self, text: str, at: int) -> tuple[str, int]:
        """`text`, masked as by `masked_text`, and the position in it that corresponds to position `at`."""
        shown = self.masked_text(text)
        if shown == text:
            return text, at
        before = len(_WORDS.findall(text[:at])) - _is_inside_word(text, at)
        starts = [match.start() for match in _WORDS.finditer(shown)]
        if len(starts) == len(_WORDS.findall(text)):
            return shown, starts[before] if before < len(starts) else 0
        lines = shown.split("\n")
        above = text.count("\n", 0, at)
        if len(lines) != text.count("\n") + 1:
            return shown, 0
        return shown, sum(len(line) + 1 for line in lines[:above])

    def masked_lines(self, lines: Sequence[str]) -> tuple[str, ...]:
        """The lines, masked as by `masked_text`. If a withheld value spans several lines, all are masked."""
        if not lines:
            return ()
        text = "\n".join(lines)
        shown = self.masked_text(text).split("\n")
        return tuple(shown) if len(shown) == text.count("\n") + 1 else (MASK,) * len(lines)

    def masked_value(self, value: Json) -> Json:
        """`value` with a mask in place of each leaf that repeats a withheld value. Short values do not count.

        If a key of an object repeats a withheld value, a mask replaces the whole object.
        """
        return self._bounder.known.masked(value)

    def masked(self, tool: Tool) -> Tool:
        """A copy of `tool`, with a mask for each part of its definition that repeats a withheld value."""
        definition = self.masked_value(tool.definition)
        if definition is tool.definition:
            return tool
        return replace(tool, definition=definition if isinstance(definition, dict) else {"name": MASK})


def _is_inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and not text[at - 1].isspace() and not text[at].isspace()


class SafeLines(Struct, frozen=True, kw_only=True):
    """Lines of a server in which withheld values are masked. They are untrusted text."""

    lines: tuple[str, ...]
    repeats: bool
    """True if a line repeats a withheld value that is long enough not to occur by chance."""

    def remark(self, stream: str) -> str:
        """A remark such as `the server's stderr repeats a masked value`; empty if no line repeats one.

        `stream`: the name of the stream that the lines are from.
        """
        return f"the server's {stream} repeats a masked value" if self.repeats else ""


class OutputMasks:
    """Masks the withheld values of a call in what the server writes to stderr or stdout during it.

    Use it in one thread at a time.
    """

    def __init__(
        self, tool: Tool | None, arguments: JsonObject, outcome: Outcome, removals: Iterable[Removal]
    ) -> None:
        """`removals`: the removals from the result at the boundary level `declared`."""
        self._withheld = WithheldValues()
        self._withheld.learn(tool, outcome, removals)
        self._withheld.learn_arguments(tool, arguments)

    def masked(self, lines: Sequence[str]) -> SafeLines:
        """The lines, each with masks in place of withheld values. The cost is linear in their length."""
        return SafeLines(
            lines=self._withheld.masked_lines(lines), repeats=self._withheld.repeats("\n".join(lines))
        )


def repeats_withheld(
    tools: Iterable[Tool], instructions: str | None, calls: Iterable[tuple[Tool | None, JsonObject, Outcome]]
) -> str:
    """The name of the first tool whose definition repeats a withheld value; empty if there is none.

    If only the server's instructions repeat a value, the text is `the server's instructions`. A value counts
    as withheld if the boundary withholds it from the result of a call, or if the input schema marks the
    argument sensitive. `calls`: tool, arguments and outcome of each. Linear in the size of all of them.
    """
    bounder = Bounder(MarkerKey(bytes(32)), DEFAULT_POLICY, ())
    for tool, arguments, outcome in calls:
        if not isinstance(outcome, Failure):
            bounder.page_call(tool, arguments, outcome)
    named: list[tuple[str, Json]] = [(tool.name, tool.definition) for tool in tools]
    for name, value in (*named, ("the server's instructions", instructions)):
        if bounder.known.repeats(value):
            return name
    return ""
