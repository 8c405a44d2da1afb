"""Computes what a model sees of the outcome of a call, in one host and at one boundary level."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.counted import Counted, counted
from inspector.boundary.error_code import coded_error, error_code
from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import mask
from inspector.boundary.notice import is_notice
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.output_check import OutputCheck
from inspector.boundary.reading import passing_at_open, raw_of
from inspector.boundary.undeclared import Undeclared, undeclared
from inspector.hidden_characters import hidden_sentences
from inspector.hosts.apps import AppView, app_view
from inspector.hosts.masks import Masks, is_reaching, masks_of
from inspector.hosts.profile import Call, Host, HostChange, ModelContext
from inspector.hosts.readings import view_of_reading
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.json.walk import walk
from inspector.json.weight import compact_bytes
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.outcome import Failure, Outcome, Result, Unfinished, unfinished, unfinished_in

_NO_ANSWER = HostChange(
    pointer="",
    what="no answer arrived: Sightline shows its own error code, because each host words this error differently",
)


# Without slots, because `cached_property` needs a `__dict__`.
@dataclass(frozen=True, kw_only=True)
class Projection:
    """One outcome at one boundary level, in one host."""

    judgement: Judgement
    policy: BoundaryPolicy
    bounded: Bounded
    context: ModelContext

    @property
    def outcome(self) -> Outcome:
        return self.judgement.outcome

    @property
    def raw(self) -> Json:
        """The document that removals point into; for an error, `{"error": …}`."""
        return raw_of(self.outcome)

    @property
    def sensitive(self) -> Sequence[Removal]:
        """The removals whose values are masked when the raw result is shown. They are those of `Judgement.secrets`."""
        return self.judgement.secrets(self.policy)

    @cached_property
    def undeclared(self) -> Undeclared:
        """The leaves that pass the level `declared` although no schema describes them.

        Empty at other boundary levels, if there is no answer, and for resources and prompts, which have no schema.
        """
        if self.bounded.level is not Level.DECLARED or self.bounded.kind is not Kind.TOOL:
            return Undeclared()
        if not self.bounded.is_answered:
            return Undeclared()
        contract = self.judgement.contract
        root = "/structuredContent" if is_result(self.raw, contract) else ""
        broken = {violation.pointer for violation in self.output.violations}
        return undeclared(self.bounded, contract, root=root, broken=broken)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the result: violations of the output schema, unreadable values, hidden characters.

        Masked values are not mentioned, because their position may be secret too.
        """
        return (*self.output.sentences, *self.bounded.remarks, *hidden_sentences(self.masked))

    @cached_property
    def output(self) -> OutputCheck:
        """The check of the result against the output schema of its tool."""
        return self.judgement.output(self.bounded.level, self.policy)

    @cached_property
    def unfinished(self) -> Unfinished | None:
        """The reason why the answer does not end the call; None if it ends the call.

        The requests of the server in `Unfinished.asks` are taken from the masked result.
        """
        reason = unfinished(self.outcome)
        if reason is None:
            return None
        shown = unfinished_in(self.masked)
        return replace(reason, asks=shown.asks if shown else ())

    @cached_property
    def masked(self) -> Json:
        """The raw result with masked sensitive values."""
        return mask(self.raw, self.sensitive)

    @cached_property
    def masked_sent(self) -> Json:
        """Like `masked`, but if only a part of a text is sensitive, the rest of the text is kept."""
        return self.masks.sent_plain()

    @cached_property
    def masks(self) -> Masks:
        """The masks for the secrets in the views of a model."""
        return masks_of(self.judgement, self.policy)

    @cached_property
    def masked_model(self) -> Json:
        """The model's view; at level `open`, with masks for the values that level `declared` withholds."""
        model = self.context.model
        return self.masks.model(model) if self.bounded.level is Level.OPEN else model

    @cached_property
    def reached(self) -> int:
        """At level `open`: the number of leaves of the model's view with values that level `declared` withholds.

        Copies of these values count too.
        """
        if self.bounded.level is not Level.OPEN or not self.masks.removals:
            return 0
        return sum(map(is_reaching, walk(self.masked_model)))

    @cached_property
    def app(self) -> AppView | None:
        """The interface of a tool (MCP Apps) that belongs to this answer; None if there is none."""
        return app_view(self.judgement.tool, self.masked)

    @cached_property
    def raw_bytes(self) -> int:
        return compact_bytes(self.raw)

    @cached_property
    def model_bytes(self) -> int:
        """The size of the model's view as compact JSON; 0 if the call is unfinished."""
        return 0 if self.bounded.unfinished else compact_bytes(self.context.model)

    @cached_property
    def counted(self) -> Counted:
        """The removals, counted by rule."""
        return counted(self.bounded.removals)


