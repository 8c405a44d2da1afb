"""The content of policy dialogs, made in a worker thread from immutable inputs."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from textual.content import Content

from inspector.boundary.mask import mask
from inspector.claims.claim import words_of, written
from inspector.claims.registry import claims_of_tool
from inspector.claims.resolution import Resolution, ResolutionState
from inspector.claims.traits import Trait, badges, traits_of_tool
from inspector.json.document import Document
from inspector.json.exact import Json
from inspector.policy.gate.consideration import Consideration, sentence_of
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Verdict
from inspector.policy.taint import LabelKind, SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.protocol.timeline import Entry
from inspector.recording.bounding import sensitive_arguments
from inspector.tui.text import content, count, cut_in_the_middle, shortened
from inspector.tui.trust.view import since_line
from inspector.tui.values.changes import change_details

_QUIET = "$foreground 70%"
_LONGEST = 20_000
"""The maximum number of characters of one sentence or value, because a dialog wraps all of it at once."""
_MAX_CHANGES, _MAX_SIDE = 3, 240
"""The maximum number of changed places that are shown, and of characters shown of each text of a change."""
_LONG_NAME = 60
"""The maximum number of characters of a tool's name in the title. The facts show a longer name in full."""
_INPUT_CLASSES = "inputMetadata.sensitivity"
_NOTHING = Content("")


class DecisionView(Struct, frozen=True, kw_only=True):
    """The content of a dialog: a question or a notice."""

    title: Content
    lines: tuple[Content, ...]
    agree: str = ""
    """The effect of `y` in a word or two; empty for a notice."""
    arguments: Document | None = None
    """The arguments as they will be sent, with sensitive values masked."""


def call_view(considered: Consideration, *, chunk: int, found: Content = _NOTHING) -> DecisionView:
    """The content of the dialog that asks whether to make a call, or says that it is blocked.

    `chunk`: the number of characters after which a text is wrapped. `found`: the number of findings about the tool.
    """
    is_asked = considered.verdict is Verdict.CONFIRM
    name = content(cut_in_the_middle(considered.name, _LONG_NAME))
    title = Content.assemble("Call ", name, "?") if is_asked else Content.assemble(name, " is blocked")
    blocked = "It was not called. Only another policy can allow it (--policy FILE)."
    return DecisionView(
        title=title.stylize("bold $text-warning" if is_asked else "bold $text-error"),
        lines=(
            *_warned(considered.trust),
            Content.styled("Why you are asked" if is_asked else "Why", "bold"),
            *_reasons(_sentences(considered)),
            *_changes(considered),
            *(() if is_asked else (Content.styled(blocked, _QUIET),)),
            Content(""),
            Content.styled("About the call", "bold"),
            *_facts(considered, considered.tool, found),
        ),
        agree="call" if is_asked else "",
        arguments=Document(_masked(considered), chunk=chunk),
    )


def answer_view(made: Ruled) -> DecisionView:
    """The content of the dialog that asks whether a model may see an answer."""
    return DecisionView(
        title=Content.assemble(
            "Show the model the answer of ", content(cut_in_the_middle(made.record.name, 60)), "?"
        ).stylize("bold $text-warning"),
        lines=(
            Content("The call was made. Until you agree, the model gets nothing of its answer."),
            Content(""),
            Content.styled("Why you are asked", "bold"),
            *_reasons(made.effects),
        ),
        agree="show it to the model",
    )


def attack_view(made: Ruled) -> DecisionView:
    """The content of the notice that a server reports an attack in its answer.

    The notice also says how reliable such a report is.
    """
    consequences = (Content(""), Content.styled("Your policy", "bold"), *_reasons(made.effects))
    return DecisionView(
        title=Content.assemble(
            "The server reports an attack in the answer of ", content(cut_in_the_middle(made.record.name, 60))
        ).stylize("bold $text-error"),
        lines=(
            Content(
                "The answer carries maliciousActivityHint: the server detected or suspects an attempt to give your "
                "agent orders through it."
            ),
            Content(""),
            Content(
                "This is a claim of the server. It can be wrong, and a server that attacks you would not make it. "
                "The agent session counts as untrusted and malicious until you begin a new one."
            ),
            *(consequences if made.effects else ()),
        ),
    )


def note_view(entry: Entry) -> DecisionView:
    """The content of a notice that shows the whole text of a timeline entry that has no frames."""
    return DecisionView(
        title=content(shortened(entry.title, 120), "bold"),
        lines=(content(shortened(entry.detail, _LONGEST)),),
    )


def renewal_view(trust: SessionTrust, number: int) -> DecisionView:
    """The content of the dialog that asks whether to begin a new agent session."""
    words = f"Sightline forgets the trust labels of session {number}. Servers and models forget nothing."
    return DecisionView(
        title=Content.styled("Begin a new agent session?", "bold $text-warning"),
        lines=(
            Content(words),
            Content(""),
            _since(trust) or Content("nothing untrusted so far"),
            *_held(trust),
        ),
        agree="new session",
    )


