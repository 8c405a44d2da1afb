"""Results as MCP's Python client library returns them to the host.

Source: PyPI mcp-types 2.3.0 for revisions up to 2025-11-25, which checks a result against the schema of the
revision, then against its own models; PyPI mcp 1.30.0, which has only models and keeps unknown members.
"""

from collections.abc import Callable
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from inspector.hosts.pydantic_check import (
    AnyOf,
    Choice,
    Issue,
    Items,
    Kind,
    Model,
    ModelField,
    Scalar,
    check,
    error_text,
    rewritten,
)
from inspector.hosts.python_text import loaded, represented
from inspector.hosts.received import Received
from inspector.hosts.sharing import shared
from inspector.json.exact import Json, JsonObject


class Names(Enum):
    """Which names members have in a dump of a model: those of Python or of JSON."""

    PYTHON = auto()
    """The names in Python: `mime_type`, `meta`."""
    WIRE = auto()
    """The names on the wire: `mimeType`, `_meta`."""
    FIRST = auto()
    """The names of mcp 1: `mimeType`, `meta`."""


def _member(name: str, kind: Kind, wire: str = "", *, required: bool = False) -> ModelField:
    return ModelField(name=name, wire=wire or name, kind=kind, required=required, nullable=not required)


_META = _member("meta", Scalar.MAPPING, "_meta")
_MIME_TYPE = _member("mime_type", Scalar.TEXT, "mimeType")
_AUDIENCE = _member("audience", Items(of=Choice(values=("user", "assistant"))))
_ANNOTATIONS = Model(
    name="Annotations",
    members=(
        _AUDIENCE,
        _member("priority", Scalar.SHARE),
        _member("last_modified", Scalar.TEXT, "lastModified"),
    ),
)
_NOTES = _member("annotations", _ANNOTATIONS)
_SIZES = _member("sizes", Items(of=Scalar.TEXT))
_THEME = _member("theme", Choice(values=("light", "dark")))
_SRC = _member("src", Scalar.TEXT, required=True)
_ICON = Model(name="Icon", members=(_SRC, _MIME_TYPE, _SIZES, _THEME))


def _type(value: str) -> ModelField:
    return _member("type", Choice(values=(value,)), required=True)


def _media(name: str, type_: str) -> Model:
    data = _member("data", Scalar.TEXT, required=True)
    mime_type = replace(_MIME_TYPE, required=True, nullable=False)
    return Model(name=name, members=(_type(type_), data, mime_type, _NOTES, _META))


def _contents(name: str, payload: str) -> Model:
    uri, text = _member("uri", Scalar.TEXT, required=True), _member(payload, Scalar.TEXT, required=True)
    return Model(name=name, members=(uri, _MIME_TYPE, _META, text))


TEXT = Model(
    name="TextContent", members=(_type("text"), _member("text", Scalar.TEXT, required=True), _NOTES, _META)
)
IMAGE = _media("ImageContent", "image")
AUDIO = _media("AudioContent", "audio")
LINK = Model(
    name="ResourceLink",
    members=(
        _member("name", Scalar.TEXT, required=True),
        _member("title", Scalar.TEXT),
        _member("uri", Scalar.TEXT, required=True),
        _member("description", Scalar.TEXT),
        _MIME_TYPE,
        _member("size", Scalar.WHOLE),
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
        _member("structured_content", Scalar.MAPPING, "structuredContent"),
        ModelField(name="is_error", wire="isError", kind=Scalar.TRUTH, nullable=False),
    ),
)


def changed(kind: Kind, change: Callable[[Model], Model]) -> Kind:
    """A copy of the type `kind` in which `change` was applied to every pydantic model, inner models first."""
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
    """`model` as version 1 of the package mcp defines it.

    There, URIs are URLs, annotations have no `lastModified`, and unknown members are kept.
    """
    members = (
        replace(member, kind=Scalar.URI) if member.name == "uri" else member
        for member in model.members
        if member.name != "last_modified"
    )
    return replace(model, members=tuple(members), keeps_others=True)


def dumped(value: JsonObject, model: Model, names: Names, *, with_none: bool = False) -> JsonObject:
    """The result of `model_dump()` on a value of `model`."""
    members: JsonObject = {}
    for member in model.members:
        inner = value.get(member.wire)
        if inner is not None or with_none:
            members[_name(member, names)] = _dumped(inner, member.kind, names, with_none=with_none)
    return members


def _name(member: ModelField, names: Names) -> str:
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
    """The model out of `among` that a block or resource is validated against."""
    if among[0].types:
        return next((model for model in among if value.get("type") in model.types), among[-1])
    return next((model for model in among if not check(value, model).issues), among[-1])


_FIRST_BLOCKS = changed(AnyOf(models=BLOCKS), of_first)


def model_repr(value: JsonObject) -> str:
    """The result of `repr()` on a content block in mcp 1."""
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
        case str(), Scalar.URI:
            return f"AnyUrl({represented(rewritten(value).text)})"
        case _:
            return represented(value)


class PydanticRefused(Struct, frozen=True, kw_only=True):
    """A result that the client library rejects with a ValidationError."""

    issues: tuple[Issue, ...]
    exact: bool = True
    """False if the exact error text is unknown."""

    @property
    def text(self) -> str:
        return error_text("CallToolResult", self.issues)


def _of_revision(model: Model) -> Model:
    """`model` as in the schema that is generated for a protocol revision.

    Metadata comes first, then the other members by their names in Python.
    """
    members = sorted(model.members, key=lambda member: (member.wire != "_meta", member.name))
    return replace(
        model,
        members=tuple(
            replace(member, kind=_ROLES) if member.name == "audience" else member for member in members
        ),
    )


def _nullable_flag(kind: Kind) -> Kind:
    """Allow null for `isError`, as the schema of a revision does. The model itself rejects null."""
    if not isinstance(kind, Model):
        return kind
    return replace(
        kind,
        members=tuple(replace(each, nullable=each.nullable or not each.required) for each in kind.members),
    )


_ROLES = Items(of=Choice(values=("assistant", "user")))
_REVISION = _nullable_flag(changed(RESULT, _of_revision))
_FIRST = changed(RESULT, of_first)


@shared
def receive(result: JsonObject) -> Received | PydanticRefused:
    """`result` as mcp 2.3 returns it, without unknown members."""
    read = _read(result)
    surface = check(read, _REVISION)
    if surface.issues:
        return PydanticRefused(issues=tuple(surface.issues))
    built = _built(read, RESULT)
    return replace(built, exact=False) if isinstance(built, PydanticRefused) else built


@shared
def receive_first(result: JsonObject) -> Received | PydanticRefused:
    """`result` as mcp 1.30 returns it, with unknown members, before URIs are normalised."""
    return _built(_read(result), _FIRST)


def _read(result: JsonObject) -> JsonObject:
    read = loaded(result)
    return read if isinstance(read, dict) else {}


def _built(result: JsonObject, model: Kind) -> Received | PydanticRefused:
    built = check(result, model)
    if built.issues or not isinstance(built.value, dict):
        return PydanticRefused(issues=tuple(built.issues))
    return Received(value=built.value)
