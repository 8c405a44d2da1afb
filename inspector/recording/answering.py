"""Answers requests from a recording, by method, tool and arguments.

If no recorded call has equal arguments, the most similar call answers.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec import Struct, field

from inspector.boundary.notice import text_block
from inspector.errors import headline
from inspector.json.diff import changes
from inspector.json.exact import Json, JsonObject, JsonText, Malformed, dump_text, equal
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.calls import CALL, GET, READ
from inspector.protocol.exchanges import Answered, Asked, Matched, response_in
from inspector.protocol.frames import Direction, Request, messages
from inspector.protocol.outcome import Failure
from inspector.recording.format import Connected, Line, Listed, RecordedCall, RecordedFrame
from inspector.recording.markers import is_marker, stood_in
from inspector.recording.replaying import PAGE_CALL, Replay

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR = -32603
_LIST = "tools/list"
_NAMED = {CALL: "call of a tool", GET: "prompt", READ: "resource"}
_NEVER = sys.maxsize
"""The distance of a recorded call without an answer from a request with other arguments.

Such a call is chosen only if no recorded call has an answer.
"""
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_LATEST_HANDSHAKE = "2025-11-25"


class Reply(Struct, frozen=True, kw_only=True):
    """The reply to a message of a client."""

    message: Json
    """A response, or a list of responses to a batch; None if no response is due."""
    remarks: tuple[str, ...] = ()
    """Remarks for the user who started the server, such as that a call was not recorded.

    They quote untrusted text.
    """


class _Exchange(Struct, frozen=True, kw_only=True):
    params: Json
    """The recorded parameters, with markers in place of withheld values."""
    line: int
    """The number of the line with the answer or, without an answer, with the request."""
    request: str
    """The `request_key` of the request; `PAGE_CALL` for a page; empty for a request without an answer."""
    failure: str | None = None
    """Why the recording has no answer to the request; None if it has one. Untrusted text."""


@dataclass(slots=True)
class _Turn:
    """The next answer to equal requests. Answers are given in recorded order, and the last one repeats."""

    next: int = 0


class _Recorded(Struct, frozen=True, kw_only=True):
    exchanges: list[_Exchange] = field(default_factory=list[_Exchange])
    turns: dict[int, _Turn] = field(default_factory=dict[int, _Turn])


class Answers:
    """All answers in a recording.

    The requests are kept in memory; the answers are loaded from the file when needed.
    """

    def __init__(
        self,
        lines: Iterable[tuple[int, Line]],
        load: Callable[[int], Line],
        *,
        exact: bool = False,
    ) -> None:
        """`lines`: pairs of the number of a line, which `load` accepts, and the line.

        `exact`: true to answer only calls whose arguments are equal to recorded ones.
        """
        self._load = load
        self._exact = exact
        self._recorded: dict[tuple[str, str], _Recorded] = {}
        # Requests are compared with their markers in place.
        replay = Replay(keeps_markers=True)
        asked: dict[tuple[int, str], tuple[int, Request]] = {}
        for place, line in lines:
            match line:
                case RecordedFrame():
                    self._take(place, replay, replay.matched(line), asked)
                case RecordedCall():
                    self._exchange(CALL, line.tool, line.arguments, place, PAGE_CALL)
                case Listed():
                    self._recorded.pop((_LIST, ""), None)
                    self._exchange(_LIST, "", {}, place, PAGE_CALL)
                case Connected():
                    replay.connect()
                case _:
                    pass
        for key, call in replay.unanswered.items():
            if key in asked and isinstance(call.outcome, Failure):
                self._unanswered(*asked[key], call.outcome.detail)

    def _take(
        self, place: int, replay: Replay, matched: Matched, asked: dict[tuple[int, str], tuple[int, Request]]
    ) -> None:
        """Add the answers in a frame. Calls in it are added to `asked`, by frame number and `request_key`."""
        list(replay.take(matched))
        for event in matched.events:
            if not isinstance(event, (Asked, Answered)) or event.exchange.asked_by is not Direction.SENT:
                continue
            request, key = event.exchange.request, event.exchange.key
            if isinstance(event, Answered):
                self._exchange(request.method, _name(request), _asked_for(request), place, key)
            elif request.method in _NAMED:
                asked[event.exchange.frame, key] = (place, request)

    def _unanswered(self, place: int, request: Request, why: str) -> None:
        """Add a call without an answer, and sort the exchanges by line, because they answer in recorded order."""
        name = _name(request)
        self._exchange(request.method, name, _asked_for(request), place, "", headline(why))
        self._recorded[request.method, name].exchanges.sort(key=lambda exchange: exchange.line)

    def answer(self, message: JsonText | Malformed) -> Reply:
        """The answer to a message of a client: a request, a notification, or a batch."""
        if isinstance(message, Malformed):
            return Reply(message=_error(None, PARSE_ERROR, "Parse error"))
        answers: list[Json] = []
        remarks: list[str] = []
        for one in messages(message):
            match one:
                case Request():
                    member, remark = self._answer(one)
                    answers.append({"jsonrpc": "2.0", "id": one.id, **member})
                    remarks += [remark] if remark else []
                case Malformed():
                    answers.append(_error(None, INVALID_REQUEST, "Invalid request"))
                case _:
                    pass
        if isinstance(message.value, list):
            return Reply(message=answers or None, remarks=tuple(remarks))
        return Reply(message=answers[0] if answers else None, remarks=tuple(remarks))

    def _exchange(
        self, method: str, name: str, params: Json, place: int, request: str, failure: str | None = None
    ) -> None:
        exchange = _Exchange(params=params, line=place, request=request, failure=failure)
        self._recorded.setdefault((method, name), _Recorded()).exchanges.append(exchange)

    def _answer(self, request: Request) -> tuple[JsonObject, str]:
        if request.method == "ping":
            return {"result": {}}, ""
        name = _name(request)
        recorded = self._recorded.get((request.method, name))
        if request.method == "initialize":
            return self._greeting(request, recorded), ""
        if recorded is None:
            if request.method in _NAMED:
                message = f"The recording has no {_NAMED[request.method]} of that name: {name}"
                return _refused(INVALID_PARAMS, message), message
            return _refused(
                METHOD_NOT_FOUND, "The recording has no such request"
            ), f"not recorded: {request.method}"
        wanted = _asked_for(request)
        distances = [_distance(exchange.params, wanted) for exchange in recorded.exchanges]
        if min(distances):
            # Only a request with equal parameters may stay unanswered. Any other gets the nearest answer.
            distances = [
                distance if exchange.failure is None else _NEVER
                for exchange, distance in zip(recorded.exchanges, distances, strict=True)
            ]
        nearest = min(distances)
        if nearest and (self._exact or request.method not in {CALL, GET}):
            message = f"The recording has {request.method} {name} only with other parameters"
            return _refused(INVALID_PARAMS, message), message
        same = [
            exchange
            for exchange, distance in zip(recorded.exchanges, distances, strict=True)
            if distance == nearest
        ]
        turn = recorded.turns.setdefault(same[0].line, _Turn())
        chosen = same[min(turn.next, len(same) - 1)]
        turn.next += 1
        if chosen.failure is not None:
            which = "any call" if nearest else "this call"
            message = f"The recording has no answer to {which} of {name}: {chosen.failure}"
            return _refused(INTERNAL_ERROR, message), message
        remark = f"{request.method} {name}: answered from the nearest of {len(distances)} recorded calls"
        return self._loaded(chosen), remark if nearest else ""

    def _greeting(self, request: Request, recorded: _Recorded | None) -> JsonObject:
        """The recorded answer to `initialize`.

        If there is none, because the session was stateless, it is made from the answer to `server/discover`.
        """
        if recorded:
            return self._loaded(recorded.exchanges[-1])
        discovered = self._recorded.get(("server/discover", ""))
        facts = object_at(self._loaded(discovered.exchanges[-1]), "result") if discovered else {}
        unnamed: Json = {"name": "recording", "version": "0"}
        result: JsonObject = {
            "protocolVersion": text_at(request.params, "protocolVersion") or _LATEST_HANDSHAKE,
            "capabilities": facts.get("capabilities", {"tools": {}}),
            "serverInfo": value_at(facts, "_meta", _SERVER_INFO) or unnamed,
        }
        instructions = text_at(facts, "instructions")
        return {"result": result if instructions is None else {**result, "instructions": instructions}}

    def _loaded(self, exchange: _Exchange) -> JsonObject:
        """The `result` or `error` of a recorded answer."""
        line = self._load(exchange.line)
        if isinstance(line, RecordedCall):
            return _of_page(line)
        if isinstance(line, Listed):
            return {"result": {"tools": [stood_in(tool.definition) for tool in line.tools]}}
        content = stood_in(line.content) if isinstance(line, RecordedFrame) else None
        response = response_in(JsonText(value=content), exchange.request)
        if response:
            return {"error": response.error} if response.is_error else {"result": response.result}
        return _refused(INVALID_PARAMS, "The recording has changed since it was opened")


def _of_page(line: RecordedCall) -> JsonObject:
    """The return value of a page's tool as an MCP result, because a page may return any value."""
    if line.is_error:
        return {"result": {"content": [_block(stood_in({"error": line.outcome}))], "isError": True}}
    returned = value_at(stood_in({"result": line.outcome}), "result")
    if isinstance(returned, dict) and isinstance(returned.get("content"), list):
        return {"result": returned}
    return {"result": {"content": [_block(returned)]}}


def _block(value: Json) -> JsonObject:
    return text_block(value if isinstance(value, str) else dump_text(value))


def _asked_for(request: Request) -> Json:
    """The parameters by which requests are compared: arguments, or all parameters except `_meta`."""
    params = request.params
    if not isinstance(params, dict):
        return {}
    if request.method in {CALL, GET}:
        return params.get("arguments", {})
    return {key: value for key, value in params.items() if key != "_meta"}


def _name(request: Request) -> str:
    """The name or URI of a called, read or fetched item; empty for any other request."""
    key = "uri" if request.method == READ else "name"
    return (text_at(request.params, key) or "") if request.method in _NAMED else ""


def _distance(recorded: Json, wanted: Json) -> int:
    """The number of differences between two values. A withheld value counts as equal to any other value."""
    if equal(recorded, wanted):
        return 0
    return sum(not is_marker(change.before) for change in changes(recorded, wanted))


def _refused(code: int, message: str) -> JsonObject:
    return {"error": {"code": code, "message": message}}


def _error(request_id: Json, code: int, message: str) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request_id, **_refused(code, message)}
