"""Calls: a tool, the outcome of a call of it, and the words in that outcome, as Hypothesis strategies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from inspector.boundary.bounded import Level
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.json.exact import JsonObject, dump_text
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, Result, RpcError
from tests.proof.blocks import MARKED_RESULTS, MARKED_TOOLS, RESULTS, TOOLS, block, reference
from tests.proof.choices import Choices
from tests.proof.echoes import echo, with_echo, with_note
from tests.proof.mutations import almost
from tests.proof.schemas import Making, output_schema
from tests.proof.templates import (
    SUPPLIES,
    AsText,
    Echo,
    Kind,
    Members,
    Say,
    Template,
    Token,
    Word,
    blanks,
    filled,
    members,
    places,
)

if TYPE_CHECKING:
    from tests.proof.sinks import Judged

DRAWN_BYTES = 160
POLICIES = (
    BoundaryPolicy(),
    BoundaryPolicy(),
    BoundaryPolicy(withhold_private=True),
    BoundaryPolicy(sensitivity_threshold="internal"),
    BoundaryPolicy(hide_untrusted=True),
    BoundaryPolicy(withhold_credentials=True),
)


# No slots: costly values are computed once and cached.
@dataclass(frozen=True, kw_only=True)
class Case:
    """One call."""

    tool: Tool | None
    policy: BoundaryPolicy
    answer: Template
    """The result, or the error."""
    is_error: bool
    kinds: tuple[Kind, ...]
    guarded: frozenset[int]
    """The words at places that a declaration withholds from the model at every boundary."""
    echoes: tuple[Echo, ...]
    """The places at which words occur again."""
    is_altered: bool
    """True if the structured content was changed so that it does not fit."""

    def words(self, supply: int, changed: Sequence[int] = ()) -> tuple[Word, ...]:
        """The word for each blank: from one supply, except for those `changed`, which come from the other one."""
        return tuple(
            SUPPLIES[1 - supply if index in changed else supply][kind][index]
            for index, kind in enumerate(self.kinds)
        )

    def outcome(self, words: Sequence[Word]) -> Outcome:
        value = filled(self.answer, words)
        return RpcError(value=value) if self.is_error else Result(value=value)

    def places(self, words: Sequence[Word]) -> list[tuple[int, str, bool]]:
        """Each word that occurs, with its pointer into the raw result and whether it is the whole leaf."""
        return list(places(self.answer, words, "/error" if self.is_error else ""))

    @cached_property
    def contract(self) -> Contract:
        return contract_of(self.tool)

    @cached_property
    def sent(self) -> Outcome:
        """The outcome with the words of the first supply."""
        return self.outcome(self.words(0))

    @cached_property
    def judged(self) -> dict[Level, "Judged"]:
        """What `sinks.judged` returned for it, by the level."""
        return {}

    def __repr__(self) -> str:
        definition = dump_text(self.tool.definition) if self.tool else "none"
        raw = dump_text(raw_of(self.outcome(self.words(0))))
        return f"\n tool: {definition}\n raw: {json.dumps(raw)}\n guarded: {sorted(self.guarded)} {self.policy}\n"


def cases(*, echoes: bool = False, fitting: bool = False) -> st.SearchStrategy[Case]:
    """Calls of any kind. `echoes`: words occur again elsewhere. `fitting`: all results fit their schemas."""

    def made(drawn: bytes) -> Case:
        return _case(Making(choices=Choices(drawn)), echoes=echoes, fitting=fitting)

    return st.binary(min_size=DRAWN_BYTES, max_size=DRAWN_BYTES).map(made)


def misplaced() -> st.SearchStrategy[Case]:
    """Results in which a part with marks in its schema is in a list, where the schema has an object."""

    def made(drawn: bytes) -> Case:
        making = Making(choices=Choices(drawn))
        schema, value = output_schema(making)
        whole: JsonObject = {
            "type": "object",
            "properties": {"part": {"type": "object", "allOf": [schema]}, "s": {"x-sensitive": True}},
        }
        # The whole part counts as withheld, even if its schema marks nothing in it.
        making.guarded.update(range(len(making.kinds)))
        structured = members(part=[value], s=making.word(guarded=True, kind=Kind.LONG))
        text = members(type="text", text=AsText(structured, making.choices.between(0, 2)))
        content: list[Template] = [text] if making.choices.one_in(2) else []
        answer = members(content=content, structuredContent=structured)
        return _done(making, {"outputSchema": whole}, answer, is_altered=True)

    return st.binary(min_size=DRAWN_BYTES, max_size=DRAWN_BYTES).map(made)


def _case(making: Making, *, echoes: bool, fitting: bool) -> Case:
    choices = making.choices
    definition: JsonObject = {}
    schema, value = output_schema(making)
    if not choices.one_in(8):
        definition["outputSchema"] = schema
    else:
        making.guarded.clear()
    is_altered = not fitting and choices.one_in(3)
    if is_altered:
        value = almost(making, value)
    if choices.one_in(5):
        definition |= choices.pick(TOOLS)
    elif choices.one_in(8):
        definition |= choices.pick(MARKED_TOOLS)
    if echoes and choices.one_in(2):
        value = with_note(making, schema, value)
    kind = choices.between(0, 9)
    if kind == 8:
        return _done(making, definition, _error(making, echoes=echoes), is_error=True)
    if kind != 9:
        value = _tool_result(making, value, echoes=echoes)
    return _done(making, definition, value, is_altered=is_altered)


def _tool_result(making: Making, structured: Template, *, echoes: bool) -> Members:
    choices = making.choices
    content = [block(making, structured) for _ in range(choices.between(0, 3))]
    if echoes and not making.guarded:
        content = [*content, reference(making, structured)]
    extra = members()
    if choices.one_in(6):
        extra |= members(isError=choices.pick((True, True, False, "yes")))
    if choices.one_in(3):
        plain = Members(tuple(choices.pick(RESULTS).items()))
        extra |= members(_meta=plain | members(note=making.word(guarded=False)))
    elif choices.one_in(8):
        extra |= members(_meta=choices.pick(MARKED_RESULTS))
    if choices.one_in(8):
        extra |= members(more=making.word(guarded=False), resultType="complete")
    if echoes:
        for _ in range(choices.between(1, 3)):
            added, more = with_echo(making, structured)
            content = [*content, *added]
            extra = more if not extra.pairs else extra
    # Without structured content, no declaration covers the word that an echo would repeat.
    if choices.one_in(8) and not echoes:
        return members(content=content) | extra
    return members(content=content, structuredContent=structured) | extra


def _error(making: Making, *, echoes: bool) -> Members:
    choices = making.choices
    # A part of an error that cannot be judged is withheld, so its words must not occur elsewhere in the error.
    hidden = members(
        type="secret_reference", id=making.word(guarded=True, kind=Kind.LONG), label="l", redeemUrl="u"
    )
    data = choices.pick((members(inner=hidden), making.word(guarded=False), hidden))
    said = echo(making) if echoes else making.word(guarded=False)
    return members(code=choices.pick((-32602, -32603, 5, True)), message=Say(("failed: ", said)), data=data)


def _done(
    making: Making,
    definition: JsonObject,
    answer: Template,
    *,
    is_altered: bool = False,
    is_error: bool = False,
) -> Case:
    tool = Tool(name="tool", definition={"name": "tool", "inputSchema": {"type": "object"}, **definition})
    used = list(blanks(answer))
    placed = {blank.index for blank in used if isinstance(blank, Token)}
    return Case(
        tool=tool,
        policy=making.choices.pick(POLICIES),
        answer=answer,
        is_error=is_error,
        kinds=tuple(making.kinds),
        guarded=frozenset(making.guarded & placed),
        echoes=tuple(blank for blank in used if isinstance(blank, Echo)),
        is_altered=is_altered,
    )
