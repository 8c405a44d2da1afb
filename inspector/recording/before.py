"""What a recording that begins in the middle of a session keeps of the frames before it."""

from collections.abc import Iterable

from inspector.protocol.exchanges import Answered, Asked, Event, GivenUp, Matched
from inspector.protocol.frames import Direction, Notification
from inspector.recording.definitions import OF_THE_SERVER


def needed_of(before: Iterable[Matched]) -> frozenset[int]:
    """Numbers of the frames that later frames are read by: the handshake, the listings, and requests that are still open."""
    needed = set[int]()
    waiting = dict[tuple[int, str], int]()
    for matched in before:
        for event in matched.events:
            match event:
                case Asked(exchange=exchange) if exchange.asked_by is Direction.SENT:
                    waiting[exchange.frame, exchange.key] = matched.frame.number
                case Answered(exchange=exchange) | GivenUp(exchange=exchange):
                    waiting.pop((exchange.frame, exchange.key), None)
                case _:
                    pass
        if matched.events and all(map(_is_needed, matched.events)):
            needed.add(matched.frame.number)
    return frozenset(needed | set(waiting.values()))


def _is_needed(event: Event) -> bool:
    match event:
        case Asked(exchange=exchange) | Answered(exchange=exchange):
            return exchange.asked_by is Direction.SENT and exchange.request.method in OF_THE_SERVER
        case Notification(method=method):
            return method == "notifications/initialized"
        case _:
            return False
