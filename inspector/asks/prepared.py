"""Answers to requests of servers that the user gives in advance, as options of a command line."""

from msgspec import Struct

from inspector.asks.answer import Action, Answer, filled, sampled, with_defaults
from inspector.asks.ask import Ask, AskKind
from inspector.json.exact import JsonObject

ANY = "*"
"""The key of an answer to any request."""
DEFAULTS = "accept-defaults"


class PreparedAnswer(Struct, frozen=True, kw_only=True):
    """An answer that the user gives in advance to all requests of a server with a certain key or number."""

    key: str
    """A key of `inputRequests`, the number of the request in the call, or `ANY`."""
    word: str = ""
    """The answer in one word: `accept-defaults`, `decline` or `cancel`; empty if `content` is the answer."""
    content: JsonObject | None = None


class PreparedAnswers(Struct, frozen=True, kw_only=True):
    """The answers that the options of one command give to requests of servers."""

    answers: tuple[PreparedAnswer, ...] = ()
    sampling: str | None = None
    """The text to answer sampling with; None to decline."""
    has_roots: bool = False

    def answer(self, ask: Ask) -> Answer:
        """The answer to one request. Takes seconds at most, for a long form."""
        keys = (ask.key or str(ask.number), str(ask.number), ANY)
        given = [(keys.index(each.key), each) for each in self.answers if each.key in keys]
        prepared = min(given, key=lambda each: each[0])[1] if given else None
        if ask.kind is AskKind.ROOTS:
            return Answer(action=Action.ACCEPT, why="" if self.has_roots else "--root DIR names one")
        if prepared is not None and prepared.word in {Action.DECLINE, Action.CANCEL}:
            return Answer(action=Action(prepared.word), why="--answer says so")
        if ask.kind is AskKind.SAMPLING:
            unanswered = Answer(action=Action.DECLINE, why="no --sampling-reply was given")
            return unanswered if self.sampling is None else sampled(self.sampling)
        if prepared is None:
            why = "no --answer has its key" if self.answers else "no --answer was given"
            return Answer(action=Action.DECLINE, why=why)
        if prepared.word == DEFAULTS:
            return with_defaults(ask)
        if ask.kind is AskKind.URL or prepared.content is None:
            return Answer(action=Action.DECLINE, why="only --answer accept-defaults agrees to a URL")
        return filled(ask, prepared.content)
