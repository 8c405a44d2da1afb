"""Rules OVR: tools that ask for unnecessary data. Source: the WebMCP draft, 6.3.3."""

from collections.abc import Iterator

from inspector.credentials.names import words_of
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.properties import Property
from inspector.review.reviewed import Offer
from inspector.review.rule import ReviewRule
from inspector.review.texts import word_set
from inspector.safe_text import safe_line

_DRAFT = "WebMCP draft, 6.3.3"

_SPECIAL = word_set(
    "pregnant pregnancy religion religious ethnicity ethnic race sexuality disability disabilities medications "
    "diagnosis genetic biometric hiv skintone"
)
_SPECIAL_PAIRS = frozenset(
    {
        ("skin", "tone"), ("skin", "color"), ("sexual", "orientation"), ("political", "views"), ("political", "party"),
        ("political", "affiliation"), ("medical", "history"), ("health", "conditions"), ("health", "condition"),
        ("immigration", "status"), ("criminal", "record"), ("trade", "union"), ("mental", "health"),
    }
)  # fmt: skip
_ORDINARY = word_set("age gender income salary birthday birthdate nationality occupation hobbies")
_BODY = frozenset({"height", "weight"})
_ORDINARY_PAIRS = frozenset(
    {
        ("marital", "status"), ("date", "birth"), ("birth", "date"), ("previous", "purchases"), ("purchase", "history"),
        ("browsing", "history"), ("search", "history"), ("home", "address"), ("net", "worth"), ("credit", "score"),
        ("current", "location"), ("user", "location"), ("phone", "number"), ("family", "members"), ("maiden", "name"),
    }
)  # fmt: skip
_SOME = 3
"""The minimum number of ordinary personal attributes that form a profile."""


def _personal(offer: Offer) -> Iterator[Hit]:
    names = {field.name.lower() for field in offer.inputs}
    special = [field for field in offer.inputs if _is_personal(field, _SPECIAL, _SPECIAL_PAIRS)]
    body = frozenset[str]() if "width" in names else _BODY
    ordinary = [field for field in offer.inputs if _is_personal(field, _ORDINARY | body, _ORDINARY_PAIRS)]
    if special or ordinary:
        purpose = _purpose(offer)
        special = [field for field in special if not _is_explained(field, purpose)]
        ordinary = [field for field in ordinary if field not in special and not _is_explained(field, purpose)]
    if special or len(ordinary) >= _SOME:
        asked = ", ".join(safe_line(field.name)[:40] for field in (*special, *ordinary)[:8])
        yield Hit(
            message=f"The tool asks for personal attributes that neither its name nor its description explains: {asked}.",
            pointer=(special or ordinary)[0].pointer,
            confidence=Confidence.HIGH if special and len(special) + len(ordinary) >= _SOME else None,
        )


def _is_personal(field: Property, words: frozenset[str], pairs: frozenset[tuple[str, str]]) -> bool:
    """True if the name is one of the words, ends in one, or contains one of the pairs."""
    return (
        field.words[-1:] != () and (field.words[-1] in words or field.name.lower() in words)
    ) or not pairs.isdisjoint(zip(field.words, field.words[1:], strict=False))


def _is_explained(field: Property, purpose: frozenset[str]) -> bool:
    return any(word in purpose for word in field.words if len(word) > 2)


def _purpose(offer: Offer) -> frozenset[str]:
    """The words in the name, title and description."""
    texts = (offer.name, offer.definition.get("title"), offer.definition.get("description"))
    return frozenset(word for text in texts if isinstance(text, str) for word in words_of(text))


_CONTEXT = frozenset(
    {
        ("conversation",), ("conversation", "history"), ("chat", "history"), ("chat", "log"), ("full", "conversation"),
        ("conversation", "context"), ("user", "context"), ("sidenote",), ("side", "note"), ("system", "prompt"),
        ("previous", "messages"), ("all", "messages"), ("full", "context"), ("user", "profile"),
    }
)  # fmt: skip
_LOOSE = frozenset(
    {
        ("context",),
        ("additional", "context"),
        ("extra",),
        ("extra", "info"),
        ("additional", "info"),
        ("other", "info"),
        ("transcript",),  # of a gene, a meeting or a video, too
    }
)
_ASKS = (
    "conversation", "chat history", "everything you know", "all available", "system prompt", "about the user",
    "previous messages", "user's background", "full context", "entire context",
)  # fmt: skip


def _free_form(offer: Offer) -> Iterator[Hit]:
    purpose = _purpose(offer)
    for field in offer.inputs:
        if not (field.may_be_text and "enum" not in field.schema):
            continue
        named = field.words in _CONTEXT and purpose.isdisjoint(field.words)
        loose = field.words in _LOOSE
        if not named and not loose:
            continue
        described = field.description.lower()
        asks = any(phrase in described for phrase in _ASKS)
        if named or asks:
            yield Hit(
                message=f"The parameter `{safe_line(field.name)[:80]}` can take any part of the model's context, such as the conversation.",
                pointer=field.pointer,
                evidence=quoted(field.description),
                confidence=Confidence.HIGH if named and asks else None,
            )


RULES = (
    ReviewRule(
        id="SL-OVR001",
        title="Personal attributes beyond the purpose",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="Agents fill in what they know about the user, so the server gets a profile without consent.",
        fix="Ask only for necessary attributes, and explain each in the description.",
        references=("CWE-359", "CWE-213", "OWASP MCP10:2025", _DRAFT),
        each=_personal,
    ),
    ReviewRule(
        id="SL-OVR002",
        title="Free-form parameter for the model's context",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="The call sends the conversation, including the results of other tools, to the server.",
        fix="Replace it by specific parameters.",
        references=("CWE-359", "CWE-200", "OWASP MCP10:2025", _DRAFT),
        each=_free_form,
    ),
)
