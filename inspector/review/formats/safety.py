"""A safety table as Markdown and as an HTML page. Untrusted text is plain text or code."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from inspector.claims.safety import COLUMNS, LEGEND, Cell, SafetyRow
from inspector.json.exact import Malformed
from inspector.review.formats.html_page import STYLE, html_line
from inspector.review.formats.markdown import code, plain

_MAX_TEXT = 200
"""The maximum number of characters of a text in the table."""


def markdown_lines(
    title: str, rows: Sequence[SafetyRow], malformed: Sequence[Malformed] = ()
) -> Iterator[str]:
    """The safety table as Markdown: a row for each tool, then the contradictions and the malformed items.

    `title`: the name of the subject; may be untrusted.
    """
    yield f"# Safety of {plain(_short(title))}"
    yield ""
    yield from LEGEND
    yield ""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * len(COLUMNS)}"
    for row in rows:
        cells = (_cell(cell, _code_in_table) for cell in row.cells)
        yield f"| {_code_in_table(row.name)} | {' | '.join(cells)} |"
    contradicting = [row for row in rows if row.contradictions]
    if contradicting:
        yield from ("", "## Contradictions", "")
    for row in contradicting:
        yield from (f"- {code(_short(row.name))}: {plain(sentence)}" for sentence in row.contradictions)
    if malformed:
        yield from ("", "## Malformed", "")
    for item in malformed:
        yield f"- {code(_short(item.name or item.pointer or '?'))}: {plain(_short(item.reason))}"


def html_lines(title: str, rows: Sequence[SafetyRow], malformed: Sequence[Malformed] = ()) -> Iterator[str]:
    """The safety table as a self-contained HTML page. `title`: the name of the subject; may be untrusted."""
    named = f"Safety of {html_line(_short(title))}"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{named}</title><style>{STYLE}</style></head><body>"
    yield f"<h1>{named}</h1>"
    yield from (f"<p>{html_line(sentence)}</p>" for sentence in LEGEND)
    yield f"<table><tr>{''.join(f'<th>{html_line(name)}</th>' for name in COLUMNS)}</tr>"
    for row in rows:
        cells = "".join(f"<td>{_cell(cell, _html_code, html_line)}</td>" for cell in row.cells)
        yield f"<tr><td>{_html_code(row.name)}</td>{cells}</tr>"
    yield "</table>"
    yield from _html_list(
        "Contradictions", [(row.name, sentence) for row in rows for sentence in row.contradictions]
    )
    yield from _html_list(
        "Malformed", [(item.name or item.pointer or "?", item.reason) for item in malformed]
    )
    yield "</body></html>"


def _html_list(title: str, entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    if entries:
        yield f"<h2>{title}</h2><ul>"
        yield from (f"<li>{_html_code(name)}: {html_line(_short(text))}</li>" for name, text in entries)
        yield "</ul>"


def _cell(cell: Cell, foreign: Callable[[str], str], own: Callable[[str], str] = plain) -> str:
    text = ", ".join((foreign if cell.is_foreign else own)(value) for value in cell.values)
    return f"{text} ({cell.note})" if cell.note else text


def _html_code(text: str) -> str:
    return f"<code>{html_line(_short(text))}</code>"


# A bar ends a cell even inside code and cannot be escaped there, so another character replaces it.
_IN_TABLE: Mapping[int, str] = {ord("|"): "¦"}


def _code_in_table(text: str) -> str:
    return code(_short(text).translate(_IN_TABLE))


def _short(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


FORMATS: Mapping[str, Callable[[str, Sequence[SafetyRow], Sequence[Malformed]], Iterator[str]]] = {
    "markdown": markdown_lines,
    "html": html_lines,
}
"""The functions that write a safety table, by the name of the format."""
