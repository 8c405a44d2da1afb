"""Exports a recorded session for a bug report: as Markdown, or as an HTML page that fetches and runs nothing."""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from inspector.boundary.reading import raw_of
from inspector.errors import headline
from inspector.hosts.projection import Projection
from inspector.json.document import MAX_LINES, document_lines
from inspector.json.exact import Json
from inspector.protocol.frames import Frame
from inspector.protocol.outcome import Failure
from inspector.recording.format import Connected, Header, Lenses, LensesChanged, Line, Note
from inspector.recording.markers import text_for
from inspector.recording.replaying import Replay, ReplayedCall, projection_of
from inspector.safe_text import safe_line

Kind: TypeAlias = Literal["markdown", "html"]
KINDS: tuple[Kind, ...] = ("markdown", "html")

_TICKS = re.compile(r"`+")
_STYLE = (
    "body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#1b1b1b;background:#fff}"
    "pre{overflow:auto;padding:.8em;background:#f4f4f4;margin:0}"
    "table{width:100%;border-collapse:collapse;table-layout:fixed}"
    "td,th{vertical-align:top;text-align:left;padding:.3em;border:1px solid #ccc}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class _Call(Struct, frozen=True, kw_only=True):
    """A call with the model's view of it. `projection` is None if the host is unknown, or no answer came."""

    call: ReplayedCall
    lenses: Lenses
    projection: Projection | None


class _Between(Struct, frozen=True, kw_only=True):
    """An event between two calls."""

    at_s: float
    title: str
    text: str


def exported(
    kind: Kind, header: Header, lines: Iterable[Line], *, raw: Callable[[int], Frame | None] = lambda _: None
) -> Iterator[str]:
    """The lines of a document with all calls, decisions and changes of the boundary level, host and policy.

    Each call is shown with the boundary level, host and policy that applied to it. `lines`: those after the
    header. `raw`: returns the raw frame with a given number; None if it is not available.
    """
    return (_page if kind == "html" else _markdown)(header, _events(header, lines, raw))


def note_words(line: Line) -> tuple[str, str] | None:
    """The kind and text of an event that is not a protocol message; None for other lines.

    May be untrusted text.
    """
    match line:
        case Note(kind=kind, text=text):
            return kind, text if isinstance(text, str) else text_for(text) if isinstance(text, dict) else ""
        case LensesChanged(lenses=lenses):
            return "lenses", f"boundary: {lenses.level.value}, host: {lenses.host}"
        case Connected(number=number, client=client):
            profile = f", client profile: {client}" if client else ""
            return "connection", f"reconnected to the target (connection {number}{profile})"
        case _:
            return None


def _events(
    header: Header, lines: Iterable[Line], raw: Callable[[int], Frame | None]
) -> Iterator[_Call | _Between]:
    lenses = header.lenses
    replay = Replay(raw)
    for line in lines:
        if isinstance(line, LensesChanged):
            lenses = line.lenses
        for call in replay.calls(line):
            yield _Call(call=call, lenses=lenses, projection=projection_of(call, lenses))
        words = note_words(line)
        if words and isinstance(line, (Note, LensesChanged, Connected)):
            yield _Between(at_s=line.at_s, title=words[0], text=words[1])
    for call in replay.unanswered.values():
        yield _Call(call=call, lenses=lenses, projection=None)


def _markdown(header: Header, events: Iterable[_Call | _Between]) -> Iterator[str]:
    """A Markdown document. Server text is always inside code, so it cannot be markup."""
    yield "# Recorded session"
    yield ""
    for name, value in _about(header):
        yield f"- {name}: {_code(value)}"
    for event in events:
        yield ""
        if isinstance(event, _Between):
            yield f"{event.at_s:.3f} s, {_code(event.title)}: {_code(event.text)}"
            continue
        yield f"## Frame {_number(event)}: {_code(event.call.name)}"
        yield ""
        yield f"{event.call.duration_s * 1000:.0f} ms"
        for title, value in _views(event):
            yield ""
            yield f"### {title}"
            yield ""
            yield from _block(value)
        reasons = list(_reasons(event))
        if reasons:
            yield ""
            yield f"### {_heading(event)}"
            yield ""
            yield from (f"- {_code(reason)}" for reason in reasons)


def _page(header: Header, events: Iterable[_Call | _Between]) -> Iterator[str]:
    """An HTML page in one file, without scripts or external resources."""
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>Recorded session</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY)}">'
    yield f"<style>{_STYLE}</style></head><body><h1>Recorded session</h1><ul>"
    for name, value in _about(header):
        yield f"<li>{name}: {_text(value)}</li>"
    yield "</ul>"
    for event in events:
        if isinstance(event, _Between):
            yield f"<p>{event.at_s:.3f} s, {_text(event.title)}: {_text(event.text)}</p>"
        else:
            yield from _section(event)
    yield "</body></html>"


