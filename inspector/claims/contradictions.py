"""Contradictions: claims that cannot all be true, or that leave open what they ought to settle."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from inspector.claims.bearing import Word, words_of
from inspector.claims.claim import Claim, Subject
from inspector.protocol.catalogue import Tool


class ContradictionKind(StrEnum):
    """What is wrong."""

    READ_ONLY_DESTRUCTIVE = "read-only-destructive"
    READ_ONLY_EFFECT = "read-only-effect"
    READ_ONLY_OUTCOME = "read-only-outcome"
    DELETE_UNCONFIRMED = "delete-unconfirmed"
    IDEMPOTENT_DISAGREES = "idempotent-disagrees"
    RESULT_OPEN_WORLD = "result-open-world"
    SET_IN_RESULT = "set-in-result"
    RESOLUTION_WIDENS = "resolution-widens"
    PUBLIC_CREDENTIALS = "public-credentials"
    SENSITIVE_UNMARKED = "sensitive-unmarked"
    MARK_MISSPELT = "mark-misspelt"
    SOURCE_DISAGREES = "source-disagrees"
    NOT_KEPT = "not-kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """One contradiction."""

    kind: ContradictionKind
    claims: tuple[Claim, ...]
    """Those that make it, in the order given."""
    message: str
    """For the user. Quotes nothing foreign."""


_Claims: TypeAlias = Sequence[Claim]


def contradictions(claims: Iterable[Claim], *, tool: Tool | None = None) -> tuple[Contradiction, ...]:
    """Every contradiction among the claims of a tool, or of a tool, its resolution and its result.

    `tool`: whose claims they are, where it is at hand. Without it the tool is taken to have an output schema.
    Malformed claims contradict nothing, being wrong in themselves; misspelt marks are the exception.
    """
    given = tuple(claims)
    well_formed = [claim for claim in given if claim.well_formed and not claim.container]
    found = [*_pairs(well_formed)]
    for rule in _RULES:
        found.extend(rule(well_formed))
    found.extend(_sensitive_unmarked(given, tool))
    found.extend(_misspelt(given))
    found.extend(_not_kept(given))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saying:
    """Claims of one of some keys that name one of some words."""

    keys: frozenset[tuple[str, str]]
    words: frozenset[Word]
    subject: Subject | None = None

    def found(self, claims: _Claims) -> list[Claim]:
        return [
            claim
            for claim in claims
            if (claim.vocabulary, claim.key) in self.keys
            and (self.subject is None or claim.subject is self.subject)
            and not self.words.isdisjoint(words_of(claim.value))
        ]


def _saying(*keys: tuple[str, str], words: tuple[Word, ...], subject: Subject | None = None) -> _Saying:
    return _Saying(keys=frozenset(keys), words=frozenset(words), subject=subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two sayings that cannot both be true."""

    kind: ContradictionKind
    left: _Saying
    right: _Saying
    message: str


_READ_ONLY = _saying(("mcp", "readOnlyHint"), ("webmcp", "readOnly"), words=(True,))
_INPUT = (("sep-1913", "inputMetadata"), ("action-metadata", "inputMetadata"))
_SOURCE = frozenset({("sep-1913", "returnMetadata.source"), ("action-metadata", "returnMetadata.source")})

_PAIRS = (
    _Pair(
        kind=ContradictionKind.READ_ONLY_DESTRUCTIVE,
        left=_READ_ONLY,
        right=_saying(("mcp", "destructiveHint"), words=(True,)),
        message="The tool is said to change nothing, and to be destructive.",
    ),
    _Pair(
        kind=ContradictionKind.READ_ONLY_DESTRUCTIVE,
        left=_saying(("tool-resolution", "readOnlyHint"), words=(True,)),
        right=_saying(("tool-resolution", "destructiveHint"), words=(True,)),
        message="The call is resolved to change nothing, and to be destructive.",
    ),
    _Pair(
        kind=ContradictionKind.READ_ONLY_EFFECT,
        left=_READ_ONLY,
        right=_saying(("policy-hints", "mcp.dev/effect"), words=("write", "delete", "external")),
        message="The tool is said to change nothing, and to have another effect than reading.",
    ),
    _Pair(
        kind=ContradictionKind.READ_ONLY_OUTCOME,
        left=_READ_ONLY,
        right=_saying(
            ("sep-1913", "inputMetadata.outcomes"),
            ("action-metadata", "outcome"),
            words=("consequential", "irreversible"),
        ),
        message="The tool is said to change nothing, and its outcome to be more than benign.",
    ),
    *(
        _Pair(
            kind=ContradictionKind.IDEMPOTENT_DISAGREES,
            left=_saying(("mcp", "idempotentHint"), words=(core,)),
            right=_saying(("policy-hints", "mcp.dev/idempotent"), words=(not core,)),
            message="Two vocabularies disagree on whether a call may be repeated.",
        )
        for core in (True, False)
    ),
    _Pair(
        kind=ContradictionKind.RESULT_OPEN_WORLD,
        left=_saying(("mcp", "openWorldHint"), words=(False,), subject=Subject.TOOL),
        right=_saying(("sep-1913", "openWorldHint"), words=(True,), subject=Subject.RESULT),
        message="The tool is said to keep to a closed domain, and its result to come from an open one.",
    ),
    _Pair(
        kind=ContradictionKind.PUBLIC_CREDENTIALS,
        left=_saying(*((name, f"{key}.destination") for name, key in _INPUT), words=("public",)),
        right=_saying(*((name, f"{key}.sensitivity") for name, key in _INPUT), words=("credentials",)),
        message="The tool takes credentials, and may send its input to the public.",
    ),
)


