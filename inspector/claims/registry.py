"""The registry of vocabularies, and the claims that servers make with their keys.

A vocabulary is one set of extension keys with a meaning, such as the tool annotations of MCP; a claim is one
declaration of a server with such a key. Each module in `vocabularies` defines one vocabulary.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from msgspec.structs import replace

from inspector.claims.claim import Claim, ClaimKey, Standing, Subject, Vocabulary
from inspector.claims.layout import REPEATED, Member, members
from inspector.claims.once import once
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Item, Kind, Tool

DROPPED = "dropped by the browser"
"""The note of a claim that a page made and the browser dropped."""
CHANGED = "changed by the browser"

_SHORT = 200
"""The maximum length, in characters, of pointers that are cached."""
_PLAIN_TYPES = frozenset({"text", "image", "audio"})
_PLAIN_MEMBERS = frozenset({"type", "text", "data", "mimeType"})


@cache
def vocabularies() -> tuple[Vocabulary, ...]:
    """All vocabularies, sorted by status (core first, unrecognised last), then by name."""
    package = import_module("inspector.claims.vocabularies")
    modules = [
        import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__)
    ]
    standings = list(Standing)
    return tuple(
        sorted(
            (cast("Vocabulary", module.VOCABULARY) for module in modules),
            key=lambda vocabulary: (standings.index(vocabulary.standing), vocabulary.name),
        )
    )


@cache
def keys_by_name() -> Mapping[tuple[str, str], ClaimKey]:
    """The keys of all vocabularies, by the name of the vocabulary and the name of the key."""
    return {(vocabulary.name, key.name): key for vocabulary in vocabularies() for key in vocabulary.keys}


@once
def claims_of_tool(tool: Tool) -> tuple[Claim, ...]:
    """The claims in the definition of a tool, or of an item that is used like a tool.

    The claims are ordered by vocabulary, then as sent. Claims that a browser dropped or changed have a note.
    """
    if tool.item:
        return claims_of_item(tool.item)
    claims = _claims(Subject.TOOL, tool.definition)
    page = tool.page
    if page is None or not (page.dropped or page.changed):
        return tuple(claims)
    notes = dict.fromkeys(page.changed, CHANGED) | dict.fromkeys(page.dropped, DROPPED)
    return tuple(_noted(claim, notes) for claim in claims)


def _noted(claim: Claim, notes: Mapping[str, str]) -> Claim:
    """The claim, with a note if a browser dropped or changed the part of the definition that contains it."""
    pointer = claim.pointer
    while pointer:
        if pointer in notes:
            return replace(claim, note=notes[pointer])
        pointer = pointer[: pointer.rfind("/")]
    return claim


def claims_of_item(item: Item) -> tuple[Claim, ...]:
    """The claims in the definition of a resource, a template or a prompt."""
    return tuple(_claims(Subject.RESOURCE, item.definition))


def claims_of_result(result: Json, kind: Kind = Kind.TOOL) -> tuple[Claim, ...]:
    """The claims of a result: about the result, then about each content block.

    `kind`: the kind of the item that was called or read. Pointers are relative to `result`. An embedded
    resource counts as a part of the block that holds it. Never raises. The cost does not depend on the size
    of the payload: only members of the result, of its blocks and `_meta` are read.
    """
    if not isinstance(result, (dict, DuplicateKeys)):
        return ()
    claims_found = list(_claims(Subject.RESULT, result))
    for block in _blocks(result, kind):
        if isinstance(block.value, (dict, DuplicateKeys)) and not _is_plain(block.value):
            claims_found.extend(_claims_of_block(block.value, block))
    return tuple(claims_found)


_BLOCKS = {Kind.TOOL: "content", Kind.PROMPT: "messages"}


def _blocks(result: JsonObject | DuplicateKeys, kind: Kind) -> Iterator[Member]:
    """The content blocks of a result. For a prompt, they are in its messages; for a resource, they are its contents."""
    for content in members(result, among=(_BLOCKS.get(kind, "contents"),)):
        for index, item in enumerate(content.value if isinstance(content.value, list) else ()):
            pointer = child(content.pointer, index)
            if kind is Kind.PROMPT:
                yield from members(item, pointer, repeated=content.repeated, among=("content",))
            else:
                yield Member(key=str(index), value=item, pointer=pointer, repeated=content.repeated)


def claims_of_resolution(result: Json) -> tuple[Claim, ...]:
    """The claims in the result of tools/resolve about one call."""
    is_object = isinstance(result, (dict, DuplicateKeys))
    return tuple(_claims(Subject.RESOLUTION, result)) if is_object else ()


def claims_of_request(params: Json) -> tuple[Claim, ...]:
    """The claims that the parameters of a request make about the request."""
    is_object = isinstance(params, (dict, DuplicateKeys))
    return tuple(_claims(Subject.REQUEST, params)) if is_object else ()


@cache
def _readers(subject: Subject) -> tuple[Vocabulary, ...]:
    return tuple(vocabulary for vocabulary in vocabularies() if subject in vocabulary.subjects)


def _claims(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    for vocabulary in _readers(subject):
        claims = vocabulary.read(subject, root)
        if vocabulary.standing is Standing.UNRECOGNISED:
            yield from (claim for claim in claims if not _is_owned(subject, claim.pointer))
        else:
            yield from claims


def _is_owned(subject: Subject, pointer: str) -> bool:
    # Blocks repeat the same few pointers; long pointers are rare and would fill the cache.
    return (_owned if len(pointer) > _SHORT else _owned_short)(subject, pointer)


def _owned(subject: Subject, pointer: str) -> bool:
    return any(vocabulary.owns(subject, pointer) for vocabulary in _readers(subject))


_owned_short = lru_cache(maxsize=1_024)(_owned)


def _claims_of_block(block: JsonObject | DuplicateKeys, place: Member) -> Iterator[Claim]:
    yield from _moved(_claims(Subject.BLOCK, block), place.pointer, repeated=place.repeated)
    for resource in members(block, place.pointer, repeated=place.repeated, among=("resource",)):
        if isinstance(resource.value, (dict, DuplicateKeys)):
            inner = _claims(Subject.BLOCK, resource.value)
            yield from _moved(inner, resource.pointer, repeated=resource.repeated)


def _moved(claims: Iterator[Claim], pointer: str, *, repeated: bool) -> Iterator[Claim]:
    for claim in claims:
        yield Claim(
            subject=claim.subject,
            pointer=pointer + claim.pointer,
            vocabulary=claim.vocabulary,
            key=claim.key,
            value=claim.value,
            standing=claim.standing,
            well_formed=claim.well_formed and not repeated,
            problem=REPEATED if repeated else claim.problem,
            container=claim.container,
        )


def _is_plain(block: JsonObject | DuplicateKeys) -> bool:
    """True if the block has only a type and a payload, and so no claims."""
    if not isinstance(block, dict) or not block.keys() <= _PLAIN_MEMBERS:
        return False
    kind = block.get("type")
    return isinstance(kind, str) and kind in _PLAIN_TYPES
