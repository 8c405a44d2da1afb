"""Hand-written results, and what a host gives its model of them."""

from inspector.boundary.bounded import Bounded, Level
from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject


def text(value: str, **more: Json) -> JsonObject:
    return {"type": "text", "text": value, **more}


def sent(*blocks: Json, **more: Json) -> JsonObject:
    return {"content": list[Json](blocks), **more}


def handed(name: str, result: Json) -> ModelContext:
    profile = host(name)
    assert profile is not None
    return profile.model_view(Bounded(level=Level.OPEN, result=result), Call(server="fx", tool="try"))
