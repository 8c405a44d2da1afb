"""What a server offers: decoded item by item, so that one bad item never costs the others."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Malformed
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol.page import PageFacts, Refused


class Kind(StrEnum):
    """The four lists of MCP, by the member that carries them."""

    TOOL = "tools"
    RESOURCE = "resources"
    TEMPLATE = "resourceTemplates"
    PROMPT = "prompts"

    @property
    def method(self) -> str:
        return {
            Kind.TOOL: "tools/list",
            Kind.RESOURCE: "resources/list",
            Kind.TEMPLATE: "resources/templates/list",
            Kind.PROMPT: "prompts/list",
        }[self]

    @property
    def identity(self) -> str:
        return {Kind.RESOURCE: "uri", Kind.TEMPLATE: "uriTemplate"}.get(self, "name")

    @property
    def capability(self) -> str:
        return {Kind.TOOL: "tools", Kind.PROMPT: "prompts"}.get(self, "resources")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool, by its definition as it was on the wire."""

    name: str
    """What it is called by here. Of a page's tools that share a name, each has its host behind the name."""
    definition: JsonObject
    """Of a page's tool: what it declared and what the browser keeps, joined."""
    page: PageFacts | None = None
    """Where it comes from, for a tool of a page."""

    @property
    def title(self) -> str | None:
        """The title a host would show: the tool's own, else the one among its annotations."""
        own = text_at(self.definition, "title")
        return text_at(self.annotations, "title") if own is None else own

    @property
    def description(self) -> str | None:
        return text_at(self.definition, "description")

    @property
    def input_schema(self) -> Json:
        return self.definition.get("inputSchema")

    @property
    def output_schema(self) -> Json:
        return self.definition.get("outputSchema")

    @property
    def annotations(self) -> JsonObject:
        return object_at(self.definition, "annotations")

    @property
    def needs_task(self) -> bool:
        """Whether it can only be called as a task. Source: MCP 2025-11-25, `execution.taskSupport`."""
        return self.page is None and value_at(self.definition, "execution", "taskSupport") == "required"

    @property
    def meta(self) -> JsonObject:
        return object_at(self.definition, "_meta")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A resource, a template or a prompt, by its definition as it was on the wire."""

    kind: Kind
    name: str
    definition: JsonObject


Entry: TypeAlias = Tool | Item | Malformed


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All that a server listed, malformed items among the good ones, in the order sent."""

    entries: dict[Kind, tuple[Entry, ...]] = field(default_factory=dict[Kind, tuple[Entry, ...]])
    problems: tuple[Malformed, ...] = ()
    """What was wrong with a listing as a whole: a page that is no object, a cursor that repeats."""
    pages: dict[Kind, tuple[JsonObject, ...]] = field(default_factory=dict[Kind, tuple[JsonObject, ...]])
    """What the pages of each list say beside their items, as sent: `ttlMs`, `cacheScope`, `_meta`, whatever else."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(entry for entry in self.entries.get(Kind.TOOL, ()) if isinstance(entry, Tool))

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """Every item that could not be read, and every problem with a listing."""
        items = (
            entry
            for entries in self.entries.values()
            for entry in entries
            if isinstance(entry, Malformed) and not isinstance(entry, Refused)
        )
        return (*items, *self.problems)

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The tools that a page declared and its browser refused."""
        return tuple(entry for entry in self.entries.get(Kind.TOOL, ()) if isinstance(entry, Refused))

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def sharing(self, name: str) -> tuple[Tool, ...]:
        """The tools of a page that share this name, and are listed under longer ones."""
        if any(tool.name == name for tool in self.tools):
            return ()
        return tuple(
            tool for tool in self.tools if tool.page is not None and tool.definition.get("name") == name
        )


def decode_page(kind: Kind, result: Json) -> tuple[Entry, ...] | Malformed:
    """The items of one page of a listing; pointers are into `result`."""
    if not isinstance(result, dict):
        return Malformed(pointer="", reason=f"the {kind.method} result is no object", value=result)
    items = result.get(kind.value)
    if not isinstance(items, list):
        problem = "is missing" if kind.value not in result else "is no list"
        return Malformed(pointer=f"/{kind.value}", reason=f"`{kind.value}` {problem}", value=items)
    return tuple(_decode(kind, item, f"/{kind.value}/{index}") for index, item in enumerate(items))


