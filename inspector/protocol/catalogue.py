"""A server's catalogue, decoded item by item, so that one malformed item does not affect the others."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.json.exact import DuplicateKeys, Json, JsonObject, Malformed
from inspector.json.members import object_at, text_at, value_at
from inspector.protocol import skills
from inspector.protocol.page import PageFacts, RefusedTool


class Kind(StrEnum):
    """The kinds of items that MCP and its skills extension list.

    Each value is the member of a listing's result that holds the items.
    """

    TOOL = "tools"
    RESOURCE = "resources"
    TEMPLATE = "resourceTemplates"
    PROMPT = "prompts"
    SKILL = "skills"

    @property
    def method(self) -> str:
        return {
            Kind.TOOL: "tools/list",
            Kind.RESOURCE: "resources/list",
            Kind.TEMPLATE: "resources/templates/list",
            Kind.PROMPT: "prompts/list",
            Kind.SKILL: skills.LIST,
        }[self]

    @property
    def identity(self) -> str:
        return {Kind.RESOURCE: "uri", Kind.TEMPLATE: "uriTemplate", Kind.SKILL: "uri"}.get(self, "name")

    def is_announced(self, capabilities: Json) -> bool:
        """True if a server with these capabilities announces items of this kind.

        If the capabilities are not an object, every kind but skills counts as announced.
        """
        if self is Kind.SKILL:
            return value_at(capabilities, "extensions", skills.EXTENSION) is not None
        capability = {Kind.TOOL: "tools", Kind.PROMPT: "prompts"}.get(self, "resources")
        return not isinstance(capabilities, dict) or capability in capabilities


class Tool(Struct, frozen=True, kw_only=True):
    """A tool, with its definition as sent."""

    name: str
    """The name by which Sightline calls the tool.

    If tools of a page share a name, the document's host and, if needed, the frame's position are added.
    """
    definition: JsonObject
    """The definition as sent. That of a page's tool joins what the page declared and the browser stores."""
    page: PageFacts | None = None
    """The source of a page's tool; None for a tool of a server."""
    item: "Item | None" = None
    """The resource, template, prompt or skill that this tool wraps; None for a real tool."""

    @property
    def kind(self) -> Kind:
        return self.item.kind if self.item else Kind.TOOL

    @property
    def label(self) -> str:
        """The identifier of the tool or item on the server: a name, a URI or a URI template."""
        return self.item.name if self.item else self.name

    @property
    def title(self) -> str | None:
        """The title that a host would show: `title` of the tool, otherwise `title` in its annotations."""
        own = text_at(self.definition, "title")
        return text_at(self.annotations, "title") if own is None else own

    @property
    def description(self) -> str | None:
        return self.item.description if self.item else text_at(self.definition, "description")

    @property
    def input_schema(self) -> Json:
        return self.item.input_schema if self.item else self.definition.get("inputSchema")

    @property
    def output_schema(self) -> Json:
        return None if self.item else self.definition.get("outputSchema")

    @property
    def annotations(self) -> JsonObject:
        return object_at(self.definition, "annotations")

    @property
    def needs_task(self) -> bool:
        """True if the tool can only be called as a task. Source: MCP 2025-11-25, `execution.taskSupport`."""
        return (
            self.page is self.item is None
            and value_at(self.definition, "execution", "taskSupport") == "required"
        )

    @property
    def meta(self) -> JsonObject:
        return object_at(self.definition, "_meta")


