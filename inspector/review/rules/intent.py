"""Rules INT: names and descriptions that contradict declarations. Source: the WebMCP draft, 6.3.2."""

from collections.abc import Iterator

from inspector.claims.naming import CHANGES, DESTROYS, READS, VAGUE, named_change, verb_of
from inspector.credentials.names import words_of
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.reviewed import Offer
from inspector.review.rule import ReviewRule
from inspector.review.texts import word_set

_DRAFT = "WebMCP draft, 6.3.2"

_CLEAR = (CHANGES | READS) - VAGUE
_VAGUE_STEMS = tuple(verb.removesuffix("e") for verb in VAGUE)
_LEADING = word_set(
    "a an the this that it is will can be to for used use tool function which lets allows helps you"
)
_FEW = 2
_AUXILIARY = word_set("do perform execute")
"""Verbs that may precede the actual verb, as in `do_search`."""
_SAYS_LITTLE = 12
"""The maximum number of words in a description that only repeats the name."""


def _is_described(offer: Offer) -> bool:
    """True if the description begins with a word that is not in the name, such as `Opens a page.` for `do_visit`."""
    description = offer.definition.get("description")
    description_words = words_of(description[:200]) if isinstance(description, str) else ()
    first = next((word for word in description_words if word not in _LEADING), "")
    named = (*_VAGUE_STEMS, *words_of(offer.name))
    return bool(first) and len(description_words) > _FEW and not any(_is_form(first, word) for word in named)


def _is_form(word: str, of: str) -> bool:
    return word.startswith(of) if len(of) > 3 else word in {of, f"{of}s", f"{of}es"}


def _read_only(offer: Offer) -> Iterator[Hit]:
    if offer.claimed("mcp", "readOnlyHint") is not True and offer.claimed("webmcp", "readOnly") is not True:
        return
    found = named_change(offer.name, offer.definition)
    if found is None:
        return
    description = offer.definition.get("description")
    text = offer.name if found.is_in_name else description
    yield Hit(
        message=f"The tool is declared read-only, but {found.words}.",
        pointer="/annotations/readOnlyHint" if found.is_in_name else "/description",
        evidence=quoted(text) if isinstance(text, str) else "",
        confidence=Confidence.HIGH if found.is_sure else None,
    )


def _harmless(offer: Offer) -> Iterator[Hit]:
    verb = verb_of(offer.name)
    harmless = offer.claimed("mcp", "destructiveHint") is False
    if verb in DESTROYS and harmless and offer.claimed("mcp", "readOnlyHint") is not True:
        yield Hit(
            message=f"The tool is declared non-destructive, but its name contains `{verb}`.",
            pointer="/annotations/destructiveHint",
            evidence=quoted(offer.name),
        )


def _ambiguous(offer: Offer) -> Iterator[Hit]:
    words = words_of(offer.name)
    if not words or words[0] not in VAGUE:
        return
    if _is_described(offer) or (words[0] in _AUXILIARY and words[1:2] and words[1] in _CLEAR):
        return
    description = offer.definition.get("description")
    description_words = words_of(description[:400]) if isinstance(description, str) else ()
    settled = any(
        not trait.defaulted for trait in (offer.traits.effect, offer.traits.destructive, offer.traits.outcome)
    )
    if (
        not settled
        and len(description_words) <= _SAYS_LITTLE
        and offer.claimed("mcp", "readOnlyHint") is None
    ):
        yield Hit(
            message=f"Neither the verb `{words[0]}` nor the description explains the effect of the tool, and no declaration does.",
            pointer="/name",
            evidence=quoted(f"{offer.name}: {description}" if isinstance(description, str) else offer.name),
        )


RULES = (
    ReviewRule(
        id="SL-INT001",
        title="Read-only, but its name says that it changes something",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="Hosts call read-only tools without asking, so the change that the name suggests happens without confirmation.",
        fix="Set `readOnlyHint` to false, or rename the tool.",
        references=("CWE-451", _DRAFT),
        each=_read_only,
    ),
    ReviewRule(
        id="SL-INT002",
        title="Non-destructive, but named for destruction",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="Hosts may call the tool without asking, and the tool may delete data.",
        fix="Set `destructiveHint` to true, or rename the tool.",
        references=("CWE-451", _DRAFT),
        each=_harmless,
    ),
    ReviewRule(
        id="SL-INT003",
        title="Ambiguous verb without declarations",
        severity=Severity.LOW,
        confidence=Confidence.LOW,
        consequence="Models and users have to guess the effect of a call.",
        fix="Use a name that describes the effect (`placeOrder`, not `finalize`), and declare `readOnlyHint` or `destructiveHint`.",
        references=("CWE-451", _DRAFT),
        each=_ambiguous,
    ),
)
