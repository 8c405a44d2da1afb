"""All vocabularies, and the claims that they find. A vocabulary is a module in `vocabularies`, nothing else."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from inspector.claims.claim import Claim, Standing, Subject, Vocabulary
from inspector.claims.reading import REPEATED, Member, members
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Item, Tool

DROPPED = "dropped by the browser"
"""The note of a claim that a page made and its browser did not keep."""
CHANGED = "changed by the browser"

_SHORT = 200
"""In characters."""
_PLAIN_TYPES = frozenset({"text", "image", "audio"})
_PLAIN_MEMBERS = frozenset({"type", "text", "data", "mimeType"})


@cache
def vocabularies() -> tuple[Vocabulary, ...]:
    """Every vocabulary: by standing, from core to unrecognised, then by name."""
    package = import_module("inspector.claims.vocabularies")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    standings = list(Standing)
    return tuple(
        sorted(
            (cast("Vocabulary", module.VOCABULARY) for module in modules),
            key=lambda vocabulary: (standings.index(vocabulary.standing), vocabulary.name),
        )
    )


def claims_of_tool(tool: Tool) -> tuple[Claim, ...]:
    """What a tool's definition declares: by vocabulary, then in the order of the wire.

    Of a page's tool, what the browser dropped or changed too, with a note that says so.
    """
    found = _claims(Subject.TOOL, tool.definition)
    page = tool.page
    if page is None or not (page.dropped or page.changed):
        return tuple(found)
    notes = dict.fromkeys(page.changed, CHANGED) | dict.fromkeys(page.dropped, DROPPED)
    return tuple(_noted(claim, notes) for claim in found)


def _noted(claim: Claim, notes: Mapping[str, str]) -> Claim:
    """The claim with the note of the part that it stands in."""
    pointer = claim.pointer
    while pointer:
        if pointer in notes:
            return replace(claim, note=notes[pointer])
        pointer = pointer[: pointer.rfind("/")]
    return claim


def claims_of_item(item: Item) -> tuple[Claim, ...]:
    """What the definition of a resource, a template or a prompt declares."""
    return tuple(_claims(Subject.RESOURCE, item.definition))


def claims_of_result(result: Json) -> tuple[Claim, ...]:
    """What a tools/call result declares of itself, then what each content block does.

    Pointers are into `result`. An embedded resource counts as part of its block. Never raises; of a large
    result only the members of the result and of its blocks are looked at, and `_meta`.
    """
    if not isinstance(result, (dict, DuplicateKeys)):
        return ()
    found = list(_claims(Subject.RESULT, result))
    for content in members(result, among=("content",)):
        if isinstance(content.value, list):
            for index, block in enumerate(content.value):
                if isinstance(block, (dict, DuplicateKeys)) and not _is_plain(block):
                    found.extend(_claims_of_block(block, index, content))
    return tuple(found)


def claims_of_resolution(result: Json) -> tuple[Claim, ...]:
    """What the result of tools/resolve declares of one call."""
    is_object = isinstance(result, (dict, DuplicateKeys))
    return tuple(_claims(Subject.RESOLUTION, result)) if is_object else ()


def claims_of_request(params: Json) -> tuple[Claim, ...]:
    """What the parameters of a request declare of the context that it comes from."""
    is_object = isinstance(params, (dict, DuplicateKeys))
    return tuple(_claims(Subject.REQUEST, params)) if is_object else ()


@cache
def _readers(subject: Subject) -> tuple[Vocabulary, ...]:
    return tuple(vocabulary for vocabulary in vocabularies() if subject in vocabulary.subjects)


def _claims(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    for vocabulary in _readers(subject):
        found = vocabulary.read(subject, root)
        if vocabulary.standing is Standing.UNRECOGNISED:
            yield from (claim for claim in found if not _is_owned(subject, claim.pointer))
        else:
            yield from found


def _is_owned(subject: Subject, pointer: str) -> bool:
    # Blocks repeat the same few pointers; long ones are not worth keeping.
    return (_owned if len(pointer) > _SHORT else _owned_short)(subject, pointer)


def _owned(subject: Subject, pointer: str) -> bool:
    return any(vocabulary.owns(subject, pointer) for vocabulary in _readers(subject))


_owned_short = lru_cache(maxsize=1_024)(_owned)


def _claims_of_block(block: JsonObject | DuplicateKeys, index: int, content: Member) -> Iterator[Claim]:
    pointer = child(content.pointer, index)
    yield from _moved(_claims(Subject.BLOCK, block), pointer, repeated=content.repeated)
    for resource in members(block, pointer, repeated=content.repeated, among=("resource",)):
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
    """Whether a block has nothing but its type and its payload, so that it declares nothing."""
    if not isinstance(block, dict) or not block.keys() <= _PLAIN_MEMBERS:
        return False
    kind = block.get("type")
    return isinstance(kind, str) and kind in _PLAIN_TYPES
