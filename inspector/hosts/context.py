"""What reaches a model before its first call: the server's instructions, the definitions of its tools, its prompts.

Source: MCP 2025-11-25 and 2026-07-28, `instructions`, Tools and Prompts. What hosts do with instructions and prompts was not observed.
"""

from dataclasses import dataclass
from enum import StrEnum

from inspector.boundary.bounded import Level
from inspector.hosts.definitions.projection import project_definition, tokens
from inspector.hosts.profile import Host
from inspector.json.exact import dump
from inspector.protocol.catalogue import Catalogue, Kind

ESTIMATE = "an estimate: bytes / 4"
INSTRUCTIONS_NOT_OBSERVED = "what this host does with server instructions was not observed: the specification lets it give them to the model"
PROMPTS = "users choose prompts; their list reaches a model only where the host shows it"


class PartKind(StrEnum):
    """What a part is."""

    INSTRUCTIONS = "instructions"
    TOOL = "tool"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPart:
    """One text that a model is given."""

    kind: PartKind
    name: str
    """Foreign text; empty for the instructions."""
    size_bytes: int
    """Of the text, or of the definition as compact JSON."""

    @property
    def about_tokens(self) -> int:
        return tokens(self.size_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All of it, at one boundary, in one host."""

    parts: tuple[ContextPart, ...]
    """The instructions, then tools and prompts, the largest first."""
    notes: tuple[str, ...]
    """Sentences for the user."""

    def about_tokens(self, *kinds: PartKind) -> int:
        return sum(part.about_tokens for part in self.parts if part.kind in kinds)

    def size_bytes(self, *kinds: PartKind) -> int:
        return sum(part.size_bytes for part in self.parts if part.kind in kinds)


GIVEN = (PartKind.INSTRUCTIONS, PartKind.TOOL)
"""What a model has before the first call, without the user's doing."""


def context_of(instructions: str | None, catalogue: Catalogue, level: Level, host: Host) -> Context:
    """What a server gives the model of `host`. Linear in the size of the definitions. Never raises."""
    parts: list[ContextPart] = []
    notes: list[str] = []
    if instructions:
        size = len(instructions.encode("utf-8", "surrogatepass"))
        parts.append(ContextPart(kind=PartKind.INSTRUCTIONS, name="", size_bytes=size))
        notes += [] if host.name == "spec" else [INSTRUCTIONS_NOT_OBSERVED]
    shown = [project_definition(tool, level, host) for tool in catalogue.tools]
    tools = [
        ContextPart(kind=PartKind.TOOL, name=tool.name, size_bytes=each.model_bytes)
        for tool, each in zip(catalogue.tools, shown, strict=True)
    ]
    notes += dict.fromkeys(note for each in shown if not each.observed for note in each.notes[-1:])
    prompts = [
        ContextPart(kind=PartKind.PROMPT, name=item.name, size_bytes=len(dump(item.definition)))
        for item in catalogue.items(Kind.PROMPT)
    ]
    notes += [PROMPTS] if prompts else []
    for each in (tools, prompts):
        parts += sorted(each, key=lambda part: -part.size_bytes)
    return Context(parts=tuple(parts), notes=tuple(notes))
