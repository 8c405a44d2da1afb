"""The trust of an agent session: labels for untrusted content, data classes and sources in its answers.

Determines which labels each answer adds, and what requests tell servers about them.

Source: SEP-1913, Terminology (agent session), Propagation Rules, Result Annotations, Response Annotations
Scope, RequestAnnotations, and Privacy Considerations.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from inspector.claims.claim import Claim, Subject, Word, words_of
from inspector.claims.deviations import DATA_CLASSES, declared_words
from inspector.claims.registry import claims_of_result, claims_of_tool
from inspector.claims.traits import Trait, traits
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.outcome import Failure, Outcome, Result


class LabelKind(StrEnum):
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
class LabelOrigin:
    """The call, or the message of an interface, that brought in a trust label."""

    call: int
    """The number of the call or message, counted from 1 across all servers and agent sessions."""
    server: str
    """The target in the user's words, never the name that the server gives itself."""
    tool: str
    """The name of the called tool, or the method of a message that an interface sent. Untrusted text."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TrustLabel:
    """A trust label: one fact about trust that one call brought into the session."""

    kind: LabelKind
    origin: LabelOrigin
    value: str = ""
    """The data class or the source, which is untrusted text; empty for the other kinds."""
    declaration: str = field(default="", compare=False)
    """The first declaration that caused the label, such as `webmcp untrustedContentHint of the tool at /annotations/…`.

    If something else caused the label, this describes it. Untrusted text.
    """


class SessionTrust(Struct, frozen=True, kw_only=True):
    """All trust labels of a session. A new session starts with `SessionTrust()`."""

    labels: frozenset[TrustLabel] = frozenset()

    def join(self, other: "SessionTrust") -> "SessionTrust":
        return SessionTrust(labels=self.labels | other.labels)

    @property
    def open_world(self) -> bool:
        return self.has(LabelKind.OPEN_WORLD)

    @property
    def untrusted(self) -> bool:
        """True if any result was declared untrusted or from an open world.

        In both cases its data cannot be trusted.
        """
        return self.has(LabelKind.UNTRUSTED) or self.open_world

    @property
    def malicious(self) -> bool:
        return self.has(LabelKind.MALICIOUS)

    @property
    def sensitive(self) -> bool:
        return self.has(LabelKind.SENSITIVE)

    @property
    def data_classes(self) -> tuple[str, ...]:
        return self.values(LabelKind.DATA_CLASS)

    @property
    def attribution(self) -> tuple[str, ...]:
        return self.values(LabelKind.ATTRIBUTION)

    @property
    def servers(self) -> tuple[str, ...]:
        return tuple(sorted({label.origin.server for label in self.labels}))

    def has(self, kind: LabelKind) -> bool:
        return any(label.kind is kind for label in self.labels)

    def values(self, kind: LabelKind) -> tuple[str, ...]:
        """The distinct values of the labels of one kind, sorted."""
        return tuple(sorted({label.value for label in self.labels if label.kind is kind}))

    def since(self, kind: LabelKind) -> LabelOrigin | None:
        """The first call that brought in a label of that kind; None if no call did."""
        return min((label.origin for label in self.labels if label.kind is kind), default=None)

    @property
    def untrusted_since(self) -> LabelOrigin | None:
        """The first call that brought in anything untrusted, or from an open world; None if no call did."""
        origins = (self.since(LabelKind.UNTRUSTED), self.since(LabelKind.OPEN_WORLD))
        return min((origin for origin in origins if origin is not None), default=None)


MAX_SOURCES = 256
"""The maximum number of sources kept per result. If there are more, the label UNNAMED_SOURCES is added."""
MAX_SOURCE_CHARACTERS = 2048


def trust_of(outcome: Outcome, tool: Tool | None, origin: LabelOrigin) -> SessionTrust:
    """The trust labels that an answer adds to the session; no labels if no answer came.

    Data is untrusted if the tool or the answer declares it, as at the boundary. The hints open-world and
    malicious count only if the answer declares them: on a tool they only mean a possibility. If the answer
    names one of the data classes that the tool declares, only this class counts.
    """
    if isinstance(outcome, Failure):
        return SessionTrust()
    kind = tool.kind if tool else Kind.TOOL
    of_tool = claims_of_tool(tool) if tool else ()
    of_answer = claims_of_result(outcome.value, kind) if isinstance(outcome, Result) else ()
    answer, both = traits(of_answer), traits((*_still_open(of_tool, of_answer), *of_answer))
    flags = {
        LabelKind.OPEN_WORLD: answer.open_world,
        LabelKind.UNTRUSTED: both.untrusted,
        LabelKind.MALICIOUS: answer.malicious,
        LabelKind.SENSITIVE: both.sensitive,
    }
    found = [
        (kind, "", next(map(declaration_of, trait.claims_for), ""))
        for kind, trait in flags.items()
        if trait.value is True and not trait.defaulted
    ]
    if _has_unnamed(answer.attribution, of_answer):
        found.append(
            (
                LabelKind.UNNAMED_SOURCES,
                "",
                "the attribution of the answer, which is too long or cannot be read",
            )
        )
    classes, sources = _declarations(both.data_classes), _declarations(answer.attribution)
    found += [(LabelKind.DATA_CLASS, name, classes.get(name, "")) for name in _words(both.data_classes)]
    found += [(LabelKind.ATTRIBUTION, name, sources.get(name, "")) for name in _kept(answer.attribution)]
    return SessionTrust(
        labels=frozenset(
            TrustLabel(kind=label, origin=origin, value=value, declaration=declaration)
            for label, value, declaration in found
        )
    )


def _declarations(trait: Trait) -> dict[Word, str]:
    """For each value of a trait, the first claim with that value, as `declaration_of` describes it."""
    found: dict[Word, str] = {}
    for claim in trait.claims_for:
        for word in words_of(claim.value):
            found.setdefault(word, declaration_of(claim))
    return found


def declaration_of(claim: Claim) -> str:
    """A claim in words: its vocabulary and key, and its pointer in the tool or answer. Untrusted text."""
    of = "tool" if claim.subject is Subject.TOOL else "answer"
    return f"{claim.vocabulary} {claim.key} of the {of}{f' at {claim.pointer}' if claim.pointer else ''}"


def _words(trait: Trait) -> tuple[str, ...]:
    return trait.value if isinstance(trait.value, tuple) else ()


def _still_open(of_tool: Sequence[Claim], of_answer: Sequence[Claim]) -> Iterator[Claim]:
    """The claims of a tool that apply to an answer.

    If the answer names exactly one of the tool's data classes, the tool's claim of data classes is left out.
    """
    declared, answered = declared_words(of_tool, DATA_CLASSES), declared_words(of_answer, DATA_CLASSES)
    is_settled = declared is not None and answered is not None and len(answered) == 1 and answered <= declared
    return (
        claim for claim in of_tool if not (is_settled and claim.key == DATA_CLASSES and claim.well_formed)
    )


def _kept(attribution: Trait) -> Iterator[str]:
    return islice(_short(_words(attribution)), MAX_SOURCES)


def _short(sources: Iterable[str]) -> Iterator[str]:
    return (source for source in sources if len(source) <= MAX_SOURCE_CHARACTERS)


def _has_unnamed(attribution: Trait, claims: Iterable[Claim]) -> bool:
    unread = any(claim.key == "attribution" and not claim.well_formed for claim in claims)
    return unread or len(_words(attribution)) > sum(1 for _ in _kept(attribution))


MAX_NAMED_SOURCES = 100
"""The maximum number of sources in a request."""

# The groups leave out user, port, path and query, since each can identify a person or a document.
_HOST = re.compile(
    r"(mcp|https|http)://(?:[^/?#@\\\s]*@)?([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::[0-9]*)?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


class SourceDetail(StrEnum):
    """How much a request tells a server about the other servers from which data came into the session."""

    NONE = "none"
    HOSTS = "hosts"
    FULL = "full"


def request_annotations(
    trust: SessionTrust, server: str, *, detail: SourceDetail = SourceDetail.HOSTS
) -> JsonObject | None:
    """The annotations for a request to `server`, which is named as in `LabelOrigin.server`; None if there are none.

    `openWorldHint` is included only if it is true; a missing hint says nothing about the session.
    """
    annotations: JsonObject = {"openWorldHint": True} if trust.untrusted else {}
    sources: list[Json] = [*sorted(set(_sources(trust, server, detail)))[:MAX_NAMED_SOURCES]]
    if sources:
        annotations["attribution"] = sources
    return annotations or None


def _sources(trust: SessionTrust, server: str, detail: SourceDetail) -> Iterator[str]:
    for label in trust.labels:
        if label.kind is not LabelKind.ATTRIBUTION:
            continue
        if label.origin.server == server or detail is SourceDetail.FULL:
            yield label.value
        elif detail is SourceDetail.HOSTS and (host := _HOST.fullmatch(label.value)):
            yield f"{host[1].lower()}://{host[2].lower()}"
