"""Rules LEN: invalid names and excessive lengths."""

import re
from collections.abc import Iterator

from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.reviewed import Offer
from inspector.review.rule import DEFINITIONS, ReviewRule
from inspector.review.texts import TextPlace

MAX_NAME = 128
"""The maximum number of characters of a name. Source: MCP 2025-11-25, Tool Names; WebMCP draft, 3."""
MAX_TEXT = 8_000
"""The maximum number of characters of a title, a description or instructions.

They are about 2,000 tokens, which each request to a model contains.
"""
MAX_DEFINITION = 65_536
"""The maximum number of bytes of a definition."""

_NAME = re.compile(r"[A-Za-z0-9_.-]*")


def _names(offer: Offer) -> Iterator[Hit]:
    if len(offer.name) > MAX_NAME:
        yield Hit(
            message=f"The name has {len(offer.name):,} characters; {MAX_NAME} are allowed.", pointer="/name"
        )
    elif not _NAME.fullmatch(offer.name):
        yield Hit(
            message="The name contains characters other than ASCII letters, digits, `_`, `-` and `.`.",
            pointer="/name",
            evidence=quoted(offer.name),
        )


def _texts(offer: Offer) -> Iterator[Hit]:
    for text in offer.texts:
        if text.place in {TextPlace.PROSE, TextPlace.TITLE} and len(text.text) > MAX_TEXT:
            yield Hit(
                message=f"The text has {len(text.text):,} characters, too many to read before a call.",
                pointer=text.pointer,
            )


def _definitions(offer: Offer) -> Iterator[Hit]:
    size = len(offer.wire)
    if size > MAX_DEFINITION:
        yield Hit(message=f"The definition has {size:,} bytes, and every request sends it to the model.")


RULES = (
    ReviewRule(
        id="SL-LEN001",
        title="Invalid name",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Clients and model providers reject or rewrite such names, so one tool may be mistaken for another.",
        fix="Use 1 to 128 ASCII letters, digits, `_`, `-` and `.`.",
        references=("CWE-1287", "MCP 2025-11-25, Tool Names"),
        each=_names,
    ),
    ReviewRule(
        id="SL-LEN002",
        title="Very long text",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="A long text costs tokens with every request, distracts the model, and is hard to review.",
        fix="Shorten it; move details that are rarely needed to a resource or a prompt.",
        references=("CWE-1284", "WebMCP draft, 6.4.1"),
        subjects=DEFINITIONS,
        each=_texts,
    ),
    ReviewRule(
        id="SL-LEN003",
        title="Very large definition",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="The definition costs tokens with every request, and hosts may cut or drop it.",
        fix="Split the tool, or shorten its schemas.",
        references=("CWE-1284",),
        subjects=frozenset({SubjectKind.TOOL, SubjectKind.PROMPT}),
        each=_definitions,
    ),
)
