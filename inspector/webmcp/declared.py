"""What a page declared, as the hook in it reports: the arguments of `registerTool`, before the browser saw them.

A report counts where it holds the proof that only the hook knows. What it says is a claim of the page like any other.
"""

import re
from dataclasses import dataclass

from inspector.json.exact import DuplicateKeys, Json, JsonText, parse
from inspector.protocol.page import Place

MAX_REPORT_CHARACTERS = 1_000_000
"""The hook stops far below; a longer report is none of its own."""

_STACK_LINE = re.compile(
    r" {4}at (?:.{0,300} \()?(?P<url>[^\s()]{1,1500}):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?", re.ASCII
)
_NO_VALUE = ("[undefined]", "[function]", "[symbol]")
_NO_NUMBER = ("[NaN]", "[Infinity]", "[-Infinity]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One tool as a page declared it."""

    name: str
    tool: Json
    """Functions are `[function]`; what could not be read without running the page's code says so in brackets."""
    options: Json
    is_whole: bool
    """Whether all of it could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What became of one call of `registerTool` that the browser refused."""

    name: str | None
    """As declared; None where it was no text. Foreign."""
    reason: str
    """The browser's own words, after the name of the error. Foreign: a page may have thrown it."""
    place: Place | None


def report_in(payload: str, proof: str) -> tuple[Declaration, ...] | Refusal | None:
    """The declarations, or the refusal, in one report; None where the hook did not make it. Never raises.

    `proof`: what the hook says with each report, and no script of the page can know.
    """
    if len(payload) > MAX_REPORT_CHARACTERS:
        return None
    read = parse(payload)
    if not isinstance(read, JsonText) or not isinstance(read.value, dict) or read.value.get("proof") != proof:
        return None
    report = read.value
    if report.get("call") == "refused":
        name, reason = report.get("name"), report.get("reason")
        return Refusal(
            name=name if isinstance(name, str) else None,
            reason=reason if isinstance(reason, str) else "",
            place=_place(report.get("place")),
        )
    is_whole, tool, options = report.get("whole") is True, report.get("tool"), report.get("options")
    tools = _members(tool, "tools") if report.get("call") == "provideContext" else (tool,)
    return tuple(
        Declaration(name=name, tool=item, options=options, is_whole=is_whole)
        for item in tools
        if (name := _name(item)) is not None
    )


def _place(line: Json) -> Place | None:
    """The place in a line of a stack, `    at name (url:line:column)` or without the name."""
    found = _STACK_LINE.fullmatch(line) if isinstance(line, str) else None
    if found is None:
        return None
    return Place(url=found["url"], line=int(found["line"]), column=int(found["column"]))


def _members(value: Json, key: str) -> tuple[Json, ...]:
    items = value.get(key) if isinstance(value, dict) else None
    return tuple(items) if isinstance(items, list) else ()


def _name(tool: Json) -> str | None:
    # The browser turns other values into text as JavaScript does; only text can be matched surely.
    found = dict(tool.pairs).get("name") if isinstance(tool, DuplicateKeys) else None
    found = tool.get("name") if isinstance(tool, dict) else found
    return found if isinstance(found, str) else None


def as_json(value: Json) -> Json:
    """What `JSON.stringify` makes of what the hook names in brackets: members without a JSON value go, others are null."""
    match value:
        case dict():
            return {key: as_json(item) for key, item in value.items() if item not in _NO_VALUE}
        case list():
            return [None if item in _NO_VALUE else as_json(item) for item in value]
        case str() if value in _NO_NUMBER:
            return None
        case _:
            return value
