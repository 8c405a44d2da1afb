"""`webmcp-110`: sensitive outputs and secret references.

A misspelt `sensitiveHint` counts unless its value is false. A `sensitiveHint` in annotations that are not an
object counts too. A sensitivity mark is the schema keyword `x-sensitive`, also misspelt. A property with that
name is no mark, and neither is a member of a value in `enum`, `const`, `default` or `examples`. Values of
unknown keywords are searched for marks, because a `$ref` can point to a schema in them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from inspector.claims.claim import Claim, Implication, Sort, Standing, Subject, TraitName, flag
from inspector.claims.layout import (
    BOOLEAN,
    REPEATED,
    WRONG_CONTAINER,
    Branch,
    Leaf,
    Member,
    ValueForm,
    VocabularyLayout,
    members,
)
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.json.pointer import child, split
from inspector.schema.spellings import HINT, MARK, is_hint, is_mark, names_hint

_REFERENCE = "secret_reference"

_SENSITIVE_HINT = Leaf(
    form=BOOLEAN,
    meaning="no raw part of a result may reach a model, only a redacted structure or a reference",
    implications=(flag(TraitName.SENSITIVE),),
)
_ANNOTATIONS = Branch(members={HINT: _SENSITIVE_HINT})

_MARKED = Leaf(
    form=BOOLEAN,
    meaning="the value at this position of the output schema is sensitive",
    implications=(Implication(trait=TraitName.SENSITIVE_POSITIONS, sort=Sort.POSITION, malformed=True),),
)

_LAYOUT = VocabularyLayout(
    name="webmcp-110",
    standing=Standing.PROPOSAL,
    roots={
        Subject.TOOL: Branch(members={"annotations": _ANNOTATIONS}),
        Subject.RESULT: Branch(members={"_meta": Branch(members={"annotations": _ANNOTATIONS})}),
        Subject.BLOCK: Branch(members={"annotations": _ANNOTATIONS}),
    },
)


def _reference_problem(block: Json) -> str:
    """The problem with a secret reference block; empty if there is none."""
    if not isinstance(block, dict):
        return REPEATED
    for name in ("id", "label", "redeemUrl"):
        value = block.get(name)
        if not isinstance(value, str) or not value:
            return f"`{name}` is not text" if name in block else f"lacks `{name}`"
    ttl = block.get("ttl", 0)
    if isinstance(ttl, bool) or not isinstance(ttl, (int, float)) or not 0 <= ttl < float("inf"):
        return "`ttl` is not a number of seconds"
    return ""


_REFERENCED = Leaf(
    form=ValueForm(
        words="content block with id, label, redeemUrl and optional ttl", problem=_reference_problem
    ),
    meaning="the server keeps the value; the user can fetch it, and the model gets the label",
    effect="none; the boundary replaces it",
)


POINTER_LENGTH = 4_096
"""The maximum length of a pointer, in characters.

A part of the schema with a longer pointer counts as sensitive and is not read, because a search for marks in
it would cost too much.
"""

_NAMES_TO_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_DATA = frozenset({"enum", "const", "default", "examples", "example"})


class WebmcpMark(Struct, frozen=True, kw_only=True):
    """A sensitivity mark, or a part of the schema that counts as a mark because it cannot be read."""

    member: Member
    problem: str
    """The problem if the mark is misspelt or cannot be read; otherwise empty, even if its value is wrong."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A part of the schema that is still to be read."""

    member: Member
    is_keyword: bool
    """True if the key of the part is a keyword of the schema around it, not a name or an index."""


def marks(tool: JsonObject | DuplicateKeys) -> Iterator[WebmcpMark]:
    """The marks in a tool's output schema, in wire order; pointers are relative to the tool."""
    stack = [_Step(schema, is_keyword=False) for schema in members(tool, among=("outputSchema",))]
    stack.reverse()
    while stack:
        step = stack.pop()
        member = step.member
        if step.is_keyword and is_mark(member.key):
            yield WebmcpMark(
                member=member, problem="" if member.key == MARK else f"is misspelt; the keyword is `{MARK}`"
            )
        elif len(member.pointer) > POINTER_LENGTH:
            yield WebmcpMark(member=member, problem="is nested too deeply to be read, so it counts as marked")
        else:
            below = list(_below(step))
            stack.extend(reversed(below))


