"""The server behind all transports: one workspace, and the MCP methods that use it."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import Struct

from inspector import __version__
from inspector.demo.jsonrpc import Code, RefusedError, object_param, text_param
from inspector.demo.library import PROMPTS, RESOURCES, TEMPLATES
from inspector.demo.secrets import DemoVault, Mint, Reference
from inspector.demo.tools import TOOLS
from inspector.demo.tools.tool import DemoContext, DemoTool, Slow, error_result
from inspector.demo.workspace import OPENED_AT, opened
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Kind
from inspector.protocol.targets import Era

SEED_VARIABLE = "SIGHTLINE_DEMO_SEED"
BEARER_TOKEN = "demo"


class DemoOptions(Struct, frozen=True, kw_only=True):
    """The options of one server, with the defaults of `python -m inspector.demo`."""

    seed: str | None = None
    """A seed that makes generated secrets and ids repeatable and stops the clock; None for random ones."""
    auth: bool = False
    """True if HTTP requests need `Authorization: Bearer demo`."""
    era: Era = Era.AUTO
    """The protocol era that is served: AUTO serves both; another value refuses the other era."""
    page_size: int = 100
    """The number of items on one page of a listing."""
    sound_only: bool = False
    """True to leave out the tools that make strict clients reject a whole listing."""


def environment_seed() -> str | None:
    """The value of the environment variable SIGHTLINE_DEMO_SEED; None if it is empty or not set."""
    return os.environ.get(SEED_VARIABLE) or None


SERVER_INFO: JsonObject = {"name": "demo-workspace", "title": "Demo workspace", "version": __version__}
CAPABILITIES: JsonObject = {
    "logging": {},
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
    "extensions": {"io.modelcontextprotocol/tool-resolution": {}},
}
INSTRUCTIONS = "A team workspace made up for demonstrations. Its secrets are fakes and some of its tools lie."

_CURSOR = "after-"


class DemoServer:
    """One workspace with its tools, shared by all connections."""

    def __init__(self, options: DemoOptions, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`monotonic`: returns monotonic seconds, for the expiry of secrets."""
        self.options = options
        self.vault = DemoVault(monotonic, BEARER_TOKEN if options.auth else None)
        self.mint = Mint(options.seed)
        self.workspace = opened(self.mint.secret("build"))
        tools = (tool for tool in TOOLS if tool.sound or not options.sound_only)
        self.tools: dict[str, DemoTool] = {tool.name: tool for tool in tools}
        definitions = tuple(tool.definition for tool in self.tools.values())
        self._listings = {
            Kind.TOOL: definitions,
            Kind.RESOURCE: RESOURCES,
            Kind.TEMPLATE: TEMPLATES,
            Kind.PROMPT: PROMPTS,
        }

    def listing(self, kind: Kind, params: JsonObject) -> JsonObject:
        """One page of a list. Raises RefusedError for an unknown cursor."""
        items = self._listings[kind]
        start = _position(params.get("cursor"), len(items)) if "cursor" in params else 0
        end = start + self.options.page_size
        page: JsonObject = {kind.value: list(items[start:end])}
        if end < len(items):
            page["nextCursor"] = f"{_CURSOR}{end}"
        return page

    def call(self, params: JsonObject, log: Callable[[str, Json], None]) -> JsonObject | Slow:
        """Call a tool. Raises RefusedError for an invalid request."""
        tool, arguments = self._named(params)
        log("info", {"event": "tool called", "tool": tool.name})
        problem = tool.problem(arguments)
        if problem:
            return error_result(problem)
        context = DemoContext(
            mint=self.mint,
            now=self._now(),
            deposit=self._deposit,
            log=log,
            request_annotations=_annotations(params),
        )
        return tool.handle(arguments, self.workspace, context)

    def resolve(self, params: JsonObject) -> JsonObject:
        """The result of `tools/resolve`: the declarations that hold for exactly this call.

        Raises RefusedError for an unknown tool, a tool that is not resolvable, or invalid arguments.
        """
        tool, arguments = self._named(params)
        if tool.resolve is None:
            raise RefusedError(Code.INVALID_PARAMS, f"Tool is not resolvable: {tool.name}")
        problem = tool.problem(arguments)
        if problem:
            raise RefusedError(Code.INVALID_PARAMS, f"Invalid params: {problem}")
        return tool.resolve(arguments)

    def _named(self, params: JsonObject) -> tuple[DemoTool, JsonObject]:
        name, arguments = text_param(params, "name"), object_param(params, "arguments")
        tool = self.tools.get(name)
        if tool is None:
            raise RefusedError(Code.INVALID_PARAMS, f"Unknown tool: {name}")
        return tool, arguments

    def _deposit(self, value: str, ttl_s: int) -> Reference:
        return self.vault.deposit(self.mint.letters(24), value, ttl_s)

    def _now(self) -> str:
        if self.options.seed is not None:
            return OPENED_AT
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _annotations(params: JsonObject) -> JsonObject:
    meta = params.get("_meta")
    annotations = meta.get("annotations") if isinstance(meta, dict) else None
    return annotations if isinstance(annotations, dict) else {}


def _position(cursor: Json, count: int) -> int:
    digits = cursor.removeprefix(_CURSOR) if isinstance(cursor, str) and cursor.startswith(_CURSOR) else ""
    position = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0
    if not 0 < position < count:
        raise RefusedError(Code.INVALID_PARAMS, "Invalid params: unknown cursor")
    return position
