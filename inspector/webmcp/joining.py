"""A page's tool as one definition, out of what the page declared and what the browser keeps of it.

The definition is what claims and boundaries are read from. Marks of either side count: what the browser dropped
still says how the page wants its results treated. Source: docs/decisions/0006-pages.md.
"""

from inspector.json.exact import DuplicateKeys, Json, JsonObject, equal
from inspector.json.pointer import child
from inspector.webmcp.declared import Declaration, as_json
from inspector.webmcp.events import KeptTool

_OF_THE_PROTOCOL = frozenset({"stackTrace", "backendNodeId", "toolId", "declarative", "frameId"})
"""What the browser, or the polyfill, adds for its own use. It stays in `PageFacts.kept`."""
_OF_THE_PAGE = frozenset({"execute", "frameId"})
"""What no browser keeps as data. Frames are numbered anew each time, which is no change of a tool."""
_OF_BOTH = frozenset({"name", "description", "inputSchema"})
_SHORT = {
    "readOnlyHint": "readOnly",
    "untrustedContentHint": "untrustedContent",
    "consequentialHint": "consequential",
    "debuggingHint": "debugging",
    "autosubmitHint": "autosubmit",
}
"""The browser's own words for the draft's annotations."""
_UNREAD: JsonObject = {"$ref": "sightline:unread"}
"""Resolves nowhere, so that every boundary takes what it stands for as sensitive."""


class Joined:
    """One definition, and how the two sides differ."""

    def __init__(self, kept: KeptTool, declaration: Declaration | None, agent: Json) -> None:
        self.dropped: list[str] = []
        """Declared and not kept: pointers into `definition`."""
        self.changed: list[str] = []
        """Kept with another value, likewise."""
        self._kept = kept.value
        self._declared = _object(declaration.tool) if declaration else {}
        self._is_whole = declaration is None or declaration.is_whole
        self._agent = _object(agent)
        self.definition = self._joined()

    def _joined(self) -> JsonObject:
        kept, declared = self._kept, self._declared
        found: JsonObject = {key: value for key, value in kept.items() if key not in _OF_THE_PROTOCOL}
        found.setdefault("inputSchema", {})
        title = self._agent.get("title")
        if "title" not in found and isinstance(title, str) and title:
            found["title"] = title
        for key, value in declared.items():
            if key in _OF_THE_PAGE:
                continue
            if key == "annotations":
                self._join_annotations(found, value)
            elif key == "outputSchema":
                self._join_output_schema(found, value)
            elif key not in found or (key == "inputSchema" and key not in kept):
                found[key] = value
                self.dropped.append(child("", key))
            elif not equal(found[key], value) and not (
                key == "inputSchema" and equal(found[key], as_json(value))
            ):
                self.changed.append(child("", key))
        if not self._is_whole:
            schemas = [found["outputSchema"]] if "outputSchema" in found else []
            found["outputSchema"] = {"allOf": [*schemas, dict(_UNREAD)]}
        return found

    def _join_annotations(self, found: JsonObject, declared: Json) -> None:
        kept = found.get("annotations")
        if "annotations" not in found or not isinstance(kept, dict):
            found["annotations"] = declared
            self.dropped.append("/annotations")
            return
        if not isinstance(declared, dict):
            # Not an object: as a member it is a claim that nobody defined, which is shown and costs nothing.
            found["annotations"] = {**kept, "annotations": declared}
            self.changed.append("/annotations/annotations")
            return
        pairs = list(kept.items())
        for key, value in declared.items():
            if key in kept:
                if not equal(kept[key], value):
                    pairs.append((key, value))
                    self.changed.append(child("/annotations", key))
                continue
            pairs.append((key, value))
            short = _SHORT.get(key)
            if short is None or short not in kept:
                self.dropped.append(child("/annotations", key))
            elif not equal(kept[short], value):
                self.changed.append(child("/annotations", key))
        joined = dict(pairs)
        # A key with two values is read in the safe direction, as any that is named twice.
        found["annotations"] = joined if len(joined) == len(pairs) else DuplicateKeys(tuple(pairs))

    def _join_output_schema(self, found: JsonObject, declared: Json) -> None:
        if "outputSchema" not in found:
            found["outputSchema"] = declared
            self.dropped.append("/outputSchema")
        elif not equal(found["outputSchema"], declared):
            found["outputSchema"] = {"allOf": [found["outputSchema"], declared]}
            self.changed.append("/outputSchema/allOf/1")


def _object(value: Json) -> JsonObject:
    match value:
        case dict():
            return value
        case DuplicateKeys():
            return dict(value.pairs)
        case _:
            return {}