def _below(step: _Step) -> Iterator[_Step]:
    member = step.member
    if isinstance(member.value, list):
        yield from (
            _Step(_item(member, index, value), is_keyword=False)
            for index, value in enumerate(member.value)
            if _is_relevant(value)
        )
        return
    names = step.is_keyword and member.key in _NAMES_TO_SCHEMAS
    for inner in members(member.value, member.pointer, repeated=member.repeated):
        if names:
            if _is_relevant(inner.value):
                yield _Step(inner, is_keyword=False)
        elif is_mark(inner.key) or (inner.key not in _DATA and _is_relevant(inner.value)):
            yield _Step(inner, is_keyword=True)


def _item(array: Member, index: int, value: Json) -> Member:
    return Member(key=str(index), value=value, pointer=child(array.pointer, index), repeated=array.repeated)


def _is_relevant(value: Json) -> bool:
    return isinstance(value, DuplicateKeys) or (isinstance(value, (dict, list)) and bool(value))


def _read(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    if subject is Subject.BLOCK and any(
        member.value == _REFERENCE
        for member in members(root, among=("type",))
        if isinstance(member.value, str)
    ):
        block = Member(key=_REFERENCE, value=root, pointer="", repeated=False)
        yield _LAYOUT.claim(subject, block, _REFERENCED)
    hints = tuple(_hints(subject, root))
    if subject is not Subject.TOOL:
        yield from hints
        return
    marked = tuple(_mark(mark) for mark in marks(root))
    hint_first = next((member.key for member in members(root, among=("annotations", "outputSchema"))), "")
    yield from (hints + marked if hint_first == "annotations" else marked + hints)


def _hints(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    for annotations in _annotations(subject, root):
        if not isinstance(annotations.value, (dict, DuplicateKeys)):
            if annotations.value and names_hint(dump_text(annotations.value)):
                yield _LAYOUT.claim(subject, annotations, _problem(WRONG_CONTAINER), HINT)
            continue
        for member in members(annotations.value, annotations.pointer, repeated=annotations.repeated):
            if is_hint(member.key):
                is_right = member.key == HINT or member.value is False
                leaf = _SENSITIVE_HINT if is_right else _problem(f"is misspelt; the annotation is `{HINT}`")
                yield _LAYOUT.claim(subject, member, leaf, HINT)


def _annotations(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Member]:
    if subject is Subject.RESULT:
        for meta in members(root, among=("_meta",)):
            yield from members(meta.value, meta.pointer, repeated=meta.repeated, among=("annotations",))
    else:
        yield from members(root, among=("annotations",))


def _owns(subject: Subject, pointer: str) -> bool:
    *_, key = split(pointer) or ("",)
    return _LAYOUT.owns(subject, f"{pointer.rpartition('/')[0]}/{HINT}" if is_hint(key) else pointer)


def _mark(mark: WebmcpMark) -> Claim:
    return _LAYOUT.claim(Subject.TOOL, mark.member, _problem(mark.problem) if mark.problem else _MARKED, MARK)


def _problem(words: str) -> Leaf:
    """A leaf that makes every claim malformed, whatever its value. `words`: the problem of the claim."""
    return Leaf(form=ValueForm(words="", problem=lambda _: words), meaning="")


VOCABULARY = replace(
    _LAYOUT.vocabulary(
        title="Sensitive outputs and secret references",
        source="github.com/webmachinelearning/webmcp/issues/110",
        as_of="2026-11",
        where='`annotations.sensitiveHint`; `"x-sensitive"` in `outputSchema`; content of type `secret_reference`',
        more_keys={MARK: _MARKED, _REFERENCE: _REFERENCED},
        read=_read,
        remark="open",
    ),
    owns=_owns,
)