class Item(Struct, frozen=True, kw_only=True):
    """A resource, a template, a prompt or a skill, with its definition as sent."""

    kind: Kind
    name: str
    definition: JsonObject
    skills: tuple[JsonObject, ...] = ()
    """For a skill, or a file of a skill: the skill's entries, as the server sent them; otherwise empty.

    The content of the file is verified against each entry.
    """

    @property
    def handle(self) -> str:
        """The name by which Sightline calls the item, such as `prompts/get NAME`. No tool has such a name.

        A skill has the handle of the resource that is its `SKILL.md`.
        """
        return f"{_HANDLES[self.kind]}{self.name}"

    @property
    def listed_as(self) -> str:
        """A unique key of the definition: the handle, except for skills, which may be listed as resources too."""
        return f"{_SKILL_LISTED}{self.name}" if self.kind is Kind.SKILL else self.handle

    @property
    def description(self) -> str | None:
        return text_at(self._described, "description")

    @property
    def title(self) -> str | None:
        """The name that a resource or skill has in addition to its URI."""
        return text_at(self._described, "name")

    @property
    def _described(self) -> Json:
        return self.definition.get("frontmatter") if self.kind is Kind.SKILL else self.definition

    @property
    def input_schema(self) -> JsonObject:
        """The arguments of a prompt, or the variables of a template, as a JSON schema."""
        match self.kind:
            case Kind.PROMPT:
                return _prompt_schema(self.definition.get("arguments"))
            case Kind.TEMPLATE:
                return _template_schema(self.name)
            case _:
                return {"type": "object", "properties": {}, "additionalProperties": False}

    @property
    def takes_arguments(self) -> bool:
        """True for a template with variables, and for a prompt with arguments, even if they are unreadable."""
        return bool(self.input_schema["properties"]) or (
            self.kind is Kind.PROMPT and bool(self.definition.get("arguments"))
        )

    @property
    def as_tool(self) -> Tool:
        """The item as a `Tool`, so that the code for tools can call, judge and show the item."""
        return Tool(name=self.handle, definition=self.definition, item=self)

    @property
    def as_listed(self) -> Tool:
        """The item as a `Tool` whose name is `listed_as`."""
        return Tool(name=self.listed_as, definition=self.definition, item=self)

    @property
    def as_call(self) -> tuple[str, Tool]:
        """The handle of the item, and the item as a `Tool`."""
        return self.handle, self.as_tool


_HANDLES = {
    Kind.RESOURCE: "resources/read ",
    Kind.TEMPLATE: "resources/templates ",
    Kind.PROMPT: "prompts/get ",
    Kind.SKILL: "resources/read ",
}
_SKILL_LISTED = "skills/list "


def unlisted(kind: Kind, name: str) -> Item:
    """Make an item that the server does not list, or a skill whose entry is not known."""
    return Item(kind=kind, name=name, definition={kind.identity: name})


def item_of(handle: str) -> Item | None:
    """The item that a handle names, without its definition; a skill is returned as a resource.

    None if `handle` is the name of a tool.
    """
    found = (
        (kind, handle.removeprefix(prefix)) for kind, prefix in _HANDLES.items() if handle.startswith(prefix)
    )
    return next((unlisted(kind, name) for kind, name in found), None)


def skill_listed_as(name: str) -> str | None:
    """The URI of the skill whose `Item.listed_as` is `name`; None if `name` is anything else."""
    return name.removeprefix(_SKILL_LISTED) if name.startswith(_SKILL_LISTED) else None


def skill_in(result: Json) -> tuple[Item, ...]:
    """The skill in an answer to `skills/get`; empty if the answer has none."""
    entry = result.get("skill") if isinstance(result, dict) else None
    uri = text_at(entry, "uri")
    if not isinstance(entry, dict) or not uri:
        return ()
    return (Item(kind=Kind.SKILL, name=uri, definition=entry, skills=(entry,)),)


def as_skill_file(item: Item, known: Iterable[Item]) -> Item:
    """A copy of `item` with the skill entries that apply to it.

    If the resource is a skill's own `SKILL.md`, it becomes that skill. If it is a file of a skill, it gets
    the entries of that skill. Any other item is returned unchanged. `known`: the skills whose entries are
    known.
    """
    if item.kind is not Kind.RESOURCE:
        return item
    held = skills.holding(item.name, ((skill.name, skill.definition) for skill in known))
    if not held:
        return item
    own = next((entry for entry in held if entry.get("uri") == item.name), None)
    return replace(
        item,
        kind=Kind.RESOURCE if own is None else Kind.SKILL,
        definition=item.definition if own is None else own,
        skills=held,
    )


def _prompt_schema(arguments: Json) -> JsonObject:
    properties: JsonObject = {}
    required: list[Json] = []
    for argument in arguments if isinstance(arguments, list) else ():
        name = text_at(argument, "name")
        if name is None:
            continue
        words = {key: text_at(argument, key) for key in ("title", "description")}
        properties[name] = {
            "type": "string",
            **{key: text for key, text in words.items() if text is not None},
        }
        if value_at(argument, "required") is True and name not in required:
            required.append(name)
    return _object_schema(properties, required)


