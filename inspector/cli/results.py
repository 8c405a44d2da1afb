"""One result as text and as JSON: the server's result, the model's view, and the reasons for differences.

Nothing that a model can read is cut. Where both sides are printed, members that no model sees, and the base64 of pictures,
sounds and files, take one line each.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.counted import is_delimited
from inspector.boundary.options import Level
from inspector.boundary.output_check import OutputCheck
from inspector.boundary.undeclared import MAX_PLACES
from inspector.cli.output import WIDE_COLUMNS, Colour, Coloured, OutputLine, cells, wrapped
from inspector.hosts.masks import is_reaching, reached_words
from inspector.hosts.profile import NO_ERROR, PROTOCOL_MEMBERS, says_no_error
from inspector.hosts.projection import Projection
from inspector.json.document import MAX_LINES, Document, PlainLine
from inspector.json.exact import Json, JsonObject
from inspector.json.layout import quoted_inside
from inspector.json.pointer import resolve
from inspector.json.weight import compact_bytes, size
from inspector.protocol.outcome import Failure
from inspector.safe_text import safe_line

REMOVED, REACHING, ADDED, CHANGED, BROKEN, SAME, METADATA = "✗", "!", "+", "~", "≠", " ", "·"
ADDRESSES = "@"
"""The sign of a text that reads like an instruction to the model."""
UNMASK = "Show sensitive values in what the server sent and, with --boundary open, in what the model sees."
"""The help of --unmask."""
CONTINUED = "↪"
"""The character before the text of a row that continues the row above."""
_GUTTER = 2
"""The number of cells before a row: its sign, and `CONTINUED` or a blank."""
_SEPARATOR = " │ "
_COLOURS = {
    REMOVED: Colour.RED,
    REACHING: Colour.RED,
    BROKEN: Colour.RED,
    ADDRESSES: Colour.RED,
    ADDED: Colour.GREEN,
    CHANGED: Colour.YELLOW,
}


class ResultSides(StrEnum):
    """The sides of a result to print."""

    BOTH = "both"
    MODEL = "model"
    RAW = "raw"


class ViewRow(Struct, frozen=True, kw_only=True, gc=False):
    """One line of a JSON value, with the sign of its difference from the other side."""

    sign: str
    depth: int
    """The number of blanks before the text."""
    text: str
    """The text without the blanks before it, safe to show."""


_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\r\n]+={0,2}[\r\n]*")
_LONG = 200
"""The maximum number of characters of base64 that is not folded."""
_KEY = re.compile(r'("(?:[^"\\]|\\.)*": )?')
"""The key at the beginning of a line, if it has one."""


ViewPair = tuple[ViewRow | None, ViewRow | None]
"""The left and the right side of one row; None for a gap."""


def withheld_shape(removals: Iterable[Removal]) -> list[Json]:
    """The member `withheld` of a result in JSON output: each removal with its rule and reason."""
    return [
        {
            "pointer": removal.pointer,
            "rule": removal.rule,
            "vocabulary": removal.vocabulary,
            "detail": removal.detail,
        }
        for removal in removals
    ]


def remarks_shape(sentences: Iterable[str]) -> list[Json]:
    """The member `remarks` of a result or a definition in JSON output."""
    return [{"message": sentence} for sentence in sentences]


def output_shape(output: OutputCheck) -> JsonObject:
    """The members of a result in JSON output about its output schema.

    They are `violations`, and `moreViolations` and `unchecked` if there are any.
    """
    shape: JsonObject = {"violations": [violation.as_json() for violation in output.violations]}
    if output.more:
        shape["moreViolations"] = output.more
    if output.unchecked:
        shape["unchecked"] = list(output.unchecked)
    return shape


def unfinished_shape(shown: Projection) -> JsonObject:
    """The member `unfinished` of a result in JSON output, if the answer does not end the call."""
    return {"unfinished": shown.unfinished.as_json()} if shown.unfinished else {}


def result_lines(  # noqa: PLR0913 - the parts of a printed result
    raw: Json,
    shown: Projection,
    host: str,
    width: int,
    view: ResultSides = ResultSides.BOTH,
    *,
    model: Json = None,
    is_whole: bool = True,
    elsewhere: str = "--view raw",
) -> list[OutputLine]:
    """The chosen sides of a result, then each removal with its reason.

    A single side is printed in full. If both are printed, what no model reads is folded. The sides are next to each
    other if `width` allows.

    `raw`: the server's result, masked unless the user wants to see secrets. `model`: the model's side to
    print in place of the masked view; None to print the masked view. `is_whole`: only used if the server sent
    no answer; true to print the whole error about the missing answer, false to print only the first line of
    that error. `elsewhere`: the option that shows what is folded.
    """
    seen = shown.masked_model if model is None else model
    level = shown.bounded.level
    model_title = f"MODEL SEES (boundary: {level.value}, host: {host})"
    if isinstance(shown.outcome, Failure):
        # The error object is Sightline's: the server sent none.
        lines = _stacked("SERVER SENT", [], width)
        detail = shown.outcome.detail if is_whole else shown.outcome.detail.partition("\n")[0]
        lines += _text_lines(f"nothing. Sightline: {detail}", width)
        if view is not ResultSides.RAW:
            lines += ["", *_stacked(model_title, _rows_of(seen), width)]
        changes = shown.context.changes[-1:]
        unknown = (_reason(CHANGED, "", "the model", "host", change.what) for change in changes)
        return [*lines, "", "server sent no result", *unknown]
    removals = shown.bounded.removals
    pairs = aligned(
        raw,
        seen,
        # Text between markers is changed, not withheld.
        [removal.pointer for removal in removals if removal.rule != Rule.META and not is_delimited(removal)],
        PROTOCOL_MEMBERS.union(
            pointer
            for removal in removals
            if removal.rule == Rule.META
            # A `_meta` whose members are all removed is missing for the same reason.
            for pointer in (removal.pointer, removal.pointer.rpartition("/")[0])
            if pointer == removal.pointer or pointer.endswith("/_meta")
        ).union((NO_ERROR,) if says_no_error(raw) else ()),
        [removal.pointer for removal in shown.masks.removals] if shown.reached else (),
        elsewhere=elsewhere if view is ResultSides.BOTH else "",
    )
    if view is ResultSides.BOTH and width >= WIDE_COLUMNS:
        lines = _beside(("SERVER SENT", model_title), pairs, width)
    else:
        lines = list[OutputLine]()
        if view is not ResultSides.MODEL:
            lines += _stacked("SERVER SENT", [left for left, _ in pairs if left], width)
        if view is ResultSides.BOTH:
            lines.append("")
        if view is not ResultSides.RAW:
            lines += _stacked(model_title, [right for _, right in pairs if right], width)
    return [*lines, "", *_reasons(shown, level)]


def value_lines(value: Json) -> list[str]:
    """A value as lines of indented JSON, without control and invisible characters."""
    return [" " * row.depth + row.text for row in _rows_of(value)]


def aligned(
    left: Json,
    right: Json,
    withheld: Iterable[str] = (),
    metadata: frozenset[str] = frozenset(),
    reaching: Iterable[str] = (),
    *,
    elsewhere: str = "",
) -> list[ViewPair]:
    """Two values line by line. A value that both have at the same JSON pointer is on one row.

    Both sides keep their order; where their orders differ, a value has a row of its own on each side.
    `withheld`: pointers into `left` that the boundary withheld. `metadata`: pointers to metadata of the protocol.
    `reaching`: pointers to secrets that no boundary withheld. `elsewhere`: the option that shows metadata and base64,
    which are folded to one line each; empty to print them in full.
    """
    lefts, rights = _Side(left), _Side(right)
    comparable = type(left) is type(right) and bool(lefts.texts.keys() & rights.texts.keys())
    secret = frozenset(reaching)
    left_rows = list(
        lefts.rows(rights, CHANGED, frozenset(withheld), metadata, secret, comparable=comparable)
    )
    right_rows = list(rights.rows(lefts, ADDED, frozenset(), frozenset(), secret, comparable=comparable))
    if elsewhere:
        encoded = _encoded(left)
        left_rows = lefts.folded(left, left_rows, encoded, elsewhere)
        right_rows = rights.folded(right, right_rows, encoded, elsewhere)
    if not comparable:
        return [*zip_longest(left_rows, right_rows)]
    pairs: list[ViewPair] = []
    a = b = 0
    places = {place: index for index, place in enumerate(rights.places)}
    shared = [(index, places[place]) for index, place in enumerate(lefts.places) if place in places]
    for next_a, next_b in [*_rising(shared), (len(left_rows), len(right_rows))]:
        pairs += [(row, None) for row in left_rows[a:next_a]]
        pairs += [(None, row) for row in right_rows[b:next_b]]
        if next_a < len(left_rows):
            pairs.append((left_rows[next_a], right_rows[next_b]))
        a, b = next_a + 1, next_b + 1
    return pairs


def _rows_of(value: Json) -> list[ViewRow]:
    return [_row(line, SAME) for line in _lines_of(value)]


def _lines_of(value: Json) -> list[PlainLine]:
    # With no limit to the chunk, neither keys nor texts are cut; texts still break after line feeds.
    return list(Document(value, chunk=sys.maxsize).plain_lines())


def _row(line: PlainLine, sign: str) -> ViewRow:
    return ViewRow(sign=sign, depth=line.blanks, text=line.text)


class _Side:
    """The lines of one value, with the value's text at each pointer."""

    def __init__(self, value: Json) -> None:
        self.lines = _lines_of(value)
        self.places: list[tuple[str, int]] = []
        """The pointer of each line, and the number of earlier lines with that pointer."""
        # A text of megabytes has a line for each of its line feeds, so its parts are joined once.
        parts: dict[str, list[str]] = {}
        for line in self.lines:
            found = parts.setdefault(line.pointer, [])
            self.places.append((line.pointer, len(found)))
            found.append(line.value)
        self.texts = {pointer: "".join(found) for pointer, found in parts.items()}

    def rows(
        self,
        other: "_Side",
        only_here: str,
        withheld: frozenset[str],
        metadata: frozenset[str],
        reaching: frozenset[str],
        *,
        comparable: bool,
    ) -> Iterator[ViewRow]:
        """Each line with its sign. `only_here`: the sign of a value that `other` does not have."""
        lengths = sorted({len(pointer) for pointer in withheld})
        metadata_lengths = sorted({len(pointer) for pointer in metadata})
        reaching_lengths = sorted({len(pointer) for pointer in reaching})
        places = sorted(withheld)

        def sign_of(pointer: str) -> str:
            if _is_within(pointer, withheld, lengths):
                return REMOVED
            if pointer not in other.texts and _is_within(pointer, metadata, metadata_lengths):
                return METADATA
            if reaching and is_reaching(self.texts[pointer]):
                return REACHING
            if not comparable:
                return CHANGED
            if pointer in other.texts and _is_within(pointer, reaching, reaching_lengths):
                return REACHING
            if pointer not in other.texts:
                # A container whose whole content was withheld is missing for that reason.
                return REMOVED if _is_around(pointer, places) else only_here
            return SAME if self.texts[pointer] == other.texts[pointer] else CHANGED

        signs = {pointer: sign_of(pointer) for pointer in self.texts}
        return (_row(line, signs[line.pointer]) for line in self.lines)

    def folded(
        self, value: Json, rows: Sequence[ViewRow], encoded: "dict[str, str]", elsewhere: str
    ) -> list[ViewRow]:
        """The rows, with protocol metadata and base64 texts folded to one row each. Sets `places` to those of the rows.

        `encoded`: base64 texts, each with its decoded size. `elsewhere`: the option that shows what is folded.
        """
        ends = {pointer: index for index, (pointer, _) in enumerate(self.places)}
        kept: list[ViewRow] = []
        places: list[tuple[str, int]] = []
        at = 0
        while at < len(rows):
            row, place = rows[at], self.places[at]
            end = ends[place[0]] + 1
            what = ""
            is_metadata = row.sign == METADATA and end > at + 1
            if place[1] == 0 and (is_metadata or (encoded and (end > at + 1 or len(row.text) > _LONG))):
                with suppress(LookupError):
                    # Below a duplicate key, a pointer may lead nowhere.
                    found = resolve(value, place[0])
                    if is_metadata and all(each.sign == METADATA for each in rows[at:end]):
                        sent = size(compact_bytes(found))
                        what = f"{_FOLDED.get(row.text[-1:], '…')} {sent}, not shown to models ({elsewhere})"
                    else:
                        what = _folded(found, encoded, elsewhere)
            if what and not self._is_whole(at, end):
                what = ""
            if what:
                key = _KEY.match(row.text)
                row = replace(row, text=f"{key[0] if key else ''}{what}")
            at = end if what else at + 1
            kept.append(row)
            places.append(place)
        self.places = places
        return kept

    def _is_whole(self, first: int, stop: int) -> bool:
        """True if the lines from `first` to before `stop` are those of one value.

        If a key is duplicate, lines of other values may be between them.
        """
        pointer = self.places[first][0]
        return all(each == pointer or each.startswith(f"{pointer}/") for each, _ in self.places[first:stop])


