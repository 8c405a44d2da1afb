"""The texts that reach a model before its first call: the server's instructions, tools, prompts and skills.

Source: MCP 2025-11-25 and 2026-07-28, `instructions`, Tools and Prompts. How hosts use instructions and
prompts was not observed.
"""

from enum import StrEnum

from msgspec import Struct

from inspector.boundary.bounded import Level
from inspector.hosts.definitions.projection import NOT_OBSERVED, project_definition
from inspector.hosts.profile import Host
from inspector.hosts.registry import hosts
from inspector.hosts.tokens import ESTIMATED, Tokenizer
from inspector.json.exact import dump_text
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool

INSTRUCTIONS_NOT_OBSERVED = "what this host does with server instructions was not observed: the specification lets it give them to the model"
SKILLS = "the specification lets hosts give a model the name and description of each skill, to choose from; what this host does was not observed"
PROMPTS = "users choose prompts; few hosts show the list to their model"


class PartKind(StrEnum):
    """The kind of a text that reaches a model before its first call."""

    INSTRUCTIONS = "instructions"
    TOOL = "tool"
    PROMPT = "prompt"
    SKILL = "skill"


class ContextPart(Struct, frozen=True, kw_only=True):
    """One text that a model gets before its first call."""

    kind: PartKind
    name: str
    """The name of a tool or prompt, or the title of a skill. Untrusted text; empty for the instructions."""
    size_bytes: int
    """The size of the text in UTF-8; a definition counts as compact JSON."""
    tokens: int
    item: Tool | Item | None = None
    """The tool, prompt or skill; None for the instructions."""


class Context(Struct, frozen=True, kw_only=True):
    """All texts that reach a model before its first call, at one boundary level, in one host."""

    parts: tuple[ContextPart, ...]
    """The instructions, then tools, prompts and skills; of each kind, the largest first."""
    notes: tuple[str, ...]
    """Sentences for the user about what the host does with the texts, as far as it is known."""
    counted_by: str
    """The method of counting tokens, in words for the user."""

    def tokens(self, *kinds: PartKind) -> int:
        return sum(part.tokens for part in self.parts if part.kind in kinds)

    @property
    def more(self) -> str:
        """The tokens that lists of prompts and skills add, in words; empty if there are none."""
        lists = [(word, self.tokens(kind)) for kind, word in LISTED.items()]
        return "".join(f"; the list of {word}: {tokens:,} more" for word, tokens in lists if tokens)

    def size_bytes(self, *kinds: PartKind) -> int:
        return sum(part.size_bytes for part in self.parts if part.kind in kinds)


GIVEN = (PartKind.INSTRUCTIONS, PartKind.TOOL)
"""The kinds of text that a model gets before the first call without an action of the user."""
LISTED = {PartKind.PROMPT: "prompts", PartKind.SKILL: "skills"}
"""The kinds of text that a model gets only if the host shows it a list of them, with the plural of each."""


ASSUMED = (
    "? What this host gives its model before the first call was not observed, so it is counted like spec."
)
"""The meaning of `?` in `HostTotal.names`, as a sentence for the user."""


class HostTotal(Struct, frozen=True, kw_only=True):
    """A number of tokens before the first call, and the hosts whose models get that number.

    Lists of prompts and skills are not counted.
    """

    tokens: int
    hosts: tuple[str, ...]
    assumed: frozenset[str] = frozenset()
    """The names, out of `hosts`, of hosts whose handling of definitions or instructions was not observed.

    Their tokens are counted as for the host profile `spec`.
    """

    @property
    def names(self) -> str:
        """The hosts in words, each with `?` if its total is assumed."""
        return ", ".join(f"{name} ?" if name in self.assumed else name for name in self.hosts)


def context_of(
    instructions: str | None,
    catalogue: Catalogue,
    level: Level,
    host: Host,
    tokenizer: Tokenizer = ESTIMATED,
) -> Context:
    """The texts that a server gives the model of `host`. Linear in the size of the definitions. Never raises."""
    parts: list[ContextPart] = []
    notes: list[str] = []
    if instructions:
        parts.append(_part(PartKind.INSTRUCTIONS, "", instructions, tokenizer))
        notes += [] if host.name == "spec" else [INSTRUCTIONS_NOT_OBSERVED]
    shown = [project_definition(tool, level, host) for tool in catalogue.tools]
    tools = [
        _part(PartKind.TOOL, tool.name, dump_text(each.model), tokenizer, tool)
        for tool, each in zip(catalogue.tools, shown, strict=True)
    ]
    notes += dict.fromkeys(note for each in shown if not each.observed for note in each.notes[-1:])
    prompts = [
        _part(PartKind.PROMPT, item.name, dump_text(item.definition), tokenizer, item)
        for item in catalogue.items(Kind.PROMPT)
    ]
    notes += [PROMPTS] if prompts else []
    skills = [
        _part(PartKind.SKILL, item.title or item.name, f"{item.title}: {item.description}", tokenizer, item)
        for item in catalogue.items(Kind.SKILL)
    ]
    notes += [SKILLS] if skills else []
    for each in (tools, prompts, skills):
        parts += sorted(each, key=lambda part: -part.size_bytes)
    return Context(parts=tuple(parts), notes=tuple(notes), counted_by=tokenizer.label)


def _part(
    kind: PartKind, name: str, text: str, tokenizer: Tokenizer, item: Tool | Item | None = None
) -> ContextPart:
    size = len(text.encode("utf-8", "surrogatepass"))
    return ContextPart(kind=kind, name=name, size_bytes=size, tokens=tokenizer.count(text), item=item)


def host_totals(
    instructions: str | None, catalogue: Catalogue, level: Level, tokenizer: Tokenizer = ESTIMATED
) -> tuple[HostTotal, ...]:
    """The numbers of tokens that models of all hosts get before the first call, the smallest first.

    Calls `context_of` for each host.
    """
    found: dict[int, list[str]] = {}
    assumed = set[str]()
    for host in hosts():
        context = context_of(instructions, catalogue, level, host, tokenizer)
        found.setdefault(context.tokens(*GIVEN), []).append(host.name)
        if not {NOT_OBSERVED, INSTRUCTIONS_NOT_OBSERVED}.isdisjoint(context.notes):
            assumed.add(host.name)
    return tuple(
        HostTotal(
            tokens=total, hosts=tuple(found[total]), assumed=frozenset(assumed.intersection(found[total]))
        )
        for total in sorted(found)
    )
