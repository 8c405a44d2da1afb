"""Messages as a recording may hold them: judged by what the tools declare, and searched for what was withheld before."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.judgement import Judgement
from inspector.boundary.ledger import SECRET
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.output_check import OutputCheck, OutputViolation, checked_output, safe_output
from inspector.boundary.reading import raw_of
from inspector.claims.resolution import METHOD as RESOLVE
from inspector.json.exact import Json, JsonObject, Malformed
from inspector.json.pointer import index_of, split
from inspector.protocol.catalogue import Tool
from inspector.protocol.exchanges import Answered, Event, Late
from inspector.protocol.frames import Request, Response, request_key
from inspector.protocol.outcome import Outcome, Result, RpcError
from inspector.recording.arguments import ARGUMENT, sensitive_arguments
from inspector.recording.definitions import OF_THE_SERVER, Definitions
from inspector.recording.known import Known
from inspector.recording.markers import Key, with_markers
from inspector.schema.positions import positions_of

UNJUDGED = "unjudged"
"""The rule of what nobody could judge: an answer to no question, what is no JSON, words of a call that was not answered."""
CALL = "tools/call"

_LEARNT = SECRET | {Rule.SENSITIVE_HINT, ARGUMENT}


_UNCHECKED = "cannot be checked"


class Bounder:
    """Bounds the messages of one session. What it withholds it looks for in all later ones."""

    def __init__(self, key: Key, policy: BoundaryPolicy, secrets: Iterable[str]) -> None:
        """`secrets`: what is secret from the start: values of headers, of the environment, of queries."""
        self.key = key
        self.policy = policy
        self.known = Known()
        self.known.learn(list(secrets))
        self._definitions = Definitions()
        self._running = set[str]()
        """The calls that wait for an answer."""

    def connect(self) -> None:
        """The server is reached anew: no answer is judged by what was listed before."""
        self._running.clear()
        self._definitions.connect()

    def listed(self, tools: Iterable[Tool]) -> Iterator[tuple[Tool, Json]]:
        """A page lists tools: each, and what of its definition may be written now."""
        found = tuple(tools)
        self._take(*found)
        return ((tool, self.known.covered(tool.definition, self.key, weak=False)) for tool in found)

    def compared(self, outcome: Outcome, name: str) -> OutputCheck | None:
        """What was answered compared with the tool's output schema, in words that hold no value; None where nothing is."""
        tool = self._definitions.tool(name)
        contract = self._definitions.contract(tool)
        found = checked_output(outcome, contract) if self._definitions.is_listed else None
        if found is None:
            return None
        hidden = Judgement(outcome, tool, contract=contract).secrets(self.policy) if found.violations else ()
        safe = safe_output(found, hidden, (), quote=False)
        covered = (self._covered(told) for told in safe.violations)
        unchecked = tuple(reason for reason in safe.unchecked if not self.known.found((reason,), weak=False))
        return replace(
            safe,
            violations=tuple(dict.fromkeys(covered)),
            unchecked=unchecked or (safe.unchecked and (_UNCHECKED,)),
        )

    def _covered(self, told: OutputViolation) -> OutputViolation:
        """A violation without keys, or words of the schema, that repeat what is withheld elsewhere."""
        if self.known.found((told.pointer, told.message), weak=False):
            return replace(told, pointer="", message="does not fit the schema")
        return told

    def sent(self, request: Request) -> JsonObject:
        """A request from here, with its sensitive arguments withheld, before it is searched."""
        params = request.params if isinstance(request.params, dict) else {}
        name = params.get("name")
        is_about_call = request.method in {CALL, RESOLVE} and isinstance(name, str)
        if is_about_call:
            self._publish((str(name),))
        if request.method == CALL:
            self._running.add(request_key(request.id))
        if not is_about_call or "arguments" not in params:
            return request.value
        arguments = params["arguments"]
        removals: list[Removal] = []
        for tool in self._definitions.variants(str(name)):
            removals += sensitive_arguments(arguments, tool.input_schema)
        if not removals:
            return request.value
        self._learn(arguments, removals)
        return {
            **request.value,
            "params": {**params, "arguments": with_markers(arguments, removals, self.key)},
        }

    def received(self, response: Response, asked: Request | None) -> JsonObject:
        """An answer, without what the declarations withhold, before it is searched. `asked`: what it answers."""
        if asked is not None:
            self._running.discard(request_key(asked.id))
        value = response.value
        if asked is None:
            return self._without(value, ("result", "error"))
        if asked.method in OF_THE_SERVER and not response.is_error:
            self._list(asked.method, response.result)
            return self._without(value, ("error",))
        outcome = RpcError(value=response.error) if response.is_error else Result(value=response.result)
        raw, member = raw_of(outcome), "error" if response.is_error else "result"
        if asked.method == CALL and not self._definitions.is_listed:
            return self._without(value, ("result", "error"))
        removals = self._removals(outcome, asked, self.policy)
        secret = self.policy.about_secrets
        self._learn(raw, removals if secret == self.policy else self._removals(outcome, asked, secret))
        left = with_markers(raw, removals, self.key)
        if response.is_error:
            left = left["error"] if isinstance(left, dict) and "error" in left else left
        # What is whole stays the same object, by which it is known to be whole.
        bounded = value if left is value[member] else {**value, member: left}
        return self._without(bounded, ("result",) if response.is_error else ())

    def page_call(
        self, tool: Tool | None, arguments: Json, outcome: Result | RpcError
    ) -> tuple[Json, Json, Json]:
        """Definition, arguments and outcome of a call of a page's tool, judged and searched."""
        if tool:
            self._take(tool)
        withheld = sensitive_arguments(arguments, tool.input_schema) if tool else ()
        raw = raw_of(outcome)
        contract = self._definitions.contract(tool)
        secrets = removals = bound(
            outcome, tool, Level.DECLARED, policy=self.policy, declared=contract
        ).removals
        secret = self.policy.about_secrets
        self._learn(arguments, withheld)
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

    def judged(self, tool: Tool | None, raw: Json, removals: Iterable[Removal]) -> None:
        """Learn from a result that was bounded at `declared` already. `removals`: into `raw`."""
        if tool:
            self._take(tool)
        self._learn(raw, removals)

    def of_browser(self, value: JsonObject) -> JsonObject:
        """A message of the browser's own protocol: its method and id alone."""
        return self._without(value, [name for name in value if name not in {"id", "method", "sessionId"}])

    def searched(self, event: Event, value: Json, *, by_us: bool = False) -> Json:
        """A message after all that, searched for what was withheld before."""
        if isinstance(event, Malformed):
            return value if by_us else self.key.marker(UNJUDGED, value)
        return self.known.covered(value, self.key, weak=not isinstance(event, (Answered, Late)))

    def _list(self, method: str, result: Json) -> None:
        self._take(*self._definitions.take(method, result))

    def _take(self, *tools: Tool) -> None:
        schemas = (schema for tool in tools for schema in (tool.input_schema, tool.output_schema))
        names = (positions_of(schema).names for schema in schemas if schema is not None)
        self._publish((tool.name for tool in tools), chain.from_iterable(names))

    def _publish(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        # What is listed while a call runs may repeat what its answer is about to withhold.
        if not self._running:
            self.known.publish(texts, names)

    def _removals(
        self, outcome: Result | RpcError, asked: Request, policy: BoundaryPolicy
    ) -> Sequence[Removal]:
        name = asked.params.get("name") if asked.method == CALL and isinstance(asked.params, dict) else None
        tools: Sequence[Tool | None] = self._definitions.variants(name if isinstance(name, str) else "") or (
            None,
        )
        found: list[Removal] = []
        for tool in tools:
            contract = self._definitions.contract(tool)
            found += bound(outcome, tool, Level.DECLARED, policy=policy, declared=contract).removals
        return found

    def _learn(self, raw: Json, removals: Iterable[Removal]) -> None:
        values: list[Json] = []
        for removal in removals:
            tokens = split(removal.pointer)
            if removal.rule in _LEARNT and not (
                removal.rule == Rule.SECRET_REFERENCE and tokens[-1:] == _TTL
            ):
                values += _values_at(raw, tokens)
        self.known.learn(values)

    def _without(self, value: JsonObject, members: Iterable[str]) -> JsonObject:
        found = {name: self.key.marker(UNJUDGED, value[name]) for name in members if name in value}
        return {**value, **found} if found else value


_TTL = ("ttl",)


def _values_at(raw: Json, tokens: tuple[str, ...]) -> list[Json]:
    """What is withheld at a place, or at the last one on the way to it; of a content block, its own words alone."""
    found = raw
    for token in tokens:
        try:
            if isinstance(found, dict):
                found = found[token]
            elif isinstance(found, list):
                found = found[index_of(token)]
            else:
                break
        except LookupError:
            break
    return _said(found) if len(tokens) == 2 and tokens[0] == "content" else [found]


def _said(block: Json) -> list[Json]:
    """All that a content block says, `_meta` included, but for words of the protocol that any block may have."""
    if not isinstance(block, dict):
        return [block]
    found: list[Json] = []
    for key, value in block.items():
        if key in {"resource", "annotations"}:
            found += _said(value)
        elif key not in {"type", "mimeType", "audience"}:
            found.append(value)
    return found