def _template_schema(template: str) -> JsonObject:
    from inspector.protocol.templates import variables  # noqa: PLC0415 - few servers have templates

    found = variables(template)
    properties: JsonObject = {
        each.name: {"type": ["string", "array", "object"] if each.is_exploded else "string"} for each in found
    }
    return _object_schema(properties, [each.name for each in found if each.is_required])


def _object_schema(properties: JsonObject, required: list[Json]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


Entry: TypeAlias = Tool | Item | Malformed


def callable_of(entry: Entry | None) -> Tool | None:
    """An item of a listing, as a tool that can be called; None if the item is malformed."""
    return entry.as_tool if isinstance(entry, Item) else entry if isinstance(entry, Tool) else None


def call_name(entry: Entry | None) -> str | None:
    """The name by which an item of a listing is called: the name of a tool, or the handle of another item.

    None if the item is malformed.
    """
    return entry.handle if isinstance(entry, Item) else entry.name if isinstance(entry, Tool) else None


class Catalogue(Struct, frozen=True, kw_only=True, dict=True):
    """Everything that a server listed, in the order sent. Malformed items keep their places."""

    entries: dict[Kind, tuple[Entry, ...]] = field(default_factory=dict[Kind, tuple[Entry, ...]])
    problems: tuple[Malformed, ...] = ()
    """Faults of a whole listing, such as a page that is not an object, or a cursor that repeats."""
    pages: dict[Kind, tuple[JsonObject, ...]] = field(default_factory=dict[Kind, tuple[JsonObject, ...]])
    """The members of each page of each list, except its items, as sent: `ttlMs`, `cacheScope`, `_meta`…"""
    got: tuple[Item, ...] = ()
    """Skills that are not listed and were fetched by their URIs."""

    @property
    def skills(self) -> tuple[Item, ...]:
        """The skills that the server lists, and those that were fetched by their URIs."""
        return (*self.items(Kind.SKILL), *self.got)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(entry for entry in self.entries.get(Kind.TOOL, ()) if isinstance(entry, Tool))

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """Every item that could not be read, and every problem with a listing."""
        items = (
            entry
            for entries in self.entries.values()
            for entry in entries
            if isinstance(entry, Malformed) and not isinstance(entry, RefusedTool)
        )
        return (*items, *self.problems)

    @property
    def refused(self) -> tuple[RefusedTool, ...]:
        """The tools that a page declared and its browser refused."""
        return tuple(entry for entry in self.entries.get(Kind.TOOL, ()) if isinstance(entry, RefusedTool))

    def items(self, kind: Kind) -> tuple[Item, ...]:
        """The resources, templates, prompts or skills that are well-formed."""
        return tuple(entry for entry in self.entries.get(kind, ()) if isinstance(entry, Item))

    def item(self, kind: Kind, name: str) -> Item | None:
        return next((item for item in self.items(kind) if item.name == name), None)

    def lists(self, tool: Tool) -> bool:
        """True if a tool, resource, template or prompt with the kind and the label of `tool` is listed.

        The definitions are not compared.
        """
        return (self.item(tool.kind, tool.label) if tool.item else self.tool(tool.name)) is not None

    def tool(self, name: str) -> Tool | None:
        """The tool that is called by `name`; None if it is not listed.

        If `name` is a handle, this is the resource, template or prompt that it names, even if it is not listed.
        """
        named = item_of(name)
        if named is not None:
            return as_skill_file(self.item(named.kind, named.name) or named, self.skills).as_tool
        return next((tool for tool in self.tools if tool.name == name), None)

    def sharing(self, name: str) -> tuple[Tool, ...]:
        """The tools of a page that share this name and are therefore listed under longer names."""
        if any(tool.name == name for tool in self.tools):
            return ()
        return tuple(
            tool for tool in self.tools if tool.page is not None and tool.definition.get("name") == name
        )


def decode_page(kind: Kind, result: Json) -> tuple[Entry, ...] | Malformed:
    """The items of one page of a listing, or the fault of the page. Pointers of malformed items are into `result`."""
    if not isinstance(result, dict):
        return Malformed(pointer="", reason=f"the {kind.method} result is not an object", value=result)
    items = result.get(kind.value)
    if not isinstance(items, list):
        problem = "is missing" if kind.value not in result else "is not a list"
        return Malformed(pointer=f"/{kind.value}", reason=f"`{kind.value}` {problem}", value=items)
    return tuple(_decode(kind, item, f"/{kind.value}/{index}") for index, item in enumerate(items))


MAX_PAGES = 10_000


class Listing:
    """One list, read page by page. A fault of a page is added to `problems` and ends the list."""

    def __init__(self, kind: Kind, objection: Callable[[Tool], str | None] = lambda _: None) -> None:
        """`objection`: returns the reason why a well-formed tool must not be called, or None."""
        self.kind = kind
        self._objection = objection
        self.entries: list[Entry] = []
        self.problems: list[Malformed] = []
        self.pages: list[JsonObject] = []
        """The members of each page other than its items."""
        self._cursor: Json = None
        self._seen: set[str] = set()
        self._taken: set[str] = set()
        self._pages = 0
        self._ended = False

    def next_params(self) -> JsonObject | None:
        """The parameters of the request for the next page; None if there is no next page."""
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
        """Return the entry; in place of a tool that must not be called, a `Malformed` with its definition.

        Such a tool has a name that is taken or is a handle, or there is an objection to it.
        """
        if not isinstance(entry, Tool):
            return entry
        pointer, reason = (
            "/name",
            "the name is taken by an earlier tool" if entry.name in self._taken else None,
        )
        if reason is None and item_of(entry.name) is not None:
            reason = "Sightline uses this name for a resource or a prompt"
        elif reason is None:
            pointer, reason = "/inputSchema", self._objection(entry)
        if reason is not None:
            return Malformed(pointer=pointer, reason=reason, value=entry.definition, name=entry.name)
        self._taken.add(entry.name)
        return entry

    def _cursor_problem(self, cursor: Json) -> str:
        if not isinstance(cursor, str):
            return "`nextCursor` is not a string, so the pages after it were not requested"
        if cursor in self._seen:
            return "`nextCursor` repeats an earlier cursor, so the pages after it were not requested"
        if self._pages >= MAX_PAGES:
            return f"more than {MAX_PAGES} pages: the rest was not requested"
        return ""


def _decode(kind: Kind, value: Json, pointer: str) -> Entry:
    if isinstance(value, DuplicateKeys):
        keys = ", ".join(value.repeated)
        return Malformed(
            pointer=pointer,
            reason=f"has a duplicate key: {keys}",
            value=value,
            name=text_at(dict(value.pairs), "name"),
        )
    if not isinstance(value, dict):
        return Malformed(pointer=pointer, reason="is not an object", value=value)
    name = value.get(kind.identity)
    if not isinstance(name, str) or not name:
        problem = "is missing" if kind.identity not in value else "is not a non-empty string"
        return Malformed(
            pointer=f"{pointer}/{kind.identity}", reason=f"`{kind.identity}` {problem}", value=value
        )
    if kind is not Kind.TOOL:
        return Item(kind=kind, name=name, definition=value, skills=(value,) if kind is Kind.SKILL else ())
    fault = _tool_fault(value)
    if fault:
        at, reason = fault
        return Malformed(pointer=pointer + at, reason=reason, value=value, name=name)
    return Tool(name=name, definition=value)


def _tool_fault(definition: JsonObject) -> tuple[str, str] | None:
    """The pointer and reason of a fault that makes a tool uncallable.

    A malformed hint is no such fault, and is kept as a claim.
    """
    if "inputSchema" not in definition:
        return "/inputSchema", "`inputSchema` is missing"
    schema = definition["inputSchema"]
    if isinstance(schema, DuplicateKeys):
        return "/inputSchema", f"`inputSchema` has a duplicate key: {', '.join(schema.repeated)}"
    if not isinstance(schema, dict):
        return "/inputSchema", "`inputSchema` is not an object"
    return None
