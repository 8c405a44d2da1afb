"""The models of MCP's Python client library, and what they are dumped to.

Source: PyPI mcp-types 2.3.0; the members are those of revisions up to 2025-11-25.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto

from inspector.hosts.pydantic_check import (
    AnyOf,
    Choice,
    Items,
    Kind,
    Mapping,
    Member,
    Model,
    Share,
    Text,
    Truth,
    Uri,
    Whole,
    check,
    rewritten,
)
from inspector.hosts.python_text import represented
from inspector.json.exact import Json, JsonObject


class Names(Enum):
    """What a dump calls the members of a model."""

    PYTHON = auto()
    """`mime_type`, `meta`."""
    WIRE = auto()
    """`mimeType`, `_meta`."""
    FIRST = auto()
    """As the models of mcp 1 call them: `mimeType`, `meta`."""


def _member(name: str, kind: Kind, wire: str = "", *, required: bool = False) -> Member:
    return Member(name=name, wire=wire or name, kind=kind, required=required, nullable=not required)


_META = _member("meta", Mapping(), "_meta")
_MIME_TYPE = _member("mime_type", Text(), "mimeType")
_AUDIENCE = _member("audience", Items(of=Choice(values=("user", "assistant"))))
_ANNOTATIONS = Model(
    name="Annotations",
    members=(_AUDIENCE, _member("priority", Share()), _member("last_modified", Text(), "lastModified")),
)
_NOTES = _member("annotations", _ANNOTATIONS)
_SIZES = _member("sizes", Items(of=Text()))
_THEME = _member("theme", Choice(values=("light", "dark")))
_SRC = _member("src", Text(), required=True)
_ICON = Model(name="Icon", members=(_SRC, _MIME_TYPE, _SIZES, _THEME))


def _type(value: str) -> Member:
    return _member("type", Choice(values=(value,)), required=True)


def _media(name: str, type_: str) -> Model:
    data = _member("data", Text(), required=True)
    mime_type = replace(_MIME_TYPE, required=True, nullable=False)
    return Model(name=name, members=(_type(type_), data, mime_type, _NOTES, _META))


def _contents(name: str, payload: str) -> Model:
    uri, text = _member("uri", Text(), required=True), _member(payload, Text(), required=True)
    return Model(name=name, members=(uri, _MIME_TYPE, _META, text))


TEXT = Model(
    name="TextContent", members=(_type("text"), _member("text", Text(), required=True), _NOTES, _META)
)
IMAGE = _media("ImageContent", "image")
AUDIO = _media("AudioContent", "audio")
LINK = Model(
    name="ResourceLink",
    members=(
        _member("name", Text(), required=True),
        _member("title", Text()),
        _member("uri", Text(), required=True),
        _member("description", Text()),
        _MIME_TYPE,
        _member("size", Whole()),
        _member("icons", Items(of=_ICON)),
        _NOTES,
        _META,
        _type("resource_link"),
    ),
)
TEXT_RESOURCE = _contents("TextResourceContents", "text")
BLOB_RESOURCE = _contents("BlobResourceContents", "blob")
RESOURCE = Model(
    name="EmbeddedResource",
    members=(
        _type("resource"),
        _member("resource", AnyOf(models=(TEXT_RESOURCE, BLOB_RESOURCE)), required=True),
        _NOTES,
        _META,
    ),
)
BLOCKS = (TEXT, IMAGE, AUDIO, LINK, RESOURCE)
RESULT = Model(
    name="CallToolResult",
    members=(
        _META,
        _member("content", Items(of=AnyOf(models=BLOCKS)), required=True),
        _member("structured_content", Mapping(), "structuredContent"),
        Member(name="is_error", wire="isError", kind=Truth(), nullable=False),
    ),
)


def changed(kind: Kind, change: Callable[[Model], Model]) -> Kind:
    """`kind` with every model in it changed, the inner ones first."""
    match kind:
        case Model():
            members = (replace(member, kind=changed(member.kind, change)) for member in kind.members)
            return change(replace(kind, members=tuple(members)))
        case AnyOf():
            models = (changed(model, change) for model in kind.models)
            return AnyOf(models=tuple(model for model in models if isinstance(model, Model)))
        case Items():
            return Items(of=changed(kind.of, change))
        case _:
            return kind


def of_first(model: Model) -> Model:
    """The same in mcp 1: URIs are URLs, annotations know no time, members that nobody named stay."""
    members = (
        replace(member, kind=Uri()) if member.name == "uri" else member
        for member in model.members
        if member.name != "last_modified"
    )
    return replace(model, members=tuple(members), keeps_others=True)


def dumped(value: JsonObject, model: Model, names: Names, *, with_none: bool = False) -> JsonObject:
    """`model_dump()` of what a model was built from."""
    found: JsonObject = {}
    for member in model.members:
        inner = value.get(member.wire)
        if inner is not None or with_none:
            found[_name(member, names)] = _dumped(inner, member.kind, names, with_none=with_none)
    return found


def _name(member: Member, names: Names) -> str:
    match names:
        case Names.PYTHON:
            return member.name
        case Names.WIRE:
            return member.wire
        case Names.FIRST:
            return member.wire.lstrip("_")


def _dumped(value: Json, kind: Kind, names: Names, *, with_none: bool) -> Json:
    match value, kind:
        case dict(), Model():
            return dumped(value, kind, names, with_none=with_none)
        case dict(), AnyOf():
            return dumped(value, model_of(value, kind.models), names, with_none=with_none)
        case list(), Items():
            return [_dumped(item, kind.of, names, with_none=with_none) for item in value]
        case _:
            return value


def model_of(value: JsonObject, among: tuple[Model, ...] = BLOCKS) -> Model:
    """The model that a block or resource was built with."""
    if among[0].types:
        return next((model for model in among if value.get("type") in model.types), among[-1])
    return next((model for model in among if not check(value, model).issues), among[-1])


_FIRST_BLOCKS = changed(AnyOf(models=BLOCKS), of_first)


def model_repr(value: JsonObject) -> str:
    """`repr()` of a block that mcp 1 built."""
    return _repr(value, _FIRST_BLOCKS)


def _repr(value: Json, kind: Kind) -> str:
    match value, kind:
        case dict(), AnyOf():
            return _repr(value, model_of(value, kind.models))
        case dict(), Model():
            members = [
                f"{_name(each, Names.FIRST)}={_repr(value.get(each.wire), each.kind)}"
                for each in kind.members
            ]
            known = {member.wire for member in kind.members}
            members.extend(f"{key}={represented(inner)}" for key, inner in value.items() if key not in known)
            return f"{kind.name}({', '.join(members)})"
        case list(), Items():
            return f"[{', '.join(_repr(item, kind.of) for item in value)}]"
        case str(), Uri():
            return f"AnyUrl({represented(rewritten(value).text)})"
        case _:
            return represented(value)
