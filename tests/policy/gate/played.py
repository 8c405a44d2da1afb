"""Sessions without a wire: their listings, their answers, and everything that was sent."""

import asyncio
import threading
from collections.abc import Callable

from msgspec.structs import replace

from inspector.boundary.judgement import Judgement
from inspector.json.exact import Json, JsonObject
from inspector.policy.reading import policy_of
from inspector.policy.rules import Policy
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result
from inspector.protocol.targets import HttpTarget, Target
from inspector.session.call_record import CallRecord, Progress
from inspector.session.live import Session
from inspector.session.options import Options

TIMEOUT = Failure(kind=FailureKind.TIMEOUT, detail="no answer within 5 s")
CLEAN: Json = {"content": [{"type": "text", "text": "done"}]}
READS: JsonObject = {"annotations": {"readOnlyHint": True}}
DESTROYS: JsonObject = {"annotations": {"destructiveHint": True}}
RESOLVABLE: JsonObject = {"_meta": {"io.modelcontextprotocol/tool-resolution": {"resolvable": True}}}
OPEN_WORLD: Json = {
    "content": [{"type": "text", "text": "a page"}],
    "_meta": {"annotations": {"openWorldHint": True, "attribution": ["https://news.example/a"]}},
}


def tool(name: str, definition: JsonObject = READS) -> Tool:
    return Tool(name=name, definition={"name": name, "inputSchema": {"type": "object"}, **definition})


def rules(*found: JsonObject) -> Policy:
    """A policy of `{"effect", "conditions"}`, each named by its effect."""
    named: list[Json] = [
        {"name": f"{rule['effect']}-{number}", **rule} for number, rule in enumerate(found, 1)
    ]
    policy = policy_of({"rules": named})
    assert isinstance(policy, Policy), policy
    return policy


def rule(effect: str, fact: str, **test: Json) -> JsonObject:
    return {"effect": effect, "conditions": {"fact": fact, **test}}


class Slow:
    """A rule about answers that takes its time."""

    is_after = True
    effect = "warn"

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def matches(self, _facts: object) -> bool:
        self.begun.set()
        return not self.may_end.wait(timeout=60)


class PlayedSession(Session):
    """Answers from a table: by name of the tool, or `CLEAN`."""

    def __init__(
        self,
        *tools: Tool,
        answers: dict[str, Outcome] | None = None,
        resolved: Outcome = TIMEOUT,
        target: Target | None = None,
    ) -> None:
        super().__init__(target or HttpTarget(url="https://files.example/mcp"), Options())
        self.catalogue = Catalogue(entries={Kind.TOOL: tools})
        self.answers = answers or {}
        self.resolved = resolved
        self.sent: list[tuple[str, JsonObject, JsonObject | None]] = []
        """Every call that was sent: name, arguments, and the annotations about the session."""
        self.asked: list[JsonObject] = []
        """The arguments of every tools/resolve."""
        self.during: Callable[[], None] = lambda: None
        """Called while a call runs."""

    def list_instead(self, *tools: Tool) -> None:
        self.catalogue = Catalogue(entries={Kind.TOOL: tools})

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        timeout_s: float | None = None,
        annotations: JsonObject | None = None,
        meta: JsonObject | None = None,
        number: int | None = None,
    ) -> CallRecord:
        del on_progress, timeout_s, meta
        self.sent.append((name, arguments, annotations))
        await asyncio.sleep(0)
        self.during()
        record = CallRecord(
            number=number or 0,
            name=name,
            arguments=arguments,
            judgement=Judgement(self.answers.get(name, Result(value=CLEAN)), self.catalogue.tool(name)),
            at_s=0.0,
            duration_s=0.01,
            # Large enough to be judged in a thread.
            size_bytes=1_000_000,
        )
        self.calls.append(record)
        return record

    async def resolve(self, tool: Tool, arguments: JsonObject, *, timeout_s: float) -> Outcome:
        del tool, timeout_s
        self.asked.append(arguments)
        return self.resolved

    @property
    def notes(self) -> list[str]:
        """The policy notes in the timeline."""
        return [f"{entry.title}: {entry.detail}" for entry in self.timeline.entries]


def answered(value: Json) -> Result:
    return Result(value=value)


def with_annotations(name: str, annotations: JsonObject, like: Tool) -> Tool:
    return replace(like, name=name, definition=like.definition | {"annotations": annotations})
