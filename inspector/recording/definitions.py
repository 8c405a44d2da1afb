"""The items listed during a session, collected from the answers on the wire."""

from collections.abc import Iterable, Iterator

from inspector.boundary.contract import Contract, contract_of
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Malformed, dump
from inspector.protocol import skills
from inspector.protocol.catalogue import (
    Catalogue,
    Item,
    Kind,
    Tool,
    as_skill_file,
    decode_page,
    item_of,
    skill_in,
)
from inspector.protocol.exchanges import Answered, Matched
from inspector.protocol.frames import Direction

LISTINGS = {kind.method: kind for kind in Kind}
OF_THE_SERVER = frozenset({"initialize", "server/discover", "ping", skills.GET, *LISTINGS})
"""The methods whose answers are definitions or facts of the server, not results of calls."""

_MOST_VARIANTS = 8
"""The maximum number of definitions kept per name. A server may change a definition with each listing."""


def listings_in(matched: Matched) -> Iterator[Catalogue]:
    """The pages of listings in a frame."""
    for event in matched.events:
        if isinstance(event, Answered) and event.exchange.asked_by is Direction.SENT:
            kind = LISTINGS.get(event.exchange.request.method)
            page = decode_page(kind, event.response.result) if kind and not event.response.is_error else ()
            if kind and not isinstance(page, Malformed):
                yield Catalogue(entries={kind: page})


class RecordedDefinitions:
    """The items listed so far. For each name of a tool, the last `_MOST_VARIANTS` definitions are kept."""

    def __init__(self) -> None:
        self._variants: dict[str, dict[bytes, Tool]] = {}
        self._contracts: dict[bytes, Contract] = {}
        self._items: dict[str, Item] = {}
        """Resources, templates and prompts by their handles."""
        self._skills: dict[str, Item] = {}
        """Skills by their URIs."""
        self.is_listed = False
        """True if a listing of tools has arrived."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(self._latest(name) for name in self._variants)

    def take(self, method: str, result: Json) -> tuple[Tool, ...]:
        """Add the items in an answer to `method`. Returns the tools among them."""
        kind = LISTINGS.get(method)
        if method == skills.GET:
            self._learn(skill_in(result))
            return ()
        if kind is not Kind.TOOL:
            page = decode_page(kind, result) if kind else ()
            entries = () if isinstance(page, Malformed) else page
            self._learn(item for item in entries if isinstance(item, Item))
            return ()
        self.is_listed = True
        page = decode_page(Kind.TOOL, result)
        entries = () if isinstance(page, Malformed) else page
        tools: list[Tool] = []
        for entry in entries:
            tool = entry if isinstance(entry, Tool) else _salvaged(entry)
            if tool:
                tools.append(tool)
                variants = self._variants.setdefault(tool.name, {})
                raw = dump(tool.definition)
                variants.pop(raw, None)
                variants[raw] = tool
                if len(variants) > _MOST_VARIANTS:
                    del variants[next(iter(variants))]
        return tuple(tools)

    def _learn(self, items: Iterable[Item]) -> None:
        for item in items:
            if item.kind is Kind.SKILL:
                self._skills[item.name] = item
            else:
                self._items[item.handle] = item

    def listed(self, tools: Iterable[Tool]) -> None:
        """Replace all tools by those that a page lists."""
        self.is_listed = True
        self._variants = {tool.name: {dump(tool.definition): tool} for tool in tools}

    def connect(self) -> None:
        """Expect a new listing, because the server was reconnected.

        The known definitions are kept, because their annotations still apply.
        """
        self.is_listed = False

    def tool(self, name: str) -> Tool | None:
        """The tool of this name; or, if the name is a handle, the resource or prompt, even if it is not listed."""
        named = item_of(name)
        if named is not None:
            return as_skill_file(self._items.get(name, named), self._skills.values()).as_tool
        return self._latest(name) if name in self._variants else None

    def variants(self, name: str) -> tuple[Tool, ...]:
        """Every kept definition of this name. A field is sensitive if any definition says so.

        If the name is a handle, only the last definition is kept.
        """
        item = self.tool(name) if item_of(name) else None
        if item:
            return (item,)
        return tuple(self._variants.get(name, {}).values())

    def contract(self, tool: Tool | None) -> Contract:
        """The compiled declarations of a tool. Cached."""
        raw = tool.kind.encode() + dump(tool.definition) if tool else b""
        if tool and tool.item and tool.item.skills:
            raw += tool.item.name.encode("utf-8", "surrogatepass") + dump(list(tool.item.skills))
        contract = self._contracts.get(raw)
        if contract is None:
            contract = self._contracts[raw] = contract_of(tool)
        return contract

    def _latest(self, name: str) -> Tool:
        variants = self._variants[name]
        return variants[next(reversed(variants))]


def _salvaged(entry: object) -> Tool | None:
    """The tool that a malformed item of a listing declares; None if it has no name or is not an object.

    The tool is kept because it can still be called, and its declarations then apply to the call.
    """
    if not isinstance(entry, Malformed) or entry.name is None:
        return None
    value = entry.value
    definition: JsonObject | None = (
        dict(value.pairs) if isinstance(value, DuplicateKeys) else value if isinstance(value, dict) else None
    )
    return Tool(name=entry.name, definition=definition) if definition is not None else None
