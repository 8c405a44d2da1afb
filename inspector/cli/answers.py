"""Answers requests by servers from the options of a command. A request without an answer is declined."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.asks.answer import Action, Answer
from inspector.asks.ask import Ask, AskKind, sampling_lines
from inspector.asks.link import link_of
from inspector.asks.prepared import ANY, DEFAULTS, PreparedAnswer, PreparedAnswers
from inspector.asks.private import asks_for_secret
from inspector.cli.options import OptionGroup, option
from inspector.cli.output import DIAGNOSTICS
from inspector.credentials.cutting import masked_start
from inspector.errors import UsageError
from inspector.files.roots import working_folder
from inspector.json.exact import dump_text
from inspector.launch import Launch
from inspector.protocol.client import Root
from inspector.protocol.targets import HttpTarget
from inspector.safe_text import safe_line
from inspector.schema.arguments import from_json
from inspector.schema.fields import Field, form_of

if TYPE_CHECKING:
    from inspector.cli.quoting import Quotes

_WORDS = (DEFAULTS, Action.DECLINE.value, Action.CANCEL.value)
_MOST_SAID = 300
"""The maximum number of characters shown of a message in a server's request."""
_MOST_LINES = 20
"""The maximum number of fields shown of a form, or of texts shown of a sampling request."""
_MOST_ASKS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions(OptionGroup):
    """Options: the answers to requests by the server.

    A request without an answer is declined. A request for roots needs no answer, and is accepted.
    """

    title = "Answers to the server"

    answers: tuple[str, ...] = option(
        "--answer",
        default=(),
        multiple=True,
        metavar="[KEY=]ANSWER",
        help="Answer a form or URL with JSON, @FILE, accept-defaults, decline or cancel. KEY is the key in inputRequests, or "
        "the number of the request. Without KEY, the answer is for every form and URL.",
    )
    sampling: str | None = option(
        "--sampling-reply",
        default=None,
        metavar="TEXT|@FILE",
        help="Answer sampling with this text. No model is ever called.",
    )

    def applied(self, launch: Launch, quotes: "Quotes | None" = None) -> Launch:
        """A copy of `launch` that gives the answers of the options to the server. Raises UsageError.

        Lines about each request and its answer are written to stderr. `quotes`: writes the lines, and masks
        the values that are withheld from results. If it is None, the lines are written at once, and such
        values are not masked.
        """
        sampling = self.sampling
        prepared = PreparedAnswers(
            answers=tuple(map(_prepared, self.answers)),
            sampling=_read(sampling[1:], "--sampling-reply") if sampling and sampling[0] == "@" else sampling,
            has_roots=bool(launch.options.roots),
        )
        own_url = launch.target.url if isinstance(launch.target, HttpTarget) else None
        roots = _roots(launch.options.roots)

        async def respond(ask: Ask) -> Answer:
            answer = await asyncio.to_thread(prepared.answer, ask)
            refusal = link_of(ask.url, own_url).refusal if ask.kind is AskKind.URL else ""
            if refusal and answer.action is Action.ACCEPT:
                answer = Answer(action=Action.DECLINE, why=refusal)
            if ask.kind is AskKind.ROOTS and roots:
                DIAGNOSTICS.say(f"{ask.title}: answered with {roots}")
            elif quotes is None or (ask.kind is AskKind.URL and answer.action is Action.ACCEPT):
                # The user opens an accepted URL while the call waits, so these lines are written at once.
                DIAGNOSTICS.say("\n".join(await asyncio.to_thread(said, ask, answer, own_url)))
            else:
                quotes.say_request(ask, answer, partial(said, own_url=own_url))
            return answer

        return replace(launch, options=replace(launch.options, responder=respond))


def _roots(roots: Sequence[Root]) -> str:
    """The folders that servers get as roots, as text; empty if there are none.

    If the only root is the default, the text names the option that leaves it out.
    """
    usual = ", the working folder; --no-root names none" if tuple(roots) == working_folder() else ""
    listed = ", ".join(safe_line(root.uri) for root in roots[:_MOST_LINES])
    return f"{listed}{' …' if len(roots) > _MOST_LINES else ''}{usual}" if roots else ""


