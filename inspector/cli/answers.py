"""The answers of a command line to what servers ask: given as options, declined otherwise."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from inspector.asks.answer import Action, Answer
from inspector.asks.ask import Ask, AskKind
from inspector.asks.link import link_of
from inspector.asks.standing import ANY, DEFAULTS, StandingAnswer, StandingAnswers
from inspector.cli.options import OptionGroup, option
from inspector.cli.output import DIAGNOSTICS
from inspector.credentials.cutting import covered_start
from inspector.errors import UsageError
from inspector.launch import Launch
from inspector.protocol.targets import HttpTarget
from inspector.safe_text import safe_line
from inspector.schema.arguments import from_json

_WORDS = (DEFAULTS, Action.DECLINE.value, Action.CANCEL.value)
_MOST_SAID = 300
"""Characters of a server's message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions(OptionGroup):
    """What to answer where the server asks back. Whatever has no answer is declined."""

    title = "Answers to the server"

    answers: tuple[str, ...] = option(
        "--answer",
        default=(),
        multiple=True,
        metavar="[KEY=]ANSWER",
        help="Answer a form or URL: JSON, @FILE, accept-defaults, decline or cancel. KEY is that of inputRequests, or the "
        "number of the request; without it, whatever is asked.",
    )
    sampling: str | None = option(
        "--sampling-reply",
        default=None,
        metavar="TEXT|@FILE",
        help="Answer sampling with this text. No model is ever called.",
    )

    def applied(self, launch: Launch) -> Launch:
        """A run that answers so, and says each answer on stderr. Raises UsageError."""
        sampling = self.sampling
        standing = StandingAnswers(
            answers=tuple(map(_standing, self.answers)),
            sampling=_read(sampling[1:], "--sampling-reply") if sampling and sampling[0] == "@" else sampling,
            has_roots=bool(launch.options.roots),
        )
        own_url = launch.target.url if isinstance(launch.target, HttpTarget) else None

        async def respond(ask: Ask) -> Answer:
            answer = await asyncio.to_thread(standing.answer, ask)
            refusal = link_of(ask.url, own_url).refusal if ask.kind is AskKind.URL else ""
            if refusal and answer.action is Action.ACCEPT:
                answer = Answer(action=Action.DECLINE, why=refusal)
            for line in said(ask, answer, own_url):
                DIAGNOSTICS.say(line)
            return answer

        return replace(launch, options=replace(launch.options, responder=respond))


def said(ask: Ask, answer: Answer, own_url: str | None) -> list[str]:
    """What was asked, and what was answered, in lines that quote no answer."""
    word = {Action.ACCEPT: "answered", Action.DECLINE: "declined", Action.CANCEL: "cancelled"}[answer.action]
    if ask.kind is AskKind.ROOTS and answer.why:
        word = "answered without a folder"
    message = safe_line(covered_start(ask.message, DIAGNOSTICS.cover, _MOST_SAID, ""))
    asked = f" “{message}”" if message else ""
    lines = [f"{ask.title}{asked}: {word}{f': {answer.why}' if answer.why else ''}"]
    if ask.kind is AskKind.URL:
        link = link_of(ask.url, own_url)
        lines.append(f"  {link.before}[{link.host}]{link.after}")
        lines.append(
            f"  Do not open it: {link.refusal}." if link.refusal else f"  Origin: {link.origin}. Not opened."
        )
        lines += [f"  {warning}" for warning in link.warnings]
    return lines


def _standing(word: str) -> StandingAnswer:
    key, equals, rest = word.partition("=")
    if not equals or word[:1] in {"{", "@"}:
        key, rest = ANY, word
    if rest in _WORDS:
        return StandingAnswer(key=key, word=rest)
    text = _read(rest[1:], "--answer") if rest.startswith("@") else rest
    try:
        return StandingAnswer(key=key, content=from_json(text))
    except UsageError as error:
        hint = f"Write --answer KEY=JSON, an object, or one of: {', '.join(_WORDS)}."
        # The text may be a secret.
        raise UsageError(
            f"--answer {safe_line(key)}: neither a JSON object nor a known word", hint
        ) from error


def _read(path: str, name: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: cannot read {path}", "Check the path behind @.") from error
