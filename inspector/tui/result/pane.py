"""The result pane: how the call ended, what differs and why; below, what was sent and what the model sees."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from textwrap import dedent
from typing import ClassVar, TypeAlias, TypeGuard

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from inspector.boundary.mask import mask
from inspector.json.exact import Json
from inspector.pins.known_secrets import KnownSecrets
from inspector.pins.withheld import OutputMasks
from inspector.protocol.links import first_link, link_at
from inspector.protocol.outcome import Result
from inspector.session.call_record import CallRecord
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.result.contrast import (
    Contrast,
    Lens,
    contrast_reason,
    contrast_strip,
    contrast_title,
    lens_change,
)
from inspector.tui.result.detail import difference_detail
from inspector.tui.result.note import ResultNote
from inspector.tui.result.output import OutputInShort, OutputView, ServerOutput, output_masks, output_view
from inspector.tui.result.removal import LABELLED
from inspector.tui.result.view import ResultView, folded_at_first, with_findings
from inspector.tui.result.words import (
    absences,
    effect_line,
    reason_line,
    reasons,
    remark_lines,
    seen_words,
    strip,
    title,
    with_number,
)
from inspector.tui.runtime.latest import Latest
from inspector.tui.runtime.memory import release
from inspector.tui.text import content, count, flowed, hanging, shortened
from inspector.tui.values.outline import ABSENT, Outline, SideDifference, Spot, Value
from inspector.tui.values.pane import OutlineLines, Shown
from inspector.tui.values.searched import SearchedValues
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText

UNMASKED_S = 60
"""The maximum time in seconds for which `u` shows masked values."""
_MOST_MASKED = 1_000
"""The maximum number of withheld values in a result whose links can be followed. Masking more takes too long."""
_LARGE_BYTES = 1_000_000
"""The size in bytes above which a view is freed, and laid out as JSON, in a thread."""
_LEAST_BESIDE = 80
"""The minimum width of the pane, in cells, to show both sides next to each other."""
_OTHER_ROWS = 7
"""The number of rows for the verdict, the titles of both sides, and a reason longer than its row."""
_LEAST_VALUES = 4
"""The number of rows for the titles of both sides and the values, while a reason is shown in full."""
_LEAST_CAUSE = 3
"""Lines of stderr are shown below the values if more than this number of rows is free there."""
_MOST_WHY = 12
"""The maximum number of visible rows of a reason in full. Enter shows the next rows."""
_TALL = 16
"""The minimum height of the pane, in rows, for a list of reasons."""
_WIDE = 100
"""The width, in cells, from which a reason fits on one row."""

ShownView: TypeAlias = ResultView | Contrast
_NOT_MASKED = "Nothing is masked here: no declaration makes a value of this result sensitive."
_RECORDED = "A recording does not hold withheld values, only their ids."

_MAX_ASIDE = 400
"""The maximum number of characters that are drawn of what the server wrote to stderr or stdout."""


class Copyable(Struct, frozen=True, kw_only=True):
    """The values that the user can copy from a result, masked."""

    pointer: str
    value: Value
    """The value under the cursor as the server sent it; if the server sent none, as the model sees it."""
    sent: Value
    model: Value


class ResultPane(Vertical):
    """Shows how a call ended, the reasons for differences, and both sides of the result."""

    DEFAULT_CSS = """
    ResultPane {
        background: $surface;
        & PlainText { width: 1fr; padding: 0 1; }
        & #result-verdict { height: auto; max-height: 60%; background: $panel; }
        & #result-reasons { height: auto; max-height: 7; text-wrap: wrap; }
        & #result-sides { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
        & #result-note { display: none; height: 1fr; padding: 1 2; color: $foreground 80%; }
        & #result-stderr { display: none; height: auto; color: $text-warning; }
        & #result-why { display: none; height: auto; max-height: 12; overflow-y: auto; background: $panel; }
        &.-empty #result-note { display: block; }
        &.-empty SearchedValues, &.-empty #result-reasons, &.-empty #result-sides { display: none; }
        &.-explaining #result-why { display: block; }
        &.-explaining #result-reasons { display: none; }
        &:focus-within #result-sides { background: $primary 20%; text-style: bold; }
        &.-empty:focus-within #result-verdict { background: $primary 20%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.RESULT)
    _verdict_rows = 1
    """The number of rows of the verdict. Its widget gets that height only with the next layout."""

    @dataclass
    class UnmaskAsked(Message):
        """Posted when the user wants to unmask the values of a call, or to mask them again."""

        record: CallRecord

    @dataclass
    class CopyAsked(Message):
        """Posted when the user wants to copy from the result."""

        found: Copyable

    @dataclass
    class SaveAsked(Message):
        """Posted when the user wants to save a picture or sound of a result."""

        record: CallRecord
        sent: Json
        """The server's result, with secrets masked."""
        pointer: str
        """The pointer to the value under the cursor."""

    class KeysChanged(Message):
        """Posted when the keys that apply to the result have changed."""

    class Filled(Message):
        """Posted when values replace a note, or a note replaces values."""

    @dataclass
    class LinkChosen(Message):
        """Posted when the user wants to read a resource that the result links to."""

        uri: str

    _wanted_place: tuple[int, str] = (0, "")
    """The number of a call, and the pointer to go to once its result is shown."""
    _first_spot: Spot | None = None
    """Where the cursor was put when the result was shown."""

    def __init__(self) -> None:
        super().__init__(id="result", classes="-empty")
        self._verdict = PlainText(id="result-verdict")
        self._reasons = PlainText(id="result-reasons")
        self._sides = PlainText(id="result-sides")
        self._note = ResultNote()
        self._searched = SearchedValues("result-values")
        self.values = self._searched.lines
        self._stderr = PlainText(id="result-stderr")
        self._why = PlainText(id="result-why")
        self._view: ResultView | None = None
        self._contrast: Contrast | None = None
        """The comparison of two model views that is shown in place of the result; None if there is none."""
        self._left_at: Spot | None = None
        """The value of the result that was under the cursor before the comparison."""
        self.is_earlier = False
        """True if the result is from a call that is not the last one of its tool. Set before `show`."""
        self._outdated = 0
        """The number of the last call before the last save of a watched file; 0 if no file was saved."""
        self._output: OutputView | None = None
        """What the server wrote to stderr and stdout during a call. Drawn only while this call is shown."""
        self._known = KnownSecrets()
        """The values that were withheld from calls of the session."""
        self._wanted_output = ServerOutput()
        self._asked_output: tuple[CallRecord, ServerOutput, KnownSecrets] | None = None
        self._outputs = Latest(self, self._masked_output, self._take_output, self._no_output)
        self._recorded_from_s: float | None = None
        self._output_masks: tuple[CallRecord, OutputMasks] | None = None
        """The masks of the last call whose output was masked. Used in the thread of `_outputs` alone."""
        self._warnings: tuple[str, ...] = ()
        self._causes: tuple[tuple[str, ...], int] = (), 0
        """The lines of stderr shown below the values, and the width in cells to which they are cut."""
        self._changes = Latest(self, _lens_change, self._take_change, self._no_change)
        self._change = Content("")
        """The effect of the last change of the boundary level or host on this call."""
        self._can_explain = False
        self._why_from = 0
        """The index of the first visible row of the reason in full."""
        self._why_more = 0
        """The number of rows of the reason in full below the visible ones."""
        self._findings: Mapping[int, Mapping[str, str]] = {}
        """Why values address the model according to the review, by the number of the call, then by pointer."""
        self._unsigned: ResultView | None = None
        """The shown view without the signs that the findings of the review add."""
        self._signs = Latest(self, _signed, self._take_signed, self._no_signs)
        self._wants_json = False
        self._jsons = Latest(self, _with_json, self._take_json, self._no_json)
        self._chosen: Shown | None = None
        """The sides that the user chose; None to show both, if they differ and there is room."""
        self._chosen_for = ""
        """The name of the tool for whose results the user chose the sides in `_chosen`."""

    def compose(self) -> ComposeResult:
        """Yield the verdict, the reasons, the titles of both sides, their values, stderr, and the reason in full."""
        yield self._verdict
        yield self._reasons
        yield self._sides
        yield self._note
        yield self._searched
        yield self._stderr
        yield self._why

    def on_mount(self) -> None:
        """Show the title of the empty pane."""
        self._label()

    def on_resize(self) -> None:
        """Show both sides if there is room."""
        # Output that was masked while the pane was hidden was dropped, so it is masked again.
        self._want_output()
        self._label()
        self._choose_sides()
        self._explain()

    def show_aside(
        self, output: ServerOutput, warnings: tuple[str, ...] = (), known: KnownSecrets | None = None
    ) -> None:
        """Show next to the verdict what the server wrote to stderr and stdout during the call, once it is masked.

        Lines of stderr are shown below the values of a failed call, if there is room.

        `warnings`: sentences about the call that are not about its result alone. `known`: the values that were
        withheld from calls of the session, which are masked in the output.
        """
        self._wanted_output = output
        self._known = known or self._known
        self._want_output()
        if warnings != self._warnings:
            self._warnings = warnings
            self._label()
            self.call_after_refresh(self._show_cause)

    def _want_output(self) -> None:
        record, shown = self._view.record if self._view is not None else None, self._output
        wanted, asked = self._wanted_output, self._asked_output if self._outputs.is_busy else None
        if record is None or (shown is None and wanted.is_empty):
            return
        known = self._known
        if (
            shown is not None
            and shown.record is record
            and shown.output == wanted
            and (wanted.is_empty or shown.known is known)
        ):
            return
        if asked is None or asked[0] is not record or asked[1] != wanted or asked[2] is not known:
            self._asked_output = record, wanted, known
            self._outputs.ask((record, wanted, known))

    def _masked_output(self, asked: tuple[CallRecord, ServerOutput, KnownSecrets]) -> OutputView:
        record, output, known = asked
        if output.is_empty:
            return OutputView(record=record, output=output)
        if self._output_masks is None or self._output_masks[0] is not record:
            self._output_masks = record, output_masks(record)
        return output_view(record, output, self._output_masks[1], known)

    def _take_output(self, asked: tuple[CallRecord, ServerOutput, KnownSecrets], view: OutputView) -> None:
        del asked
        self._output = view
        self._label()
        self.call_after_refresh(self._show_cause)

    def _no_output(self, asked: tuple[CallRecord, ServerOutput, KnownSecrets], error: BaseException) -> None:
        words = f"stderr could not be masked ({type(error).__name__}), so it is not shown here: a defect of Sightline"
        self._take_output(
            asked, OutputView(record=asked[0], output=asked[1], known=asked[2], warnings=(words,))
        )

    @property
    def _shown_output(self) -> OutputInShort:
        """The output during the shown call, masked as the result is."""
        output = self._output
        if self._view is None or output is None or output.record is not self._view.record:
            return OutputInShort()
        return output.sent if self.is_unmasked else output.masked

    def _show_cause(self) -> None:
        """Show as many lines of stderr as there are free rows below the values."""
        width = max(self.size.width - 2, 20)
        above = sum(part.size.height for part in (self._verdict, self._reasons, self._sides))
        search = self._searched.size.height - self.values.size.height
        free = self.size.height - above - search - self.values.count
        has_room = self._view is not None and self._contrast is None and not self.is_explaining
        cause = self._shown_output.cause
        lines = cause[-(free - 1) :] if has_room and free > _LEAST_CAUSE else ()
        if (lines, width) == self._causes:
            return
        self._causes = lines, width
        self._stderr.display = bool(lines)
        if lines:
            # Rich's log handler in a server indents a traceback by the width of the time and the level.
            cut = dedent("\n".join(line.rstrip() for line in lines)).split("\n")
            rows = [content(line).truncate(width, ellipsis=True) for line in cut]
            self._stderr.update(Content("\n").join([Content.styled("stderr", "bold"), *rows]))

    def outdate(self, number: int) -> None:
        """Mark the results of the calls up to this number as outdated: a file was saved after them."""
        self._outdated = number
        self._label()

    @property
    def view(self) -> ResultView | None:
        """The shown result; None if there is none."""
        return self._view

    @property
    def is_empty(self) -> bool:
        """True if a note is shown in place of values."""
        return self.has_class("-empty")

    @property
    def has_differences(self) -> bool:
        """True if there is a difference to move to."""
        shown = self._contrast or self._view
        return shown is not None and bool(self._order(shown))

    @property
    def has_reasons(self) -> bool:
        """True if there is a difference to move to that is neither protocol metadata nor Sightline's notice."""
        view = self._view
        if self._contrast is not None or view is None:
            return self.has_differences
        return any(reason.is_loud for reason in view.reasons)

    @property
    def is_explaining(self) -> bool:
        """True if the reason is shown in full."""
        return self.has_class("-explaining")

    @property
    def use_of_enter(self) -> str:
        """The label of Enter on the value under the cursor; empty if there are no details about it."""
        if not self._can_explain:
            return ""
        return ("more" if self._why_more else "close") if self.is_explaining else "why"

    def show(self, view: ResultView) -> None:
        """Show a result.

        The cursor stays on its value if the call is the same; otherwise, it moves to the worst difference.
        """
        before = self._view
        same_call = before is not None and before.record is view.record
        spot = self.values.spot if same_call else None
        if self._wanted_place[0] == view.record.number:
            spot = view.outline.spot(view.outline.node_at(self._wanted_place[1]) or 0) or spot
            self._wanted_place = (0, "")
        if before is None or not same_call:
            self._change = Content("")
        elif (before.level, before.host) != (view.level, view.host):
            self._change = Content("")
            self._changes.ask((before.masked or before, view.masked or view))
        self.free_view(before)
        is_other_host = same_call and before is not None and before.host != view.host
        # A user who chooses another host wants to see what its model gets.
        if view.record.name != self._chosen_for or (is_other_host and self._chosen is Shown.LEFT):
            self._chosen = None
        self._view = self._unsigned = view
        self._sign()
        if self._contrast is None or self._contrast.record is not view.record:
            self.free_view(self._contrast)
            self._contrast = None
            self._draw(view, _on_model_side(view, spot) if is_other_host else spot)

    def want_place(self, number: int, pointer: str) -> None:
        """Go to the place at `pointer` in the result of call `number`, once that result is shown."""
        self._wanted_place = number, pointer

    def show_recording(self, begun_s: float | None) -> None:
        """Say in the verdict if the running recording contains the credentials that pass.

        `begun_s`: the recording has every call made at this time or later, in seconds since the session
        started; None if no recording runs.
        """
        if begun_s != self._recorded_from_s:
            self._recorded_from_s = begun_s
            self._label()

    def show_findings(self, found: Mapping[int, Mapping[str, str]]) -> None:
        """Put a sign before the values that address the model according to the review.

        `found`: the reasons in words, by the number of the call, then by pointer.
        """
        self._findings = found
        self._sign()

    def _sign(self) -> None:
        view = self._view
        if view is not None and self._unsigned is not None:
            wanted = self._findings.get(view.record.number, {})
            if self._signs.is_busy or wanted != view.to_model:
                self._signs.ask((self._unsigned, wanted))

    def _take_signed(self, asked: tuple[ResultView, Mapping[str, str]], view: ResultView) -> None:
        if asked[0] is not self._unsigned:
            return
        self._view = view
        if self._contrast is not None:
            return
        if self._wants_json:
            self._draw(view, self.values.spot)
        else:
            self.values.remark(view.outline, _ResultRemarks(view, view.outline))
            if view.order and view.reasons and view.reasons[0].weight:
                # No reason is worse than a finding, so the cursor goes to the first finding.
                self.values.lead(view.outline, self._first_spot, view.order[0])
            self._explain()
        self.post_message(self.KeysChanged())

    def _no_signs(self, asked: tuple[ResultView, Mapping[str, str]], error: BaseException) -> None:
        del asked
        words = f"The findings could not be shown beside the values ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    def show_contrast(self, view: Contrast) -> None:
        """Show a comparison of two model views in place of the result."""
        same_call = self._contrast is not None and self._contrast.record is view.record
        spot = self.values.spot if same_call else None
        if self._contrast is None:
            self._left_at = self.values.spot
        self.free_view(self._contrast)
        self._contrast = view
        self._draw(view, spot)

    def wait_for_contrast(self, left: Lens, right: Lens) -> None:
        """Show that two model views are being compared, until the comparison is ready."""
        words = f"comparing {left.level}, {shortened(left.host, 40)} with {right.level}, {shortened(right.host, 40)} …"
        self._verdict.update(content(words, "$foreground 70%"))

    def stop_contrast(self) -> None:
        """Show the result and its model view again."""
        was_shown, spot = self._contrast, self.values.spot
        self.free_view(was_shown)
        self._contrast = None
        if was_shown is not None and self._view is not None and was_shown.record is self._view.record:
            spot = self._left_at
        if self._view is not None:
            self._draw(self._view, spot)

    def free_view(self, view: ShownView | None) -> None:
        """Free a view that is no longer shown; a large view is freed in a thread."""
        if view is not None and view.size_bytes > _LARGE_BYTES:
            self.call_later(self._release, list(view.values))

    def _release(self, values: list[Json]) -> None:
        # A lambda, because Textual logs a partial with its arguments.
        self.run_worker(lambda: release(values), thread=True, group="release")

    def _take_change(self, asked: tuple[ResultView, ResultView], change: Content) -> None:
        shown = self._unsigned
        if shown is not None and (shown.masked or shown) is asked[1]:
            self._change = change
            self._label()

    def _no_change(self, asked: tuple[ResultView, ResultView], error: BaseException) -> None:
        """Do nothing, because the views before and after a change of the level or host could not be compared.

        No line about the effect of the change is shown.
        """

    def show_note(self, note: Content) -> None:
        """Show a note in place of a result."""
        self.free_view(self._view)
        self.free_view(self._contrast)
        self._view = self._unsigned = self._contrast = None
        self._change = Content("")
        self._can_explain = False
        if self._searched.has_focus_within:
            self._note.focus()
        self._fill(is_empty=True)
        self.remove_class("-explaining")
        self.values.show_outline(None)
        self._show_cause()
        self._note.update(note)
        self._label()

    def _fill(self, *, is_empty: bool) -> None:
        if is_empty != self.is_empty:
            self.set_class(is_empty, "-empty")
            self.post_message(self.Filled())

    @property
    def is_unmasked(self) -> bool:
        """True if masked values are shown."""
        return self._view is not None and self._view.masked is not None

    @property
    def has_masks(self) -> bool:
        """True if the result has masked values that can be shown."""
        return self._contrast is None and self._view is not None and self._view.masks > 0

    def mask(self) -> None:
        """Mask all values again."""
        if self._view is not None and self._view.masked is not None:
            self.show(self._view.masked)
            self._show_cause()

    def show_progress(self, line: Content | None) -> None:
        """Show the progress of a running call in place of the verdict; None shows the verdict again."""
        if line is None:
            self._label()
        else:
            self._verdict.update(line)

    def focus_result(self) -> None:
        """Focus the values, or the note in their place."""
        (self._note if self.is_empty else self.values).focus()

    def stop_explaining(self) -> None:
        """Show the list of reasons again."""
        self.remove_class("-explaining")
        self._explain()

    # Keys.

    def action_removal(self, step: int) -> None:
        """Move to the next or previous difference, or match of an open search, wrapping around at the ends."""
        if self.values.is_searched:
            self.values.next_match(step)
            return
        shown = self._contrast or self._view
        places = self._places(shown) if shown is not None else ()
        if not places:
            self.notify(self._no_difference(), markup=False)
            return
        node = -1 if self.values.node is None else self.values.node
        place = bisect_right(places, node) if step > 0 else bisect_left(places, node) - 1
        if not 0 <= place < len(places):
            words = "Back at the first difference." if step > 0 else "Back at the last difference."
            self.notify(words, markup=False)
        self.values.go_to(places[place % len(places)])

    def action_unmask(self) -> None:
        """Post `UnmaskAsked`: show the masked values on both sides, or mask them again."""
        view = self._view
        if view is None or self._contrast is not None:
            self.notify(
                "There is no result yet."
                if view is None
                else "A comparison stays masked. Esc goes back to the result.",
                markup=False,
            )
        elif not view.masks:
            self.notify(_RECORDED if view.record.has_ids else _NOT_MASKED, markup=False)
        else:
            self.post_message(self.UnmaskAsked(view.record))

    def action_copy(self) -> None:
        """Post `CopyAsked` with the value under the cursor and both sides, unless masked values are shown."""
        shown, node = self._contrast or self._view, self.values.node
        rows = self.values.rows
        if self.is_unmasked:
            self.notify("Masked values are shown. Esc masks them, then y copies.", markup=False)
        elif shown is not None and node is not None and rows is not None:
            outline = rows.outline
            sides = [outline.value(node, side) for side in (0, 1)]
            if self.values.shown is Shown.RIGHT:
                sides.reverse()
            sent, model = shown.values
            is_silent = isinstance(shown, ResultView) and shown.failure is not None
            found = Copyable(
                pointer=outline.pointer(node),
                value=sides[1] if sides[0] is ABSENT else sides[0],
                sent=ABSENT if is_silent or self._contrast is not None else sent,
                model=ABSENT if self._contrast is not None else model,
            )
            self.post_message(self.CopyAsked(found))

    def action_save(self) -> None:
        """Ask where to save the picture or sound under the cursor."""
        view = self._view
        if view is None or self._contrast is not None or view.failure is not None:
            self.notify("There is no result with a picture or sound here.", markup=False)
        else:
            sent = (view.masked or view).values[0]
            self.post_message(self.SaveAsked(view.record, sent, self.values.pointer or ""))

    def action_sides(self) -> None:
        """Switch between the model's view, the server's result, and both."""
        order = (Shown.RIGHT, Shown.LEFT, Shown.BOTH)
        self._chosen = order[(order.index(self.values.shown) + 1) % len(order)]
        self._chosen_for = self._view.record.name if self._view is not None else ""
        self._choose_sides()

    def action_as_json(self) -> None:
        """Switch both sides between JSON as on the wire and a list of values."""
        self._wants_json = not self._wants_json
        shown = self._contrast or self._view
        if shown is not None:
            self._draw(shown, self.values.spot)

    @property
    def is_searched(self) -> bool:
        """True if a search is open."""
        return self._searched.is_searched

    @property
    def has_matches(self) -> bool:
        """True if the words that are searched for were found."""
        return self._searched.has_matches

    def stop_searching(self) -> None:
        self._searched.stop_searching()

    def link(self, *, only_here: bool) -> str | None:
        """The URI of the link under the cursor, or else of the first link in the result.

        None if there is none, or if it is withheld or masked. `only_here`: only the link under the cursor.
        """
        view = self._view
        if view is None or self._contrast is not None or not isinstance(view.record.outcome, Result):
            return None
        secrets = view.record.judgement.secrets(view.record.policy)
        if len(secrets) > _MOST_MASKED:
            return None
        shown = mask(view.record.outcome.value, secrets)
        here = link_at(shown, self.values.pointer or "")
        return here if here is not None or only_here else first_link(shown)

    @on(Lines.Moved)
    def explain_moved(self, event: Lines.Moved) -> None:
        """Explain the value under the cursor."""
        event.stop()
        self._why_from = 0
        self._explain()

    @on(OutlineLines.Drawn)
    def explain_drawn(self, event: OutlineLines.Drawn) -> None:
        """Explain the value under the cursor again, because other rows are drawn."""
        event.stop()
        self._label_sides()
        self._explain()

    @on(Lines.Chosen)
    def explain_chosen(self, event: Lines.Chosen) -> None:
        """On Enter, follow a link, or switch between the full reason and the list of reasons."""
        event.stop()
        view, node = self._view, self.values.node
        link = self.link(only_here=True)
        if link is not None:
            self.post_message(self.LinkChosen(link))
        elif self._contrast is not None:
            self.notify("Esc goes back to the result, where each difference has its reason.", markup=False)
        elif self._can_explain:
            if self.is_explaining and self._why_more:
                self._why_from += self._why.size.height - 1
            else:
                self._why_from = self._why_more = 0
                self.toggle_class("-explaining")
            self._explain()
            self.post_message(self.KeysChanged())
        elif (
            view is not None
            and node is not None
            and view.sign(self._outline(view), node) is not SideDifference.NONE
        ):
            self.notify("There are no further details about this difference.", markup=False)
        else:
            differs = view is not None and bool(self._places(view))
            more = "n goes to the next difference." if differs else "No value differs."
            self.notify(f"Both sides are equal here. {more}", markup=False)

    # Drawing.

    def _draw(self, view: ShownView, spot: Spot | None) -> None:
        if self._note.has_focus:
            self.values.focus()
        self._fill(is_empty=False)
        if spot is None:
            self.remove_class("-explaining")
        if self._wants_json and isinstance(view, ResultView) and not view.is_json_ready:
            if view.size_bytes > _LARGE_BYTES:
                # The list of values is shown until the JSON is laid out.
                self._jsons.ask(view)
            else:
                _with_json(view)
        outline = self._outline(view)
        order = self._order(view)
        is_new = spot is None
        if is_new and order and not (isinstance(view, ResultView) and view.is_quiet(outline, order[0])):
            spot = outline.spot(order[0])
        remarks = _ResultRemarks(view, outline) if isinstance(view, ResultView) else None
        folded = (
            folded_at_first(outline)
            if isinstance(view, ResultView) and not self._is_json(view)
            else frozenset[int]()
        )
        self._choose_sides()
        self.values.show_outline(outline, remarks, spot=spot, folded=folded, is_new=is_new)
        if is_new:
            self._first_spot = spot
        self._label()
        self._explain()

    def _take_json(self, view: ResultView, made: ResultView) -> None:
        if self._wants_json and self._contrast is None and self._view is view is made:
            self._draw(view, self.values.spot)

    def _no_json(self, view: ResultView, error: BaseException) -> None:
        del view
        words = f"The JSON could not be laid out ({type(error).__name__}): a defect of Sightline."
        self.notify(words, severity="error", markup=False)

    def _is_json(self, view: ShownView) -> TypeGuard[ResultView]:
        """True if the view is drawn as JSON: the user wants that, and the JSON is laid out."""
        return self._wants_json and isinstance(view, ResultView) and view.is_json_ready

    def _outline(self, view: ShownView) -> Outline:
        return view.json if self._is_json(view) else view.outline

    def _order(self, view: ShownView) -> Sequence[int]:
        """The nodes with differences, the worst first. In JSON and in a comparison: from top to bottom."""
        if isinstance(view, ResultView) and not self._is_json(view):
            return view.order
        return self._places(view)

    def _places(self, view: ShownView) -> Sequence[int]:
        """The nodes that `n` goes to, from top to bottom."""
        if not isinstance(view, ResultView):
            return view.outline.tops
        return view.json_places if self._is_json(view) else view.places

    def _choose_sides(self) -> None:
        if self._is_same:
            usual = Shown.LEFT
        else:
            usual = Shown.BOTH if self.size.width >= _LEAST_BESIDE else Shown.RIGHT
        self.values.show_sides(self._chosen or usual)
        self._label_sides()

    @property
    def _is_same(self) -> bool:
        """True if one column shows both what was sent and what the model sees."""
        return self._contrast is None and self._view is not None and self._view.is_same

    def _no_difference(self) -> str:
        if self._contrast is not None:
            return "Both sides are equal: the two models see the same. b changes the boundaries, h the host."
        if self._view is None:
            return "There is no result yet."
        return (
            f"Both sides are equal: at `{self._view.level}`, the model of {self._view.host} sees all that the "
            f"{self._view.sender} sent. b changes the boundary, h the host."
        )

    def _explain(self) -> None:
        view, node = self._view, self.values.node
        room = max(self.size.width - 3, 20)
        can_explain = False
        if self._contrast is not None:
            self.remove_class("-explaining")
            self._reasons.update(contrast_reason(self._contrast, node))
        elif view is not None:
            outline = self._outline(view)
            detail = difference_detail(view, outline, node) if node is not None else None
            can_explain = detail is not None
            if self.is_explaining and detail is not None:
                rows = Content("\n").join(hanging(row, room, _indent(row)) for row in detail.split("\n"))
                self._show_why(rows.split("\n"))
            else:
                self.remove_class("-explaining")
                self._reasons.update(self._reason_rows(view, outline, node, room))
        if can_explain is not self._can_explain:
            self._can_explain = can_explain
            self.post_message(self.KeysChanged())
        self.call_after_refresh(self._show_cause)

    def _show_why(self, rows: Sequence[Content]) -> None:
        """Show as many rows of the reason in full as have room, and how Enter shows the others."""
        room = min(max(self.size.height - self._verdict.size.height - _LEAST_VALUES, 3), _MOST_WHY)
        if len(rows) <= room:
            self._why_from = self._why_more = 0
            self._why.update(Content("\n").join(rows))
            return
        start = min(self._why_from, len(rows) - 1)
        shown = rows[start : start + room - 1]
        self._why_more = len(rows) - start - len(shown)
        words = (
            f"  … {count(self._why_more, 'more row')}, Enter shows them"
            if self._why_more
            else "  the end, Enter goes back"
        )
        self._why.update(Content("\n").join([*shown, Content.styled(words, "bold $text-accent")]))

    def _reason_rows(self, view: ResultView, outline: Outline, node: int | None, width: int) -> Content:
        """The reasons in rows of `width` cells.

        In a low pane, there is only one reason, or two if the whole result stays visible.
        """
        is_low = self.size.height < _TALL
        most = 2 if is_low or self.size.width < _WIDE else self._room_for_reasons()
        here = reason_line(view, outline, node)
        listed = [] if view.unfinished else reasons(view, outline, node, most)
        lines = listed or [here]
        if not view.unfinished:
            lines = [*lines, *remark_lines(view, most - len(lines))]
        rows = _hanging(lines, width)
        taken = self._verdict_rows + rows.plain.count("\n") + 2 + self.values.count
        if not is_low or len(lines) == 1 or taken <= self.size.height:
            return rows
        differs = node is not None and view.sign(outline, node) is not SideDifference.NONE
        # If the row under the cursor has no reason of its own, the worst reason is shown.
        if differs and here.plain != effect_line(view).plain:
            number = sum(reason.is_loud for reason in view.reasons)
            return _hanging([with_number(here, number)], width)
        return _hanging(reasons(view, outline, node, 1) or [here], width)

    def _room_for_reasons(self) -> int:
        """The number of rows for reasons: 3, or up to 6 if the whole result stays visible."""
        free = self.size.height - _OTHER_ROWS - self.values.count
        return min(max(free, 3), 6)

    def _label(self) -> None:
        view, contrast = self._view, self._contrast
        width = max(self.size.width - 2, 20)
        if contrast is not None:
            self._verdict.update(contrast_strip(contrast, width))
        elif view is not None:
            # In a small pane, the verdict leaves out what the reasons below it say.
            is_brief = self.size.height < _TALL or self.size.width < _WIDE
            earlier = (
                [Content.styled("an earlier call, Esc goes back", "bold $text-warning")]
                if self.is_earlier
                else []
            )
            if view.record.number <= self._outdated:
                earlier.append(Content.styled("from before the save", "bold $text-warning"))
            lines = [flowed([*earlier, *title(view, is_brief=is_brief)], width)]
            output = self._output
            of_output = output.warnings if output is not None and output.record is view.record else ()
            for warning in (*self._warnings, *of_output):
                words = content(shortened(f"! {warning}", _MAX_ASIDE), "bold $text-error")
                lines.append(hanging(words, width, 2))
            for aside in self._shown_output.words:
                key = Content.assemble("  ", ("t", "bold $text-accent"), " shows all")
                words = content(shortened(aside, _MAX_ASIDE), "$text-warning")
                lines.append(words.truncate(max(width - key.cell_length, 20), ellipsis=True) + key)
            if self._change.plain:
                lines.append(self._change)
            is_recorded = self._recorded_from_s is not None and view.record.at_s >= self._recorded_from_s
            verdict = Content("\n").join(
                [*lines, flowed(strip(view, is_brief=is_brief, is_recorded=is_recorded), width)]
            )
            self._verdict_rows = verdict.plain.count("\n") + 1
            self._verdict.update(verdict)
        else:
            self._verdict.update(Content.styled("No result yet", "bold"))
        self._label_sides()

    def _label_sides(self) -> None:
        view, contrast = self._view, self._contrast
        is_one = self._is_same and self.values.shown is Shown.LEFT
        if contrast is not None:
            names = contrast_title(contrast.left), contrast_title(contrast.right)
        else:
            model = f" ({view.host}, {view.level})" if view else ""
            is_silent = view is not None and view.failure is not None
            sender = (view.sender if view is not None else "server").capitalize()
            sent = f"{sender} sent nothing" if is_silent else f"{sender} sent"
            if view is not None and is_one:
                sent = f"{sent}, and the model sees {seen_words(view)}"
            style = ""
            if view is not None and self._is_json(view):
                style = "  JSON, J values"
            elif view is not None and view.is_reordered and self.size.width >= _WIDE:
                style = "  J wire order"
            names = (
                Content.assemble((sent, "bold"), self._about_masks(), (style, "$text-accent")),
                Content.assemble(
                    ("Model sees", "bold"),
                    content(model, "$foreground 70%"),
                    self._about_masks() if self.values.shown is Shown.RIGHT else "",
                ),
            )
        if is_one and view is not None:
            key, lenses = "m: both sides", f"   ({shortened(view.host, 40)}, {view.level})"
            # The header shows the host and the boundary too, so a narrow pane does without them.
            has_room = names[0].cell_length + len(key) + len(lenses) + 8 <= self.size.width
            self._sides.update(self.values.titles(*names, key=f"{key}{lenses}" if has_room else key))
        else:
            self._sides.update(self.values.titles(*names))

    def _about_masks(self) -> Content:
        if self.is_unmasked:
            return Content.styled(f"  not masked, Esc masks; up to {UNMASKED_S} s", "$text-warning")
        if self._view is not None and self._view.masks:
            return Content.styled(f"  {self._view.masks:,} masked, u shows", "$foreground 70%")
        return Content("")


def _hanging(lines: Sequence[Content], width: int) -> Content:
    """Lines about a result, broken into rows of `width` cells. Further rows of a line are indented."""
    indents = (4 if line.plain[:2] in {"▹ ", "  "} else 2 for line in lines)
    return Content("\n").join(map(hanging, lines, repeat(width), indents))


def _indent(row: Content) -> int:
    """The indentation, in cells, of the rows that continue `row`, which is a line of a reason in full."""
    return LABELLED if row.plain.startswith("  ") else 2


def _on_model_side(view: ResultView, spot: Spot | None) -> Spot | None:
    """`spot`; if the model gets nothing there, the spot of the first difference at which the model gets a value."""
    outline = view.outline
    node = outline.nearest(spot) if spot is not None else None
    if node is None or outline.value(node, 1) is not ABSENT:
        return spot
    given = (place for place in view.places if outline.value(place, 1) is not ABSENT)
    return next(map(outline.spot, given), spot)


def _with_json(view: ResultView) -> ResultView:
    """Lay out the JSON of a view, and return the view."""
    _ = view.json, view.json_places
    return view


def _signed(asked: tuple[ResultView, Mapping[str, str]]) -> ResultView:
    return with_findings(*asked)


def _lens_change(asked: tuple[ResultView, ResultView]) -> Content:
    return lens_change(*asked)


class _ResultRemarks:
    """Chooses the sign in front of each node of a result, and the texts in place of absent values."""

    def __init__(self, view: ResultView, outline: Outline) -> None:
        self._view = view
        self._outline = outline

    def sign(self, node: int) -> SideDifference:
        return self._view.sign(self._outline, node)

    def absences(self, node: int) -> tuple[Content, ...]:
        return absences(self._view, self._outline, node)
