"""Applies the boundary to messages for a recording: withholds sensitive values, and copies of them."""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import chain

from msgspec.structs import replace

from inspector.asks.private import Questions, private_in_reply
from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.judgement import Judgement
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.output_check import OutputCheck, OutputViolation, checked_output, safe_output
from inspector.boundary.reading import raw_of
from inspector.boundary.removals import SECRET, Ledger, UnjudgeableError
from inspector.boundary.withhold import withhold
from inspector.claims.resolution import METHOD as RESOLVE
from inspector.credentials.find import sightings
from inspector.json.exact import Json, JsonObject, Malformed
from inspector.json.members import object_at, text_at
from inspector.json.pointer import child, index_of, split
from inspector.json.texts import texts_in
from inspector.protocol.calls import CALL, called
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import (
    Answered,
    Asked,
    Event,
    Exchange,
    Late,
    answered_by,
    ending_of,
    task_of,
)
from inspector.protocol.frames import Direction, Notification, Request, Response, request_key
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.protocol.tasks import outcome_of
from inspector.recording.definitions import OF_THE_SERVER, RecordedDefinitions
from inspector.recording.known import KnownValues
from inspector.recording.markers import EARLIER, MarkerKey, is_marker, with_markers
from inspector.schema.fields import Field, Form, form_of
from inspector.schema.positions import positions_of

ARGUMENT = "argument"


def sensitive_arguments(arguments: Json, schema: Json) -> tuple[Removal, ...]:
    """The removals of sensitive arguments, with pointers into `arguments`.

    If `schema` is unreadable, one removal covers all arguments. Never raises.
    """
    try:
        ledger = Ledger(Contract(), "")
        withhold(arguments, positions_of(schema).start(), ledger)
        form = form_of(schema)
        marked = [removal.pointer for removal in ledger.removals]
    except (UnjudgeableError, RecursionError):
        return (_removal(""),)
    return tuple(map(_removal, dict.fromkeys((*marked, *_private(arguments, form)))))


def _private(arguments: Json, form: Form) -> Iterator[str]:
    """The pointers to filled-in sensitive fields of a form."""
    if not isinstance(arguments, dict):
        return
    waiting: list[tuple[Json, str, Field]] = [
        (arguments[field.name], field.pointer, field) for field in form.fields if field.name in arguments
    ]
    while waiting:
        value, pointer, field = waiting.pop()
        item = field.item
        if item is not None and isinstance(value, list):
            waiting.extend((inner, child(pointer, index), item) for index, inner in enumerate(value))
        elif field.fields and isinstance(value, dict) and not _is_private_itself(field):
            waiting.extend(
                (value[below.name], child(pointer, below.name), below)
                for below in field.fields
                if below.name in value
            )
        elif field.sensitive:
            yield pointer


def _is_private_itself(field: Field) -> bool:
    """True if a field is sensitive with all of its members."""
    return field.sensitive and all(below.sensitive for below in field.fields)


def _removal(pointer: str) -> Removal:
    return Removal(pointer=pointer, rule=ARGUMENT if pointer else Rule.INTERNAL, detail="")


UNJUDGED = "unjudged"
"""The rule that withholds content that cannot be judged.

Examples are an answer to no request, a message that is not JSON, and a notification that arrived during a call
that got no answer.
"""
_LEARNT = SECRET | {Rule.SENSITIVE_HINT, Rule.DETECT, ARGUMENT}


_UNCHECKED = "cannot be checked"


