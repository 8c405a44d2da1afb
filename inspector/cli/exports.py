"""A recorded session as one document for a bug report: Markdown, or an HTML page that fetches and runs nothing."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inspector.cli.definitions import document_lines
from inspector.cli.side_by_side import MAX_LINES
from inspector.core.boundary.reading import raw_of
from inspector.core.foreign import safe_line
from inspector.core.json_text import Json
from inspector.core.projection import Projection
from inspector.core.recording.format import Header, Lenses
from inspector.core.recording.replaying import ReplayedCall

_TICKS = re.compile(r"`+")
_STYLE = (
    "body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#1b1b1b;background:#fff}"
    "pre{overflow:auto;padding:.8em;background:#f4f4f4;margin:0}"
    "table{width:100%;border-collapse:collapse;table-layout:fixed}"
    "td,th{vertical-align:top;text-align:left;padding:.3em;border:1px solid #ccc}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A call, with what a model sees of it."""

    call: ReplayedCall
    lenses: Lenses
    projection: Projection


def markdown(header: Header, calls: Iterable[Shown]) -> Iterator[str]:
    """The lines of a document. Server text stands in code alone, where it is no markup."""
    yield "# Recorded session"
    yield ""
    for name, value in _about(header):
        yield f"- {name}: {_code(value)}"
    for shown in calls:
        yield ""
        yield f"## Frame {shown.call.frame}: {_code(shown.call.name)}"
        yield ""
        yield f"{shown.call.duration_s * 1000:.0f} ms"
        for title, value in _views(shown):
            yield ""
            yield f"### {title}"
            yield ""
            yield from _block(value)
        reasons = list(_reasons(shown))
        if reasons:
            yield ""
            yield "### Withheld from the model, and findings"
            yield ""
            yield from (f"- {_code(reason)}" for reason in reasons)


def page(header: Header, calls: Iterable[Shown]) -> Iterator[str]:
    """The lines of a page: one file, no script, nothing from elsewhere."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>Recorded session</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY)}">'
    yield f"<style>{_STYLE}</style></head><body><h1>Recorded session</h1><ul>"
    for name, value in _about(header):
        yield f"<li>{name}: {_text(value)}</li>"
    yield "</ul>"
    for shown in calls:
        (arguments, given), *views = _views(shown)
        yield f"<h2>Frame {shown.call.frame}: {_text(shown.call.name)}</h2>"
        yield f"<p>{shown.call.duration_s * 1000:.0f} ms</p><h3>{arguments}</h3>"
        yield from _pre(given)
        yield f"<table><tr>{''.join(f'<th>{html.escape(title)}</th>' for title, _ in views)}</tr><tr>"
        for _, value in views:
            yield "<td>"
            yield from _pre(value)
            yield "</td>"
        yield "</tr></table>"
        reasons = list(_reasons(shown))
        if reasons:
            yield "<h3>Withheld from the model, and findings</h3><ul>"
            yield from (f"<li>{_text(reason)}</li>" for reason in reasons)
            yield "</ul>"
    yield "</body></html>"


def _about(header: Header) -> Iterator[tuple[str, str]]:
    yield "target", f"{header.kind} {header.target}"
    yield "recorded", f"{header.created} by {header.software}"


def _views(shown: Shown) -> list[tuple[str, Json]]:
    lenses = shown.lenses
    seen = "" if shown.projection.context.observed else ", not observed"
    title = f"What the model sees (boundary: {lenses.level.value}, host: {safe_line(lenses.host)}{seen})"
    return [
        ("Arguments", shown.call.arguments),
        ("Result, as recorded", raw_of(shown.call.outcome)),
        (title, shown.projection.context.model),
    ]


def _reasons(shown: Shown) -> Iterator[str]:
    removals = shown.projection.bounded.removals
    for removal in removals[:MAX_LINES]:
        yield f"{removal.pointer or '(the whole)'} [{removal.rule}] {removal.detail}"
    if len(removals) > MAX_LINES:
        yield f"{len(removals) - MAX_LINES:,} more removals"
    yield from shown.projection.bounded.findings


def _block(value: Json) -> Iterator[str]:
    # No line of JSON consists of backticks alone, so none ends the block.
    yield "```json"
    yield from document_lines(value)
    yield "```"


def _code(text: str) -> str:
    """Text as inline code, which no backtick in it can end."""
    shown = safe_line(text)
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    return f"{ticks} {shown} {ticks}"


def _pre(value: Json) -> Iterator[str]:
    lines = [html.escape(line) for line in document_lines(value)]
    lines[0] = f"<pre>{lines[0]}"
    lines[-1] = f"{lines[-1]}</pre>"
    yield from lines


def _text(text: str) -> str:
    return html.escape(safe_line(text))
