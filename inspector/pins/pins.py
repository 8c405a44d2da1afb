"""Pins: definitions that the user accepted, and what changed since.

A server, or an attacker who takes it over, may later change the description, schema or declarations of an
accepted tool. Sightline shows such a change, and asks before the first call.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from inspector.json.diff import ChangeKind
from inspector.pins.diff import DefinitionChange, compared, definition_changes, is_same
from inspector.pins.identity import Identity, fingerprint
from inspector.protocol.catalogue import Catalogue, Kind, Tool, item_of, skill_listed_as
from inspector.protocol.skills import holding
from inspector.safe_text import safe_line

_MAX_PLACES = 4
"""The maximum number of pointers that one sentence about a changed definition names."""
_MAX_NAME = 80


class ServerDefinitions(Struct, frozen=True, kw_only=True):
    """The definitions and instructions that a server sent for a model, unchanged."""

    tools: tuple[Tool, ...] = ()
    instructions: str | None = None
    """The server's instructions; None if it gives none. Untrusted text."""
    items: tuple[Tool, ...] | None = None
    """Resources, templates, prompts and skills as tools that are named by `listed_as`; None if unknown."""

    @property
    def all(self) -> tuple[Tool, ...]:
        """The definitions of tools, and of resources, templates, prompts and skills."""
        return (*self.tools, *(self.items or ()))

    def tool(self, name: str) -> Tool | None:
        """The first tool of that name, which is the one that is called."""
        return next((tool for tool in self.all if tool.name == name), None)

    @property
    def fingerprint(self) -> str:
        """A hash of the instructions and of all definitions: 64 hexadecimal digits.

        It does not depend on the order of the tools.
        """
        tools = sorted((tool.name, fingerprint(tool.definition)) for tool in self.all)
        return fingerprint([self.instructions, *([name, digits] for name, digits in tools)])


class Pinned(Struct, frozen=True, kw_only=True):
    """The accepted definitions of one server."""

    identity: Identity
    at: str
    """The time of the pin, as RFC 3339 in UTC."""
    software: str
    definitions: ServerDefinitions


class Since(StrEnum):
    """The point in time since which something has changed. Each value is text for a sentence."""

    PINNED = "since it was pinned"
    LISTED = "since it was first listed in this session"
    SAVED = "since the last save"


class PinStatus(StrEnum):
    """Whether a server's definitions differ from its pin. Each value is text for a sentence."""

    UNPINNED = "not pinned"
    SAME = "as pinned"
    CHANGED = "changed"
    UNKNOWN = "its pin cannot be read"


class ConfirmReason(Struct, frozen=True, kw_only=True):
    """A reason to ask the user before a call. Its key identifies the reason, so that Sightline asks only once."""

    key: str
    """A text that identifies the change. The user is asked only once for each key."""
    sentence: str
    """A sentence that is safe to show."""
    changes: tuple[DefinitionChange, ...] = ()
    """The changes that the sentence is about, of a definition or of the server's instructions. Untrusted."""


