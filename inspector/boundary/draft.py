"""A result on its way through the rules: each rule takes a draft and gives the next one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TypeAlias

from inspector.boundary.bounded import ErrorCode, Level, Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.error_code import coded_error
from inspector.boundary.ledger import Secrets
from inspector.boundary.notice import NO_NOTICE, Notice, text_block
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.removals import Removals
from inspector.claims.claim import Claim, Standing, Subject
from inspector.json.exact import DuplicateKeys, Json, JsonObject, equal
from inspector.json.pointer import child, split


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The distinct texts of a draft that would reach the model."""

    said: set[str] = field(default_factory=set[str])
    keys: set[str] = field(default_factory=set[str])
    """Of objects, without those that the schema or the protocol names."""
    all_keys: set[str] = field(default_factory=set[str])
    """Of objects, whoever names them."""


class Fate(Enum):
    """What has become of a content block."""

    RAW = auto()
    """As the server sent it, apart from its `_meta`."""
    OWN = auto()
    """Replaced by the boundary's own words; no rule looks at it any more."""
    MIRROR = auto()
    """Repeats the structured content; its text will be written from what is left of that."""
    WITHHELD = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One content block."""

    pointer: str
    """Into the raw result."""
    raw: Json
    value: Json
    """As it stands now; without meaning where it is withheld."""
    fate: Fate = Fate.RAW
    noted: bool = False
    """Of a mirror: whether it is among the removals already."""
    delimited: bool = False
    """Whether its text is to stand between markers."""
    was_delimited: bool = False
    """Whether it came between markers of this call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Structured:
    """The structured content."""

    pointer: str
    raw: Json
    value: Json
    """As it stands now, without a notice; the raw value itself where nothing is withheld, null where it is gone."""
    gone: bool = False
    touched: bool = False
    """Whether anything of it is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A result, an error, or what is left of one."""

    raw: Json
    level: Level
    policy: BoundaryPolicy
    contract: Contract
    claims: tuple[Claim, ...] = ()
    """What the result says of itself and of its blocks."""
    hint: Claim | None = None
    """The declaration that the whole result is sensitive, from the tool or the result."""
    code: ErrorCode | None = None
    """Set where the call failed."""
    blocks: tuple[Block, ...] = ()
    structured: Structured | None = None
    members: JsonObject | None = None
    """Members of the result that the protocol does not know; None for an error and for a page's value."""
    meta: Json = None
    """The result's `_meta`."""
    error: JsonObject | None = None
    """The JSON-RPC error; a draft that has one has no content."""
    earlier: Notice = NO_NOTICE
    """What a boundary before this one has already said."""
    nonce: str = ""
    """Marks untrusted text; empty where nothing is to be delimited."""
    removals: Removals = Removals()  # noqa: RUF009 - it is never changed
    secrets: Secrets = field(default_factory=Secrets)
    """Withheld values, to be searched for in all the rest. Never changed, but replaced."""
    texts: Texts | None = None
    """All that passed when something first looked for it; some of it may be gone since."""
    findings: tuple[str, ...] = ()

    def removing(self, removals: Sequence[Removal], secrets: Secrets | None = None) -> "Draft":
        """The draft with more removals noted, and with the values that must not be said elsewhere either."""
        known = self.secrets.and_then(secrets) if secrets else self.secrets
        return replace(self, removals=self.removals.and_then(removals), secrets=known)

    def finding(self, *sentences: str) -> "Draft":
        """The draft with more to tell the user."""
        return replace(self, findings=(*self.findings, *sentences))


DraftRule: TypeAlias = Callable[[Draft], Draft]
"""One rule. Pure; what it raises withholds the whole result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a rule withholds something."""

    rule: Rule
    detail: str
    claim: Claim | None = None

    def at(self, pointer: str) -> Removal:
        """The removal of what stands there."""
        return Removal(pointer=pointer, rule=self.rule, detail=self.detail, claim=self.claim)