def project(
    outcome: Outcome,
    tool: Tool | None,
    level: Level,
    host: Host,
    *,
    call: Call | None = None,
    policy: BoundaryPolicy = DEFAULT_POLICY,
    contract: Contract | None = None,
) -> Projection:
    """Compute what a model sees of the outcome of a call. Never raises.

    `contract`: the contract of `tool`, if already computed.
    """
    asked = call or Call(tool=tool.name if tool else "tool")
    judgement = Judgement(outcome, tool, nonce=asked.nonce, contract=contract)
    return projection_of(judgement, level, host, asked, policy)


def projection_of(
    judgement: Judgement, level: Level, host: Host, call: Call, policy: BoundaryPolicy
) -> Projection:
    """Compute what a model sees of an answer that the boundary has already judged. Never raises."""
    bounded = judgement.bounded(level, policy)
    return Projection(
        judgement=judgement,
        policy=policy,
        bounded=bounded,
        context=model_view_of(host, _as_result(bounded, judgement), call),
    )


def refusal_of(judgement: Judgement, host: Host, call: Call) -> str:
    """How a host refuses the result as the server sent it, as a sentence; empty if it does not. Never raises."""
    sent = as_sent(judgement.outcome, judgement.contract)
    return model_view_of(host, _as_result(sent, judgement), call).refused


def as_sent(outcome: Outcome, contract: Contract) -> Bounded:
    """The bounded result at level `open`, without remarks on texts that look like credentials."""
    ended = unfinished(outcome)
    return Bounded(
        level=Level.OPEN,
        result=passing_at_open(outcome),
        error=error_code(outcome, is_listed=contract.is_listed),
        is_answered=not isinstance(outcome, Failure),
        kind=contract.kind,
        unfinished=ended.sentence if ended else "",
    )


def _as_result(bounded: Bounded, judgement: Judgement) -> Bounded:
    """The bounded result as a host gets it.

    At level `open`, the value that a tool of a page returned becomes structured content, as it is at the other levels.
    """
    is_open = bounded.level is Level.OPEN and isinstance(judgement.outcome, Result) and not bounded.unfinished
    contract = judgement.contract
    if is_open and contract.is_of_page and not is_result(bounded.result, contract):
        value: JsonObject = {"content": [], "structuredContent": bounded.result, "isError": False}
        return replace(bounded, result=value)
    return bounded


def model_view_of(host: Host, bounded: Bounded, call: Call) -> ModelContext:
    """The model's view of a bounded result; empty if the call is unfinished or the profile fails."""
    if bounded.unfinished:
        change = HostChange(pointer="", what=f"nothing reaches the model: {bounded.unfinished}")
        return ModelContext(model=None, changes=(change,), observed=False)
    if not bounded.is_answered:
        coded: JsonObject = {"error": coded_error(bounded.error)}
        context = model_view_of(host, replace(bounded, result=coded, removals=(), is_answered=True), call)
        return replace(context, changes=(*context.changes, _NO_ANSWER), observed=False)
    try:
        return _about_server(
            view_of_reading(host, bounded)
            if bounded.kind is not Kind.TOOL
            else host.model_view(bounded, call),
            bounded,
        )
    except Exception as fault:  # noqa: BLE001 - a failing profile must pass nothing on
        reason = f"the profile failed on this result ({type(fault).__name__}); nothing is passed on"
        return ModelContext(model=None, changes=(HostChange(pointer="", what=reason),), observed=False)


def _about_server(context: ModelContext, bounded: Bounded) -> ModelContext:
    """The model's view, without changes to the last content block if that block is the notice of the boundary."""
    result = bounded.result
    content = result.get("content") if isinstance(result, dict) else None
    if not bounded.removals or not isinstance(content, list) or not content or not is_notice(content[-1]):
        return context
    pointer = child("/content", len(content) - 1)
    others = tuple(change for change in context.changes if not f"{change.pointer}/".startswith(f"{pointer}/"))
    return replace(context, changes=others)