class ChangesSince(Struct, frozen=True, kw_only=True):
    """The changes since one point in time: the pin, or the first listing of the session."""

    since: Since
    before: ServerDefinitions
    now: ServerDefinitions
    tools: tuple[DefinitionChange, ...]
    """The changes of definitions, ordered by tool name."""
    instructions_changed: bool = False

    def of(self, name: str) -> tuple[DefinitionChange, ...]:
        return tuple(change for change in self.tools if change.tool == name)

    @property
    def by_tool(self) -> dict[str, tuple[DefinitionChange, ...]]:
        by_name: dict[str, list[DefinitionChange]] = {}
        for change in self.tools:
            by_name.setdefault(change.tool, []).append(change)
        return {name: tuple(changes) for name, changes in by_name.items()}

    @property
    def weakened(self) -> int:
        return sum(bool(change.weakens) for change in self.tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinState:
    """The comparison of a server's definitions with their pin, and with the session's first listing."""

    pinned: Pinned | None = None
    altered: tuple[ChangesSince, ...] = ()
    """The changes since the pin, and those since the session's first listing; each only if there are any."""
    first: tuple[Tool, ...] = ()
    """The definitions that changed since the session's first listing, as listed then.

    A definition is included here even if `altered` already reports its change since the pin.
    """
    asking: Mapping[str, tuple[ConfirmReason, ...]] = field(
        default_factory=dict[str, tuple[ConfirmReason, ...]], repr=False
    )
    """Reasons to confirm, by tool name. The empty name holds reasons that concern every tool."""
    fault: str = ""
    """The reason why the pin cannot be read; empty if it can."""

    @property
    def status(self) -> PinStatus:
        """The most serious status that applies."""
        if self.fault:
            return PinStatus.UNKNOWN
        if self.altered:
            return PinStatus.CHANGED
        return PinStatus.SAME if self.pinned else PinStatus.UNPINNED

    def asks(self, name: str) -> tuple[ConfirmReason, ...]:
        """The reasons to confirm the first call of a tool; empty if there are none.

        The reasons are changes of the tool, of its skill and of the server's instructions, and a pin that
        cannot be read. Fast.
        """
        own = self.asking.get(name, ()) if name else ()
        return (*self._fault_asking(), *own, *self._skill_asking(name), *self.asking.get("", ()))

    def _skill_asking(self, name: str) -> Iterator[ConfirmReason]:
        """If `name` is the handle of a file of a skill: the reasons to confirm that concern the skill."""
        read = item_of(name)
        if read is None or read.kind is not Kind.RESOURCE:
            return
        for listed_as, reasons in self.asking.items():
            uri = skill_listed_as(listed_as)
            if uri is not None and holding(read.name, ((uri, {}),)):
                yield from reasons

    def _fault_asking(self) -> tuple[ConfirmReason, ...]:
        if not self.fault:
            return ()
        return (ConfirmReason(key=fingerprint(["fault", self.fault]), sentence=safe_line(self.fault)),)


def pin_state(
    now: ServerDefinitions, *, pinned: Pinned | None = None, first: ServerDefinitions | None = None
) -> PinState:
    """Compare the definitions of a complete listing with the pin and the first listing. Never raises; linear.

    `first`: the session's first listing (`first_seen`). Tools added or removed since then are not reported,
    because servers and pages may offer different tools at different times. A change since the pin is not
    reported twice.
    """
    comparisons: list[ChangesSince] = []
    reported = frozenset[str]()
    changed_first: tuple[Tool, ...] = ()
    if pinned is not None:
        before = pinned.definitions
        changed = changes_between(before, now)
        reported = frozenset(change.tool for change in changed)
        instructions = before.instructions != now.instructions
        comparisons.append(
            ChangesSince(
                since=Since.PINNED, before=before, now=now, tools=changed, instructions_changed=instructions
            )
        )
    if first is not None:
        changed = definition_changes(*shared(first.all, now.all))
        names = {change.tool for change in changed}
        changed_first = tuple(tool for tool in first.all if tool.name in names)
        rest = tuple(change for change in changed if change.tool not in reported)
        comparisons.append(ChangesSince(since=Since.LISTED, before=first, now=now, tools=rest))
    changed_since = tuple(altered for altered in comparisons if altered.tools or altered.instructions_changed)
    return PinState(pinned=pinned, altered=changed_since, first=changed_first, asking=_asking(changed_since))


def definitions_of(catalogue: Catalogue, instructions: str | None) -> ServerDefinitions:
    """The definitions of a complete listing. The definition of a skill includes the digests of its files."""
    kinds = (Kind.RESOURCE, Kind.TEMPLATE, Kind.PROMPT, Kind.SKILL)
    items = {item.listed_as: item.as_listed for kind in kinds for item in catalogue.items(kind)}
    return ServerDefinitions(tools=catalogue.tools, instructions=instructions, items=tuple(items.values()))


def changes_between(before: ServerDefinitions, now: ServerDefinitions) -> tuple[DefinitionChange, ...]:
    """The changes of tools; and of resources, templates, prompts and skills if both sides know them.

    Added and removed resources do not count, because resources are data.
    """
    if before.items is None or now.items is None:
        return definition_changes(before.tools, now.tools)
    return tuple(change for change in definition_changes(before.all, now.all) if not _comes_or_goes(change))


def _comes_or_goes(change: DefinitionChange) -> bool:
    item = item_of(change.tool)
    is_resource = item is not None and item.kind is Kind.RESOURCE
    return is_resource and not change.pointer and change.kind is not ChangeKind.CHANGED


def _asking(comparisons: Iterable[ChangesSince]) -> dict[str, tuple[ConfirmReason, ...]]:
    asking: dict[str, tuple[ConfirmReason, ...]] = {}
    for altered in comparisons:
        since, now = altered.since.value, {tool.name: tool for tool in altered.now.all}
        for name, changes in altered.by_tool.items():
            tool = now.get(name)
            key = fingerprint([since, name, compared(tool) if tool else None])
            asking[name] = (
                *asking.get(name, ()),
                ConfirmReason(key=key, sentence=_sentence(changes, altered.since), changes=changes),
            )
        if altered.instructions_changed:
            key = fingerprint([since, altered.now.instructions])
            words = f"the server's instructions changed {since}"
            change = DefinitionChange(
                tool="",
                kind=ChangeKind.CHANGED,
                pointer="/instructions",
                before=altered.before.instructions,
                after=altered.now.instructions,
            )
            asking[""] = (*asking.get("", ()), ConfirmReason(key=key, sentence=words, changes=(change,)))
    return asking


def first_seen(first: ServerDefinitions | None, now: ServerDefinitions) -> ServerDefinitions:
    """The definitions as the session first listed them, including tools that were listed later."""
    if first is None:
        return now
    known = {tool.name for tool in first.all}
    fresh = tuple(tool for tool in now.tools if tool.name not in known)
    items = tuple(item for item in now.items or () if item.name not in known)
    return ServerDefinitions(
        tools=(*first.tools, *fresh), instructions=first.instructions, items=(*(first.items or ()), *items)
    )


def edited(first: ServerDefinitions, last: ServerDefinitions, now: ServerDefinitions) -> ServerDefinitions:
    """The definitions of the session's first listing, updated by those that an edit has changed.

    `last`: the listing before the edit. A definition that already differed between `first` and `last` was
    changed without an edit, so its first version is kept.
    """
    before, after = ({tool.name: tool for tool in each.all} for each in (last, now))

    def at_edit(tools: Iterable[Tool]) -> Iterator[Tool]:
        for tool in tools:
            was = before.get(tool.name)
            if was is None or not is_same(was, tool):
                yield tool
            elif tool.name in after:
                yield after[tool.name]

    return ServerDefinitions(
        tools=tuple(at_edit(first.tools)),
        instructions=first.instructions,
        items=tuple(at_edit(first.items or ())),
    )


def shared(before: Iterable[Tool], after: Iterable[Tool]) -> tuple[tuple[Tool, ...], tuple[Tool, ...]]:
    """The tools whose names are in both listings, first as in `before`, then as in `after`."""
    old, new = tuple(before), tuple(after)
    names = {tool.name for tool in old} & {tool.name for tool in new}
    return tuple(tool for tool in old if tool.name in names), tuple(
        tool for tool in new if tool.name in names
    )


def _sentence(changes: tuple[DefinitionChange, ...], since: Since) -> str:
    first = changes[0]
    name = safe_line(first.tool)[:_MAX_NAME]
    if not first.pointer and first.kind is not ChangeKind.CHANGED:
        return f"{name} is {'new' if first.kind is ChangeKind.ADDED else 'gone'} {since.value}"
    places = [safe_line(change.pointer)[:_MAX_NAME] for change in changes[:_MAX_PLACES]]
    more = f" and {len(changes) - _MAX_PLACES:,} more" if len(changes) > _MAX_PLACES else ""
    less = (
        ", and declares fewer restrictions than before" if any(change.weakens for change in changes) else ""
    )
    return f"the definition of {name} changed {since.value}, at {', '.join(places)}{more}{less}"