def _section(shown: _Call) -> Iterator[str]:
    (arguments, given), *views = _views(shown)
    yield f"<h2>Frame {_number(shown)}: {_text(shown.call.name)}</h2>"
    yield f"<p>{shown.call.duration_s * 1000:.0f} ms</p><h3>{arguments}</h3>"
    yield from _pre(given)
    if views:
        yield f"<table><tr>{''.join(f'<th>{html.escape(title)}</th>' for title, _ in views)}</tr><tr>"
        for _, value in views:
            yield "<td>"
            yield from _pre(value)
            yield "</td>"
        yield "</tr></table>"
    reasons = list(_reasons(shown))
    if reasons:
        yield f"<h3>{_heading(shown)}</h3><ul>"
        yield from (f"<li>{_text(reason)}</li>" for reason in reasons)
        yield "</ul>"


def _about(header: Header) -> Iterator[tuple[str, str]]:
    yield "target", f"{header.kind} {header.target}"
    yield "recorded", f"{header.created} by {header.software}"
    if header.client:
        yield "client profile", header.client


def _number(shown: _Call) -> int:
    """The number of the answer's frame or, if there is no answer, of the request's frame."""
    return shown.call.asked if isinstance(shown.call.outcome, Failure) else shown.call.frame


def _heading(shown: _Call) -> str:
    is_failure = isinstance(shown.call.outcome, Failure)
    return "No answer came" if is_failure else "Withheld from the model, and remarks"


def _views(shown: _Call) -> list[tuple[str, Json]]:
    lenses, projection = shown.lenses, shown.projection
    views: list[tuple[str, Json]] = [("Arguments", shown.call.arguments)]
    if not isinstance(shown.call.outcome, Failure):
        views.append(("Result, as recorded", raw_of(shown.call.outcome)))
    if projection is not None:
        seen = "" if projection.context.observed else ", not observed"
        through = f"(boundary: {lenses.level.value}, host: {safe_line(lenses.host)}{seen})"
        views.append((f"What the model sees {through}", projection.context.model))
    return views


def _reasons(shown: _Call) -> Iterator[str]:
    if isinstance(shown.call.outcome, Failure):
        yield headline(shown.call.outcome.detail)
        return
    if shown.projection is None:
        yield f"the model view is unknown: this version does not know the host {shown.lenses.host}"
        return
    removals = shown.projection.bounded.removals
    for removal in removals[:MAX_LINES]:
        yield f"{removal.pointer or '(the whole result)'} [{removal.rule}] {removal.detail}"
    if len(removals) > MAX_LINES:
        yield f"{len(removals) - MAX_LINES:,} more removals"
    yield from shown.projection.bounded.remarks
    if shown.projection.unfinished:
        yield from shown.projection.unfinished.asks


def _block(value: Json) -> Iterator[str]:
    # No line of JSON consists only of backticks, so none ends the block.
    yield "```json"
    yield from document_lines(value)
    yield "```"


def _code(text: str) -> str:
    """Text as inline code. No backtick in the text can end it."""
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
