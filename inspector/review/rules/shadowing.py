"""Rules SHD: tools that refer to tools of other servers, and duplicate or similar names."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.credentials.names import words_of
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.prose import QUOTED, prose_of
from inspector.review.reviewed import NAME_TAKEN, Offer, Reviewed
from inspector.review.rule import ReviewRule
from inspector.review.signs.matching import SentenceWords
from inspector.review.texts import Text, TextPlace, word_set
from inspector.safe_text import safe_line

_IDENTIFIER = re.compile(r"[a-z][a-z0-9]{0,60}(?:[_-][a-z0-9]{1,60}){1,6}")
_CALLED = word_set("tool tools function calling call calls invoke invoking using used")
_STEERED = word_set("must always instead never before whenever when should available present")
_CHANGED = word_set("recipient bcc cc redirect replace modify change add append include set override")


def _tools_of(reviewed: Reviewed) -> tuple[set[str], dict[str, str]]:
    """The folded names of the server's tools; and for each tool of another server, that server's target.

    The keys of the second result are folded names. Only tools with a distinctive name are in it.
    """
    others = {
        _folded(name): other.target
        for other in reviewed.neighbours
        for name in other.tools
        if _is_distinctive(name)
    }
    return {_folded(name) for name in reviewed.tool_names}, others


def _foreign(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    names, others = _tools_of(reviewed)
    for offer in reviewed.offers:
        if offer.kind is SubjectKind.LISTING:
            continue
        known: _Known | None = None
        for text in offer.texts:
            if text.place is not TextPlace.PROSE or not (others or "_" in text.text or "-" in text.text):
                continue
            if known is None:
                known = _Known(names, {_folded(field.name) for field in offer.inputs})
            # Most texts mention only tools of their own server.
            if not any(_may_name(word, known, others) for word in _NAME.findall(text.text)):
                continue
            for sentence in prose_of(text.text).sentences:
                words = set(sentence.words)
                if words.isdisjoint(_STEERED) or not (others or _is_change(words)):
                    continue
                hit = _foreign_tool(sentence.words, known, others)
                if hit:
                    yield offer, _mention(text, *hit)
                    break


# One class, one character of another class, and the first class again, so matching is linear.
_NAME = re.compile(r"[A-Za-z0-9]{1,80}[_-][A-Za-z0-9_-]{1,160}|[a-z]{1,80}[A-Z][A-Za-z0-9]{0,160}")


@dataclass(frozen=True, slots=True)
class _Known:
    """The folded names that a tool may mention: all tools of its server, and its own inputs."""

    tools: set[str]
    inputs: set[str]

    def __contains__(self, folded: str) -> bool:
        return folded in self.tools or folded in self.inputs


def _may_name(word: str, known: _Known, others: Mapping[str, str]) -> bool:
    folded = _folded(word)
    return folded in others or (folded not in known and not _VERBS.isdisjoint(words_of(word)[:1]))


def _foreign_tool(words: Sequence[str], known: _Known, others: Mapping[str, str]) -> tuple[str, str] | None:
    """The name of another server's tool in a sentence, and that server's target; None if there is no such name.

    The target is empty if that server is not part of the review.
    """
    for word in words:
        target = others.get(_folded(word)) if _is_distinctive(word) and _folded(word) not in known else None
        if target is not None:
            return word, target
    if not _is_change(set(words)):
        return None
    return next(((word, "") for word in words if _names_tool(word, known)), None)


def _mention(text: Text, word: str, target: str) -> Hit:
    where = f"a tool of {safe_line(target)[:200]}" if target else "which this server does not have"
    return Hit(
        message=f"The text gives instructions for the use of another tool, {where}.",
        pointer=text.pointer,
        evidence=quoted(text.text, _at(text.text, word)),
        confidence=Confidence.HIGH if target else None,
    )


def _is_change(words: set[str]) -> bool:
    return not (_CALLED.isdisjoint(words) or _CHANGED.isdisjoint(words))


def _is_distinctive(name: str) -> bool:
    """True if the name hardly occurs in prose by chance, because it joins two or more words."""
    return len(words_of(name)) > 1 and " " not in name


def _names_tool(word: str, known: _Known) -> bool:
    stripped = word.strip("'")
    if "_" not in stripped and not ("-" in stripped and words_of(stripped)[0] in _VERBS):
        return False
    return (
        bool(_IDENTIFIER.fullmatch(stripped))
        and words_of(stripped)[0] in _VERBS
        and _folded(stripped) not in known
    )


_VERBS = word_set("send get list read write create delete update post search fetch execute run make transfer")


def _at(text: str, word: str) -> int:
    return max(text.lower().find(word), 0)


_BULK = word_set(
    "result results output outputs response responses content contents reply rows records everything whatever"
)
_SECRETS = word_set("token tokens password passwords credential credentials secret secrets")
_IDS = word_set("id ids identifier identifiers uuid cursor handle ref page")
_PUT = word_set(
    "pass put include insert place paste add attach supply fill embed copy set provide goes belongs contain contains "
    "needs forward send"
)
_SLOT = word_set("parameter parameters argument arguments field param")
_SLOTS = re.compile(r"`|param|argument|field", re.IGNORECASE)
_INTO = word_set("in into as to set fill the")
_DUE = word_set(
    "must always before first required whenever full whole entire complete every all everything otherwise"
)
_OTHER = word_set("other another")
_TOOLS = word_set("tool tools server servers function functions")
_BEFORE_TOOL = word_set("call calling run running invoke invoking use using execute of from by tool")
_AFTER_TOOL = word_set("returned returns tool call result results output response")
_OF_FIELDS = word_set(
    "only id query string time at date format url type name by text path key term terms body"
)
_READERS = _VERBS | word_set("query lookup find load open export dump show describe retrieve")


def _carried(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    """Finds texts that tell the model to pass the result of another server's tool to this tool."""
    names, others = _tools_of(reviewed)
    for offer in reviewed.tools:
        known = _Known(names, {_folded(field.name) for field in offer.inputs})
        for text in offer.texts:
            # An ASCII text must name an argument openly. Other texts may disguise it with other letters.
            if text.place is not TextPlace.PROSE or (text.text.isascii() and not _SLOTS.search(text.text)):
                continue
            for sentence in prose_of(text.text).sentences:
                source = _source(SentenceWords(sentence.words), known, others)
                if source is not None:
                    yield offer, _carries(text, sentence.at, *source)
                    break


