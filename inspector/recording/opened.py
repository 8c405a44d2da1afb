"""A recording that is looked into, and what was recorded in it."""

from dataclasses import dataclass

from inspector.protocol.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget, Target
from inspector.recording.format import Header

SUFFIX = ".jsonl"
"""Of a recording's name, as a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRecording:
    """A file, by its name and its first line."""

    path: str
    header: Header
    identity: str | None = None
    """A file with the age identity that opens the sealed frames beside it; None to leave them closed."""

    def __str__(self) -> str:
        return self.path.rpartition("/")[2] or self.path

    @property
    def target(self) -> Target:
        """What was recorded, as far as the recording names it: for showing, never for connecting."""
        name = self.header.target
        match self.header.kind:
            case "demo":
                return DemoTarget()
            case "http" | "sse" as kind:
                return HttpTarget(url=name, older_sse=kind == "sse")
            case "page":
                return PageTarget(url=name.removeprefix("web+"))
            case _:
                return StdioTarget(command=(name,))
