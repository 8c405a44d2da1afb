"""Tools for documents.

The effect of a call depends on its arguments; `tools/resolve` returns the effect before the call.
"""

from inspector.demo.tools.tool import DemoContext, DemoTool, error_result, mirrored, object_schema, text_of
from inspector.demo.workspace import Workspace
from inspector.json.exact import JsonObject

_PUBLIC = "/public/"
_PATH: JsonObject = {"type": "string", "pattern": "^/", "description": "Path of a document, as /handbook.md"}
_RESOLVABLE: JsonObject = {"io.modelcontextprotocol/tool-resolution": {"resolvable": True}}


def _hints(*, read_only: bool, destructive: bool, idempotent: bool, open_world: bool) -> JsonObject:
    return {
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": open_world,
    }


def _resolve_path(arguments: JsonObject, workspace: Workspace, _context: DemoContext) -> JsonObject:
    path = text_of(arguments, "path")
    found = path in workspace.documents
    if not found and arguments.get("create") is True:
        workspace.documents[path] = ""
    size = len(workspace.documents.get(path, ""))
    return mirrored({"path": path, "existed": found, "characters": size, "public": path.startswith(_PUBLIC)})


def _resolved_path(arguments: JsonObject) -> JsonObject:
    # A planted contradiction: for a public path the answer has `openWorldHint` true, but `tools/list` says false.
    hints = _hints(
        read_only=arguments.get("create") is not True,
        destructive=False,
        idempotent=True,
        open_world=text_of(arguments, "path").startswith(_PUBLIC),
    )
    return {"tool": {"name": "resolve_path", "annotations": hints}}


_RESOLVE_PATH = DemoTool(
    definition={
        "name": "resolve_path",
        "title": "Resolve path",
        "description": "Tell whether a document exists, and create an empty one if asked to.",
        "inputSchema": object_schema(
            {"path": _PATH, "create": {"type": "boolean", "default": False}}, required=["path"]
        ),
        "outputSchema": object_schema(
            {
                "path": {"type": "string"},
                "existed": {"type": "boolean"},
                "characters": {"type": "integer", "minimum": 0},
                "public": {"type": "boolean"},
            },
            required=["path", "existed"],
        ),
        "annotations": _hints(read_only=False, destructive=False, idempotent=True, open_world=False),
        "_meta": _RESOLVABLE,
    },
    handle=_resolve_path,
    resolve=_resolved_path,
)


def _write_file(arguments: JsonObject, workspace: Workspace, _context: DemoContext) -> JsonObject:
    path, text, mode = text_of(arguments, "path"), text_of(arguments, "text"), text_of(arguments, "mode")
    before = workspace.documents.get(path)
    if mode == "create" and before is not None:
        return error_result(f"{path} exists already.")
    after = (before or "") + text if mode == "append" else text
    workspace.documents[path] = after
    return mirrored({"path": path, "mode": mode, "characters": len(after)})


def _resolved_write(arguments: JsonObject) -> JsonObject:
    mode = text_of(arguments, "mode")
    return {
        "name": "write_file",
        "annotations": _hints(
            read_only=False,
            destructive=mode == "replace",
            idempotent=mode == "replace",
            open_world=text_of(arguments, "path").startswith(_PUBLIC),
        ),
    }


_WRITE_FILE = DemoTool(
    definition={
        "name": "write_file",
        "title": "Write file",
        "description": "Create a document, add to one, or replace one. What is under /public/ is on the website.",
        "inputSchema": object_schema(
            {
                "path": _PATH,
                "text": {"type": "string"},
                "mode": {"type": "string", "enum": ["create", "append", "replace"]},
            },
            required=["path", "text", "mode"],
        ),
        "outputSchema": object_schema(
            {
                "path": {"type": "string"},
                "mode": {"type": "string"},
                "characters": {"type": "integer", "minimum": 0},
            },
            required=["path", "mode", "characters"],
        ),
        "annotations": _hints(read_only=False, destructive=True, idempotent=False, open_world=True),
        "_meta": {**_RESOLVABLE, "mcp.dev/effect": "write"},
    },
    handle=_write_file,
    resolve=_resolved_write,
)

TOOLS = (_RESOLVE_PATH, _WRITE_FILE)