def _source(sentence: SentenceWords, known: _Known, others: Mapping[str, str]) -> tuple[str, str] | None:
    """The tool whose result a sentence tells the model to pass on, and its server; None if there is none.

    The name is empty if the sentence means other tools in general. The target is empty if the server is not
    part of the review.
    """
    is_secret = sentence.has(_SECRETS)
    if not (is_secret or sentence.has(_BULK)) or sentence.has(_IDS):
        return None
    if next(iter(sentence.asked(_PUT)), None) is None or not _names_slot(sentence):
        return None
    for at, word in enumerate(sentence.words):
        if _folded(word) in known:
            continue
        if (target := others.get(_folded(word))) is not None:
            return word, target
        if _is_called(sentence.words, at):
            return word, ""
    pairs = zip(sentence.words, sentence.words[1:], strict=False)
    is_general = any(before in _OTHER and after in _TOOLS for before, after in pairs)
    return ("", "") if is_general and (is_secret or sentence.has(_DUE)) else None


def _is_called(words: Sequence[str], at: int) -> bool:
    """True if the word at index `at` seems to be the name of a tool, by its parts and the words beside it."""
    parts = words_of(words[at])
    if "_" not in words[at] or not _IDENTIFIER.fullmatch(words[at]):
        return False
    if parts[0] not in _READERS or parts[-1] in _OF_FIELDS:
        return False
    before = [word for word in words[max(at - 2, 0) : at] if word != QUOTED][-1:]
    after = words[at + 1 : at + 2]
    return not (_BEFORE_TOOL.isdisjoint(before) and _AFTER_TOOL.isdisjoint(after))


def _names_slot(sentence: SentenceWords) -> bool:
    words = sentence.words
    return sentence.has(_SLOT) or any(
        words[at - 1] in _INTO for at in sentence.where(frozenset({QUOTED})) if at
    )


def _carries(text: Text, at: int, word: str, target: str) -> Hit:
    if target:
        whose = f"of a tool of {safe_line(target)[:200]}"
    else:
        whose = "of a tool that this server does not have" if word else "of other tools"
    return Hit(
        message=f"The text tells the model to pass the result {whose} to this tool.",
        pointer=text.pointer,
        evidence=quoted(text.text, _at(text.text, word) if word else at),
        severity=Severity.HIGH if target else None,
        confidence=Confidence.HIGH if target else None,
    )


