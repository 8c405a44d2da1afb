"""Matches requests with their answers, once, while frames come in.

The rules, for both directions:

- An answer belongs to the open request with its id. `request_key` makes ids comparable: 7 and "7" are the same id.
- An error without an id belongs to the request whose HTTP response carried it, or else to the only open request.
  A subscription stays open for as long as the session does, so it is not counted.
- A request that is given up is closed. An answer to it that still arrives is late.
- Any other answer, such as a second one, belongs to no request.
- A request about a task belongs to the request that the other side turned into that task.

Source: JSON-RPC 2.0, section 5; MCP 2025-11-25 and 2026-07-28, Base Protocol.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from inspector.json.exact import JsonObject, JsonText, Malformed
from inspector.json.members import text_at
from inspector.protocol.calls import called
from inspector.protocol.frames import (
    Channel,
    Direction,
    Frame,
    Message,
    Notification,
    Request,
    Response,
    messages,
    request_key,
)
from inspector.protocol.tasks import METHODS as TASKS
from inspector.protocol.tasks import OF_SERVERS, Ending, TaskHandle, ending_in, handle_in, outcome_of

SUBSCRIBE = "subscriptions/listen"
_NO_ID = request_key(None)

Waiting = TypeVar("Waiting")


class Exchange(Struct, frozen=True, kw_only=True):
    """A request that was sent or received, which an answer may end later."""

    request: Request
    asked_by: Direction
    """`SENT` for a request by Sightline, `RECEIVED` for one by the server."""
    frame: int
    """The number of the frame that carries the request."""
    at_s: float
    call: "Exchange | None" = None
    """For a request about a task: the request that became the task, which is a call or a request by the server."""

    @property
    def key(self) -> str:
        return request_key(self.request.id)

    @property
    def is_lasting(self) -> bool:
        """True if the request is a subscription, which is answered only when it ends."""
        return self.asked_by is Direction.SENT and self.request.method == SUBSCRIBE


class Asked(Struct, frozen=True, kw_only=True):
    """A request that opens an exchange."""

    exchange: Exchange


class Answered(Struct, frozen=True, kw_only=True):
    """A response that ends an exchange."""

    exchange: Exchange
    response: Response


class GivenUp(Struct, frozen=True, kw_only=True):
    """The end of an exchange without an answer. The frame of this event, a note, holds the reason."""

    exchange: Exchange


class Late(Struct, frozen=True, kw_only=True):
    """A response that came after its exchange was given up."""

    exchange: Exchange
    response: Response


class Unasked(Struct, frozen=True, kw_only=True):
    """A response that belongs to no open request."""

    response: Response


Event: TypeAlias = Asked | Answered | GivenUp | Late | Unasked | Notification | Malformed


class Matched(Struct, frozen=True, kw_only=True):
    """A frame, with one event for each message in it.

    A note has one event if it ends a request, otherwise none.
    """

    frame: Frame
    events: tuple[Event, ...]


class Matcher(Generic[Waiting]):
    """Stores the open requests by direction and id, and applies the matching rules to answers.

    For each request, it stores a value that the caller gives.
    """

    def __init__(self) -> None:
        self._open: dict[tuple[Direction, str], Waiting] = {}
        self._lasting: set[tuple[Direction, str]] = set()
        self._given_up: dict[tuple[Direction, str], Waiting] = {}

    def ask(self, asked_by: Direction, key: str, waiting: Waiting, *, method: str = "") -> None:
        """Open a request, and store `waiting` for it. It replaces an open request with the same id."""
        place = (asked_by, key)
        self._open[place] = waiting
        self._given_up.pop(place, None)
        if method == SUBSCRIBE:
            self._lasting.add(place)
        else:
            self._lasting.discard(place)

    def answer(
        self, asked_by: Direction, key: str, *, is_error: bool, response_to: str | None = None
    ) -> tuple[Waiting, bool] | None:
        """Close the request that an answer belongs to.

        Returns the value that is stored for the request, and whether the answer is late; None if the answer
        belongs to no request.

        `response_to`: the key of the request whose HTTP response carried the answer.
        """
        place = (asked_by, key)
        if is_error and key == _NO_ID and place not in self._open:
            place = self._without_id(asked_by, response_to) or place
        if place in self._open:
            self._lasting.discard(place)
            return self._open.pop(place), False
        if place in self._given_up:
            return self._given_up.pop(place), True
        return None

    def give_up(self, asked_by: Direction, key: str) -> Waiting | None:
        """Close a request without an answer. Returns the value stored for it; None if it is not open."""
        place = (asked_by, key)
        if place not in self._open:
            return None
        self._lasting.discard(place)
        self._given_up[place] = self._open[place]
        return self._open.pop(place)

    def clear(self) -> None:
        """Forget all requests, because the server was reconnected and ids start again."""
        self._open.clear()
        self._lasting.clear()
        self._given_up.clear()

    def _without_id(self, asked_by: Direction, response_to: str | None) -> tuple[Direction, str] | None:
        if response_to is not None:
            carried = (asked_by, response_to)
            return carried if carried in self._open or carried in self._given_up else None
        counted = [place for place in self._open if place[0] is asked_by and place not in self._lasting]
        return counted[0] if len(counted) == 1 else None


class Exchanges:
    """Matches the frames of one session, which must be given in order.

    All code that reads answers uses the events of this class.
    """

    def __init__(self) -> None:
        self._matcher = Matcher[Exchange]()
        self._tasks: dict[tuple[Direction, str], Exchange] = {}
        """The request that became each task, by the direction of the request and the id of the task. Kept across a
        reconnection, because the server may still know the task."""

    def take(self, frame: Frame) -> Matched:
        if frame.channel is Channel.NOTE:
            return Matched(frame=frame, events=tuple(self._ended(frame)))
        parts = messages(frame.body, is_cdp=frame.channel is Channel.CDP)
        if len(parts) == 1:
            # Most frames have one message.
            return Matched(frame=frame, events=(self._event(frame, parts[0]),))
        return Matched(frame=frame, events=tuple(self._event(frame, message) for message in parts))

    def connect(self) -> None:
        """Forget open requests, because the server was reconnected and will not answer them."""
        self._matcher.clear()

    def _ended(self, frame: Frame) -> Iterator[GivenUp]:
        if frame.ends is None:
            return
        exchange = self._matcher.give_up(frame.direction.opposite, frame.ends)
        if exchange:
            yield GivenUp(exchange=exchange)

    def _event(self, frame: Frame, message: Message) -> Event:
        match message:
            case Request():
                exchange = Exchange(
                    request=message,
                    asked_by=frame.direction,
                    frame=frame.number,
                    at_s=frame.at_s,
                    call=self._call_of(frame.direction, message),
                )
                self._matcher.ask(frame.direction, exchange.key, exchange, method=message.method)
                return Asked(exchange=exchange)
            case Response():
                asked_by = frame.direction.opposite
                closed = self._matcher.answer(
                    asked_by,
                    request_key(message.id),
                    is_error=message.is_error,
                    response_to=frame.response_to,
                )
                if closed is None:
                    return Unasked(response=message)
                exchange, is_late = closed
                handle = None if is_late else task_of(exchange, message)
                if handle:
                    self._tasks[asked_by, handle.id] = exchange
                return (Late if is_late else Answered)(exchange=exchange, response=message)
            case Notification() | Malformed():
                return message

    def _call_of(self, asked_by: Direction, request: Request) -> Exchange | None:
        if request.method not in TASKS:
            return None
        return self._tasks.get((asked_by, text_at(request.params, "taskId") or ""))


def task_of(exchange: Exchange, response: Response) -> TaskHandle | None:
    """The handle of the task that a response makes of its request; None if the response makes no task."""
    request = exchange.request
    if exchange.asked_by is Direction.RECEIVED:
        may_be = request.method in OF_SERVERS
    else:
        may_be = called(request.method, request.params) is not None
    return handle_in(response.result) if may_be else None


def ending_of(exchange: Exchange, response: Response) -> Ending | None:
    """The outcome of a request that became a task, if the response reports it; otherwise None."""
    return ending_in(exchange.request.method, outcome_of(response)) if exchange.call else None


def answered_by(exchange: Exchange, response: Response) -> Request:
    """The request that a response answers.

    If the response ends a task, this is the request of which the task was made.
    """
    return exchange.call.request if exchange.call and ending_of(exchange, response) else exchange.request


def matched(frames: Iterable[Frame]) -> Iterator[Matched]:
    """Yield each frame with the requests and responses in it, paired.

    `frames` must begin with the first frame of a session.
    """
    exchanges = Exchanges()
    return (exchanges.take(frame) for frame in frames)


def response_in(body: JsonText | Malformed | None, key: str) -> Response | None:
    """The response with the id `key` in a body; else the first error without an id; else None.

    `body`: must be known to answer the request with that id.
    """
    responses = [message for message in messages(body) if isinstance(message, Response)]
    own = next((response for response in responses if request_key(response.id) == key), None)
    return own or next((response for response in responses if _is_without_id(response)), None)


def _is_without_id(response: Response) -> bool:
    return response.is_error and response.id is None


def message_of(event: Event) -> Message | None:
    """The message that an event is about; None for `GivenUp`."""
    match event:
        case Asked(exchange=exchange):
            return exchange.request
        case Answered(response=response) | Late(response=response) | Unasked(response=response):
            return response
        case GivenUp():
            return None
        case Notification() | Malformed():
            return event


def own_answer(event: Event) -> tuple[Request, JsonObject] | None:
    """A request by Sightline and the result object that answers it.

    None for an error and for every other event.
    """
    if not isinstance(event, Answered) or event.exchange.asked_by is not Direction.SENT:
        return None
    result = event.response.result
    return (event.exchange.request, result) if isinstance(result, dict) else None