_FOLDED = {"{": "{…}", "[": "[…]"}


def _folded(text: Json, encoded: dict[str, str], elsewhere: str) -> str:
    """The text to print in place of a base64 text or a data URL; empty for any other value.

    `encoded` and `elsewhere` as in `_Side.folded`.
    """
    if not isinstance(text, str):
        return ""
    start, comma, _ = text.partition(";base64,")
    before = start + comma if comma and len(start) < _LONG else ""
    size_ = encoded.get(text.removeprefix(before), "")
    return f'"{quoted_inside(before)}…" {size_} as base64 ({elsewhere})' if size_ else ""


def _encoded(value: Json) -> dict[str, str]:
    """The long base64 texts of pictures, sounds and files in a result, each with its decoded size."""
    found: dict[str, str] = {}
    match value:
        case {"content": list() as blocks} | {"contents": list() as blocks}:
            pass
        case {"messages": list() as messages}:
            blocks = [message.get("content") for message in messages if isinstance(message, dict)]
        case _:
            return found
    for block in blocks:
        match block:
            case {"type": "image" | "audio", "data": str() as text}:
                pass
            case {"type": "resource", "resource": {"blob": str() as text}}:
                pass
            case {"uri": str(), "blob": str() as text}:
                pass
            case _:
                continue
        if len(text) > _LONG and _BASE64.fullmatch(text):
            digits = len(text) - sum(map(text.count, "=\r\n"))
            found[text] = size(digits * 3 // 4)
    return found


def _is_within(pointer: str, places: frozenset[str], lengths: Sequence[int]) -> bool:
    """True if `pointer`, or the pointer to a value around it, is among `places`.

    `lengths`: the distinct lengths of the pointers in `places`, the shortest first.
    """
    return any(
        pointer[:length] in places
        for length in lengths
        if length == len(pointer) or (length < len(pointer) and pointer[length] == "/")
    )


def _is_around(pointer: str, places: Sequence[str]) -> bool:
    """True if one of `places`, which are sorted, is inside the value at `pointer`."""
    at = bisect_left(places, f"{pointer}/")
    return at < len(places) and places[at].startswith(f"{pointer}/")


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest sequence of pairs in which the second members rise together with the first ones."""
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(chosen[at - 1] if at else -1)
        if at == len(ends):
            ends.append(place)
            chosen.append(number)
        else:
            ends[at], chosen[at] = place, number
    run: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _beside(titles: tuple[str, str], pairs: Iterable[ViewPair], width: int) -> list[OutputLine]:
    left_width = (width - len(_SEPARATOR)) // 2
    right_width = width - len(_SEPARATOR) - left_width
    lines: list[OutputLine] = []
    for left, right in zip_longest(
        _wrapped_title(titles[0], left_width), _wrapped_title(titles[1], right_width), fillvalue=""
    ):
        lines.append(_joined((Coloured(left, Colour.BOLD),), (Coloured(right, Colour.BOLD),), left_width))
    lines.append(
        _joined(
            (Coloured("─" * left_width, Colour.DIM),), (Coloured("─" * right_width, Colour.DIM),), left_width
        )
    )
    for left, right in pairs:
        pieces = zip_longest(_pieces(left, left_width), _pieces(right, right_width), fillvalue=())
        lines += [_joined(a, b, left_width) for a, b in pieces]
    return lines


def _joined(left: tuple[Coloured, ...], right: tuple[Coloured, ...], left_width: int) -> tuple[Coloured, ...]:
    gap = left_width - sum(cells(piece.text) for piece in left)
    return (*left, Coloured(" " * gap), Coloured(_SEPARATOR, Colour.DIM), *right)


def _stacked(title: str, rows: Iterable[ViewRow], width: int) -> list[OutputLine]:
    lines: list[OutputLine] = [(Coloured(piece, Colour.BOLD),) for piece in _wrapped_title(title, width)]
    lines.append((Coloured("─" * min(width, cells(title)), Colour.DIM),))
    return [*lines, *(piece for row in rows for piece in _pieces(row, width))]


def _wrapped_title(title: str, width: int) -> list[str]:
    return [piece.rstrip() for piece in wrapped(safe_line(title), width)]


def _pieces(row: ViewRow | None, width: int) -> list[tuple[Coloured, ...]]:
    """A row in pieces of at most `width` cells; pieces after the first are marked and indented."""
    if row is None:
        return []
    room = max(width - _GUTTER, 2)
    # Deep nesting must leave room for the text.
    depth = min(row.depth, room // 2)
    colour = _COLOURS.get(row.sign)
    return [
        (Coloured(row.sign, colour), Coloured(f"{CONTINUED if number else ' '}{' ' * depth}{piece}"))
        for number, piece in enumerate(wrapped(row.text, room - depth))
    ]


def _text_lines(text: str, width: int) -> list[OutputLine]:
    """Lines written by Sightline, wrapped to `width`."""
    return [piece for line in text.split("\n") for piece in wrapped(safe_line(line), width)]


def _reasons(shown: Projection, level: Level) -> list[OutputLine]:
    removals = shown.bounded.removals
    others = shown.counted.other_words
    lines: list[OutputLine] = [
        f"server sent {shown.raw_bytes:,} B, model gets {shown.model_bytes:,} B",
        f"{shown.counted.words}{f'; {others}' if others else ''}",
    ]
    if shown.reached:
        lines.append(_reason(REACHING, "", reached_words(shown.reached)))
    lines += [
        _reason(
            METADATA if removal.rule == Rule.META else CHANGED if is_delimited(removal) else REMOVED,
            removal.pointer,
            "(the whole result)",
            removal.rule,
            removal.detail,
        )
        for removal in removals[:MAX_LINES]
    ]
    if len(removals) > MAX_LINES:
        lines.append(f"… {len(removals) - MAX_LINES:,} more removals; --format json has all")
    lines += [
        _reason(
            METADATA if change.pointer in PROTOCOL_MEMBERS else CHANGED,
            change.pointer,
            "(the whole result)",
            "host",
            change.what,
        )
        for change in shown.context.changes
    ]
    if says_no_error(shown.bounded.result) and not _has_flag(shown.context.model):
        lines.append(_reason(METADATA, NO_ERROR, "", "host", "`false` says only that no error occurred"))
    to_model, limit = addressing_of(shown)
    lines += [_reason(ADDRESSES, "", sentence) for sentence in to_model]
    lines += [_reason("?", "", limit)] if limit else []
    broken = shown.output.violations
    if len(broken) == 1:
        lines.append(_reason(BROKEN, "", shown.output.sentence))
    elif broken:
        lines.append(_reason(BROKEN, "", f"{shown.output.lead}:"))
        lines += [f"    {safe_line(each.pointer or '(the whole result)')} {each.message}" for each in broken]
        lines += [f"    … {shown.output.more:,} more"] if shown.output.more else []
    lines += [f"app: {note}" for note in (shown.app.notes if shown.app else ())]
    remarks = (sentence for sentence in shown.remarks if sentence != shown.output.sentence)
    lines += [_reason("!", "", sentence) for sentence in remarks]
    if shown.unfinished:
        return [*lines, *(f"? {asked}" for asked in shown.unfinished.asks)]
    if level is Level.DECLARED and shown.undeclared.number and shown.output.is_asked:
        places = shown.undeclared.places
        first = ", first at" if len(places) == MAX_PLACES else ""
        lines.append(f"? {shown.undeclared.words}{first}:")
        lines += [f"    {safe_line(place)}" for place in places]
    return lines


def addressing_of(shown: Projection) -> tuple[list[str], str]:
    """Sentences about texts that read like instructions to the model, and one on how much was searched.

    The second value is empty if the whole result was searched. Texts that the boundary withholds or that are
    masked are left out. The masked result is searched, so that no pointer in a sentence has a secret as a
    key.
    """
    from inspector.review.addressing import addressing  # noqa: PLC0415 - few commands print results
    from inspector.review.finding import READS_LIKE_AN_INSTRUCTION  # noqa: PLC0415 - few commands print results

    if isinstance(shown.outcome, Failure) or shown.unfinished:
        return [], ""
    found = addressing(shown.masked_sent)
    withheld = frozenset(removal.pointer for removal in shown.bounded.removals if not is_delimited(removal))
    lengths = sorted({len(pointer) for pointer in withheld})
    passed = [pointer for pointer in found.pointers if not _is_within(pointer, withheld, lengths)]
    more = (
        [f"{len(passed) - MAX_LINES:,} more texts read like instructions"] if len(passed) > MAX_LINES else []
    )
    sentences = [
        f"{pointer or '(the whole result)'} {READS_LIKE_AN_INSTRUCTION}: SL-INJ001"
        for pointer in passed[:MAX_LINES]
    ]
    return [*sentences, *more], found.limit


def _has_flag(model: Json) -> bool:
    return isinstance(model, dict) and "isError" in model


def _reason(sign: str, pointer: str, whole: str, rule: str = "", detail: str = "") -> OutputLine:
    where = safe_line(pointer) or safe_line(whole)
    why = f"  [{rule}] {safe_line(detail)}" if rule else ""
    return (Coloured(sign, _COLOURS.get(sign, Colour.YELLOW)), Coloured(f" {where}{why}"))