def _sentences(considered: Consideration) -> Iterator[str]:
    """The reasons for a decision, as sentences: the problem, the rules that matched, the changed definitions.

    A rule of the user's own policy is named, and the facts that it matched are listed.
    """
    if considered.problem:
        yield _sentence(considered.problem)
    yield from map(sentence_of, considered.decision.matches)
    for each in considered.asking:
        yield _sentence(each.sentence)


def _changes(considered: Consideration) -> Iterator[Content]:
    """The changed places of the definition, with the texts before and after.

    Places that weaken a declaration come first.
    """
    places = [change for each in considered.asking for change in each.changes if change.pointer]
    if not places:
        return
    for change in sorted(places, key=lambda change: not change.weakens)[:_MAX_CHANGES]:
        yield Content.assemble(
            "  ", content(shortened(change.pointer, 200)), (f" {change.kind.value}", _QUIET)
        )
        yield from change_details(change, _MAX_SIDE)
    rest = len(places) - _MAX_CHANGES
    more = f"… and {count(rest, 'more place')}. " if rest > 0 else ""
    yield Content.styled(f"  {more}After Esc, P shows every change in full.", _QUIET)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _facts(considered: Consideration, tool: Tool | None, found: Content) -> Iterator[Content]:
    if len(considered.name) > _LONG_NAME:
        yield _labelled("name", content(shortened(considered.name, _LONGEST)))
    yield _labelled("server", content(shortened(considered.server, _LONGEST)))
    if tool is None:
        yield _labelled("tool", Content("unknown: the server does not list it"))
    else:
        traits = traits_of_tool(tool)
        words = " · ".join(badge.word for badge in badges(traits))
        facts = (
            ("declared", Content.styled(words, "bold") if words else None),
            ("outcome", _trait(traits.outcome)),
            ("destination", _trait(traits.destinations)),
            ("accepts", _accepted(tool)),
            ("returns", _trait(traits.data_classes)),
        )
        declared = [_labelled(name, words) for name, words in facts if words is not None]
        yield from declared or (_labelled("declared", Content("nothing about its effects or its data")),)
    if found:
        yield _labelled("review", Content.assemble(found, "  (tab 4; no policy rule uses the findings)"))
    if considered.resolution is not None:
        yield _labelled("resolved", _resolved(considered.resolution))
    yield from _held(considered.trust)


def _warned(trust: SessionTrust) -> Iterator[Content]:
    since = _since(trust)
    if since is not None:
        yield Content.assemble("The session is ", since)
        yield Content("")


def _since(trust: SessionTrust) -> Content | None:
    origins = {
        "malicious": trust.since(LabelKind.MALICIOUS),
        "untrusted": trust.untrusted_since,
        "sensitive": trust.since(LabelKind.SENSITIVE),
    }
    found = [since_line(word, origin) for word, origin in origins.items() if origin is not None]
    return Content(", ").join(found) if found else None


def _held(trust: SessionTrust) -> Iterator[Content]:
    """The kinds of data in the session, and their sources."""
    if trust.data_classes:
        yield _labelled("data in it", _named(trust.data_classes))
    if trust.attribution:
        yield _labelled("sources", _named(trust.attribution))


def _accepted(tool: Tool) -> Content | None:
    found = [
        written(word)
        for claim in claims_of_tool(tool)
        if claim.key == _INPUT_CLASSES and claim.well_formed
        for word in words_of(claim.value)
    ]
    return _named(tuple(dict.fromkeys(found))) if found else None


def _trait(trait: Trait) -> Content | None:
    """The value of a trait in words; None if nothing is declared."""
    match trait.value:
        case None | () | "unknown":
            return None if trait.defaulted else Content("none")
        case str(word):
            return content(word, "bold")
        case bool(holds):
            return Content("yes" if holds else "no")
        case words:
            return _named(words)


def _resolved(resolution: Resolution) -> Content:
    if resolution.state is ResolutionState.RESOLVED:
        return Content("these declarations are the server's answer for exactly these arguments")
    return content(shortened(" ".join(resolution.remarks), _LONGEST), "$text-warning")


def _named(words: tuple[str, ...]) -> Content:
    return content(shortened(", ".join(words), _LONGEST))


def _reasons(reasons: Iterable[str]) -> Iterator[Content]:
    for reason in reasons:
        yield Content.assemble("• ", content(shortened(reason, _LONGEST)))


def _masked(considered: Consideration) -> Json:
    tool = considered.listed
    removals = sensitive_arguments(considered.arguments, tool.input_schema) if tool else ()
    return mask(considered.arguments, removals)


def _labelled(name: str, words: Content) -> Content:
    return Content.assemble((f"{name:<12}", _QUIET), words)