MAX_PAGES = 10_000


class Listing:
    """One list while its pages come in. What is wrong with a page is kept in `problems`, and ends the list."""

    def __init__(self, kind: Kind, objection: Callable[[Tool], str | None] = lambda _: None) -> None:
        """`objection`: why a well-formed tool must not be called."""
        self.kind = kind
        self._objection = objection
        self.entries: list[Entry] = []
        self.problems: list[Malformed] = []
        self.pages: list[JsonObject] = []
        """What each page says beside its items."""
        self._cursor: Json = None
        self._seen: set[str] = set()
        self._taken: set[str] = set()
        self._pages = 0
        self._ended = False

    def next_params(self) -> JsonObject | None:
        """The parameters that ask for the next page; None where there is none to ask for."""
        if self._ended:
            return None
        return {} if self._cursor is None else {"cursor": self._cursor}

    def take(self, result: Json) -> None:
        page = decode_page(self.kind, result)
        self._pages += 1
        if isinstance(result, dict):
            self.pages.append({key: value for key, value in result.items() if key != self.kind.value})
        if isinstance(page, Malformed):
            self.problems.append(page)
        else:
            self.entries.extend(self._callable(entry) for entry in page)
        cursor = value_at(result, "nextCursor")
        self._ended = cursor is None
        if cursor is None:
            return
        problem = self._cursor_problem(cursor)
        if problem:
            self._ended = True
            self.problems.append(Malformed(pointer="/nextCursor", reason=problem, value=cursor))
        else:
            self._cursor = cursor
            self._seen.add(str(cursor))

    def _callable(self, entry: Entry) -> Entry:
        """The entry; malformed if an earlier tool has its name, or if there is an objection."""
        if not isinstance(entry, Tool):
            return entry
        pointer, reason = (
            "/name",
            "the name is taken by an earlier tool" if entry.name in self._taken else None,
        )
        if reason is None:
            pointer, reason = "/inputSchema", self._objection(entry)
        if reason is not None:
            return Malformed(pointer=pointer, reason=reason, value=entry.definition, name=entry.name)
        self._taken.add(entry.name)
        return entry

    def _cursor_problem(self, cursor: Json) -> str:
        if not isinstance(cursor, str):
            return "`nextCursor` is no string: the pages behind it were not asked for"
        if cursor in self._seen:
            return "`nextCursor` repeats an earlier one: the pages go round in a circle"
        if self._pages >= MAX_PAGES:
            return f"more than {MAX_PAGES} pages: the rest was not asked for"
        return ""


def _decode(kind: Kind, value: Json, pointer: str) -> Entry:
    if isinstance(value, DuplicateKeys):
        keys = ", ".join(value.repeated)
        return Malformed(
            pointer=pointer,
            reason=f"names a key twice: {keys}",
            value=value,
            name=text_at(dict(value.pairs), "name"),
        )
    if not isinstance(value, dict):
        return Malformed(pointer=pointer, reason="is no object", value=value)
    name = value.get(kind.identity)
    if not isinstance(name, str) or not name:
        problem = "is missing" if kind.identity not in value else "is not a non-empty string"
        return Malformed(
            pointer=f"{pointer}/{kind.identity}", reason=f"`{kind.identity}` {problem}", value=value
        )
    if kind is not Kind.TOOL:
        return Item(kind=kind, name=name, definition=value)
    fault = _tool_fault(value)
    if fault:
        at, reason = fault
        return Malformed(pointer=pointer + at, reason=reason, value=value, name=name)
    return Tool(name=name, definition=value)


def _tool_fault(definition: JsonObject) -> tuple[str, str] | None:
    """What makes a tool uncallable. A malformed hint does not: it is a claim, kept and shown."""
    if "inputSchema" not in definition:
        return "/inputSchema", "`inputSchema` is missing"
    schema = definition["inputSchema"]
    if isinstance(schema, DuplicateKeys):
        return "/inputSchema", f"`inputSchema` names a key twice: {', '.join(schema.repeated)}"
    if not isinstance(schema, dict):
        return "/inputSchema", "`inputSchema` is no object"
    return None
