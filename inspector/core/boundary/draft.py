"""A result on its way through the rules: each rule takes a draft and gives the next one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TypeAlias

from inspector.core.boundary.bounded import BoundaryPolicy, ErrorCode, Level, Removal, Rule
from inspector.core.boundary.contract import Contract
from inspector.core.boundary.error_code import coded_error
from inspector.core.boundary.notice import NO_NOTICE, Notice
from inspector.core.claims.claim import Claim, Subject
from inspector.core.json_text import Json, JsonObject, equal
from inspector.core.pointer import child


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Structured:
    """The structured content."""

    pointer: str
    raw: Json
    value: Json
    """As it stands now, without a notice; the raw value itself where nothing is withheld."""
    gone: bool = False


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
    removals: tuple[Removal, ...] = ()
    findings: tuple[str, ...] = ()

    def removing(self, *removals: Removal) -> "Draft":
        """The draft with more removals noted."""
        return replace(self, removals=(*self.removals, *removals))

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


def withhold_blocks(draft: Draft, reason_for: Callable[[Block], Reason | None]) -> Draft:
    """The draft without the blocks for which there is a reason. Blocks in the boundary's own words stay."""
    blocks: list[Block] = []
    removals: list[Removal] = []
    for block in draft.blocks:
        reason = None if block.fate in {Fate.OWN, Fate.WITHHELD} else reason_for(block)
        if reason:
            removals.append(reason.at(block.pointer))
            blocks.append(replace(block, fate=Fate.WITHHELD))
        else:
            blocks.append(block)
    return replace(draft, blocks=tuple(blocks)).removing(*removals) if removals else draft


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
    return replace(draft, structured=replace(structured, gone=True)).removing(reason.at(structured.pointer))


def withhold_members(draft: Draft, reason: Reason) -> Draft:
    """The draft without members that the protocol does not know."""
    if not draft.members:
        return draft
    removals = (reason.at(child("", key)) for key in draft.members)
    return replace(draft, members={}).removing(*removals)


def withhold_error(draft: Draft, reason: Reason) -> Draft:
    """The draft with a code in place of the error's own words."""
    if draft.error is None or draft.code is None:
        return draft
    coded = coded_error(draft.code)
    if equal(draft.error, coded):
        return draft
    removals = (
        reason.at(child("/error", key))
        for key, value in draft.error.items()
        if key not in coded or not equal(value, coded[key])
    )
    return replace(draft, error=coded).removing(*removals)


def withhold_all(draft: Draft, reason: Reason) -> Draft:
    """The draft without anything that the server said, apart from `_meta`."""
    draft = withhold_blocks(draft, lambda _: reason)
    draft = withhold_structured(draft, reason)
    draft = withhold_members(draft, reason)
    return withhold_error(draft, reason)
