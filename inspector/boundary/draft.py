"""A draft is a result between two boundary rules. Each rule takes a draft and returns the next."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.boundary.bounded import ErrorCode, Level, PassingCredential, Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.echoes import Echoes
from inspector.boundary.error_code import coded_error
from inspector.boundary.notice import NO_NOTICE, Notice, text_block
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading_shape import ReadingShape
from inspector.boundary.removals import Removals, Secrets
from inspector.boundary.spellings import Spelling
from inspector.claims.claim import Claim, Standing, Subject
from inspector.json.exact import DuplicateKeys, Json, JsonObject, equal
from inspector.json.pointer import child, split


class Texts(Struct, frozen=True, kw_only=True):
    """The distinct texts of a result that would still reach the model after the rules so far."""

    values: dict[str, None] = field(default_factory=dict[str, None])
    """The texts, as the keys of a dict, in the order of the draft.

    To iterate over them in another order, such as that of a set, takes longer than to search them for copies.
    """
    keys: set[str] = field(default_factory=set[str])
    """Keys of objects, except those that the schema or the protocol defines."""
    all_keys: set[str] = field(default_factory=set[str])
    """All keys of objects, including those that `keys` leaves out."""


class Searched(Struct, frozen=True, kw_only=True):
    """A finished search for copies, reused for the same result at another boundary level."""

    echoes: Echoes
    texts: Texts
    values: Mapping[str, Spelling]
    """The texts in which a copy was found, each with the way in which the copy is written."""
    keys: Mapping[str, Spelling]

    def again(self, echoes: Echoes, texts: Texts) -> tuple[Mapping[str, Spelling], Mapping[str, Spelling]]:
        """Search the texts of another draft, `texts`, for copies of withheld values.

        If `echoes` searches for the same values as the finished search, only further texts are searched.

        Returns the values and the keys in which `echoes` finds a copy, each with the way in which the copy is
        written.
        """
        if echoes.wanted != self.echoes.wanted:
            return echoes.matches(texts.values), echoes.matches(texts.keys)
        values = self.echoes.matches([text for text in texts.values if text not in self.texts.values])
        keys = self.echoes.matches(texts.keys - self.texts.keys)
        return (
            {**values, **{text: spelling for text, spelling in self.values.items() if text in texts.values}},
            {**keys, **{key: spelling for key, spelling in self.keys.items() if key in texts.keys}},
        )


class Credentials(Struct, frozen=True, kw_only=True):
    """The texts of a result that look like credentials."""

    titles: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """For each whole text, the titles of the credential rules that match it, each title once."""
    values: frozenset[str] = frozenset()
    """The credentials themselves, without the text around them."""


class Fate(Enum):
    """What the rules so far have done to a content block."""

    RAW = auto()
    """As sent, apart from its `_meta`."""
    OWN = auto()
    """Replaced by a text that the boundary wrote; later rules ignore it."""
    MIRROR = auto()
    """Repeats the structured content. The text is rewritten from the part of that content that passes."""
    WITHHELD = auto()


class Block(Struct, frozen=True, kw_only=True):
    """A content block of a result, as the rules so far have left it."""

    pointer: str
    """Pointer into the raw result."""
    raw: Json
    value: Json
    """The current value; meaningless if the block is withheld."""
    fate: Fate = Fate.RAW
    noted: bool = False
    """For a block with the fate `MIRROR`: true if its removal is already listed."""
    delimited: bool = False
    """True if the bounded result gets markers around the text of the block."""
    was_delimited: bool = False
    """True if the text of the block arrived between markers of this call."""


class Structured(Struct, frozen=True, kw_only=True):
    """The structured content of a result, as the rules so far have left it."""

    pointer: str
    raw: Json
    value: Json
    """The current value, without the notice: the raw value if nothing is withheld, null if all of it is."""
    gone: bool = False
    touched: bool = False
    """True if any part of the structured content is withheld."""


class Draft(Struct, frozen=True, kw_only=True):
    """A result or an error, without what the rules have withheld so far."""

    raw: Json
    level: Level
    policy: BoundaryPolicy
    contract: Contract
    shape: ReadingShape | None = None
    """The original shape of the result of a resource or a prompt; None for a tool.

    If it is set, `raw` is that result, rewritten as a tool result.
    """
    claims: tuple[Claim, ...] = ()
    """Claims in the result about itself and its blocks."""
    hint: Claim | None = None
    """The claim by the tool or the result that the whole result is sensitive; None if there is none."""
    code: ErrorCode | None = None
    """The code of a failed call; None if the call succeeded."""
    blocks: tuple[Block, ...] = ()
    structured: Structured | None = None
    members: JsonObject | None = None
    """Members of the result that the protocol does not define; None for an error and a page's value."""
    meta: Json = None
    error: JsonObject | None = None
    """The JSON-RPC error; a draft with an error has no content."""
    earlier: Notice = NO_NOTICE
    """The notice that an earlier boundary added to the result; empty if there is none."""
    nonce: str = ""
    """The random value in the markers around untrusted text; empty to set no markers."""
    omitted: Mapping[str, str] = field(default_factory=dict[str, str])
    """For a recorded result: each text that replaces a withheld value, with the rule that withheld the value.

    The empty text is among them if the whole result could not be judged.
    """
    removals: Removals = Removals()
    secrets: Secrets = field(default_factory=Secrets)
    """Withheld values whose copies are searched for in all other parts. The object is never modified."""
    texts: Texts | None = None
    """The texts that would have reached the model at the first search; some may have been withheld since."""
    searched: Searched | None = None
    """The finished search for copies of withheld values; None if there was none so far.

    At level `closed`, it can be that of level `declared`, which is reused.
    """
    credentials: Credentials = field(default_factory=Credentials)
    """At level `closed`, if the policy withholds credentials: the credentials found at level `declared`.

    Otherwise empty.
    """
    passing: tuple[PassingCredential, ...] = ()
    """The first values that look like credentials and are not withheld."""
    remarks: tuple[str, ...] = ()

    def removing(self, removals: Sequence[Removal], secrets: Secrets | None = None) -> "Draft":
        """This draft with more removals, and more values whose copies the rule `echo` is to withhold."""
        known = self.secrets.and_then(secrets) if secrets else self.secrets
        return replace(self, removals=self.removals.and_then(removals), secrets=known)

    def place(self, pointer: str) -> str:
        """The pointer into the result that the server sent for a `pointer` into `raw`."""
        return self.shape.place(pointer) if self.shape else pointer

    def remarking(self, *sentences: str) -> "Draft":
        return replace(self, remarks=(*self.remarks, *sentences))


