"""The notes that a host profile makes: the host's changes to a result, and assumptions about the host."""

from collections.abc import Mapping
from enum import Enum, auto

from inspector.hosts.profile import HostChange, ModelContext
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child


class Part(Enum):
    """A part of a result that many hosts omit."""

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
"""The content types of the protocol."""

_TEXTS = {
    Part.STRUCTURED: "the host does not pass structured content to its model",
    Part.ERROR_FLAG: "the model does not learn that the call failed",
    Part.RESULT_META: "the host does not pass the metadata of a result to its model",
    Part.BLOCK_META: "the host does not pass the metadata of content to its model",
    Part.ANNOTATIONS: "the host does not pass annotations to its model, and ignores an audience",
    Part.UNKNOWN: "the host's client library drops members that the protocol does not define",
}


class Notes:
    """Collects the notes of a host profile while it computes a model's view."""

    def __init__(self, result: Json) -> None:
        """`result`: the document that the pointers refer to."""
        self._members = frozenset(result) if isinstance(result, dict) else frozenset[str]()
        self._changes: list[HostChange] = []
        self._observed = True
        self._refused = ""

    def change(self, pointer: str, what: str) -> None:
        """Add a change by the host.

        If the first token of `pointer` leads nowhere, the change is noted at the root.
        """
        is_there = pointer[1:].partition("/")[0] in self._members
        self._changes.append(HostChange(pointer=pointer if is_there else "", what=what))

    def beyond(self, pointer: str, what: str) -> None:
        """Add a change that the host is assumed to make, without observation. `what`: the assumption."""
        self._observed = False
        self.change(pointer, f"not observed: {what}")

    def refused(self, *, in_words: bool, exact: bool = True) -> None:
        """Note that the host's client library rejects the result.

        `in_words`: true if the model gets the reason. `exact`: true if the wording of the reason is known.
        """
        reads = "gets the reason instead" if in_words else "only learns that the call failed"
        self.refused_with(f"the host's client library refuses the result; the model {reads}")
        if not exact:
            self.beyond("", "the exact error text of the client library")

    def refused_with(self, what: str) -> None:
        """Note that the host refuses the result as a whole. `what`: how, as a sentence for the user."""
        self._refused = what
        self.change("", what)

    def withhold(self, reason: str) -> None:
        """Note that the model's view is unknown because of `reason`, so that the whole result is withheld."""
        self.beyond("", f"{reason}; the whole result is withheld here")

    def context(self, model: Json) -> ModelContext:
        """The model's view with all notes."""
        return ModelContext(
            model=model, changes=tuple(self._changes), observed=self._observed, refused=self._refused
        )

    def dropped(self, result: JsonObject, parts: frozenset[Part], kinds: frozenset[str] = ALL_KINDS) -> None:
        """Add a change for each of `parts` in `result`, and in its blocks of the given types."""
        if Part.STRUCTURED in parts and result.get("structuredContent") is not None:
            self._note("/structuredContent", Part.STRUCTURED)
        if Part.ERROR_FLAG in parts and result.get("isError") is True:
            self._note("/isError", Part.ERROR_FLAG)
        if Part.RESULT_META in parts and "_meta" in result:
            self._note("/_meta", Part.RESULT_META)
        if Part.UNKNOWN in parts:
            self._unknown(result, _RESULT_KEYS, "")
        content = result.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and _kind(block) in kinds:
                self._dropped_of_block(block, child("/content", index), parts)

    def _dropped_of_block(self, block: JsonObject, pointer: str, parts: frozenset[Part]) -> None:
        if Part.ANNOTATIONS in parts and "annotations" in block:
            self._note(child(pointer, "annotations"), Part.ANNOTATIONS)
        if Part.BLOCK_META in parts and "_meta" in block:
            self._note(child(pointer, "_meta"), Part.BLOCK_META)
        resource = block.get("resource")
        if Part.BLOCK_META in parts and isinstance(resource, dict) and "_meta" in resource:
            self._note(child(child(pointer, "resource"), "_meta"), Part.BLOCK_META)
        kind = block.get("type")
        if Part.UNKNOWN in parts and isinstance(kind, str):
            self._unknown(block, _BLOCK_KEYS[kind], pointer)

    def _unknown(self, value: JsonObject, known: frozenset[str], pointer: str) -> None:
        for key in value:
            if key not in known:
                self._note(child(pointer, key), Part.UNKNOWN)

    def _note(self, pointer: str, part: Part) -> None:
        self.change(pointer, _TEXTS[part])


def _kind(block: JsonObject) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""
