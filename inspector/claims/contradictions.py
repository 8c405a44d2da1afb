"""Contradictions: claims of a server that cannot all be true, or that leave a question open."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from inspector.claims.claim import Claim, Subject, Word, words_of
from inspector.claims.naming import named_change
from inspector.protocol.catalogue import Tool
from inspector.schema.spellings import HINT, MARK


class ContradictionKind(StrEnum):
    """The kinds of contradictions. Each is named after the claims that are involved."""

    READ_ONLY_DESTRUCTIVE = "read-only-destructive"
    READ_ONLY_EFFECT = "read-only-effect"
    READ_ONLY_OUTCOME = "read-only-outcome"
    READ_ONLY_NAME = "read-only-name"
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


class Contradiction(Struct, frozen=True, kw_only=True):
    """Claims that contradict each other, or that contradict the name or description of the tool."""

    kind: ContradictionKind
    claims: tuple[Claim, ...]
    """The claims that contradict each other, or that the name or description of the tool contradicts."""
    message: str
    """A sentence for the user, without untrusted text."""


_Claims: TypeAlias = Sequence[Claim]


def contradictions(claims: Iterable[Claim], *, tool: Tool | None = None) -> tuple[Contradiction, ...]:
    """All contradictions among the claims about a tool, or about a tool and one call of it.

    Claims about a call are those of the answer to `tools/resolve` and of the result. `tool`: the tool that
    the claims describe. If it is None, the tool is assumed to have an output schema, and the claims are not
    compared with its name and description. Malformed claims are ignored, except sensitivity marks and claims
    that a browser dropped or changed.
    """
    given = tuple(claims)
    well_formed = [claim for claim in given if claim.well_formed and not claim.container]
    result = [*_pairs(well_formed)]
    for rule in _RULES:
        result.extend(rule(well_formed))
    result.extend(_named_for_change(well_formed, tool))
    result.extend(_sensitive_unmarked(given, tool))
    result.extend(_misspelt(given))
    result.extend(_not_kept(given))
    return tuple(result)


class _Selector(Struct, frozen=True, kw_only=True):
    """Selects claims by key and value."""

    keys: frozenset[tuple[str, str]]
    words: frozenset[Word]
    subject: Subject | None = None

    def select(self, claims: _Claims) -> list[Claim]:
        return [
            claim
            for claim in claims
            if (claim.vocabulary, claim.key) in self.keys
            and (self.subject is None or claim.subject is self.subject)
            and not self.words.isdisjoint(words_of(claim.value))
        ]


def _selector(*keys: tuple[str, str], words: tuple[Word, ...], subject: Subject | None = None) -> _Selector:
    return _Selector(keys=frozenset(keys), words=frozenset(words), subject=subject)


class _Pair(Struct, frozen=True, kw_only=True):
    """Two selectors. If each selects a claim, the claims contradict each other."""

    kind: ContradictionKind
    left: _Selector
    right: _Selector
    message: str


_READ_ONLY = _selector(("mcp", "readOnlyHint"), ("webmcp", "readOnly"), words=(True,))
_INPUT = (("sep-1913", "inputMetadata"), ("action-metadata", "inputMetadata"))
_SOURCE = frozenset({("sep-1913", "returnMetadata.source"), ("action-metadata", "returnMetadata.source")})

_PAIRS = (
    _Pair(
        kind=ContradictionKind.READ_ONLY_DESTRUCTIVE,
        left=_READ_ONLY,
        right=_selector(("mcp", "destructiveHint"), words=(True,)),
        message="The tool is declared both read-only and destructive.",
    ),
    _Pair(
        kind=ContradictionKind.READ_ONLY_DESTRUCTIVE,
        left=_selector(("tool-resolution", "readOnlyHint"), words=(True,)),
        right=_selector(("tool-resolution", "destructiveHint"), words=(True,)),
        message="The call is resolved as both read-only and destructive.",
    ),
    _Pair(
        kind=ContradictionKind.READ_ONLY_EFFECT,
        left=_READ_ONLY,
        right=_selector(("policy-hints", "mcp.dev/effect"), words=("write", "delete", "external")),
        message="The tool is declared read-only, but its declared effect is not `read`.",
    ),
    _Pair(
        kind=ContradictionKind.READ_ONLY_OUTCOME,
        left=_READ_ONLY,
        right=_selector(
            ("sep-1913", "inputMetadata.outcomes"),
            ("action-metadata", "outcome"),
            words=("consequential", "irreversible"),
        ),
        message="The tool is declared read-only, but its declared outcome is not `benign`.",
    ),
    *(
        _Pair(
            kind=ContradictionKind.IDEMPOTENT_DISAGREES,
            left=_selector(("mcp", "idempotentHint"), words=(core,)),
            right=_selector(("policy-hints", "mcp.dev/idempotent"), words=(not core,)),
            message="Two vocabularies disagree on whether the tool is idempotent.",
        )
        for core in (True, False)
    ),
    _Pair(
        kind=ContradictionKind.RESULT_OPEN_WORLD,
        left=_selector(("mcp", "openWorldHint"), words=(False,), subject=Subject.TOOL),
        right=_selector(("sep-1913", "openWorldHint"), words=(True,), subject=Subject.RESULT),
        message="The tool is declared closed-world, but its result is declared open-world.",
    ),
    _Pair(
        kind=ContradictionKind.PUBLIC_CREDENTIALS,
        left=_selector(*((name, f"{key}.destination") for name, key in _INPUT), words=("public",)),
        right=_selector(*((name, f"{key}.sensitivity") for name, key in _INPUT), words=("credentials",)),
        message="The tool is declared to accept credentials, and to send its input to the public.",
    ),
)


def _pairs(claims: _Claims) -> Iterator[Contradiction]:
    for pair in _PAIRS:
        left, right = pair.left.select(claims), pair.right.select(claims)
        if left and right:
            yield Contradiction(kind=pair.kind, claims=(*left, *right), message=pair.message)


def _delete_unconfirmed(claims: _Claims) -> Iterator[Contradiction]:
    deletes = _selector(("policy-hints", "mcp.dev/effect"), words=("delete",)).select(claims)
    confirmation = ("policy-hints", "mcp.dev/requiresConfirmation")
    if deletes and not _selector(confirmation, words=(True,)).select(claims):
        denied = _selector(confirmation, words=(False,)).select(claims)
        message = (
            "The tool is declared to delete data, and no declaration says that it requires confirmation."
        )
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
                message="A result must declare one value, not a list of possible values.",
            )


_NARROWING = (
    ("readOnlyHint", True, "The tool is declared read-only, but the call is resolved as writing."),
    (
        "destructiveHint",
        False,
        "The tool is declared non-destructive, but the call is resolved as destructive.",
    ),
    ("idempotentHint", True, "The tool is declared idempotent, but the call is resolved as not idempotent."),
    ("openWorldHint", False, "The tool is declared closed-world, but the call is resolved as open-world."),
)


def _widened(claims: _Claims) -> Iterator[Contradiction]:
    only_reads = _selector(("tool-resolution", "readOnlyHint"), words=(True,)).select(claims)
    for hint, static, message in _NARROWING:
        declared = _selector(("mcp", hint), words=(static,), subject=Subject.TOOL).select(claims)
        resolved = _selector(("tool-resolution", hint), words=(not static,)).select(claims)
        # The hint has no meaning for a call that only reads.
        if declared and resolved and not (hint == "idempotentHint" and only_reads):
            yield Contradiction(
                kind=ContradictionKind.RESOLUTION_WIDENS, claims=(*declared, *resolved), message=message
            )


_UNTRUSTED_SOURCE = "untrustedPublic"
_TRUSTED = (
    _selector(("ifc", "integrity"), words=("trusted",)),
    _selector(("related", "trustedHint"), words=(True,)),
    _selector(
        ("trust-annotations", "untrusted"),
        ("webmcp", "untrustedContentHint"),
        ("webmcp", "untrustedContent"),
        words=(False,),
    ),
)


def _source_disagrees(claims: _Claims) -> Iterator[Contradiction]:
    sources = [claim for claim in claims if (claim.vocabulary, claim.key) in _SOURCE]
    trusted = [claim for selector in _TRUSTED for claim in selector.select(claims)]
    trusted += [claim for claim in sources if _UNTRUSTED_SOURCE not in words_of(claim.value)]
    for claim in sources:
        words = set(words_of(claim.value))
        if _UNTRUSTED_SOURCE not in words:
            continue
        # If a tool declares several possible sources, a result may come from a trusted one of them.
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
                message="The data is declared both trusted and from an untrusted public source.",
            )


_RULES: tuple[Callable[[_Claims], Iterator[Contradiction]], ...] = (
    _delete_unconfirmed,
    _sets_in_results,
    _widened,
    _source_disagrees,
)


def _named_for_change(claims: _Claims, tool: Tool | None) -> Iterator[Contradiction]:
    only_reads = _READ_ONLY.select(claims)
    found = named_change(tool.name, tool.definition) if tool is not None and only_reads else None
    if found is not None:
        message = f"The tool is declared read-only, but {found.words}."
        yield Contradiction(kind=ContradictionKind.READ_ONLY_NAME, claims=(*only_reads,), message=message)


def _sensitive_unmarked(claims: _Claims, tool: Tool | None) -> Iterator[Contradiction]:
    hints = [
        claim
        for claim in _of_110(claims, "sensitiveHint")
        if claim.subject is Subject.TOOL and claim.value is True
    ]
    marked = any(claim.value is True or not claim.well_formed for claim in _of_110(claims, "x-sensitive"))
    has_reference = any(_of_110(claims, "secret_reference"))
    has_schema = tool is None or "outputSchema" in tool.definition
    if hints and has_schema and not marked and not has_reference:
        yield Contradiction(
            kind=ContradictionKind.SENSITIVE_UNMARKED,
            claims=tuple(hints),
            message="The output is declared sensitive, but its schema marks no value and no secret reference replaces one.",
        )


def is_malformed_mark(claim: Claim) -> bool:
    """True for a malformed `x-sensitive`, and for a `sensitiveHint` that is misspelt or not in an object."""
    if claim.well_formed or claim.vocabulary != "webmcp-110":
        return False
    return claim.key == MARK or (claim.key == HINT and not claim.pointer.endswith(f"/{HINT}"))


def _misspelt(claims: _Claims) -> Iterator[Contradiction]:
    for claim in filter(is_malformed_mark, claims):
        what = "A sensitivity mark" if claim.key == MARK else f"`{HINT}`"
        yield Contradiction(
            kind=ContradictionKind.MARK_MISSPELT,
            claims=(claim,),
            message=f"{what} is malformed. It counts {'as a mark ' if claim.key == MARK else ''}anyway.",
        )


def _not_kept(claims: _Claims) -> Iterator[Contradiction]:
    lost = tuple(claim for claim in claims if claim.note)
    if lost:
        yield Contradiction(
            kind=ContradictionKind.NOT_KEPT,
            claims=lost,
            message="The page declares this, but the browser drops or changes it, so an agent in the browser does not see it.",
        )


def _of_110(claims: _Claims, key: str) -> Iterator[Claim]:
    return (claim for claim in claims if claim.vocabulary == "webmcp-110" and claim.key == key)