def _collides(offer: Offer) -> Iterator[Hit]:
    problem = offer.problem
    if problem is not None and problem.reason == NAME_TAKEN:
        yield Hit(
            message="Two tools have the same name, so hosts differ in which one they call.",
            pointer="/name",
        )


def _alike(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    first: dict[str, Offer] = {}
    for offer in reviewed.tools:
        other = first.setdefault(_skeleton(offer.name), offer)
        if other is not offer:
            yield (
                offer,
                Hit(
                    message=f"The name is easily confused with another tool of this server: {quoted(other.name)}.",
                    pointer="/name",
                    evidence=quoted(offer.name),
                ),
            )


def _shared_names(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    owners = {name: other.target for other in reviewed.neighbours for name in other.tools}
    for offer in reviewed.tools:
        if offer.name in owners:
            hit = Hit(
                message=f"{safe_line(owners[offer.name])[:200]} has a tool with the same name, so a host with both servers must guess which one is meant.",
                pointer="/name",
                evidence=quoted(offer.name),
            )
            yield offer, hit


def _alike_elsewhere(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    others = {_skeleton(name): (name, other.target) for other in reviewed.neighbours for name in other.tools}
    exact = {name for other in reviewed.neighbours for name in other.tools}
    for offer in reviewed.tools:
        name, target = others.get(_skeleton(offer.name), (offer.name, ""))
        if name != offer.name and offer.name not in exact:
            hit = Hit(
                message=f"The name is easily confused with a tool of {safe_line(target)[:200]}: {quoted(name)}.",
                pointer="/name",
                evidence=quoted(offer.name),
                severity=Severity.HIGH if not offer.name.isascii() else None,
            )
            yield offer, hit


def _folded(name: str) -> str:
    return "".join(words_of(name))


_TWINS = str.maketrans(
    {
        "\u0430": "a", "\u0435": "e", "\u043e": "o", "\u0440": "p", "\u0441": "c", "\u0443": "y", "\u0445": "x", "\u0456": "i", "\u0455": "s", "\u0501": "d", "\u0578": "n",
        "\u03bf": "o", "\u03b1": "a", "\u03bd": "v", "\u03b9": "i", "\u03ba": "k", "0": "o", "1": "l", "|": "l", "_": "", "-": "", ".": "",
        " ": "",
    }
)  # fmt: skip


def _skeleton(name: str) -> str:
    """A normal form that is the same for names that look alike."""
    return unicodedata.normalize("NFKC", name).translate(_TWINS).casefold().translate(_TWINS)


RULES = (
    ReviewRule(
        id="SL-SHD001",
        title="Refers to another server's tool",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="A host gives the model the tools of all servers together, so the text of one tool can change how another is used.",
        fix="Do not connect a server that you do not trust. Authors: refer only to your own tools.",
        references=("CWE-1427", "OWASP MCP03:2025"),
        whole=_foreign,
    ),
    ReviewRule(
        id="SL-SHD006",
        title="Takes what another tool returned",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="The model carries data that the user gave to one server into the arguments of another.",
        fix="Check which data the argument gets before you allow a call. Authors: ask only for what the tool needs, and refer only to your own tools.",
        references=("CWE-1427", "CWE-200", "OWASP MCP03:2025"),
        whole=_carried,
    ),
    ReviewRule(
        id="SL-SHD002",
        title="Duplicate tool name",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="The user may accept one tool, and the host may call the other.",
        fix="Give each tool its own name.",
        references=("CWE-694", "MCP 2025-11-25, Tool Names"),
        subjects=frozenset({SubjectKind.LISTING}),
        each=_collides,
    ),
    ReviewRule(
        id="SL-SHD003",
        title="Similar tool names",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="A model or a user may choose the wrong one.",
        fix="Use names that differ in words.",
        references=("CWE-1007",),
        whole=_alike,
    ),
    ReviewRule(
        id="SL-SHD004",
        title="Tool name of another server",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="A host with both servers may call the wrong tool, or rename one of the two.",
        fix="Connect only one of the servers, or use a host that puts the name of the server before that of the tool. Authors: put the name of your product into the tool's name.",
        references=("CWE-694", "OWASP MCP03:2025"),
        whole=_shared_names,
    ),
    ReviewRule(
        id="SL-SHD005",
        title="Tool name similar to another server's",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="A model or a user may choose the wrong server's tool.",
        fix="Connect only one of the servers. Authors: choose a name that differs in words.",
        references=("CWE-1007", "OWASP MCP03:2025"),
        whole=_alike_elsewhere,
    ),
)
