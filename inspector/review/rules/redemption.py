"""Rules RDM: faults of secret references in results. No reference is redeemed.

Source: WebMCP issue 110, section 4.
"""

from collections.abc import Iterator

from inspector.boundary.secret_references import MalformedReference, SecretReference
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall
from inspector.review.rule import ReviewRule
from inspector.urls.origin import Origin, origin_of

LONG_S = 86_400
"""The maximum lifetime of a secret reference, in seconds (one day). A longer lifetime is a finding."""

_SECTION = "WebMCP issue 110, section 4"


def _malformed(call: ReviewedCall) -> Iterator[Hit]:
    for reference in call.references:
        if isinstance(reference, MalformedReference) and not call.lacks(reference.pointer):
            yield Hit(
                message=f"The reference cannot be redeemed: {reference.reason}.", pointer=reference.pointer
            )


def _origin(call: ReviewedCall) -> Iterator[Hit]:
    own = origin_of(call.origin) if call.origin else None
    for reference in _sound(call):
        named = origin_of(reference.redeem_url)
        if isinstance(own, Origin) and isinstance(named, Origin) and named != own:
            yield Hit(
                message="The reference is redeemed at a different origin than the server's.",
                pointer=f"{reference.pointer}/redeemUrl",
            )


_LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")


def _plain(call: ReviewedCall) -> Iterator[Hit]:
    for reference in _sound(call):
        address = reference.redeem_url.lower()
        if address.startswith("http://") and not address.startswith(_LOOPBACK):
            yield Hit(
                message="The secret would travel without encryption.",
                pointer=f"{reference.pointer}/redeemUrl",
            )


def _endless(call: ReviewedCall) -> Iterator[Hit]:
    for reference in _sound(call):
        if reference.ttl_s is None:
            yield Hit(message="The reference does not expire.", pointer=reference.pointer)


def _repeated(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    seen: set[tuple[str, str]] = set()
    for call in reviewed.calls:
        own = {(found.id, found.redeem_url): found for found in _sound(call)}
        for key, reference in own.items():
            if key in seen:
                hit = Hit(
                    message="An earlier result contains the same reference, so it is not limited to one redemption.",
                    pointer=f"{reference.pointer}/id",
                    subject=SubjectKind.CALL,
                )
                yield call.offer, hit
        seen.update(own)


def _long(call: ReviewedCall) -> Iterator[Hit]:
    for reference in _sound(call):
        if reference.ttl_s is not None and reference.ttl_s > LONG_S:
            yield Hit(
                message=f"The reference is valid for {reference.ttl_s / 3_600:,.0f} hours.",
                pointer=f"{reference.pointer}/ttl",
            )


def _sound(call: ReviewedCall) -> Iterator[SecretReference]:
    return (
        found
        for found in call.references
        if isinstance(found, SecretReference) and not call.lacks(found.pointer)
    )


RULES = (
    ReviewRule(
        id="SL-RDM001",
        title="Malformed secret reference",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="The user cannot fetch the secret, and hosts handle it in different ways.",
        fix="Give it `id`, `label` and `redeemUrl` as text, and `ttl` as a number of seconds.",
        references=("CWE-1286", _SECTION),
        call=_malformed,
    ),
    ReviewRule(
        id="SL-RDM002",
        title="Secret reference to another origin",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="A client that redeems it sends the user's request, and perhaps credentials, to a third party.",
        fix="Use a redeem URL at the server's own origin.",
        references=("CWE-601", _SECTION),
        call=_origin,
    ),
    ReviewRule(
        id="SL-RDM003",
        title="Secret reference over http",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="An attacker on the network can read the secret.",
        fix="Use an https redeem URL.",
        references=("CWE-319", _SECTION),
        call=_plain,
    ),
    ReviewRule(
        id="SL-RDM004",
        title="Long-lived secret reference",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Anyone who finds the reference in a log or a recording may still redeem it.",
        fix="Set `ttl` to a few minutes, such as 300 seconds.",
        references=("CWE-613", _SECTION),
        call=_long,
    ),
    ReviewRule(
        id="SL-RDM005",
        title="Secret reference without expiry",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Anyone who finds the reference in a log or a recording may redeem it as long as the server keeps it.",
        fix="Set `ttl` to a few minutes, such as 300 seconds.",
        references=("CWE-613", _SECTION),
        call=_endless,
    ),
    ReviewRule(
        id="SL-RDM006",
        title="Reused secret reference",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="The first redemption does not end the reference, so a copy in a log or a recording stays valid.",
        fix="Create a new single-use reference for each result.",
        references=("CWE-294", "CWE-613", _SECTION),
        whole=_repeated,
    ),
)