async def declined(ask: Ask, known: set[str], quotes: "Quotes", roots: Sequence[Root]) -> Answer:
    """Answer a request of a server for a command that does not take `AnswerOptions`.

    A request for roots is accepted, and any other is declined. The request and its answer are written to
    stderr, unless the same text was written before. `known`: the texts written so far; new texts are added.
    """
    if ask.kind is AskKind.ROOTS:
        text = f"{ask.title}: answered with {_roots(roots) or 'no folders'}"
        if text not in known:
            known.add(text)
            DIAGNOSTICS.say(text)
        return Answer(action=Action.ACCEPT)
    answer = Answer(action=Action.DECLINE, why="this command does not answer requests; sightline call does")
    ask = replace(ask, key="")
    text = "\n".join(await asyncio.to_thread(said, ask, answer))
    if text not in known and len(known) < _MOST_ASKS:
        known.add(text)
        quotes.say_request(ask, answer, said)
    return answer


def said(ask: Ask, answer: Answer, own_url: str | None = None) -> list[str]:
    """Lines, safe to show, about a request and how it was answered; they do not quote the answer.

    Takes seconds for a long form.
    """
    word = {Action.ACCEPT: "answered", Action.DECLINE: "declined", Action.CANCEL: "cancelled"}[answer.action]
    if ask.kind is AskKind.ROOTS and answer.why:
        word = "answered with no folders"
    message = safe_line(masked_start(ask.message, DIAGNOSTICS.mask, _MOST_SAID, ""))
    asked = f" “{message}”" if message else ""
    lines = [f"{ask.title}{asked}: {word}{f': {answer.why}' if answer.why else ''}"]
    if ask.kind is AskKind.URL:
        link = link_of(ask.url, own_url)
        lines.append(f"  {link.before}[{link.host}]{link.after}")
        lines += [f"  {link.ending}"] if link.ending else []
        lines.append(
            f"  Do not open it: {link.refusal}."
            if link.refusal
            else f"  Origin: {link.origin}. Sightline does not open it."
        )
        lines += [f"  {warning}" for warning in link.warnings]
        lines += _on_visit(ask, answer)
    elif ask.kind is AskKind.SAMPLING:
        lines += _bounded(f"  {_short(text, _MOST_SAID)}" for text in sampling_lines(ask))
    elif ask.kind is AskKind.FORM:
        form = form_of(ask.schema)
        lines += [f"  the form: {form.problem}"] if form.problem else []
        lines += _bounded(f"  {_field(field)}" for field in form.fields)
    return lines


def _on_visit(ask: Ask, answer: Answer) -> list[str]:
    if answer.action is Action.ACCEPT and ask.waits_s:
        return [
            f"  Open it yourself. Sightline waits up to {ask.waits_s:g} s (--timeout) for the server to say that the visit",
            "  is complete, and then sends the request again. Ctrl-C ends the wait.",
        ]
    if answer.action is Action.DECLINE and not link_of(ask.url).refusal:
        return ["  To continue, open it yourself, and call again with --answer accept-defaults."]
    return []


def _field(field: Field) -> str:
    """A line that describes one field of a form, such as `age: integer, required, default 7`."""
    about = [" or ".join(field.types) or "any", *(["required"] if field.required else [])]
    if field.choices:
        listed = ", ".join(_short(dump_text(choice), 40) for choice in field.choices[:_MOST_LINES])
        about.append(f"one of {listed}{' …' if len(field.choices) > _MOST_LINES else ''}")
    if asks_for_secret(field):
        about.append("asks for a credential, which the protocol forbids")
    elif field.has_default:
        about.append(f"default {_short(dump_text(field.default), 80)}")
    title = f" “{_short(field.title, 80)}”" if field.title and field.title != field.name else ""
    note = f": {_short(field.description, 120)}" if field.description else ""
    return f"{_short(field.name, 80)}{title}: {', '.join(about)}{note}"


def _bounded(lines: Iterable[str]) -> list[str]:
    shown = list(islice(lines, _MOST_LINES + 1))
    return shown if len(shown) <= _MOST_LINES else [*shown[:_MOST_LINES], "  … and more"]


def _short(text: str, most: int) -> str:
    return safe_line(text[:most]) + ("…" if len(text) > most else "")


def _prepared(word: str) -> PreparedAnswer:
    key, equals, rest = word.partition("=")
    if not equals or word[:1] in {"{", "@"}:
        key, rest = ANY, word
    if rest in _WORDS:
        return PreparedAnswer(key=key, word=rest)
    text = _read(rest[1:], "--answer") if rest.startswith("@") else rest
    try:
        return PreparedAnswer(key=key, content=from_json(text))
    except UsageError as error:
        hint = f"Write --answer KEY=JSON with a JSON object, or one of these words: {', '.join(_WORDS)}."
        # The text may be a secret, so it is not quoted.
        raise UsageError(
            f"--answer {safe_line(key)}: neither a JSON object nor a known word", hint
        ) from error


def _read(path: str, name: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: cannot read {path}", "Check the path behind @.") from error
