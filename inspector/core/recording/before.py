"""What a recording that begins in the middle of a session keeps of the frames before it."""

from collections.abc import Iterable

from inspector.core.frames import Direction, Frame, Notification, Request, Response, messages, request_key
from inspector.core.recording.definitions import OF_THE_SERVER


def needed_of(frames: Iterable[Frame]) -> frozenset[int]:
    """Numbers of the frames that what comes is read by: the handshake, the listings, and requests without an answer so far."""
    needed = set[int]()
    waiting: dict[str, tuple[int, bool]] = {}
    for frame in frames:
        found = messages(frame.body)
        is_needed = bool(found)
        for message in found:
            match message:
                case Request() if frame.direction is Direction.SENT:
                    is_ours = message.method in OF_THE_SERVER
                    waiting[request_key(message.id)] = (frame.number, is_ours)
                    is_needed = is_needed and is_ours
                case Response() if frame.direction is Direction.RECEIVED:
                    _, is_ours = waiting.pop(request_key(message.id), (0, False))
                    is_needed = is_needed and is_ours
                case Notification(method="notifications/initialized"):
                    pass
                case _:
                    is_needed = False
        if is_needed:
            needed.add(frame.number)
        if frame.ends is not None:
            waiting.pop(frame.ends, None)
    return frozenset(needed | {number for number, _ in waiting.values()})
