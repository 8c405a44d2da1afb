"""The reasons why the two sides of a result differ or why it is wrong: their words, and the list of them."""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct
from textual.content import Content

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.counted import is_delimited
from inspector.boundary.notice import MEMBER, START
from inspector.boundary.output_check import is_of_protocol
from inspector.boundary.undeclared import Undeclared
from inspector.hosts.profile import PROTOCOL_MEMBERS, HostChange
from inspector.json.exact import Json
from inspector.json.pointer import join, split
from inspector.tui.result.places import COPIES, NOISE, is_dropped_copy, is_protocol_only, renamed, rule_weight
from inspector.tui.result.removal import QUIET, reason_words
from inspector.tui.text import path
from inspector.tui.values.outline import Outline, SideDifference

MAX_REMARKS = 200
"""The maximum number of reasons in a list, and of remarks in a list.

Also the maximum number of places that are found by one search each.
"""

MAX_LISTED = 20
"""The maximum number of removals of one place listed in full. Further ones are counted."""


class ResultReason(Struct, frozen=True, kw_only=True):
    """A reason why the two sides differ or why the result is wrong, with all its places."""

    key: "ReasonKey"
    weight: int
    """The severity; 0 is the worst."""
    count: int
    places: tuple[str, ...]
    """The first pointers to which the reason applies, each once."""

    @property
    def is_loud(self) -> bool:
        """False if the reason is about protocol metadata or about Sightline's notice; otherwise true.

        The notice tells the model what is withheld.
        """
        return self.key[0] is not SideDifference.QUIET and self.key[2] != _NOTICE_WORDS

    @property
    def line(self) -> Content:
        sign, _, why = self.key
        lead = "! reaches the model " if sign is SideDifference.REACHES else sign.value
        whose = "added for the model: " if sign is SideDifference.RIGHT else ""
        number = 1 if sign is SideDifference.QUIET else self.count
        return reason_words(lead, _REASON_STYLES[sign], self.places, number, why, whose=whose)


ReasonKey: TypeAlias = tuple[SideDifference, str, str]
"""The sign, the boundary rule (empty if the reason is not a rule), and the reason in words.

Reasons with the same key are one reason in the list.
"""

_REASON_STYLES = {
    SideDifference.LEFT: "bold $text-error",
    SideDifference.REACHES: "bold $text-error",
    SideDifference.BROKEN: "bold $text-error",
    SideDifference.CHANGED: "bold $text-accent",
    SideDifference.RIGHT: "$text-accent",
    SideDifference.QUIET: QUIET,
    SideDifference.UNDESCRIBED: "bold $text-warning",
    SideDifference.TO_MODEL: "bold $text-error",
}


class ReasonCollector:
    """Collects reasons, counting equal ones."""

    def __init__(self) -> None:
        self._found: dict[ReasonKey, tuple[int, int, dict[str, None]]] = {}
        self.dropped_copies = 0
        """The number of texts that the boundary rewrote, and that the host does not pass on anyway.

        The removals of these texts are not among the reasons.
        """

    def add(self, key: ReasonKey, pointer: str, weight: int, times: int = 1) -> None:
        number, weight, places = self._found.get(key, (0, weight, dict[str, None]()))
        if not number and len(self._found) >= MAX_REMARKS:
            return
        if len(places) < MAX_LISTED:
            places[pointer] = None
        self._found[key] = number + times, weight, places

    def add_removals(self, removals: Sequence[Removal], outline: Outline, kept: Json) -> dict[str, list[int]]:
        """Add the reasons for removals. Returns the indexes of the removals, by pointer.

        `kept`: the part of the result that the boundary let through.
        """
        removals_at: dict[str, list[int]] = {}
        for index, removal in enumerate(removals):
            removals_at.setdefault(removal.pointer, []).append(index)
            if removal.rule == Rule.MIRROR and is_dropped_copy(outline, kept, removal.pointer):
                # The host drops the text that the boundary rewrote, so the change by the host is the reason.
                self.dropped_copies += 1
            else:
                self.add(removal_key(removal), _member(removal), rule_weight(removal.rule))
        return removals_at

    def add_undescribed(self, free: Undeclared) -> None:
        for index, pointer in enumerate(free.places):
            # The values that are not listed count with the first place.
            unlisted = 0 if index else free.number - len(free.places)
            self.add(undescribed_key(pointer), pointer, 3, 1 + max(unlisted, 0))

    @property
    def reasons(self) -> tuple[ResultReason, ...]:
        made = (
            ResultReason(key=key, weight=weight, count=number, places=tuple(places))
            for key, (number, weight, places) in self._found.items()
        )
        return tuple(sorted(made, key=lambda reason: reason.weight))