DraftRule: TypeAlias = Callable[[Draft], Draft]
"""A rule: a pure function from a draft to the next draft. If it raises, the whole result is withheld."""


class Reason(Struct, frozen=True, kw_only=True):
    """The reason why a rule withholds something."""

    rule: Rule
    detail: str
    claim: Claim | None = None

    def at(self, pointer: str) -> Removal:
        return Removal(pointer=pointer, rule=self.rule, detail=self.detail, claim=self.claim)


def withhold_blocks(
    draft: Draft, reason_for: Callable[[Block], Reason | None], instead: str | None = None
) -> Draft:
    """Withhold the blocks for which `reason_for` returns a reason.

    Blocks with the boundary's own text are not changed. `instead`: a text that replaces each withheld block;
    None to leave the block out.
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
        secrets.add(reason.rule, block_content(block.raw))
        if reason.rule in DECLARED_OF_BLOCKS:
            secrets.add(reason.rule, _metadata(block.raw, _claiming(draft)))
        if instead is None:
            blocks.append(replace(block, fate=Fate.WITHHELD))
        else:
            blocks.append(replace(block, value=text_block(instead), fate=Fate.OWN))
    return replace(draft, blocks=tuple(blocks)).removing(removals, secrets)


def block_content(block: Json) -> list[Json]:
    """The values of a block that are its content, without members such as `type` and `mimeType`."""
    match block:
        case dict():
            pairs = block.items()
        case DuplicateKeys():
            pairs = block.pairs
        case _:
            return [block]
    values: list[Json] = []
    for key, value in pairs:
        if key == "resource":
            values.extend(block_content(value))
        elif key not in _AROUND:
            values.append(value)
    return values


_AROUND = frozenset({"type", "mimeType", "annotations", "_meta", "size", "icons"})

DECLARED_OF_BLOCKS = frozenset({Rule.SENSITIVE_HINT, Rule.LABELLED, Rule.INTERNAL})
"""Rules that treat all of a block as secret, including its metadata."""


def _metadata(block: Json, claiming: frozenset[str]) -> list[Json]:
    """The values in the `_meta` of a block and of its resource, except under keys with claims."""
    values: list[Json] = []
    match block:
        case {"resource": dict() as resource}:
            values += _metadata(resource, claiming)
        case _:
            pass
    match block:
        case {"_meta": dict() as meta}:
            return [*values, *(value for key, value in meta.items() if key not in claiming)]
        case {"_meta": meta}:
            return [*values, meta]
        case _:
            return values


def _claiming(draft: Draft) -> frozenset[str]:
    """The keys in the `_meta` of blocks that contain claims about blocks.

    The values of these keys are not secret: a vocabulary defines them, so other blocks have the same values.
    """
    ways = (
        split(claim.pointer)
        for claim in draft.claims
        if claim.subject is Subject.BLOCK and claim.standing is not Standing.UNRECOGNISED
    )
    return frozenset(way[way.index("_meta") + 1] for way in ways if "_meta" in way[:-1])


def claims_on_result(draft: Draft) -> tuple[Claim, ...]:
    """The claims in the result about the result as a whole."""
    return tuple(claim for claim in draft.claims if claim.subject is Subject.RESULT)


def claims_by_block(draft: Draft) -> dict[str, list[Claim]]:
    """The claims about content blocks, by pointer to the block."""
    claims: dict[str, list[Claim]] = {}
    for claim in draft.claims:
        if claim.subject is Subject.BLOCK:
            block = "/".join(claim.pointer.split("/", 3)[:3])
            claims.setdefault(block, []).append(claim)
    return claims


def withhold_structured(draft: Draft, reason: Reason) -> Draft:
    """Withhold the whole structured content, as one removal."""
    structured = draft.structured
    if structured is None or structured.gone:
        return draft
    draft = replace(draft, structured=replace(structured, value=None, gone=True, touched=True))
    return draft.removing((reason.at(structured.pointer),), Secrets().add(reason.rule, [structured.raw]))


def withhold_members(draft: Draft, reason: Reason) -> Draft:
    """Withhold the members that the protocol does not define."""
    if not draft.members:
        return draft
    removals = tuple(reason.at(child("", key)) for key in draft.members)
    secrets = Secrets().add(reason.rule, draft.members.values())
    return replace(draft, members={}).removing(removals, secrets)


def withhold_error(draft: Draft, reason: Reason) -> Draft:
    """Replace the error by its code."""
    if draft.error is None:
        return draft
    coded = coded_error(draft.code)
    changed = [key for key, value in draft.error.items() if key not in coded or not equal(value, coded[key])]
    secrets = Secrets().add(reason.rule, [draft.error[key] for key in changed if key != "code"])
    removals = tuple(reason.at(child("/error", key)) for key in changed)
    return replace(draft, error=coded).removing(removals, secrets)


def withhold_all(draft: Draft, reason: Reason) -> Draft:
    """Withhold everything that the server sent, apart from `_meta`."""
    draft = withhold_blocks(draft, lambda _: reason)
    draft = withhold_structured(draft, reason)
    draft = withhold_members(draft, reason)
    return withhold_error(draft, reason)
