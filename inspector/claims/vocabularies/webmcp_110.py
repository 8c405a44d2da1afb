"""`webmcp-110`: sensitive outputs and secret references."""

from collections.abc import Iterator

from inspector.claims.bearing import Bearing, Sort, TraitName, flag
from inspector.claims.claim import Claim, Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN, Form
from inspector.claims.reading import REPEATED, Branch, Layout, Leaf, Member, members
from inspector.claims.schema_marks import MARK, Mark, marks
from inspector.json.exact import DuplicateKeys, Json, JsonObject

_REFERENCE = "secret_reference"

_SENSITIVE_HINT = Leaf(
    form=BOOLEAN,
    meaning="nothing raw of a result may reach a model: only a redacted structure or a reference",
    bearings=(flag(TraitName.SENSITIVE),),
)
_ANNOTATIONS = Branch(members={"sensitiveHint": _SENSITIVE_HINT})

_MARKED = Leaf(
    form=BOOLEAN,
    meaning="the value at this position of the output schema is sensitive",
    bearings=(Bearing(trait=TraitName.SENSITIVE_POSITIONS, sort=Sort.POSITION, malformed=True),),
)

_LAYOUT = Layout(
    vocabulary="webmcp-110",
    standing=Standing.PROPOSAL,
    roots={
        Subject.TOOL: Branch(members={"annotations": _ANNOTATIONS}),
        Subject.RESULT: Branch(members={"_meta": Branch(members={"annotations": _ANNOTATIONS})}),
        Subject.BLOCK: Branch(members={"annotations": _ANNOTATIONS}),
    },
)


def _reference_problem(block: Json) -> str:
    """Why a block of that type is no secret reference; empty where it is one."""
    if not isinstance(block, dict):
        return REPEATED
    for name in ("id", "label", "redeemUrl"):
        value = block.get(name)
        if not isinstance(value, str) or not value:
            return f"`{name}` is no text" if name in block else f"lacks `{name}`"
    ttl = block.get("ttl", 0)
    if isinstance(ttl, bool) or not isinstance(ttl, (int, float)) or not 0 <= ttl < float("inf"):
        return "`ttl` is no number of seconds"
    return ""


_REFERENCED = Leaf(
    form=Form(words="content block with id, label, redeemUrl and perhaps ttl", problem=_reference_problem),
    meaning="the value stays where it is; the user can fetch it, the model gets the label",
    effect="none; the boundary replaces it",
)


def _read(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    if subject is Subject.BLOCK and any(
        member.value == _REFERENCE
        for member in members(root, among=("type",))
        if isinstance(member.value, str)
    ):
        block = Member(key=_REFERENCE, value=root, pointer="", repeated=False)
        yield _LAYOUT.claim(subject, block, _REFERENCED)
    if subject is not Subject.TOOL:
        yield from _LAYOUT.read(subject, root)
        return
    hints = tuple(_LAYOUT.read(subject, root))
    marked = tuple(_mark(mark) for mark in marks(root))
    hint_first = next((member.key for member in members(root, among=("annotations", "outputSchema"))), "")
    yield from (hints + marked if hint_first == "annotations" else marked + hints)


def _mark(mark: Mark) -> Claim:
    leaf = _MARKED
    if mark.problem:
        leaf = Leaf(form=Form(words="", problem=lambda _: mark.problem), meaning="")
    return _LAYOUT.claim(Subject.TOOL, mark.member, leaf, MARK)


VOCABULARY = Vocabulary(
    name="webmcp-110",
    title="Sensitive outputs and secret references",
    source="github.com/webmachinelearning/webmcp/issues/110",
    standing=Standing.PROPOSAL,
    as_of="2026-11",
    where='`annotations.sensitiveHint`; `"x-sensitive"` in `outputSchema`; content of type `secret_reference`',
    keys=(
        *_LAYOUT.keys,
        *Layout(
            vocabulary="webmcp-110",
            standing=Standing.PROPOSAL,
            roots={Subject.TOOL: Branch(members={MARK: _MARKED, _REFERENCE: _REFERENCED})},
        ).keys,
    ),
    read=_read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="open",
)