def _pairs(claims: _Claims) -> Iterator[Contradiction]:
    for pair in _PAIRS:
        left, right = pair.left.found(claims), pair.right.found(claims)
        if left and right:
            yield Contradiction(kind=pair.kind, claims=(*left, *right), message=pair.message)


def _delete_unconfirmed(claims: _Claims) -> Iterator[Contradiction]:
    deletes = _saying(("policy-hints", "mcp.dev/effect"), words=("delete",)).found(claims)
    confirmation = ("policy-hints", "mcp.dev/requiresConfirmation")
    if deletes and not _saying(confirmation, words=(True,)).found(claims):
        denied = _saying(confirmation, words=(False,)).found(claims)
        message = "The tool deletes, and does not ask for confirmation."
        yield Contradiction(
            kind=ContradictionKind.DELETE_UNCONFIRMED, claims=(*deletes, *denied), message=message
        )


def _sets_in_results(claims: _Claims) -> Iterator[Contradiction]:
    for claim in claims:
        metadata = claim.vocabulary == "sep-1913" and "." in claim.key
        if claim.subject is Subject.RESULT and metadata and isinstance(claim.value, list):
            yield Contradiction(
                kind=ContradictionKind.SET_IN_RESULT,
                claims=(claim,),
                message="A result must name the one value that holds, not a list of possible ones.",
            )


_NARROWING = (
    ("readOnlyHint", True, "The tool is said to change nothing, but the call is resolved to."),
    ("destructiveHint", False, "The tool is said not to be destructive, but the call is resolved to be."),
    ("idempotentHint", True, "The tool is said to be idempotent, but the call is resolved not to be."),
    ("openWorldHint", False, "The tool is said to keep to a closed domain, but the call is resolved not to."),
)


def _widened(claims: _Claims) -> Iterator[Contradiction]:
    only_reads = _saying(("tool-resolution", "readOnlyHint"), words=(True,)).found(claims)
    for hint, static, message in _NARROWING:
        declared = _saying(("mcp", hint), words=(static,), subject=Subject.TOOL).found(claims)
        resolved = _saying(("tool-resolution", hint), words=(not static,)).found(claims)
        # Repeating a call that only reads adds nothing, so that the hint says nothing of it.
        if declared and resolved and not (hint == "idempotentHint" and only_reads):
            yield Contradiction(
                kind=ContradictionKind.RESOLUTION_WIDENS, claims=(*declared, *resolved), message=message
            )


_UNTRUSTED_SOURCE = "untrustedPublic"
_TRUSTED = (
    _saying(("ifc", "integrity"), words=("trusted",)),
    _saying(("related", "trustedHint"), words=(True,)),
    _saying(
        ("trust-annotations", "untrusted"),
        ("webmcp", "untrustedContentHint"),
        ("webmcp", "untrustedContent"),
        words=(False,),
    ),
)


def _source_disagrees(claims: _Claims) -> Iterator[Contradiction]:
    sources = [claim for claim in claims if (claim.vocabulary, claim.key) in _SOURCE]
    trusted = [claim for said in _TRUSTED for claim in said.found(claims)]
    trusted += [claim for claim in sources if _UNTRUSTED_SOURCE not in words_of(claim.value)]
    for claim in sources:
        words = set(words_of(claim.value))
        if _UNTRUSTED_SOURCE not in words:
            continue
        # One of several possible sources leaves room for a result from another.
        concrete = words == {_UNTRUSTED_SOURCE}
        others = [
            other
            for other in trusted
            if other.vocabulary != claim.vocabulary and (concrete or other.subject is claim.subject)
        ]
        if others:
            yield Contradiction(
                kind=ContradictionKind.SOURCE_DISAGREES,
                claims=(claim, *others),
                message="The data are said to come from an untrusted public source, and to be trusted.",
            )


_RULES: tuple[Callable[[_Claims], Iterator[Contradiction]], ...] = (
    _delete_unconfirmed,
    _sets_in_results,
    _widened,
    _source_disagrees,
)


def _sensitive_unmarked(claims: _Claims, tool: Tool | None) -> Iterator[Contradiction]:
    hints = [
        claim
        for claim in _of_110(claims, "sensitiveHint")
        if claim.subject is Subject.TOOL and claim.value is True
    ]
    marked = any(claim.value is True or not claim.well_formed for claim in _of_110(claims, "x-sensitive"))
    referred = any(_of_110(claims, "secret_reference"))
    has_schema = tool is None or "outputSchema" in tool.definition
    if hints and has_schema and not marked and not referred:
        yield Contradiction(
            kind=ContradictionKind.SENSITIVE_UNMARKED,
            claims=tuple(hints),
            message="The output is said to be sensitive, but its schema marks nothing and no reference stands for it.",
        )


def _misspelt(claims: _Claims) -> Iterator[Contradiction]:
    for claim in _of_110(claims, "x-sensitive"):
        if not claim.well_formed:
            yield Contradiction(
                kind=ContradictionKind.MARK_MISSPELT,
                claims=(claim,),
                message="A sensitivity mark is not written as it must be. It counts as a mark all the same.",
            )


def _not_kept(claims: _Claims) -> Iterator[Contradiction]:
    lost = tuple(claim for claim in claims if claim.note)
    if lost:
        yield Contradiction(
            kind=ContradictionKind.NOT_KEPT,
            claims=lost,
            message="The page declares this and the browser does not keep it, so that an agent in the browser never learns it.",
        )


def _of_110(claims: _Claims, key: str) -> Iterator[Claim]:
    return (claim for claim in claims if claim.vocabulary == "webmcp-110" and claim.key == key)
