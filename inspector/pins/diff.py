"""Compares two sets of definitions: finds added, removed and changed tools, and weakened declarations.

The sets are of two servers, or of one server at two times.

A change weakens a definition if the later claims alone make the tool look less dangerous, less sensitive or
less in need of confirmation than the earlier and later claims together.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.claims.claim import TraitName, written
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import Trait, Traits, traits
from inspector.json.diff import ChangeKind, changes
from inspector.json.exact import Json, JsonObject, dump, dump_text, equal
from inspector.protocol.catalogue import Tool
from inspector.schema.fields import Field, form_of
from inspector.schema.spellings import MARK

_LOST_SETS = frozenset({TraitName.SENSITIVE_POSITIONS, TraitName.DATA_CLASSES})
_SETS = _LOST_SETS | {TraitName.DESTINATIONS, TraitName.SOURCES, TraitName.ATTRIBUTION}
_HARMLESS = frozenset({"read", "public", "benign"})
"""Values of traits that declare no risk. The loss of such a value weakens no definition."""


_DECLARE_NOTHING = ("/description/", "/title/", "/icons/")


class DefinitionChange(Struct, frozen=True, kw_only=True):
    """One difference between two definitions of a tool, with the declarations that it weakens."""

    tool: str
    """The name of the tool; empty for the server's instructions. Untrusted text."""
    kind: ChangeKind
    pointer: str
    """The pointer to the changed value in the definition; empty if the whole tool was added or removed."""
    before: Json = None
    """The changed value in the earlier definition, or the whole definition of a removed tool.

    None if the value was null or absent. Untrusted.
    """
    after: Json = None
    weakens: tuple[str, ...] = ()
    """The declarations that the change weakens, as statements. May quote untrusted text."""


class _Loss(Struct, frozen=True, kw_only=True):
    what: str
    pointers: tuple[str, ...]
    """Pointers to the declarations that were lost or replaced, in the earlier and the later definition."""


def definition_changes(before: Iterable[Tool], after: Iterable[Tool]) -> tuple[DefinitionChange, ...]:
    """All changes, ordered by tool name, then by pointer. Never raises."""
    old, new = _by_name(before), _by_name(after)
    changed: list[DefinitionChange] = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            changed.append(
                DefinitionChange(tool=name, kind=ChangeKind.REMOVED, pointer="", before=old[name].definition)
            )
        elif name not in old:
            changed.append(
                DefinitionChange(tool=name, kind=ChangeKind.ADDED, pointer="", after=new[name].definition)
            )
        else:
            changed += _changed(old[name], new[name])
    return tuple(changed)


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """The first tool of each name, which is the one that is called."""
    named: dict[str, Tool] = {}
    for tool in tools:
        named.setdefault(tool.name, tool)
    return named


def is_same(before: Tool, after: Tool) -> bool:
    """True if the definitions do not differ, apart from the query and the fragment of a page's address.

    A page changes the query and the fragment itself, for example when one of its forms is sent.
    """
    return equal(*_pair(before, after))


def compared(tool: Tool) -> JsonObject:
    """The definition of a tool in the form that is compared.

    If the tool belongs to a page, the address of its frame has no query and no fragment.
    """
    return _bare(tool.definition) if tool.page else tool.definition


def _pair(before: Tool, after: Tool) -> tuple[JsonObject, JsonObject]:
    # A pin does not store whether a tool belongs to a page. The listed tool does.
    if before.page or after.page:
        return _bare(before.definition), _bare(after.definition)
    return before.definition, after.definition


def _bare(definition: JsonObject) -> JsonObject:
    frame = definition.get("frame")
    # In other schemes, such as `data:`, all of the address may be content.
    if isinstance(frame, str) and frame.startswith(("http://", "https://")):
        return {**definition, "frame": re.split("[?#]", frame, maxsplit=1)[0]}
    return definition


def _changed(before: Tool, after: Tool) -> list[DefinitionChange]:
    old, new = _pair(before, after)
    # Nearly all tools are unchanged.
    if dump(old) == dump(new):
        return []
    places = sorted(changes(old, new), key=lambda change: change.pointer)
    losses = list(_losses(before, after)) if any(_may_declare(place.pointer) for place in places) else []
    return [
        DefinitionChange(
            tool=before.name,
            kind=place.kind,
            pointer=place.pointer,
            before=place.before,
            after=place.after,
            weakens=tuple(loss.what for loss in losses if _touches(loss, place.pointer)),
        )
        for place in places
    ]


def _may_declare(pointer: str) -> bool:
    return not f"{pointer}/".startswith(_DECLARE_NOTHING)


def _touches(loss: _Loss, pointer: str) -> bool:
    return any(f"{one}/".startswith(f"{pointer}/") or pointer.startswith(f"{one}/") for one in loss.pointers)


def _losses(before: Tool, after: Tool) -> Iterator[_Loss]:
    claims, later = claims_of_tool(before), claims_of_tool(after)
    old, new, joined = traits(claims), traits(later), traits((*claims, *later))
    for name in TraitName:
        if _is_weaker(name, old, new, joined):
            # A removed declaration has a pointer only in the earlier definition.
            every = (
                *old.trait(name).claims_for,
                *new.trait(name).claims_for,
                *new.trait(name).claims_against,
            )
            yield _Loss(
                what=_lost_words(name, old.trait(name), new.trait(name)),
                pointers=tuple(claim.pointer for claim in every),
            )
    lost = _private_arguments(before) - _private_arguments(after)
    if lost:
        words = f"no longer marked sensitive: the arguments {', '.join(sorted(lost))}"
        yield _Loss(what=words, pointers=("/inputSchema",))
    if before.output_schema is not None and after.output_schema is None:
        yield _Loss(what="the output schema was removed", pointers=("/outputSchema",))


def _is_weaker(name: TraitName, old: Traits, new: Traits, joined: Traits) -> bool:
    was, now, both = old.trait(name), new.trait(name), joined.trait(name)
    if (name in _SETS and name not in _LOST_SETS) or both.value == now.value:
        return False
    return not (now.defaulted and was.value in _HARMLESS)


def _lost_words(name: TraitName, old: Trait, new: Trait) -> str:
    """A statement that says what a tool no longer declares."""
    if name in _LOST_SETS and isinstance(old.value, tuple):
        kept = new.value if isinstance(new.value, tuple) else ()
        lost = ", ".join(written(word) or "the root" for word in old.value if word not in kept)
        if name is TraitName.SENSITIVE_POSITIONS:
            return f"{MARK} is no longer declared at {lost}"
        return f"no longer declared: the data classes {lost}"
    return f"no longer declared: {name.value}: {_trait_text(old)} → {_trait_text(new)}"


def _trait_text(trait: Trait) -> str:
    value = trait.value
    text = dump_text(list(value) if isinstance(value, tuple) else value)
    return f"{text} (not declared)" if trait.defaulted else text


def _private_arguments(tool: Tool) -> set[str]:
    """Pointers to the arguments that are marked sensitive, write-only or as a password."""
    pointers: set[str] = set()
    waiting: list[Field] = list(form_of(tool.input_schema).fields)
    while waiting:
        field = waiting.pop()
        if field.sensitive:
            pointers.add(field.pointer)
        waiting += (*field.fields, *((field.item,) if field.item else ()))
    return pointers
