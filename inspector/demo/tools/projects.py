"""Tools for projects: one is destructive, one slow, and one returns a large result."""

from inspector.demo.tools.tool import (
    DemoContext,
    DemoTool,
    Slow,
    content_result,
    error_result,
    integer_of,
    mirrored,
    number_of,
    object_schema,
    text_block,
    text_of,
)
from inspector.demo.workspace import Workspace
from inspector.json.exact import Json, JsonObject, Number

MOST_ROWS = 50_000
FIRST_SEQUENCE = 2**53 + 1
"""The sequence number of the first row: the least positive integer that a double cannot represent."""


def _delete_project(arguments: JsonObject, workspace: Workspace, _context: DemoContext) -> JsonObject:
    identifier = text_of(arguments, "project")
    project = workspace.remove_project(identifier)
    if project is None:
        return error_result(f"There is no project {identifier}.")
    return mirrored({"deleted": project.id, "name": project.name, "tasksLost": project.open_tasks})


_DELETE_PROJECT = DemoTool(
    definition={
        "name": "delete_project",
        "title": "Delete project",
        "description": "Delete a project with all its tasks, for good. Projects: lighthouse, tidepool, old-website.",
        "inputSchema": object_schema(
            {"project": {"type": "string", "description": "The project's id"}}, required=["project"]
        ),
        "outputSchema": object_schema(
            {
                "deleted": {"type": "string"},
                "name": {"type": "string"},
                "tasksLost": {"type": "integer", "minimum": 0},
            },
            required=["deleted", "name", "tasksLost"],
        ),
        "annotations": {
            "title": "Delete project",
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
            "consequentialHint": True,
        },
        "_meta": {
            "mcp.dev/effect": "delete",
            "mcp.dev/idempotent": True,
            "mcp.dev/requiresConfirmation": True,
            "mcp.dev/resultSensitivity": "internal",
        },
    },
    handle=_delete_project,
)


def _export_report(arguments: JsonObject, workspace: Workspace, _context: DemoContext) -> Slow:
    steps = integer_of(arguments, "steps", 5)
    names = ", ".join(project.name for project in workspace.projects.values())
    return Slow(
        seconds=number_of(arguments, "seconds", 5),
        steps=tuple(f"section {number} of {steps}" for number in range(1, steps + 1)),
        result=content_result(
            text_block(f"Exported {steps} sections about {names}. Margin this quarter: 11.4 %."),
            {
                "type": "resource_link",
                "uri": "workspace://documents/handbook.md",
                "name": "report",
                "title": "Quarterly report",
                "mimeType": "text/markdown",
            },
        ),
    )


_EXPORT_REPORT = DemoTool(
    definition={
        "name": "export_report",
        "title": "Export report",
        "description": "Write the quarterly report. Takes a while and tells how far it is.",
        "inputSchema": object_schema(
            {
                "seconds": {"type": "number", "minimum": 0, "maximum": 60, "default": 5},
                "steps": {"type": "integer", "minimum": 1, "maximum": 100, "default": 5},
            }
        ),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
        "_meta": {"mcp.dev/effect": "read", "mcp.dev/resultSensitivity": "confidential"},
    },
    handle=_export_report,
)


def _list_audit_log(arguments: JsonObject, workspace: Workspace, _context: DemoContext) -> JsonObject:
    count = integer_of(arguments, "rows", 1000)
    actors = tuple(workspace.people)
    rows: list[Json] = [_row(index, actors) for index in range(count)]
    return {
        "content": [text_block(f"{count} entries, newest last.")],
        "structuredContent": {"rows": rows, "total": MOST_ROWS},
    }


_ACTIONS = ("opened", "edited", "shared", "closed")


def _row(index: int, actors: tuple[str, ...]) -> JsonObject:
    minute, second = divmod(index, 60)
    hour, minute = divmod(minute, 60)
    return {
        "sequence": FIRST_SEQUENCE + index,
        "at": f"2026-07-27T{hour:02}:{minute:02}:{second:02}Z",
        "actor": actors[index % len(actors)],
        "action": _ACTIONS[index % len(_ACTIONS)],
        "address": f"192.0.2.{index % 254 + 1}",
        # Two decimals, as accounting systems write them: 0.10, not 0.1.
        "costEur": Number(f"0.{index % 10}0"),
    }


_LIST_AUDIT_LOG = DemoTool(
    definition={
        "name": "list_audit_log",
        "title": "List audit log",
        "description": "List who did what in the workspace. Network addresses are for the user only.",
        "inputSchema": object_schema(
            {"rows": {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": 1000}}
        ),
        "outputSchema": object_schema(
            {
                "rows": {
                    "type": "array",
                    "items": object_schema(
                        {
                            "sequence": {"type": "integer"},
                            "at": {"type": "string", "format": "date-time"},
                            "actor": {"type": "string"},
                            "action": {"type": "string", "enum": list(_ACTIONS)},
                            "address": {"type": "string", "format": "ipv4", "x-sensitive": True},
                            "costEur": {"type": "number", "minimum": 0},
                        },
                        required=["sequence", "at", "actor", "action"],
                    ),
                },
                "total": {"type": "integer"},
            },
            required=["rows", "total"],
        ),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
        "_meta": {"mcp.dev/effect": "read", "mcp.dev/resultSensitivity": "internal"},
    },
    handle=_list_audit_log,
)

TOOLS = (_DELETE_PROJECT, _EXPORT_REPORT, _LIST_AUDIT_LOG)