def broken_words(message: str) -> str:
    """The message of a violation, after words that say if it violates the output schema or the protocol."""
    return f"breaks the {'protocol' if is_of_protocol(message) else 'output schema'}: {message}"


def broken_key(message: str) -> ReasonKey:
    """The `ReasonKey` of a violation of the output schema or of the protocol.

    `message`: the message of the violation.
    """
    return SideDifference.BROKEN, "", broken_words(message)


def has_notice(outline: Outline, node: int) -> bool:
    """True if a node that only the model's side has is Sightline's notice of what is withheld."""
    value, pointer = outline.value(node, 1), outline.pointer(node)
    text = value.get("text") if isinstance(value, dict) else value
    is_text = isinstance(text, str) and text.startswith(START)
    return is_text or MEMBER in (outline.label(node).strip(), *split(pointer))


def reaching_key(removal: Removal | None) -> ReasonKey:
    """The `ReasonKey` for a secret that the model gets.

    `removal`: the removal of the secret in `ResultView.reaching`. None if the secret is a copy in the model's
    view, at a place without a removal. The boundary level `declared` withholds the copied value.
    """
    why = "a copy of a value that `declared` withholds"
    if removal is not None and removal.rule not in COPIES:
        why = removal.detail
    return SideDifference.REACHES, "", why


def added_words(outline: Outline, node: int, *, is_failure: bool) -> str:
    """The reason for a value that only the model's side has."""
    if is_failure:
        return "an error code of Sightline in place of the host's error text"
    if has_notice(outline, node):
        return _NOTICE_WORDS
    if outline.pointer(node) == "/error/code":
        return "an error code of Sightline, because none was sent"
    if name := renamed(outline, node, 1):
        return f"the host's name for {path(join([name]), 60)}"
    if outline.pointer(node) == "/content" and outline.value(node, 1) == []:
        return "empty, because MCP requires this member and none was sent"
    return "text that the host added, or that replaces what the server sent"


_NOTICE_WORDS = "Sightline's notice to the model of what is withheld"


def removal_key(removal: Removal) -> ReasonKey:
    """The `ReasonKey` of a removal by the boundary."""
    if removal.rule in NOISE:
        return METADATA
    sign = SideDifference.CHANGED if is_delimited(removal) else SideDifference.LEFT
    return sign, removal.rule, removal.detail


def change_key(change: HostChange) -> ReasonKey:
    """The `ReasonKey` of a change by the host."""
    if change.pointer in PROTOCOL_MEMBERS:
        return METADATA
    return SideDifference.CHANGED, "", f"host: {change.what}"


def _member(removal: Removal) -> str:
    """The pointer to show for a removal. For protocol metadata, this is the pointer to the member of the result."""
    is_in_result = removal.rule in NOISE and is_protocol_only(removal.pointer)
    return f"/{removal.pointer[1:].partition('/')[0]}" if is_in_result else removal.pointer


_BLOCK = "no schema describes content blocks, so `declared` lets them through"

_UNDESCRIBED = "not described by the output schema, so `declared` lets it through"

METADATA: ReasonKey = SideDifference.QUIET, "", "protocol metadata, not for models"


def undescribed_key(pointer: str) -> ReasonKey:
    """The `ReasonKey` for a value that reaches the model although no schema describes it.

    `pointer`: the pointer to the value.
    """
    words = _BLOCK if pointer.startswith("/content/") else _UNDESCRIBED
    return SideDifference.UNDESCRIBED, "", words
