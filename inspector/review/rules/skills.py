"""Rules SKL: skills that are invalid or too large, have no digests or wrong ones, or ask for rights."""

from collections.abc import Iterator

from inspector.boundary.bounded import Rule as Withheld
from inspector.json.exact import Json, dump_text
from inspector.json.members import value_at
from inspector.protocol.skills import MOST_BYTES, MOST_FILES, manifest_of
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.review.rule import ReviewRule

_SKILLS = frozenset({SubjectKind.SKILL})
_RIGHTS = ("allowed-tools", "hooks")


def _invalid(offer: Offer) -> Iterator[Hit]:
    fault = manifest_of(offer.definition).fault
    if fault:
        yield Hit(message=f"{fault[:1].upper()}{fault[1:]}.")


def _unverified(call: ReviewedCall) -> Iterator[Hit]:
    tool = call.offer.tool
    if tool is None or tool.item is None or not tool.item.skills:
        return
    first = next(iter(call.bounded.removals), None)
    if first is not None and first.rule == Withheld.UNVERIFIED:
        yield Hit(message=f"The content of the skill does not match its entry: {first.detail}.")


def _dynamic(offer: Offer) -> Iterator[Hit]:
    if manifest_of(offer.definition).is_dynamic:
        yield Hit(message="The server gives no digests of this skill.", pointer="/resources")


def _asks_for_rights(offer: Offer) -> Iterator[Hit]:
    for key in _RIGHTS:
        asked: Json = value_at(offer.definition, "frontmatter", key)
        if asked is not None:
            yield Hit(
                message=f"The skill asks for rights with `{key}`.",
                pointer=f"/frontmatter/{key}",
                evidence=quoted(asked if isinstance(asked, str) else dump_text(asked)),
            )


def _too_large(offer: Offer) -> Iterator[Hit]:
    manifest = manifest_of(offer.definition)
    if len(manifest.files) > MOST_FILES or manifest.size_bytes > MOST_BYTES:
        yield Hit(
            message=f"The skill has {len(manifest.files):,} files with {manifest.size_bytes:,} bytes in all; hosts may refuse more than {MOST_FILES} files, or more than {MOST_BYTES:,} bytes.",
            pointer="/resources",
        )


_SOURCE = "SEP-2640"

RULES = (
    ReviewRule(
        id="SL-SKL001",
        title="Invalid skill",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Hosts must not load the skill, because an invalid entry does not say reliably which files belong to it.",
        fix="List every file of the skill with its URI, SHA-256 digest and size, and give the skill and its folder the same name.",
        references=("CWE-345", f"{_SOURCE}, Skill Entries"),
        subjects=_SKILLS,
        each=_invalid,
    ),
    ReviewRule(
        id="SL-SKL002",
        title="Skill does not verify",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="A user who agreed to the entry did not agree to this content. Hosts that do not verify give it to the model.",
        fix="Serve the content that matches the digest in the entry. If the skill has changed, update the entry.",
        references=("CWE-345", "CWE-494", f"{_SOURCE}, Integrity and Verification"),
        call=_unverified,
    ),
    ReviewRule(
        id="SL-SKL003",
        title="Skill without digests",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Its content can change at any time, and neither a pin nor a host notices.",
        fix="Publish the digests. If the text is generated, offer a prompt instead of a skill.",
        references=("CWE-494", f"{_SOURCE}, Resources"),
        subjects=_SKILLS,
        each=_dynamic,
    ),
    ReviewRule(
        id="SL-SKL004",
        title="Skill asks for rights",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="A server asks for more rights on the user's machine. A host that grants them unasked lets the server act there.",
        fix="Do not ask for rights in a skill that a server serves; hosts must ignore such requests.",
        references=("CWE-250", f"{_SOURCE}, Security Considerations"),
        subjects=_SKILLS,
        each=_asks_for_rights,
    ),
    ReviewRule(
        id="SL-SKL005",
        title="Skill beyond the limits",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Hosts may refuse to load it.",
        fix="Split the skill, or leave files out.",
        references=("CWE-770", f"{_SOURCE}, Limits"),
        subjects=_SKILLS,
        each=_too_large,
    ),
)