class Bounder:
    """Withholds sensitive values from the messages of one session.

    Each withheld value is also withheld from all later messages.
    """

    def __init__(self, key: MarkerKey, policy: BoundaryPolicy, secrets: Iterable[str]) -> None:
        """`secrets`: the values of headers, environment variables and queries."""
        self.key = key
        self.policy = policy
        self.known = KnownValues()
        self.known.learn(list(secrets))
        self._definitions = RecordedDefinitions()
        self._questions = Questions()
        self._running = set[str]()
        """The `request_key` of each call that is waiting for an answer."""
        self.typed: list[Json] = []
        """The withheld arguments and answers of the user."""
        self._in_order: KnownValues | None = None
        """The values to withhold from the handshake and from listings; None to withhold those of `known`.

        It is set for a second pass over the frames, in which `known` also has values of later frames.
        """

    def ahead(self) -> "Bounder":
        """A bounder for a first pass over the frames.

        It shares `known`, so that this bounder withholds all that the first pass finds.
        """
        made = Bounder(self.key, self.policy, ())
        self._in_order = deepcopy(self.known)
        made.known = self.known
        return made

    def follow(self, ahead: "Bounder") -> None:
        """Begin the second pass, over the frames that `ahead` has processed.

        What the user typed is then withheld from the handshake and listings too.
        """
        if self._in_order is not None:
            self._in_order.learn(ahead.typed)

    def conceal(self, values: Iterable[str]) -> None:
        """Withhold these values from now on."""
        self._know(list(values))

    def connect(self) -> None:
        self._running.clear()
        self._definitions.connect()

    def listed(self, tools: Iterable[Tool]) -> Iterator[tuple[Tool, Json]]:
        """The tools that a page lists, each with a definition in which withheld values have markers."""
        every = tuple(tools)
        self._take(*every)
        return ((tool, self.known.covered(tool.definition, self.key, weak=False)) for tool in every)

    def compared(self, outcome: Outcome, name: str) -> OutputCheck | None:
        """The comparison of an answer with the tool's output schema. It quotes no value of the answer.

        None if there is nothing to compare, or if no tools were listed.
        """
        tool = self._definitions.tool(name)
        contract = self._definitions.contract(tool)
        found = checked_output(outcome, contract) if self._definitions.is_listed else None
        if found is None:
            return None
        hidden = Judgement(outcome, tool, contract=contract).secrets(self.policy) if found.violations else ()
        safe = safe_output(found, hidden, (), quote=False)
        covered = (self._covered(each) for each in safe.violations)
        unchecked = tuple(reason for reason in safe.unchecked if not self.known.found((reason,), weak=False))
        return replace(
            safe,
            violations=tuple(dict.fromkeys(covered)),
            unchecked=unchecked or (safe.unchecked and (_UNCHECKED,)),
        )

    def _covered(self, violation: OutputViolation) -> OutputViolation:
        """The violation, without its pointer and its details if it repeats a withheld value."""
        if self.known.found((violation.pointer, violation.message), weak=False):
            return replace(violation, pointer="", message="does not fit the schema")
        return violation

    def sent(self, request: Request) -> JsonObject:
        """A request by Sightline with its sensitive arguments withheld.

        Pass it to `searched` before it is written.
        """
        params = object_at(request.params)
        call = called(request.method, params)
        name = text_at(params, "name") if request.method == RESOLVE else call[0] if call else None
        if name is not None and request.method in {CALL, RESOLVE}:
            self._publish((name,))
        if call:
            self._running.add(request_key(request.id))
        left = self._without_answers(request.value, "params", self._questions.private_in(params))
        if name is None or "arguments" not in params:
            return left
        arguments = params["arguments"]
        removals: list[Removal] = []
        for tool in self._definitions.variants(name):
            removals += sensitive_arguments(arguments, tool.input_schema)
        if not removals:
            return left
        self._learn(arguments, removals)
        kept = with_markers(arguments, removals, self.key)
        return {**left, "params": {**object_at(left, "params"), "arguments": kept}}

    def replied(self, response: Response, exchange: Exchange) -> JsonObject:
        """Sightline's answer to a request by the server, without the values that may be private to the user."""
        asked = answered_by(exchange, response)
        private = private_in_reply(asked.method, asked.params, response.result)
        return self._without_answers(response.value, "result", private)

    def _without_answers(self, value: JsonObject, member: str, private: Sequence[str]) -> JsonObject:
        """The message with markers at the `private` pointers into one of its members."""
        if not private:
            return value
        removals = tuple(Removal(pointer=pointer, rule=ARGUMENT, detail="") for pointer in private)
        self._learn(value[member], removals)
        return {**value, member: with_markers(value[member], removals, self.key)}

    def received(self, response: Response, exchange: Exchange | None) -> JsonObject:
        """An answer without the values that the declarations withhold.

        Pass it to `searched` before it is written. `exchange`: the exchange of the answer; None if it answers
        no request.
        """
        value, asked = response.value, exchange.request if exchange else None
        if exchange and task_of(exchange, response) is None:
            self._running.discard(exchange.key)
        ending = ending_of(exchange, response) if exchange else None
        if exchange and exchange.call and ending:
            self._running.discard(exchange.call.key)
            asked = exchange.call.request
        if asked is None:
            return self._without(value, ("result", "error"))
        if asked.method in OF_THE_SERVER and not response.is_error:
            self._list(asked.method, response.result)
            return self._without(value, ("error",))
        if ending and ending.member:
            state = object_at(response.result)
            left = self._judged(ending.outcome, asked)
            return {**value, "result": {**state, ending.member: left}}
        outcome = outcome_of(response)
        member = "error" if response.is_error else "result"
        self._questions.take(response.result)
        if called(asked.method, asked.params) and not self._definitions.is_listed:
            return self._without(value, ("result", "error"))
        left = self._judged(outcome, asked)
        if response.is_error and response.result is not None:
            # `result` is withheld as a whole. This only learns its secrets, to find copies of them elsewhere.
            self._judged(Result(value=response.result), asked)
        # An unchanged answer must stay the same object: its identity shows that nothing was withheld.
        bounded = value if left is value[member] else {**value, member: left}
        return self._without(bounded, ("result",) if response.is_error else ())

    def _judged(self, outcome: Result | RpcError, asked: Request) -> Json:
        """The outcome of `asked`, with markers for withheld values."""
        if called(asked.method, asked.params) and not self._definitions.is_listed:
            return self.key.marker(UNJUDGED, raw_of(outcome))
        raw, removals = raw_of(outcome), self._removals(outcome, asked, self.policy)
        secret = self.policy.about_secrets
        self._learn(raw, removals if secret == self.policy else self._removals(outcome, asked, secret))
        left = with_markers(raw, removals, self.key)
        return left.get("error", left) if isinstance(outcome, RpcError) and isinstance(left, dict) else left

    def page_call(
        self, tool: Tool | None, arguments: Json, outcome: Result | RpcError
    ) -> tuple[Json, Json, Json]:
        """The definition, arguments and outcome of a call of a page's tool, with markers for withheld values."""
        if tool:
            self._take(tool)
        withheld = self.asked(tool, arguments)
        raw = raw_of(outcome)
        contract = self._definitions.contract(tool)
        secrets = removals = bound(
            outcome, tool, Level.DECLARED, policy=self.policy, declared=contract
        ).removals
        secret = self.policy.about_secrets
        if secret != self.policy:
            secrets = bound(outcome, tool, Level.DECLARED, policy=secret, declared=contract).removals
        self._learn(raw, secrets)
        left = with_markers(raw, removals, self.key)
        if isinstance(outcome, RpcError) and isinstance(left, dict):
            left = left.get("error", left)
        definition: Json = tool.definition if tool else None
        return (
            self.known.covered(definition, self.key, weak=False),
            self.known.covered(with_markers(arguments, withheld, self.key), self.key, weak=True),
            self.known.covered(left, self.key, weak=False),
        )

    def asked(self, tool: Tool | None, arguments: Json) -> Sequence[Removal]:
        """Withhold the sensitive arguments of a call from now on. Returns their removals."""
        removals = sensitive_arguments(arguments, tool.input_schema) if tool else ()
        self._learn(arguments, removals)
        return removals

    def judged(self, tool: Tool | None, raw: Json, removals: Iterable[Removal]) -> None:
        """Withhold from now on what the boundary level `declared` has withheld from a result.

        `removals`: pointers into `raw`.
        """
        if tool:
            self._take(tool)
        self._learn(raw, removals)

    def of_browser(self, value: JsonObject) -> JsonObject:
        """A message of the browser's own protocol, with markers for all members except the method and the ids."""
        return self._without(value, [name for name in value if name not in {"id", "method", "sessionId"}])

    def searched(self, event: Event, value: Json, *, by_us: bool = False) -> Json:
        """A message in which markers replace every copy of a withheld value.

        `value`: the message as `sent`, `replied` or `received` returned it.
        """
        if isinstance(event, Malformed):
            return value if by_us else self.key.marker(UNJUDGED, value)
        # A result that is withheld as a whole may have common words, which must stay in definitions.
        known = (is_of_server(event) and self._in_order) or self.known
        # A server may log a value in parts.
        is_said = isinstance(event, Notification)
        left = known.covered(value, self.key, weak=not isinstance(event, (Answered, Late)), parts=is_said)
        if not by_us or left is value or not isinstance(left, dict) or not is_marker(left.get("method")):
            return left
        return {**left, "method": text_at(value, "method")}

    def _list(self, method: str, result: Json) -> None:
        self._take(*self._definitions.take(method, result))

    def _take(self, *tools: Tool) -> None:
        schemas = (schema for tool in tools for schema in (tool.input_schema, tool.output_schema))
        names = (positions_of(schema).names for schema in schemas if schema is not None)
        self._publish((tool.name for tool in tools), chain.from_iterable(names))

    def _publish(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        # A listing that arrives during a call may repeat what the call's answer is about to withhold.
        if not self._running:
            said, keys = list(texts), list(names)
            self.known.publish(said, keys)
            if self._in_order is not None:
                self._in_order.publish(said, keys)

    def _know(self, values: list[Json], *, is_whole: bool = False) -> None:
        for known in (self.known, self._in_order):
            if known is not None:
                known.learn(values, is_whole=is_whole)

    def _removals(
        self, outcome: Result | RpcError, asked: Request, policy: BoundaryPolicy
    ) -> Sequence[Removal]:
        call = called(asked.method, asked.params)
        tools: Sequence[Tool | None] = self._definitions.variants(call[0] if call else "") or (None,)
        removals: list[Removal] = []
        for tool in reversed(tools):
            contract = self._definitions.contract(tool)
            found = bound(outcome, tool, Level.DECLARED, policy=policy, declared=contract).removals
            removals += found if tool is tools[-1] else map(_as_earlier, found)
        return removals

    def _learn(self, raw: Json, removals: Iterable[Removal]) -> None:
        values: list[Json] = []
        whole: list[Json] = []
        for removal in removals:
            tokens = split(removal.pointer)
            if removal.rule in _LEARNT and not (
                removal.rule == Rule.SECRET_REFERENCE and tokens[-1:] == _TTL
            ):
                found = _values_at(raw, tokens)
                is_whole = removal.rule != ARGUMENT and _is_whole(tokens)
                (whole if is_whole else values).extend(found)
                if removal.rule == Rule.DETECT:
                    values += _credentials_in(found)
                if removal.rule == ARGUMENT:
                    self.typed += found
        self._know(values)
        self._know(whole, is_whole=True)

    def _without(self, value: JsonObject, members: Iterable[str]) -> JsonObject:
        markers = {name: self.key.marker(UNJUDGED, value[name]) for name in members if name in value}
        return {**value, **markers} if markers else value


def _as_earlier(removal: Removal) -> Removal:
    return replace(removal, rule=EARLIER) if removal.rule == Rule.ECHO else removal


def is_of_server(event: Event) -> bool:
    """True for a message of the handshake or of a listing. Later frames are judged by these messages."""
    match event:
        case Asked(exchange=exchange) | Answered(exchange=exchange):
            return exchange.asked_by is Direction.SENT and exchange.request.method in OF_THE_SERVER
        case Notification(method=method):
            return method == "notifications/initialized"
        case _:
            return False


_TTL = ("ttl",)
_BLOCK_LENGTH = {"content": 2, "contents": 2, "messages": 3}
"""The number of tokens in the pointer to a content block, by the first token."""


def _is_whole(tokens: tuple[str, ...]) -> bool:
    """True for a pointer to a whole result, its structured content, or a content block."""
    return len(tokens) <= 1 or _BLOCK_LENGTH.get(tokens[0]) == len(tokens)


def _credentials_in(values: Iterable[Json]) -> Iterator[str]:
    """The credentials in texts, without the words around them."""
    texts = set[str]()
    for value in values:
        texts_in(value, texts, texts)
    return (text[found.start : found.end] for text in texts for found in sightings(text))


def _values_at(raw: Json, tokens: tuple[str, ...]) -> list[Json]:
    """The value at a pointer, or else the nearest value around it. A content block is split up by `_said`."""
    place = raw
    for token in tokens:
        try:
            if isinstance(place, dict):
                place = place[token]
            elif isinstance(place, list):
                place = place[index_of(token)]
            else:
                break
        except LookupError:
            break
    return _said(place) if _BLOCK_LENGTH.get(tokens[0] if tokens else "") == len(tokens) else [place]


def _said(block: Json) -> list[Json]:
    """The values of a content block, including `_meta` but not members of the protocol such as `type`."""
    if not isinstance(block, dict):
        return [block]
    values: list[Json] = []
    for key, value in block.items():
        if key in {"resource", "annotations"}:
            values += _said(value)
        elif key not in {"type", "mimeType", "audience"}:
            values.append(value)
    return values
