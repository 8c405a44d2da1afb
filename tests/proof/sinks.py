"""Everything that the boundary and the hosts output for a call, as searchable text."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level
from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.registry import hosts
from inspector.json.exact import DuplicateKeys, Json, Number, dump
from inspector.protocol.outcome import Outcome
from tests.proof.cases import Case
from tests.proof.templates import LEAST, Echo, Encoding, Word, written

STRICT = (Level.DECLARED, Level.CLOSED)


NONCE = "5b0c9e7d41fa2c63"


def bounded_by(case: Case, outcome: Outcome, level: Level, *, nonce: str = NONCE) -> Bounded:
    return bound(outcome, case.tool, level, policy=case.policy, declared=case.contract, nonce=nonce)


# No slots: the views are made once.
@dataclass(frozen=True)
class Judged:
    """A bounded result, and the views that some hosts make of it."""

    bounded: Bounded

    @cached_property
    def contexts(self) -> list[ModelContext]:
        return contexts(self.bounded)


def judged(case: Case, level: Level) -> Judged:
    """The case's own outcome at a level, bounded and handed to hosts once for all invariants."""
    if level not in case.judged:
        case.judged[level] = Judged(bounded_by(case, case.sent, level))
    return case.judged[level]


HOSTS_A_CASE = 4


def contexts(bounded: Bounded) -> list[ModelContext]:
    """The outputs of some hosts: different ones for each result, so that all are used thousands of times."""
    found = hosts()
    first = crc32(dump(bounded.result))
    step = len(found) // HOSTS_A_CASE
    asked = [found[(first + number * step) % len(found)] for number in range(HOSTS_A_CASE)]
    return [host.model_view(bounded, Call()) for host in asked]


def strings(value: Json) -> Iterator[str]:
    """All keys and leaves as text, without escapes."""
    stack = [value]
    while stack:
        item = stack.pop()
        match item:
            case dict():
                yield from item
                stack.extend(item.values())
            case DuplicateKeys():
                for key, inner in item.pairs:
                    yield key
                    stack.append(inner)
            case list():
                stack.extend(item)
            case str():
                yield item
            case Number():
                yield item.text
            case _:
                yield repr(item)


def text_of(*values: Json) -> str:
    return "\n".join(piece for value in values for piece in strings(value))


def explanations(bounded: Bounded) -> list[Json]:
    """The explanations for the user, without pointers, which may contain keys."""
    removals: list[Json] = [[removal.detail, removal.name, removal.rule] for removal in bounded.removals]
    return [*removals, *bounded.remarks]


def given_away(found: Judged) -> str:
    """All sinks of one bounded result."""
    changes: list[Json] = [change.what for context in found.contexts for change in context.changes]
    models = (context.model for context in found.contexts)
    return text_of(found.bounded.result, *models, changes, *explanations(found.bounded))


def occurs(word: Word, echoes: Iterable[Echo], text: str) -> str:
    """The way in which a word occurs in `text`, as it is or as one of its echoes; empty if it does not."""
    if isinstance(word, int) or len(word) < LEAST:
        return str(word) if str(word) in text else ""
    plain = word.partition('"')[0]
    cores = [plain, *(written(word, echo.encoding, echo.variant)[1] for echo in echoes)]
    return next((core for core in cores if any(form in text for form in _forms(core))), "")


def _forms(core: str) -> tuple[str, ...]:
    """The word as it is, in JSON text, and in JSON text inside JSON text."""
    if core.isalnum():
        return (core,)
    once = json.dumps(core, ensure_ascii=False)[1:-1]
    return (core, once, json.dumps(core)[1:-1], json.dumps(once, ensure_ascii=False)[1:-1])


def echoes_of(case: Case, index: int) -> list[Echo]:
    return [echo for echo in case.echoes if echo.index == index and echo.encoding is not Encoding.VERBATIM]
