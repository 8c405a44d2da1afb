"""Resources, resource templates and prompts of the workspace, with a small picture and a sound."""

import base64
import struct
import zlib

from inspector.demo.jsonrpc import Code, RefusedError
from inspector.demo.workspace import Workspace
from inspector.json.exact import Json, JsonObject, dump_text


def picture(side: int = 16) -> str:
    """A square gradient of `side` pixels as PNG, in base64."""
    rows = b"".join(
        b"\0" + bytes(channel for x in range(side) for channel in (x * 255 // side, y * 255 // side, 128))
        for y in range(side)
    )
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows, 9)), _chunk(b"IEND", b""))
    return _base64(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def sound(samples: int = 800) -> str:
    """A square wave as WAV, in base64: 8 kHz, 8 bits, one channel; a tenth of a second by default."""
    wave = bytes(96 if index // 10 % 2 else 160 for index in range(samples))
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(wave)) + wave
    return _base64(b"RIFF" + struct.pack("<I", len(body)) + body)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


_DOCUMENTS = "workspace://documents"
_PEOPLE = "workspace://people/"
_LOGO = "workspace://logo.png"

RESOURCES: tuple[JsonObject, ...] = (
    {
        "uri": f"{_DOCUMENTS}/handbook.md",
        "name": "handbook",
        "title": "Handbook",
        "description": "How the team works",
        "mimeType": "text/markdown",
        "annotations": {
            "audience": ["user", "assistant"],
            "priority": 0.8,
            "lastModified": "2026-07-01T08:00:00Z",
        },
    },
    {
        "uri": f"{_DOCUMENTS}/runbook.md",
        "name": "runbook",
        "title": "Runbook",
        "description": "What to do when it breaks; for people only",
        "mimeType": "text/markdown",
        "annotations": {"audience": ["user"], "priority": 1.0},
    },
    {
        "uri": f"{_DOCUMENTS}/public/press.md",
        "name": "press",
        "title": "Press text",
        "mimeType": "text/markdown",
        "annotations": {"audience": ["assistant"], "priority": 0},
    },
    {"uri": _LOGO, "name": "logo", "title": "Logo", "mimeType": "image/png"},
)

TEMPLATES: tuple[JsonObject, ...] = (
    {
        "uriTemplate": f"{_PEOPLE}{{id}}",
        "name": "person",
        "title": "Person",
        "description": "Who somebody is: ada, ben or chidi",
        "mimeType": "application/json",
        "annotations": {"audience": ["assistant"], "priority": 0.4},
    },
)

PROMPTS: tuple[JsonObject, ...] = (
    {
        "name": "write_update",
        "title": "Write an update",
        "description": "A short update about a project, for the team",
        "arguments": [
            {"name": "project", "description": "Which project", "required": True},
            {"name": "tone", "description": "How it should sound", "required": False},
        ],
    },
    {
        "name": "triage_inbox",
        "title": "Triage the inbox",
        "description": "Sort the inbox by what needs an answer today",
    },
)


def read_resource(uri: str, workspace: Workspace) -> JsonObject | None:
    """The `resources/read` result; None for an unknown resource."""
    if uri == _LOGO:
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": picture()}]}
    if uri.startswith(_PEOPLE):
        person = workspace.people.get(uri.removeprefix(_PEOPLE))
        if person is None:
            return None
        card = dump_text({"name": person.name, "role": person.role, "email": person.email})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": card}]}
    text = workspace.documents.get(uri.removeprefix(_DOCUMENTS)) if uri.startswith(_DOCUMENTS) else None
    if text is None:
        return None
    return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}


def get_prompt(name: str, arguments: JsonObject) -> JsonObject:
    """The `prompts/get` result. Raises RefusedError."""
    if name == "triage_inbox":
        ask = "Call list_inbox and sort what you find: answer today, answer this week, no answer needed."
        handbook: JsonObject = {
            "type": "resource_link",
            "uri": f"{_DOCUMENTS}/handbook.md",
            "name": "handbook",
        }
        return {"description": "Sort the inbox", "messages": [_from_user(_text(ask)), _from_user(handbook)]}
    if name != "write_update":
        raise RefusedError(Code.INVALID_PARAMS, f"Unknown prompt: {name}")
    project, tone = arguments.get("project"), arguments.get("tone", "friendly")
    if not isinstance(project, str) or not isinstance(tone, str):
        raise RefusedError(Code.INVALID_PARAMS, "Invalid params: project is required, and arguments are text")
    ask = f"Write an update on {project} in four sentences. Tone: {tone}."
    return {"description": f"An update on {project}", "messages": [_from_user(_text(ask))]}


def _from_user(content: JsonObject) -> Json:
    return {"role": "user", "content": content}


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}
