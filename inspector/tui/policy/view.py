"""What a user is asked before a call, or told of one: made in a worker thread, from frozen inputs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.content import Content

from inspector.boundary.mask import mask
from inspector.claims.claim import words_of, written
from inspector.claims.registry import claims_of_tool
from inspector.claims.resolution import Resolution, ResolutionState
from inspector.claims.traits import Trait, traits
from inspector.json.document import Document
from inspector.json.exact import Json
from inspector.policy.gate.consideration import Consideration
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Verdict
from inspector.policy.taint import MarkKind, SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.protocol.timeline import Entry
from inspector.recording.bounding import sensitive_arguments
from inspector.tui.text import content, shortened
from inspector.tui.trust.view import since_line

_LABEL = "$foreground 70%"
_NAMED = 4
"""Of a list, how many are named."""

_REASONS = 8
_NO_WAY = "Only another policy lets it through (--policy FILE)."

_INPUT_CLASSES = "inputMetadata.sensitivity"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """A question, or a notice."""

    title: Content
    lines: tuple[Content, ...]
    agree: str = ""
    """What `y` does, in a word or two; empty where nothing is asked."""
    arguments: Document | None = None
    """As they will be sent, sensitive ones masked; None where none are shown."""


def call_view(considered: Consideration, *, chunk: int) -> DecisionView:
    """Whether to make a call; or that it is blocked. `chunk`: characters after which a text breaks."""
    is_asked = considered.verdict is Verdict.CONFIRM
    tool = considered.tool
    name = content(shortened(considered.name, 60))
    title = (
        Content.assemble("Call ", name, "?")
        if is_asked
        else Content.assemble(name, " is blocked: it was not called")
    )
    why = "Why you are asked" if is_asked else "Why"
    return DecisionView(
        title=title.stylize("bold $text-warning" if is_asked else "bold $text-error"),
        lines=(
            *_warned(considered.trust),
            Content.styled(why, "bold"),
            *_reasons(considered.reasons),
            *(() if is_asked else (Content.styled(_NO_WAY, _LABEL),)),
            Content(""),
            Content.styled("What it is about", "bold"),
            *_facts(considered, tool),
        ),
        agree="call it" if is_asked else "",
        arguments=Document(_masked(considered), chunk=chunk),
    )


def answer_view(made: Ruled) -> DecisionView:
    """Whether a model may see an answer that a rule asks about."""
    return DecisionView(
        title=Content.assemble(
            ("Let a model see the answer of ", "bold $text-warning"),
            content(shortened(made.record.name, 60), "bold $text-warning"),
            ("?", "bold $text-warning"),
        ),
        lines=(
            Content("The call was made. Until you agree, a model gets nothing of its answer."),
            Content(""),
            Content.styled("Why you are asked", "bold"),
            *_reasons(made.told),
        ),
        agree="let it pass",
    )


def attack_view(made: Ruled) -> DecisionView:
    """A server says that its answer holds an attack, and what that is worth."""
    return DecisionView(
        title=Content.assemble(
            ("An attack, says the server: the answer of ", "bold $text-error"),
            content(shortened(made.record.name, 60), "bold $text-error"),
        ),
        lines=(
            Content(
                "The answer carries maliciousActivityHint: the server detected or suspects that somebody tries to "
                "give orders to your agent through it."
            ),
            Content(""),
            Content(
                "That is a claim. A server can be wrong, and one that attacks you would not say so. What follows from "
                "it here: the agent session counts as untrusted and malicious until you begin a new one."
            ),
            *(
                (Content(""), Content.styled("What your policy does", "bold"), *_reasons(made.told))
                if made.told
                else ()
            ),
        ),
    )


def note_view(entry: Entry) -> DecisionView:
    """All that an entry of the timeline says of what went over no wire."""
    return DecisionView(
        title=content(shortened(entry.title, 120), "bold"), lines=(content(shortened(entry.detail, 2000)),)
    )


def renewal_view(trust: SessionTrust, number: int) -> DecisionView:
    """Whether to begin a new agent session."""
    return DecisionView(
        title=Content.styled("Begin a new agent session?", "bold $text-warning"),
        lines=(
            Content(
                f"Session {number} has taken in what follows; it is forgotten here, though no server and no model forgets it."
            ),
            Content(""),
            _since(trust) or Content("nothing that speaks against it"),
            *_held(trust),
        ),
        agree="begin anew",
    )


def _facts(considered: Consideration, tool: Tool | None) -> Iterator[Content]:
    yield _labelled("server", content(shortened(considered.server, 100)))
    if tool is None:
        yield _labelled("tool", Content("not listed by the server: nothing is known of it"))
    else:
        found = traits(claims_of_tool(tool))
        yield _labelled("effect", Content.assemble(_trait(found.effect), _outcome(found.outcome)))
        yield _labelled("destination", _trait(found.destinations))
        yield _labelled("accepts", _accepted(tool))
        yield _labelled("returns", _trait(found.data_classes))
    if considered.resolution is not None:
        yield _labelled("resolved", _resolved(considered.resolution))
    yield from _held(considered.trust)


def _warned(trust: SessionTrust) -> Iterator[Content]:
    """How the session stands, where anything speaks against it."""
    since = _since(trust)
    if since is not None:
        yield Content.assemble("The session is ", since)
        yield Content("")


def _since(trust: SessionTrust) -> Content | None:
    malicious, sensitive = trust.since(MarkKind.MALICIOUS), trust.since(MarkKind.SENSITIVE)
    found = [
        since_line(word, origin)
        for word, origin in (
            ("malicious", malicious),
            ("untrusted", trust.untrusted_since),
            ("sensitive", sensitive),
        )
        if origin is not None
    ]
    return Content(", ").join(found) if found else None


def _held(trust: SessionTrust) -> Iterator[Content]:
    """What the session holds, and where it comes from."""
    if trust.data_classes:
        yield _labelled("holds", _named(trust.data_classes))
    if trust.attribution:
        yield _labelled("sources", _named(trust.attribution))


def _accepted(tool: Tool) -> Content:
    found = [
        written(word)
        for claim in claims_of_tool(tool)
        if claim.key == _INPUT_CLASSES and claim.well_formed
        for word in words_of(claim.value)
    ]
    return _named(tuple(dict.fromkeys(found))) if found else _unsaid()


def _trait(trait: Trait) -> Content:
    match trait.value:
        case None | () | "unknown":
            return _unsaid() if trait.defaulted else Content("none")
        case str(word):
            return content(word, "bold")
        case bool(holds):
            return Content("yes" if holds else "no")
        case words:
            return _named(words)


def _outcome(trait: Trait) -> Content:
    return Content.assemble(", outcome ", _trait(trait)) if isinstance(trait.value, str) else Content("")


def _resolved(resolution: Resolution) -> Content:
    if resolution.state is ResolutionState.RESOLVED:
        return Content("the server was asked about exactly these arguments; what it says holds")
    return content(shortened(" ".join(resolution.findings), 300), "$text-warning")


def _named(words: tuple[str, ...]) -> Content:
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return Content.assemble(content(", ".join(shortened(word, 80) for word in words[:_NAMED])), more)


def _unsaid() -> Content:
    return Content.styled("not declared", _LABEL)


def _reasons(reasons: Iterable[str]) -> Iterator[Content]:
    told = tuple(reasons)
    for reason in told[:_REASONS]:
        yield Content.assemble("• ", content(shortened(reason, 400)))
    if len(told) > _REASONS:
        yield Content(f"… and {len(told) - _REASONS} more")


def _masked(considered: Consideration) -> Json:
    tool = considered.listed
    removals = sensitive_arguments(considered.arguments, tool.input_schema) if tool else ()
    return mask(considered.arguments, removals)


def _labelled(name: str, words: Content) -> Content:
    return Content.assemble((f"{name:<12}", _LABEL), words)
