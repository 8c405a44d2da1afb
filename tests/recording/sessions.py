"""Sessions built from frames, and the recordings of them."""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject, dump, parse
from inspector.protocol.exchanges import Matched, matched
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.recording.codec import written
from inspector.recording.files import Recorder
from inspector.recording.format import Header, Lenses, RecordedFrame, RecordedTarget
from inspector.recording.scribe import Scribe

KEY = b"k" * 32
HEADER = Header(
    created="2026-11-21T00:00:00Z",
    software="mcp-sightline 0",
    recorded=RecordedTarget(kind="demo", name="demo"),
    lenses=Lenses(),
)
TOOL: JsonObject = {
    "name": "get_key",
    "inputSchema": {
        "type": "object",
        "properties": {"pin": {"type": "string", "x-sensitive": True}, "q": {"type": "string"}},
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "key": {"type": "string", "x-sensitive": True},
        },
    },
}
OTHER: JsonObject = {"name": "other", "inputSchema": {"type": "object"}}


class Wire:
    """Frames of one connection, in order."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    @property
    def matched(self) -> list[Matched]:
        return list(matched(self.frames))

    def frame(
        self,
        direction: Direction,
        raw: bytes,
        channel: Channel = Channel.STDIO,
        *,
        ends: str | None = None,
        failure: str = "",
    ) -> Frame:
        number = len(self.frames) + 1
        body = parse(raw) if channel in {Channel.STDIO, Channel.HTTP, Channel.CDP} else None
        frame = Frame(
            number=number,
            at_s=number / 8,
            direction=direction,
            channel=channel,
            raw=raw,
            body=body,
            ends=ends,
            failure=failure,
        )
        self.frames.append(frame)
        return frame

    def sent(self, method: str, params: JsonObject, request_id: Json) -> Frame:
        message: JsonObject = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        return self.frame(Direction.SENT, dump(message))

    def received(self, message: JsonObject) -> Frame:
        return self.frame(Direction.RECEIVED, dump({"jsonrpc": "2.0", **message}))

    def listed(self, *tools: JsonObject) -> None:
        request_id = f"list-{len(self.frames)}"
        self.sent("tools/list", {}, request_id)
        self.received({"id": request_id, "result": {"tools": [*tools]}})

    def called(self, name: str, arguments: JsonObject, request_id: Json = 7) -> Frame:
        return self.sent("tools/call", {"name": name, "arguments": arguments}, request_id)

    def logged(self, text: Json) -> Frame:
        return self.received({"method": "notifications/message", "params": {"level": "info", "data": text}})

    def answered(self, result: Json, request_id: Json = 7) -> Frame:
        return self.received({"id": request_id, "result": result})

    def stderr(self, text: str) -> Frame:
        return self.frame(Direction.RECEIVED, text.encode(), Channel.STDERR)

    def note(self, text: str, ends: str | None = None, failure: str = "") -> Frame:
        return self.frame(Direction.RECEIVED, text.encode(), Channel.NOTE, ends=ends, failure=failure)


def scribed(
    frames: Iterable[Frame],
    lenses: Lenses | None = None,
    secrets: Iterable[str] = (),
    *,
    finish: bool = True,
) -> list[JsonObject]:
    """The lines after the header."""
    scribe = Scribe(KEY, lenses or Lenses(), secrets=secrets)
    lines = [written(line) for frame in matched(frames) for line in scribe.take(frame)]
    return [*lines, *(written(line) for line in scribe.finish())] if finish else lines


def text_of(lines: Iterable[JsonObject]) -> str:
    return "\n".join(dump(line).decode("utf-8", "surrogatepass") for line in lines)


def bodies(lines: Iterable[JsonObject]) -> dict[int, Json]:
    """The recorded body of each frame, by its number."""
    return {int(str(line["frame"])): line.get("body", line.get("text")) for line in lines if "frame" in line}


def recorded_to(path: Path, frames: Iterable[Frame], header: Header = HEADER) -> Path:
    recorder = Recorder(path, header)
    for frame in matched(frames):
        recorder.frame(frame)
    recorder.close()
    assert not recorder.failure
    return path


def conversation() -> Wire:
    """A listing, and one call whose result is partly withheld."""
    wire = Wire()
    wire.listed(TOOL)
    wire.called("get_key", {"pin": "943102", "q": "x"})
    structured: JsonObject = {"id": "one", "key": "CANARY-4711-abcdef"}
    wire.answered(
        {
            "content": [
                {"type": "text", "text": dump(structured).decode()},
                {"type": "text", "text": "done"},
            ],
            "structuredContent": structured,
        }
    )
    return wire


def as_two_clients(path: Path) -> Path:
    """A recording in which the server knows the client by one profile, then by another, and lists other tools."""
    recorder = Recorder(path, replace(HEADER, client="full"))
    for client, tools in (
        ("full", (TOOL, OTHER)),
        ("full", (TOOL, OTHER)),
        ("none", (TOOL,)),
        ("none", (TOOL,)),
    ):
        recorder.connect(client=client)
        wire = Wire()
        wire.listed(*tools)
        for frame in wire.matched:
            recorder.frame(frame)
    recorder.close()
    assert not recorder.failure
    return path


def is_frame(line: object) -> bool:
    return isinstance(line, RecordedFrame)
