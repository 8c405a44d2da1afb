"""Rules WEB: dropped declarations of page tools, deceptive page tools, and exposure to other origins.

Source: the WebMCP draft, 4.5 and 6.3; docs/webmcp.md.
"""

from collections.abc import Callable, Iterator

from inspector.protocol.page import Evidence, PageFacts, Reach
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.reviewed import Offer, Reviewed
from inspector.review.rule import TOOLS, ReviewRule

_DRAFT = "WebMCP draft, 6.3"
_POLICY = "WebMCP draft, 4.5"
_MAX_PLACES = 8
_FOR_SHOW = ("/title", "/annotations/title", "/icons")
"""The declarations without a protective effect, as pointers."""


def _dropped(offer: Offer) -> Iterator[Hit]:
    page = offer.tool.page if offer.tool else None
    if page is None or not page.dropped:
        return
    protects = [place for place in page.dropped if not place.startswith(_FOR_SHOW)]
    named = (*protects, *(place for place in page.dropped if place not in protects))
    more = f" and {len(named) - _MAX_PLACES} more" if len(named) > _MAX_PLACES else ""
    yield Hit(
        message="The page makes declarations that the browser drops, so agents in the browser do not see them.",
        pointer=named[0],
        evidence=quoted(", ".join(named[:_MAX_PLACES]) + more),
        severity=None if protects else Severity.INFO,
    )


_EVIDENCE = {
    Evidence.DIFFERS: (
        "The page gives the browser a different name, description or schema than it gives to Sightline's script.",
        Severity.HIGH,
    ),
    Evidence.MISSED: (
        "The page registered the tool in a way that Sightline's script, which runs before all others, did not see.",
        Severity.HIGH,
    ),
    Evidence.PARTLY: (
        "The declaration could not be read completely, so marks may be missing; the results count as sensitive.",
        Severity.LOW,
    ),
}


def _evidence(offer: Offer) -> Iterator[Hit]:
    page = offer.tool.page if offer.tool else None
    found = _EVIDENCE.get(page.evidence) if page else None
    if found:
        yield Hit(message=found[0], severity=found[1])


