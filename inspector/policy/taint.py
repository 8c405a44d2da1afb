"""The trust of an agent session: what each answer adds to it, and what servers learn of it.

Source: SEP-1913, Terminology (agent session), Propagation Rules, Result Annotations, Response Annotations
Scope, RequestAnnotations, and Privacy Considerations.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from inspector.claims.claim import Claim, words_of
from inspector.claims.contradictions import ContradictionKind, contradictions
from inspector.claims.registry import claims_of_result, claims_of_tool
from inspector.claims.traits import Trait, traits
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.outcome import Failure, Outcome, Result


class MarkKind(StrEnum):
    """The kinds of trust labels that a result can add to a session. The values are safe to show."""

    OPEN_WORLD = "open-world"
    UNTRUSTED = "untrusted"
    MALICIOUS = "malicious"
    SENSITIVE = "sensitive"
    DATA_CLASS = "data class"
    ATTRIBUTION = "attribution"
    UNNAMED_SOURCES = "unnamed sources"
    """There are sources that were not kept, or that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TaintOrigin:
    """The call that brought in a trust label."""

    call: int
    """The number of the call, counted from 1 across all servers and agent sessions."""
    server: str
    """The target in the user's words, never the name that the server gives itself."""
    tool: str
    """Foreign text."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TaintMark:
    """A trust label: one fact about trust that one call brought into the session."""

    kind: MarkKind
    origin: TaintOrigin
    value: str = ""
    """The data class or the source, which is foreign text; empty for the other kinds."""


class SessionTrust(Struct, frozen=True, kw_only=True):
    """All trust labels of a session. A new session starts with `SessionTrust()`."""

    marks: frozenset[TaintMark] = frozenset()

    def join(self, other: "SessionTrust") -> "SessionTrust":
        return SessionTrust(marks=self.marks | other.marks)

    @property
    def open_world(self) -> bool:
        return self.has(MarkKind.OPEN_WORLD)

    @property
    def untrusted(self) -> bool:
        """True if any result was untrusted or from an open world.

        Both mean that its data cannot be trusted.
        """
        return self.has(MarkKind.UNTRUSTED) or self.open_world

    @property
    def malicious(self) -> bool:
        return self.has(MarkKind.MALICIOUS)

    @property
    def sensitive(self) -> bool:
        return self.has(MarkKind.SENSITIVE)

    @property
    def data_classes(self) -> tuple[str, ...]:
        return self.values(MarkKind.DATA_CLASS)

    @property
    def attribution(self) -> tuple[str, ...]:
        return self.values(MarkKind.ATTRIBUTION)

    @property
    def servers(self) -> tuple[str, ...]:
        return tuple(sorted({mark.origin.server for mark in self.marks}))

    def has(self, kind: MarkKind) -> bool:
        return any(mark.kind is kind for mark in self.marks)

    def values(self, kind: MarkKind) -> tuple[str, ...]:
        """The distinct values of the marks of one kind, sorted."""
        return tuple(sorted({mark.value for mark in self.marks if mark.kind is kind}))

    def since(self, kind: MarkKind) -> TaintOrigin | None:
        """The first call that brought in a mark of that kind; None if no call did."""
        return min((mark.origin for mark in self.marks if mark.kind is kind), default=None)

    @property
    def untrusted_since(self) -> TaintOrigin | None:
        """The first call that brought in anything untrusted, or from an open world; None if no call did."""
        origins = (self.since(MarkKind.UNTRUSTED), self.since(MarkKind.OPEN_WORLD))
        return min((origin for origin in origins if origin is not None), default=None)


MAX_SOURCES = 256
"""The maximum number of sources kept per result. `UNNAMED_SOURCES` marks that there are more."""
MAX_SOURCE_CHARACTERS = 2048

_OF_RESPONSES = frozenset({ContradictionKind.RESULT_OPEN_WORLD, ContradictionKind.SET_IN_RESULT})
_CLASSES = "returnMetadata.sensitivity"
_SETS = ("returnMetadata.source", _CLASSES)


def trust_of(outcome: Outcome, tool: Tool | None, origin: TaintOrigin) -> SessionTrust:
    """The marks that an answer brings in; none if no answer came.

    Data is untrusted if the tool or the answer declares it, as at the boundary. Open-world and malicious
    count only if the answer declares them: on a tool they only mean a possibility. If the answer names one
    data class of those that the tool declares, that one replaces the tool's set.
    """
    if isinstance(outcome, Failure):
        return SessionTrust()
    kind = tool.kind if tool else Kind.TOOL
    of_tool = claims_of_tool(tool) if tool else ()
    of_answer = claims_of_result(outcome.value, kind) if isinstance(outcome, Result) else ()
    answer, both = traits(of_answer), traits((*_still_open(of_tool, of_answer), *of_answer))
    kinds = {
        MarkKind.OPEN_WORLD: _is_claimed(answer.open_world),
        MarkKind.UNTRUSTED: _is_claimed(both.untrusted),
        MarkKind.MALICIOUS: _is_claimed(answer.malicious),
        MarkKind.SENSITIVE: _is_claimed(both.sensitive),
        MarkKind.UNNAMED_SOURCES: _has_unnamed(answer.attribution, of_answer),
    }
    marks = [TaintMark(kind=kind, origin=origin) for kind, holds in kinds.items() if holds]
    marks += [
        TaintMark(kind=MarkKind.DATA_CLASS, origin=origin, value=name) for name in _words(both.data_classes)
    ]
    marks += [
        TaintMark(kind=MarkKind.ATTRIBUTION, origin=origin, value=source)
        for source in _kept(answer.attribution)
    ]
    return SessionTrust(marks=frozenset(marks))


def response_findings(tool: Tool | None, outcome: Outcome) -> tuple[str, ...]:
    """Findings where an answer deviates from its tool's declarations, or names several values for one.

    Quote nothing foreign.
    """
    if tool is None or not isinstance(outcome, Result):
        return ()
    of_tool, of_answer = claims_of_tool(tool), claims_of_result(outcome.value, tool.kind)
    if not of_answer:
        return ()
    messages = [
        item.message
        for item in contradictions((*of_tool, *of_answer), tool=tool)
        if item.kind in _OF_RESPONSES
    ]
    return (*messages, *_undeclared(of_tool, of_answer))


def _undeclared(of_tool: Sequence[Claim], of_answer: Sequence[Claim]) -> Iterator[str]:
    for key in _SETS:
        declared, answered = _words_of(of_tool, key), _words_of(of_answer, key)
        if declared is not None and answered is not None and not answered <= declared:
            yield f"The result's {key} is none of those that its tool declares."
    declared, answered = (_words_of(claims, "maliciousActivityHint") for claims in (of_tool, of_answer))
    if declared == frozenset({False}) and answered == frozenset({True}):
        yield "The result is declared malicious, but its tool declares that it never is."


def _words_of(claims: Iterable[Claim], key: str) -> frozenset[bool | str] | None:
    """The words of every well-formed claim with this key; None if there is no such claim."""
    same = [
        claim
        for claim in claims
        if claim.key == key and claim.vocabulary in {"sep-1913", "action-metadata"} and claim.well_formed
    ]
    return frozenset(word for claim in same for word in words_of(claim.value)) if same else None


def _is_claimed(trait: Trait) -> bool:
    return trait.value is True and not trait.defaulted


def _words(trait: Trait) -> tuple[str, ...]:
    return trait.value if isinstance(trait.value, tuple) else ()


def _still_open(of_tool: Sequence[Claim], of_answer: Sequence[Claim]) -> Iterator[Claim]:
    """A tool's claims, without its set of data classes if the answer names the one that applies."""
    declared, answered = _words_of(of_tool, _CLASSES), _words_of(of_answer, _CLASSES)
    is_settled = declared is not None and answered is not None and len(answered) == 1 and answered <= declared
    return (claim for claim in of_tool if not (is_settled and claim.key == _CLASSES and claim.well_formed))


