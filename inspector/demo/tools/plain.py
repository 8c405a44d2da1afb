"""Two tools without planted faults. One is for trying arguments, and one does everything right."""

from inspector.demo.tools.tool import DemoContext, DemoTool, mirrored, object_schema
from inspector.demo.workspace import Workspace
from inspector.json.exact import JsonObject


def _echo_arguments(arguments: JsonObject, _workspace: Workspace, _context: DemoContext) -> JsonObject:
    return mirrored(arguments)


_ECHO_ARGUMENTS = DemoTool(
    definition={
        "name": "echo_arguments",
        "title": "Echo arguments",
        "description": "Give back the arguments exactly as they came. Has one of every kind.",
        "inputSchema": object_schema(
            {
                "text": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Any text"},
                "email": {"type": "string", "format": "email"},
                "day": {"type": "string", "format": "date"},
                "moment": {"type": "string", "format": "date-time"},
                "link": {"type": "string", "format": "uri"},
                "code": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2}$", "examples": ["ABC-42"]},
                "color": {"type": "string", "enum": ["red", "green", "blue"], "default": "green"},
                "size": {
                    "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
                    "title": "Size",
                },
                "count": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
                "step": {"type": "integer", "multipleOf": 5},
                "ratio": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                "exact": {"type": "number", "description": "Any number; comes back digit for digit"},
                "confirm": {"type": "boolean", "default": False},
                "nickname": {"type": ["string", "null"]},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5, "uniqueItems": True},
                "days": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["mon", "tue", "wed", "thu", "fri"]},
                },
                "place": {
                    "type": "object",
                    "properties": {
                        "city": {"type": "string"},
                        "position": object_schema(
                            {
                                "latitude": {"type": "number", "minimum": -90, "maximum": 90},
                                "longitude": {"type": "number", "minimum": -180, "maximum": 180},
                            },
                            required=["latitude", "longitude"],
                        ),
                    },
                    "required": ["city"],
                },
                "anything": {"description": "Any JSON value"},
            },
            required=["text", "count"],
        ),
    },
    handle=_echo_arguments,
)


def _clean_clock(_arguments: JsonObject, _workspace: Workspace, context: DemoContext) -> JsonObject:
    return mirrored({"now": context.now, "zone": "UTC"})


_CLEAN_CLOCK = DemoTool(
    definition={
        "name": "clean_clock",
        "title": "Clock",
        "description": "The current time in UTC.",
        "inputSchema": object_schema({}),
        "outputSchema": object_schema(
            {"now": {"type": "string", "format": "date-time"}, "zone": {"type": "string", "const": "UTC"}},
            required=["now", "zone"],
        ),
        "annotations": {
            "title": "Clock",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        "_meta": {
            "mcp.dev/effect": "read",
            "mcp.dev/idempotent": True,
            "mcp.dev/requiresConfirmation": False,
            "mcp.dev/resultSensitivity": "public",
        },
    },
    handle=_clean_clock,
)

TOOLS = (_ECHO_ARGUMENTS, _CLEAN_CLOCK)
