"""One result through every host, as text and as JSON."""

from inspector.boundary.options import Level
from inspector.cli.output import table
from inspector.cli.shapes import withheld_shape
from inspector.hosts.comparison import Comparison, HostRow
from inspector.hosts.leaks import Leak
from inspector.json.document import MAX_LINES, document_lines
from inspector.json.exact import Json, JsonObject
from inspector.safe_text import safe_line

_HEAD = ("HOST", "VERSION", "BYTES", "LEAKS AT OPEN", "OBSERVED", "WHAT IT DOES")


def comparison_shape(found: Comparison) -> JsonObject:
    """All of a comparison, model contexts included."""
    return {
        "boundary": found.level.value,
        "rawBytes": found.raw_bytes,
        "withheld": withheld_shape(found.bounded.removals),
        "sensitive": withheld_shape(found.sensitive),
        "hosts": [_row_shape(row) for row in found.rows],
    }


def comparison_lines(found: Comparison, width: int) -> list[str]:
    """A table with a row for each host, and what it amounts to."""
    rows = [_HEAD, *map(_row, found.rows)]
    leaking, unknown = len(found.leaking), sum(row.leak is Leak.UNKNOWN for row in found.rows)
    asked = len(found.sensitive)
    parts = f"{asked:,} part{'' if asked == 1 else 's'}"
    lines = [
        f"boundary: {found.level.value}, {found.raw_bytes:,} bytes as sent; `declared` withholds {parts} of it",
        "",
        *table(rows, width),
        "",
    ]
    if found.unfinished:
        return [*lines, f"Nothing reaches any model: {found.unfinished}."]
    if not asked:
        return [
            *lines,
            "Nothing is declared sensitive, so no leak can be told: what nobody declared goes through.",
        ]
    said = f"At open, {leaking} of {len(found.rows)} hosts would have handed withheld values to their models"
    return [*lines, f"{said}; of {unknown} it is not known." if unknown else f"{said}."]


def host_lines(row: HostRow, level: Level) -> list[str]:
    """All there is to say of one host."""
    context = row.context
    seen = "" if row.observed else ", not observed"
    lines = [
        f"WHAT THE MODEL SEES (boundary: {level.value}, host: {row.host.name}{seen})",
        *document_lines(context.model),
    ]
    lines += [
        f"~ {safe_line(change.pointer) or '(the whole)'}  [host] {safe_line(change.what)}"
        for change in context.changes[:MAX_LINES]
    ]
    lines.append(f"leaks at open: {_leaks(row)}{'' if row.observed_open else ' (not observed)'}")
    lines += [f"! {safe_line(pointer) or '(the whole result)'}" for pointer in row.leaks]
    return lines


def _row(row: HostRow) -> tuple[str, ...]:
    return (
        row.host.name,
        row.host.version,
        f"{row.size_bytes:,}",
        _leaks(row),
        "yes" if row.observed else "not observed",
        _does(row),
    )


def _leaks(row: HostRow) -> str:
    """Yes or no, and how many values."""
    leaked = row.leaked
    if row.leak is Leak.YES and leaked.pointers:
        count = len(leaked.pointers)
        more = f", {leaked.unknown:,} not told" if leaked.unknown else ""
        return f"yes: {count:,} value{'' if count == 1 else 's'}{more}"
    return row.leak.value


def _does(row: HostRow) -> str:
    """The count of the host's changes, and what they are, each kind once."""
    count = row.change_count
    if not count:
        return "no changes"
    kinds = list(dict.fromkeys(change.what for change in row.context.changes))
    return f"{count:,} change{'' if count == 1 else 's'}: {'; '.join(kinds[:3])}"


def _row_shape(row: HostRow) -> JsonObject:
    return {
        "host": row.host.name,
        "title": row.host.title,
        "version": row.host.version,
        "asOf": row.host.as_of,
        "how": row.host.how,
        "observed": row.observed,
        "bytes": row.size_bytes,
        "changes": [{"pointer": change.pointer, "what": change.what} for change in row.context.changes],
        "model": row.context.model,
        "open": {
            "observed": row.observed_open,
            "leak": row.leak.value,
            "leaked": list[Json](row.leaks),
            "untold": row.leaked.unknown,
        },
    }
