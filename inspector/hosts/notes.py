"""What a profile says about its own work: what the host changed, and what nobody observed."""

from collections.abc import Mapping
from enum import Enum, auto

from inspector.hosts.profile import Change, ModelContext
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child


class Part(Enum):
    """A part of a result that many hosts leave out."""

    STRUCTURED = auto()
    ERROR_FLAG = auto()
    RESULT_META = auto()
    BLOCK_META = auto()
    ANNOTATIONS = auto()
    UNKNOWN = auto()
    """Members that the protocol does not define."""


_RESULT_KEYS = frozenset({"content", "structuredContent", "isError", "_meta"})
_BLOCK_KEYS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "annotations", "_meta"}),
    "image": frozenset({"type", "data", "mimeType", "annotations", "_meta"}),
    "audio": frozenset({"type", "data", "mimeType", "annotations", "_meta"}),
    "resource": frozenset({"type", "resource", "annotations", "_meta"}),
    "resource_link": frozenset(
        {"type", "name", "title", "uri", "description", "mimeType", "size", "icons", "annotations", "_meta"}
    ),
}

ALL_KINDS = frozenset(_BLOCK_KEYS)
"""The types of content that the protocol defines."""

_SAID = {
    Part.STRUCTURED: "the host does not hand structured content to its model",
    Part.ERROR_FLAG: "the model is not told that the call failed",
    Part.RESULT_META: "the host does not hand the metadata of a result to its model",
    Part.BLOCK_META: "the host does not hand the metadata of content to its model",
    Part.ANNOTATIONS: "the host does not hand annotations to its model, nor does it honour an audience",
    Part.UNKNOWN: "the host's client library drops what the protocol does not define",
}


class Notes:
    """Collects while a profile works."""

    def __init__(self, result: Json) -> None:
        """`result` is what the pointers point into."""
        self._members = frozenset(result) if isinstance(result, dict) else frozenset[str]()
        self._changes: list[Change] = []
        self._observed = True

    def change(self, pointer: str, what: str) -> None:
        """The host added, dropped or rewrote something; of a member that is not there, the whole is meant."""
        is_there = pointer[1:].partition("/")[0] in self._members
        self._changes.append(Change(pointer=pointer if is_there else "", what=what))

    def beyond(self, pointer: str, what: str) -> None:
        """Nobody observed what the host does here; `what` says what is assumed."""
        self._observed = False
        self.change(pointer, f"not observed: {what}")

    def refused(self, *, in_words: bool, exact: bool = True) -> None:
        """The host's client library refuses the result. `in_words`: the model reads why; `exact`: in words that are known."""
        reads = "reads why instead" if in_words else "only learns that"
        self.change("", f"the host's client library refuses the result; the model {reads}")
        if not exact:
            self.beyond("", "the words in which the client library refuses")

    def withhold(self, reason: str) -> None:
        """Note why there is nothing that can be said about what the model gets."""
        self.beyond("", f"{reason}; all of it is withheld here")

    def context(self, model: Json) -> ModelContext:
        """What the model gets, with all that was noted."""
        return ModelContext(model=model, changes=tuple(self._changes), observed=self._observed)

    def dropped(self, result: JsonObject, parts: frozenset[Part], kinds: frozenset[str] = ALL_KINDS) -> None:
        """Note those of `parts` that `result` has, of its blocks those of `kinds`."""
        if Part.STRUCTURED in parts and result.get("structuredContent") is not None:
            self._say("/structuredContent", Part.STRUCTURED)
        if Part.ERROR_FLAG in parts and result.get("isError") is True:
            self._say("/isError", Part.ERROR_FLAG)
        if Part.RESULT_META in parts and "_meta" in result:
            self._say("/_meta", Part.RESULT_META)
        if Part.UNKNOWN in parts:
            self._unknown(result, _RESULT_KEYS, "")
        content = result.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and _kind(block) in kinds:
                self._dropped_of_block(block, child("/content", index), parts)

    def _dropped_of_block(self, block: JsonObject, pointer: str, parts: frozenset[Part]) -> None:
        if Part.ANNOTATIONS in parts and "annotations" in block:
            self._say(child(pointer, "annotations"), Part.ANNOTATIONS)
        if Part.BLOCK_META in parts and "_meta" in block:
            self._say(child(pointer, "_meta"), Part.BLOCK_META)
        resource = block.get("resource")
        if Part.BLOCK_META in parts and isinstance(resource, dict) and "_meta" in resource:
            self._say(child(child(pointer, "resource"), "_meta"), Part.BLOCK_META)
        kind = block.get("type")
        if Part.UNKNOWN in parts and isinstance(kind, str):
            self._unknown(block, _BLOCK_KEYS[kind], pointer)

    def _unknown(self, value: JsonObject, known: frozenset[str], pointer: str) -> None:
        for key in value:
            if key not in known:
                self._say(child(pointer, key), Part.UNKNOWN)

    def _say(self, pointer: str, part: Part) -> None:
        self.change(pointer, _SAID[part])


def _kind(block: JsonObject) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""