def _kept(attribution: Trait) -> Iterator[str]:
    return islice(_short(_words(attribution)), MAX_SOURCES)


def _short(sources: Iterable[str]) -> Iterator[str]:
    return (source for source in sources if len(source) <= MAX_SOURCE_CHARACTERS)


def _has_unnamed(attribution: Trait, claims: Iterable[Claim]) -> bool:
    unread = any(claim.key == "attribution" and not claim.well_formed for claim in claims)
    return unread or len(_words(attribution)) > sum(1 for _ in _kept(attribution))


MAX_NAMED_SOURCES = 100
"""The maximum number of sources in a request."""

# Without user, port, path and query, since each can identify a person or a document.
_HOST = re.compile(
    r"(mcp|https|http)://(?:[^/?#@\\\s]*@)?([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::[0-9]*)?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


class TaintDetail(StrEnum):
    """The amount of detail about sources that a server gets about other servers."""

    NONE = "none"
    HOSTS = "hosts"
    FULL = "full"


def request_annotations(
    trust: SessionTrust, server: str, *, detail: TaintDetail = TaintDetail.HOSTS
) -> JsonObject | None:
    """The annotations for a request to `server`, which is named as in `TaintOrigin.server`; None if there are none.

    `openWorldHint` is included only if it is true, because its absence claims nothing.
    """
    annotations: JsonObject = {"openWorldHint": True} if trust.untrusted else {}
    sources: list[Json] = [*sorted(set(_sources(trust, server, detail)))[:MAX_NAMED_SOURCES]]
    if sources:
        annotations["attribution"] = sources
    return annotations or None


def _sources(trust: SessionTrust, server: str, detail: TaintDetail) -> Iterator[str]:
    for mark in trust.marks:
        if mark.kind is not MarkKind.ATTRIBUTION:
            continue
        if mark.origin.server == server or detail is TaintDetail.FULL:
            yield mark.value
        elif detail is TaintDetail.HOSTS and (host := _HOST.fullmatch(mark.value)):
            yield f"{host[1].lower()}://{host[2].lower()}"
