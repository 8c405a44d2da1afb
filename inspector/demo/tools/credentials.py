"""Tools that create or leak credentials.

They use `x-sensitive` in output schemas, secret references, and two side channels: log messages and `_meta`.
"""

import base64

from inspector.demo.tools.tool import (
    DemoContext,
    DemoTool,
    error_result,
    integer_of,
    mirrored,
    object_schema,
    text_block,
    text_of,
)
from inspector.demo.workspace import Workspace
from inspector.json.exact import JsonObject


def _generate_api_key(arguments: JsonObject, _workspace: Workspace, context: DemoContext) -> JsonObject:
    return mirrored(
        {
            "id": f"key_{context.mint.letters(8)}",
            "name": text_of(arguments, "name"),
            "created": context.now,
            "secret": context.mint.secret("key"),
        }
    )


_GENERATE_API_KEY = DemoTool(
    definition={
        "name": "generate_api_key",
        "title": "Generate API key",
        "description": "Create an API key for the current user. The key is shown once.",
        "inputSchema": object_schema(
            {
                "name": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 64,
                    "description": "What the key is for",
                }
            },
            required=["name"],
        ),
        "outputSchema": object_schema(
            {
                "id": {"type": "string"},
                "name": {"type": "string"},
                "created": {"type": "string", "format": "date-time"},
                "secret": {"type": "string", "x-sensitive": True},
            },
            required=["id", "name", "secret"],
        ),
        "annotations": {
            "title": "Generate API key",
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": False,
        },
    },
    handle=_generate_api_key,
)


def _create_share_link(arguments: JsonObject, workspace: Workspace, context: DemoContext) -> JsonObject:
    path = text_of(arguments, "document")
    if path not in workspace.documents:
        known = ", ".join(workspace.documents)
        return error_result(f"There is no document {path}. There are: {known}.")
    ttl_s = integer_of(arguments, "ttl", 300)
    reference = context.deposit(context.mint.secret("share"), ttl_s)
    return {
        "content": [
            text_block(f"Created a share link for {path}. It can be opened once, within {ttl_s} seconds."),
            {
                "type": "secret_reference",
                "id": reference.id,
                "label": f"Share link for {path}",
                "redeemUrl": reference.redeem_url,
                "ttl": ttl_s,
            },
        ],
        "structuredContent": {"document": path, "opens": 1},
    }


_CREATE_SHARE_LINK = DemoTool(
    definition={
        "name": "create_share_link",
        "title": "Create share link",
        "description": "Create a link that opens a document once. The link goes to the user, not into the chat.",
        "inputSchema": object_schema(
            {
                "document": {
                    "type": "string",
                    "default": "/handbook.md",
                    "description": "Path of the document",
                },
                "ttl": {"type": "integer", "minimum": 1, "maximum": 3600, "default": 300},
            },
            required=["document"],
        ),
        "outputSchema": object_schema(
            {"document": {"type": "string", "x-sensitive": False}, "opens": {"type": "integer"}},
            required=["document"],
        ),
        "annotations": {
            "title": "Create share link",
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": False,
            "sensitiveHint": True,
        },
        "_meta": {"mcp.dev/effect": "write", "mcp.dev/requiresConfirmation": False},
    },
    handle=_create_share_link,
)


def _rotate_token(arguments: JsonObject, _workspace: Workspace, context: DemoContext) -> JsonObject:
    service = text_of(arguments, "service")
    token = context.mint.access_token()
    header = base64.b64encode(f"workspace:{token}".encode()).decode("ascii")
    return {
        "content": [
            text_block(
                f"Rotated the token for {service}. The new token is {token}; the old one stops at noon."
            ),
            text_block(f"For scripts: curl -H 'Authorization: Basic {header}' https://{service}.example/api"),
        ],
        "structuredContent": {"service": service, "rotated": context.now, "token": token},
        "_meta": {"acme.example/trace": {"request": f"rotate?service={service}", "reply": token}},
    }


_ROTATE_TOKEN = DemoTool(
    definition={
        "name": "rotate_token",
        "title": "Rotate token",
        "description": "Replace the access token of a connected service.",
        "inputSchema": object_schema(
            {"service": {"type": "string", "enum": ["builds", "tickets", "wiki"]}}, required=["service"]
        ),
        "outputSchema": object_schema(
            {
                "service": {"type": "string"},
                "rotated": {"type": "string", "format": "date-time"},
                "token": {"type": "string", "x-sensitive": True},
            },
            required=["service", "token"],
        ),
        "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
        "_meta": {"mcp.dev/effect": "write", "mcp.dev/idempotent": False},
    },
    handle=_rotate_token,
)


def _sync_calendar(arguments: JsonObject, _workspace: Workspace, context: DemoContext) -> JsonObject:
    calendar = text_of(arguments, "calendar", "team")
    token = context.mint.oauth_token()
    key_id = context.mint.key_id()
    context.log("debug", {"request": f"PUT /calendars/{calendar}", "authorization": f"Bearer {token}"})
    return {
        "content": [
            text_block(
                f"Sync of {calendar} failed: 401 from https://calendar.example/v3 for\n"
                f"PUT /calendars/{calendar}\nAuthorization: Bearer {token}\nX-Key-Id: {key_id}"
            )
        ],
        "structuredContent": {"calendar": calendar, "synced": 0, "token": token},
        "isError": True,
    }


_SYNC_CALENDAR = DemoTool(
    definition={
        "name": "sync_calendar",
        "title": "Sync calendar",
        "description": "Copy the team calendar to the calendar service.",
        "inputSchema": object_schema(
            {"calendar": {"type": "string", "enum": ["team", "releases"], "default": "team"}}
        ),
        "outputSchema": object_schema(
            {
                "calendar": {"type": "string"},
                "synced": {"type": "integer", "minimum": 0},
                "token": {"type": "string", "x-sensitive": True},
            },
            required=["calendar", "synced"],
        ),
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
        "_meta": {"mcp.dev/effect": "external", "mcp.dev/idempotent": True},
    },
    handle=_sync_calendar,
)

TOOLS = (_GENERATE_API_KEY, _CREATE_SHARE_LINK, _ROTATE_TOKEN, _SYNC_CALENDAR)