def _forged(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    seen: set[tuple[str, str]] = set()
    for offer, page in _pages(reviewed):
        document = page.document
        key = (document.frame_id, document.loader_id)
        if document.false_reports and key not in seen:
            seen.add(key)
            hit = Hit(
                message=f"The document sent {document.false_reports:,} forged reports of tools in the name of Sightline's hook. They are ignored.",
                evidence=quoted(document.url),
            )
            yield offer, hit


def _exposed(offer: Offer) -> Iterator[Hit]:
    page = offer.tool.page if offer.tool else None
    for number, exposure in enumerate(page.exposures if page else ()):
        what = _WHOM.get(exposure.reach)
        if what:
            acts = offer.traits.effect.value != "read" or offer.traits.sensitive.value is True
            other = Severity.MEDIUM if acts else Severity.LOW
            yield Hit(
                message=f"The tool is exposed to {what}.",
                pointer=f"/exposedTo/{number}",
                evidence=quoted(exposure.text),
                severity=other if exposure.reach is Reach.OTHER else None,
                confidence=Confidence.MEDIUM if exposure.reach is Reach.OTHER else None,
            )


_WHOM = {
    Reach.OTHER: "another origin, whose scripts can call it with the user's session",
    Reach.INSECURE: "an origin with an unencrypted scheme, so that an attacker on the network can call it",
    Reach.OPAQUE: "a URL without an origin, which any document can have",
    Reach.UNREADABLE: "something that is not an origin",
}


def _policy(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    seen: set[tuple[str, str]] = set()
    for offer, page in _pages(reviewed):
        document = page.document
        key = (document.frame_id, document.loader_id)
        if document.policy is None or document.parent_id is None or key in seen:
            continue
        seen.add(key)
        grants = document.policy.grants
        if grants is not None and "*" in grants:
            message = "Any document in the frame may offer tools, because its `allow` contains `tools *`."
            yield offer, Hit(message=message, evidence=quoted(document.url))
        elif grants is None and not document.policy.is_sandboxed:
            message = "The embedded document offers tools only because of the default policy, without explicit permission."
            yield offer, Hit(message=message, evidence=quoted(document.url), severity=Severity.INFO)


def _faults(offer: Offer) -> Iterator[Hit]:
    page = offer.tool.page if offer.tool else None
    for fault in page.faults if page else ():
        yield Hit(message=f"The draft forbids this: {quoted(fault)}")


def _refused(offer: Offer) -> Iterator[Hit]:
    refused = offer.refused
    if refused is not None:
        at = quoted(str(refused.place or refused.document.url))
        yield Hit(
            message=f"The page registers a tool at {at}, but the browser refuses it.",
            pointer=refused.pointer,
            evidence=quoted(refused.reason),
        )


def _pages(reviewed: Reviewed) -> Iterator[tuple[Offer, PageFacts]]:
    return ((offer, offer.tool.page) for offer in reviewed.tools if offer.tool and offer.tool.page)


def _rule(  # noqa: PLR0913 - one entry of the registry, member by member
    number: int,
    title: str,
    severity: Severity,
    texts: tuple[str, str],
    references: tuple[str, ...],
    *,
    each: Callable[[Offer], Iterator[Hit]] | None = None,
    whole: Callable[[Reviewed], Iterator[tuple[Offer, Hit]]] | None = None,
    subjects: frozenset[SubjectKind] = TOOLS,
) -> ReviewRule:
    return ReviewRule(
        id=f"SL-WEB{number:03}",
        title=title,
        severity=severity,
        confidence=Confidence.HIGH,
        consequence=texts[0],
        fix=texts[1],
        references=references,
        subjects=subjects,
        each=each,
        whole=whole,
    )


RULES = (
    _rule(
        1,
        "Declaration dropped by the browser",
        Severity.MEDIUM,
        (
            "The declaration has no effect: an agent in the browser shows the model values that should be withheld.",
            "Do not rely on it in this browser; return a secret reference instead of the value.",
        ),
        ("CWE-684", "WebMCP issue 110", _DRAFT),
        each=_dropped,
    ),
    _rule(
        2,
        "Declaration differs between readers",
        Severity.HIGH,
        (
            "The reviewed definition is not the one that the browser gives to an agent.",
            "Do not trust the page. Authors: register plain objects, without accessors, proxies or `toJSON`.",
        ),
        ("CWE-345", "CWE-451", _DRAFT),
        each=_evidence,
    ),
    _rule(
        3,
        "Forged reports of tools",
        Severity.HIGH,
        (
            "The page detects inspection, and reports tools that the browser does not have.",
            "Do not trust the page.",
        ),
        ("CWE-345", _DRAFT),
        whole=_forged,
    ),
    _rule(
        4,
        "Exposed to other origins",
        Severity.HIGH,
        (
            "Documents of these origins can call the tool with the session of the signed-in user.",
            "List only the https origins that need the tool in `exposedTo`.",
        ),
        ("CWE-942", "CWE-346", _DRAFT),
        each=_exposed,
    ),
    _rule(
        5,
        "Frame without its own permissions policy",
        Severity.MEDIUM,
        (
            "The page does not restrict which documents may offer tools to an agent.",
            "Name the origin in the frame's `allow` (`tools https://widget.example`), or forbid `tools` there.",
        ),
        ("CWE-276", _POLICY),
        whole=_policy,
    ),
    _rule(
        6,
        "Violates the draft",
        Severity.LOW,
        (
            "Browsers handle such a tool in different ways, or reject it.",
            "Use 1 to 128 of `A-Z a-z 0-9 _ . -` for names, and describe the tool in the description.",
        ),
        ("CWE-1286", "WebMCP draft, 4.2"),
        each=_faults,
    ),
    _rule(
        7,
        "Refused by the browser",
        Severity.LOW,
        (
            "The page tries to offer a tool that no agent gets, because the registration failed.",
            "Fix the registration: the name, the description, the schema, or a duplicate name.",
        ),
        ("CWE-1286", "WebMCP draft, 4.2"),
        each=_refused,
        subjects=frozenset({SubjectKind.LISTING}),
    ),
)
