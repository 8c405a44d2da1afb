"""Two views of one result as text: what was sent, and what the model sees of it."""

from collections.abc import Sequence
from itertools import zip_longest

from inspector.boundary.options import Level
from inspector.cli.output import WIDE_COLUMNS, clipped
from inspector.hosts.projection import Projection
from inspector.json.document import MAX_LINES, Document
from inspector.json.exact import Json
from inspector.safe_text import safe_line

REMOVED = "✗"


def side_by_side(raw: Json, shown: Projection, level: Level, host: str, width: int) -> list[str]:
    """Both views, side by side where `width` allows, then every removal with its reason.

    `raw`: the raw result, masked where it must not be shown.
    """
    left = _raw_lines(raw, shown)
    right = _lines(Document(shown.context.model))
    titles = ("RAW RESULT", f"WHAT THE MODEL SEES (boundary: {level.value}, host: {host})")
    lines = _beside(titles, left, right, width) if width >= WIDE_COLUMNS else _below(titles, left, right)
    return [*lines, "", *_reasons(shown, level)]


def _raw_lines(raw: Json, shown: Projection) -> list[str]:
    document = Document(raw)
    withheld = frozenset(removal.pointer for removal in shown.bounded.removals)
    lengths = sorted({len(pointer) for pointer in withheld})
    lines = document.lines(0, min(document.line_count, MAX_LINES))
    signs = [REMOVED if _is_within(line.pointer, withheld, lengths) else " " for line in lines]
    if document.line_count > MAX_LINES:
        signs.append(" ")
    return [f"{sign} {text}" for sign, text in zip(signs, _lines(document), strict=True)]


def _is_within(pointer: str, withheld: frozenset[str], lengths: Sequence[int]) -> bool:
    """Whether a place, or one around it, is among those withheld. `lengths`: of their pointers."""
    return any(
        pointer[:length] in withheld
        for length in lengths
        if length == len(pointer) or (length < len(pointer) and pointer[length] == "/")
    )


def _lines(document: Document) -> list[str]:
    lines = [
        "".join(span.text for span in line.spans)
        for line in document.lines(0, min(document.line_count, MAX_LINES))
    ]
    if document.line_count > MAX_LINES:
        lines.append(f"… {document.line_count - MAX_LINES} more lines")
    return lines


def _beside(titles: tuple[str, str], left: list[str], right: list[str], width: int) -> list[str]:
    half = (width - 3) // 2
    rows = [titles, ("─" * half, "─" * half), *zip_longest(left, right, fillvalue="")]
    return [f"{clipped(a, half):<{half}} │ {clipped(b, half)}".rstrip() for a, b in rows]


def _below(titles: tuple[str, str], left: list[str], right: list[str]) -> list[str]:
    return [titles[0], "", *left, "", titles[1], "", *right]


def _reasons(shown: Projection, level: Level) -> list[str]:
    removals = shown.bounded.removals
    counted = ", ".join(f"{count} by {rule}" for rule, count in shown.removals_by_rule.items())
    lines = [
        f"{shown.raw_bytes:,} bytes in, {shown.model_bytes:,} to the model; withheld: {counted or 'nothing'}"
    ]
    lines += [
        f"{REMOVED} {safe_line(removal.pointer) or '(the whole result)'}  [{removal.rule}] {safe_line(removal.detail)}"
        for removal in removals[:MAX_LINES]
    ]
    if len(removals) > MAX_LINES:
        lines.append(f"… {len(removals) - MAX_LINES:,} more removals")
    lines += [
        f"~ {safe_line(change.pointer) or '(the whole)'}  [host] {safe_line(change.what)}"
        for change in shown.context.changes
    ]
    broken = shown.output.violations
    if len(broken) == 1:
        lines.append(f"{REMOVED} {safe_line(shown.output.sentence)}")
    elif broken:
        lines.append(f"{REMOVED} output breaks its schema:")
        lines += [f"    {safe_line(told.pointer or '(the whole)')} {told.message}" for told in broken]
        lines += [f"    … {shown.output.more:,} more"] if shown.output.more else []
    lines += [f"! {safe_line(sentence)}" for sentence in shown.findings if sentence != shown.output.sentence]
    if shown.unfinished:
        return [*lines, *(f"? {asked}" for asked in shown.unfinished.asks)]
    if level is Level.DECLARED:
        lines.append(
            "declared withholds only what somebody declared: what nobody declared went through; "
            f"leaves that no schema names: {shown.undeclared:,}."
        )
    return lines
