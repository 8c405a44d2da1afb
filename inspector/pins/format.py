"""The file format of pins: one JSON object per server. Files are not trusted."""

from inspector.json.exact import Json, JsonObject, Malformed
from inspector.pins.pins import Definitions, Pinned
from inspector.pins.server import Identity
from inspector.protocol.catalogue import Tool

FORMAT = "sightline-pin"
VERSION = 1


def written(pinned: Pinned) -> JsonObject:
    """The JSON of a pin: `format`, `version`, `server`, `pinned`, `software`, `instructions` and `tools`."""
    identity, definitions = pinned.identity, pinned.definitions
    return {
        "format": FORMAT,
        "version": VERSION,
        "server": {"kind": identity.kind, "name": identity.name, "folder": identity.folder},
        "pinned": pinned.at,
        "software": pinned.software,
        "instructions": definitions.instructions,
        "tools": [{"name": tool.name, "definition": tool.definition} for tool in definitions.tools],
    }


def read(value: Json) -> Pinned | Malformed:
    """The pin in a file, or why it is none. Never raises."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return Malformed(pointer="", reason="it is no pin")
    version = value.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        return Malformed(pointer="/version", reason="its version is no number from 1 on")
    if version > VERSION:
        return Malformed(pointer="/version", reason=f"it is of version {version}, made by a newer Sightline")
    at, software, instructions = value.get("pinned"), value.get("software"), value.get("instructions")
    if not isinstance(at, str) or not isinstance(software, str):
        return Malformed(pointer="", reason="it does not say when and by what it was made")
    if instructions is not None and not isinstance(instructions, str):
        return Malformed(pointer="/instructions", reason="the instructions are no text")
    identity, tools = _identity(value.get("server")), _tools(value.get("tools"))
    if isinstance(identity, Malformed):
        return identity
    if isinstance(tools, Malformed):
        return tools
    return Pinned(
        identity=identity,
        at=at,
        software=software,
        definitions=Definitions(tools=tools, instructions=instructions),
    )


def _identity(value: Json) -> Identity | Malformed:
    said = value if isinstance(value, dict) else {}
    kind, name, folder = said.get("kind"), said.get("name"), said.get("folder")
    if not (isinstance(kind, str) and isinstance(name, str) and isinstance(folder, str)):
        return Malformed(pointer="/server", reason="it does not say of which server it is")
    return Identity(kind=kind, name=name, folder=folder)


def _tools(value: Json) -> tuple[Tool, ...] | Malformed:
    if not isinstance(value, list):
        return Malformed(pointer="/tools", reason="the tools are no list")
    found: dict[str, Tool] = {}
    for index, item in enumerate(value):
        said = item if isinstance(item, dict) else {}
        name, definition = said.get("name"), said.get("definition")
        if not isinstance(name, str) or not isinstance(definition, dict):
            return Malformed(pointer=f"/tools/{index}", reason="a tool has no name or no definition")
        if name in found:
            return Malformed(pointer=f"/tools/{index}/name", reason="two tools have one name")
        found[name] = Tool(name=name, definition=definition)
    return tuple(found.values())