def withhold_blocks(
    draft: Draft, reason_for: Callable[[Block], Reason | None], instead: str | None = None
) -> Draft:
    """The draft without the blocks for which there is a reason. Blocks in the boundary's own words stay.

    `instead`: a text of the boundary's own for the place of each; None where nothing is to stand there.
    """
    blocks: list[Block] = []
    removals: list[Removal] = []
    secrets = Secrets()
    for block in draft.blocks:
        reason = None if block.fate in {Fate.OWN, Fate.WITHHELD} else reason_for(block)
        if reason is None:
            blocks.append(block)
            continue
        removals.append(reason.at(block.pointer))
        secrets.add(reason.rule, said(block.raw))
        if reason.rule in DECLARED_OF_BLOCKS:
            secrets.add(reason.rule, _metadata(block.raw, _claiming(draft)))
        if instead is None:
            blocks.append(replace(block, fate=Fate.WITHHELD))
        else:
            blocks.append(replace(block, value=text_block(instead), fate=Fate.OWN))
    return replace(draft, blocks=tuple(blocks)).removing(removals, secrets)


def said(block: Json) -> list[Json]:
    """What a content block says, without the words of the protocol around it."""
    match block:
        case dict():
            pairs = block.items()
        case DuplicateKeys():
            pairs = block.pairs
        case _:
            return [block]
    found: list[Json] = []
    for key, value in pairs:
        if key == "resource":
            found.extend(said(value))
        elif key not in _AROUND:
            found.append(value)
    return found


_AROUND = frozenset({"type", "mimeType", "annotations", "_meta", "size", "icons"})

DECLARED_OF_BLOCKS = frozenset({Rule.SENSITIVE_HINT, Rule.LABELLED, Rule.INTERNAL})
"""Rules for which all of a block is secret, its metadata too."""


def _metadata(block: Json, claiming: frozenset[str]) -> list[Json]:
    """What stands in the `_meta` of a block and of its resource, but for what claims stand in."""
    found: list[Json] = []
    match block:
        case {"resource": dict() as resource}:
            found += _metadata(resource, claiming)
        case _:
            pass
    match block:
        case {"_meta": dict() as meta}:
            return [*found, *(value for key, value in meta.items() if key not in claiming)]
        case {"_meta": meta}:
            return [*found, meta]
        case _:
            return found


def _claiming(draft: Draft) -> frozenset[str]:
    """The keys of `_meta` under which blocks claim something: registered words, which other blocks say too."""
    ways = (
        split(claim.pointer)
        for claim in draft.claims
        if claim.subject is Subject.BLOCK and claim.standing is not Standing.UNRECOGNISED
    )
    return frozenset(way[way.index("_meta") + 1] for way in ways if "_meta" in way[:-1])


def claims_on_result(draft: Draft) -> tuple[Claim, ...]:
    """What the result says of itself as a whole."""
    return tuple(claim for claim in draft.claims if claim.subject is Subject.RESULT)


def claims_by_block(draft: Draft) -> dict[str, list[Claim]]:
    """What blocks say of themselves, by the pointers of the blocks."""
    found: dict[str, list[Claim]] = {}
    for claim in draft.claims:
        if claim.subject is Subject.BLOCK:
            block = "/".join(claim.pointer.split("/", 3)[:3])
            found.setdefault(block, []).append(claim)
    return found


def withhold_structured(draft: Draft, reason: Reason) -> Draft:
    """The draft without structured content."""
    structured = draft.structured
    if structured is None or structured.gone:
        return draft
    draft = replace(draft, structured=replace(structured, value=None, gone=True, touched=True))
    return draft.removing((reason.at(structured.pointer),), Secrets().add(reason.rule, [structured.raw]))


def withhold_members(draft: Draft, reason: Reason) -> Draft:
    """The draft without members that the protocol does not know."""
    if not draft.members:
        return draft
    removals = tuple(reason.at(child("", key)) for key in draft.members)
    secrets = Secrets().add(reason.rule, draft.members.values())
    return replace(draft, members={}).removing(removals, secrets)


def withhold_error(draft: Draft, reason: Reason) -> Draft:
    """The draft with a code in place of the error's own words."""
    if draft.error is None:
        return draft
    coded = coded_error(draft.code)
    changed = [key for key, value in draft.error.items() if key not in coded or not equal(value, coded[key])]
    secrets = Secrets().add(reason.rule, [draft.error[key] for key in changed if key != "code"])
    removals = tuple(reason.at(child("/error", key)) for key in changed)
    return replace(draft, error=coded).removing(removals, secrets)


def withhold_all(draft: Draft, reason: Reason) -> Draft:
    """The draft without anything that the server said, apart from `_meta`."""
    draft = withhold_blocks(draft, lambda _: reason)
    draft = withhold_structured(draft, reason)
    draft = withhold_members(draft, reason)
    return withhold_error(draft, reason)
