"""What a page declared, as the hook in it reports: the arguments of `registerTool`, before the browser saw them.

A page that gets hold of the hook's voice can say what it likes with it, so this is a claim of the page like any other.
"""

from dataclasses import dataclass

from inspector.core.json_text import DuplicateKeys, Json, JsonText, parse

MAX_REPORT_CHARACTERS = 1_000_000
"""The hook stops far below; a longer report is none of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One tool as a page declared it."""

    name: str
    tool: Json
    """Functions are `[function]`; what could not be read without running the page's code says so in brackets."""
    options: Json
    is_whole: bool
    """Whether all of it could be read."""


def declarations_in(payload: str) -> tuple[Declaration, ...]:
    """The declarations in one report; none where it is no report. Never raises."""
    if len(payload) > MAX_REPORT_CHARACTERS:
        return ()
    read = parse(payload)
    if not isinstance(read, JsonText) or not isinstance(read.value, dict):
        return ()
    report = read.value
    is_whole, tool, options = report.get("whole") is True, report.get("tool"), report.get("options")
    tools = _members(tool, "tools") if report.get("call") == "provideContext" else (tool,)
    return tuple(
        Declaration(name=name, tool=item, options=options, is_whole=is_whole)
        for item in tools
        if (name := _name(item)) is not None
    )


def _members(value: Json, key: str) -> tuple[Json, ...]:
    items = value.get(key) if isinstance(value, dict) else None
    return tuple(items) if isinstance(items, list) else ()


def _name(tool: Json) -> str | None:
    # The browser turns other values into text as JavaScript does; only text can be matched surely.
    found = dict(tool.pairs).get("name") if isinstance(tool, DuplicateKeys) else None
    found = tool.get("name") if isinstance(tool, dict) else found
    return found if isinstance(found, str) else None
