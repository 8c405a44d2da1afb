"""Tools for data about people, such as pay and health, and for every kind of content block."""

from inspector.demo.library import picture, sound
from inspector.demo.tools.tool import (
    DemoContext,
    DemoTool,
    content_result,
    error_result,
    integer_of,
    object_schema,
    text_block,
    text_of,
)
from inspector.demo.workspace import Workspace
from inspector.json.exact import Json, JsonObject

_WHO: JsonObject = {"type": "string", "enum": ["ada", "ben", "chidi"], "description": "The person's id"}


def _update_salary(arguments: JsonObject, workspace: Workspace, _context: DemoContext) -> JsonObject:
    person, amount = text_of(arguments, "person"), integer_of(arguments, "amount", 0)
    before = workspace.set_salary(person, amount)
    if before is None:
        return error_result(f"There is nobody called {person}.")
    return {
        "content": [text_block(f"Updated the salary of {before.name}.")],
        "structuredContent": {
            "person": person,
            "changed": before.salary_eur != amount,
            "before": before.salary_eur,
            "after": amount,
        },
    }


_UPDATE_SALARY = DemoTool(
    definition={
        "name": "update_salary",
        "title": "Update salary",
        "description": "Set a person's yearly salary in euros. A second person has to review it.",
        "inputSchema": object_schema(
            {
                "person": _WHO,
                "amount": {"type": "integer", "minimum": 0, "maximum": 1_000_000, "x-sensitive": True},
                "reason": {"type": "string", "maxLength": 200},
            },
            required=["person", "amount"],
        ),
        "outputSchema": object_schema(
            {
                "person": {"type": "string"},
                "changed": {"type": "boolean"},
                "before": {"type": "integer", "x-sensitive": True},
                "after": {"type": "integer", "x-sensitive": True},
            },
            required=["person", "changed"],
        ),
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
            "io.modelcontextprotocol/action-metadata": {
                "inputMetadata": {"destination": "internal", "sensitivity": "financial"},
                "returnMetadata": {"source": "internal", "sensitivity": "financial"},
                "outcome": "consequential",
                "requiresReview": True,
            },
        },
    },
    handle=_update_salary,
)


def _patient_record(arguments: JsonObject, workspace: Workspace, context: DemoContext) -> JsonObject:
    person = workspace.people[text_of(arguments, "person", "ada")]
    history: JsonObject = {
        "text": person.diagnosis,
        "earlier": [{"text": "Eyesight tested, glasses for screen work", "earlier": []}],
    }
    return {
        "content": [text_block(f"{person.name}: {person.diagnosis}. Next checkup on {person.next_checkup}.")],
        "structuredContent": {
            "person": person.id,
            "nextCheckup": person.next_checkup,
            "insuranceNumber": context.mint.secret("insurance"),
            "history": history,
        },
        "_meta": {
            "io.modelcontextprotocol/trust-annotations": {"sensitive": True, "untrusted": False},
            "ifc": {"integrity": "trusted", "confidentiality": "private"},
            "annotations": {
                "returnMetadata": {"source": "internal", "sensitivity": {"regulated": {"scopes": ["HIPAA"]}}}
            },
        },
    }


_PATIENT_RECORD = DemoTool(
    definition={
        "name": "patient_record",
        "title": "Read health record",
        "description": "Read what the company doctor noted about a person. For the user's eyes.",
        "inputSchema": object_schema({"person": _WHO}, required=["person"]),
        "outputSchema": {
            "$defs": {
                "note": object_schema(
                    {
                        "text": {"type": "string", "x-sensitive": True},
                        "earlier": {"type": "array", "items": {"$ref": "#/$defs/note"}},
                    },
                    required=["text"],
                )
            },
            **object_schema(
                {
                    "person": {"type": "string"},
                    "nextCheckup": {"type": "string", "format": "date", "x-sensitive": False},
                    "insuranceNumber": {"type": "string", "x-sensitive": True},
                    "history": {"$ref": "#/$defs/note"},
                },
                required=["person", "history"],
            ),
        },
        "annotations": {
            "readOnlyHint": True,
            "openWorldHint": False,
            "sensitiveHint": True,
            "secretHint": True,
            "inputMetadata": {"destination": "ephemeral", "sensitivity": "user", "outcomes": "benign"},
            "returnMetadata": {
                "source": "internal",
                "sensitivity": ["pii", {"regulated": {"scopes": ["HIPAA", "GDPR"]}}],
            },
        },
        "_meta": {
            "ifc": {"integrity": "trusted", "confidentiality": "private"},
            "mcp.dev/effect": "read",
            "mcp.dev/resultSensitivity": "restricted",
        },
    },
    handle=_patient_record,
)


def _team_photo(_arguments: JsonObject, _workspace: Workspace, context: DemoContext) -> JsonObject:
    for_user: JsonObject = {"audience": ["user"], "priority": 1.0}
    blocks: tuple[Json, ...] = (
        {
            **text_block("Three people on a pier."),
            "annotations": {"audience": ["assistant"], "priority": 0.9},
        },
        {
            "type": "image",
            "data": picture(),
            "mimeType": "image/png",
            "annotations": {"audience": ["user", "assistant"], "priority": 0.5},
        },
        {"type": "audio", "data": sound(), "mimeType": "audio/wav"},
        {
            "type": "resource_link",
            "uri": "workspace://documents/public/press.md",
            "name": "press",
            "description": "Where the photo was printed",
            "mimeType": "text/markdown",
            "annotations": {"lastModified": "2026-07-20T10:00:00Z"},
        },
        {
            "type": "resource",
            "resource": {
                "uri": "workspace://photos/caption.txt",
                "mimeType": "text/plain",
                "text": "From left to right: Ada, Ben, Chidi",
            },
        },
        {
            "type": "resource",
            "resource": {"uri": "workspace://photos/pier.png", "mimeType": "image/png", "blob": picture(4)},
            "annotations": for_user,
        },
        {**text_block(f"The album's password is {context.mint.secret('album')}."), "annotations": for_user},
        {"type": "hologram", "frames": 24, "text": "A kind of content that nobody has defined yet"},
    )
    return content_result(*blocks)


_TEAM_PHOTO = DemoTool(
    definition={
        "name": "team_photo",
        "title": "Team photo",
        "description": "The latest photo of the team, with its caption and a greeting.",
        "inputSchema": object_schema({}),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
        "_meta": {"mcp.dev/effect": "read"},
    },
    handle=_team_photo,
)

TOOLS = (_UPDATE_SALARY, _PATIENT_RECORD, _TEAM_PHOTO)
