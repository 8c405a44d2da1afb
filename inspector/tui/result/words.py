"""The texts about a result: the verdict, the reasons for differences, and what takes the place of a missing value."""

from collections.abc import Iterator

from textual.content import Content

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.counted import COUNTED, passing_words
from inspector.boundary.output_check import OutputCheck
from inspector.errors import headline
from inspector.hosts.apps import AppView
from inspector.hosts.definitions.projection import tokens
from inspector.hosts.masks import reached_words
from inspector.hosts.profile import PROTOCOL_MEMBERS
from inspector.json.exact import Json
from inspector.json.members import value_at
from inspector.json.pointer import join
from inspector.json.walk import places
from inspector.pins.known_secrets import calls_withheld_from
from inspector.protocol.outcome import Failure, FailureKind, RpcError, unfinished
from inspector.session.call_record import CallRecord
from inspector.session.wording import page_answer
from inspector.tui.result.places import COPIES, renamed
from inspector.tui.result.reasons import MAX_REMARKS, added_words, broken_words, undescribed_key
from inspector.tui.result.removal import QUIET, change_line, reason_words, removal_line
from inspector.tui.result.view import ResultView, is_structured, keys_of, lacks_values
from inspector.tui.text import (
    content,
    count,
    cut_in_the_middle,
    duration,
    level_style,
    path,
    row_text,
    shortened,
    size,
)
from inspector.tui.values.outline import ABSENT, Outline, SideDifference

_LEAST_COUNTED = 4_000
"""The minimum size, in bytes, of a model view whose tokens are estimated."""


def title(view: ResultView, *, is_brief: bool = False) -> tuple[Content, ...]:
    """The call's number, how it ended, how long it took, and its name.

    `is_brief`: true to leave out what the list of reasons says too, as in `strip`.
    """
    record = view.record
    took = duration(record.duration_s)
    if record.waited_s >= 0.05:
        took += f" ({duration(min(record.waited_s, record.duration_s))} of it waiting for you)"
    ended = Content.assemble((f"#{record.number} ", QUIET), _ending(record), (f" {took}", QUIET))
    return (
        ended,
        content(row_text(cut_in_the_middle(record.title, 60))),
        *_schema_verdict(view.output, is_brief=is_brief),
    )


def _schema_verdict(output: OutputCheck, *, is_brief: bool) -> Iterator[Content]:
    """The texts that say if the result fits the output schema; none if there is no schema."""
    if output.violations and is_brief:
        number = len(output.violations) + output.more
        words = f"{output.lead} in {number:,} places" if number > 1 else output.lead
        yield Content.styled(f"≠ {words}", "bold $text-error")
    elif output.violations:
        first, number = output.violations[0], len(output.violations) - 1 + output.more
        more = f", and {number:,}\N{NO-BREAK SPACE}more" if number else ""
        where = path(first.pointer, 120) if first.pointer else "the whole result"
        yield content(f"≠ {output.lead}: {where} {shortened(first.message, 200)}{more}", "bold $text-error")
    elif output.unchecked:
        yield Content.styled("? output schema not checked", "bold $text-warning")
    elif output.is_asked:
        yield Content.styled("✓ output fits its schema", "$text-success")


_WITHHELD_AT_OPEN = {Rule.POLICY, Rule.UNVERIFIED, Rule.UNFINISHED}
"""The rules that withhold at every boundary level, so that no host passes these values."""


def strip(view: ResultView, *, is_brief: bool = False, is_recorded: bool = False) -> tuple[Content, ...]:
    """The bytes sent and given to the model, the removals by rule, and the host's changes.

    `is_recorded`: whether a running recording has the call.
    """
    if view.failure is not None:
        words = f"Sightline: {shortened(headline(view.failure), 600)}"
        return (
            content(words, "bold $text-error"),
            Content.assemble(f"{view.sender} sent ", ("nothing", "bold")),
            Content.styled(
                "the model's side shows an error code of Sightline, because each host words this error differently",
                "$text-warning",
            ),
        )
    found = view.counted
    sent = Content.assemble(f"{view.sender} sent ", (size(view.raw_bytes), "bold"))
    more, is_left_out = "", view.record.left_out
    if is_left_out:
        sent = Content.assemble("recorded without withheld values, ", (size(view.raw_bytes), "bold"))
        # At `open`, the model gets the withheld values too, but the recording does not have their sizes.
        more = ", and the values that are not recorded" if view.level is Level.OPEN else ""
        more += " (withheld blocks are shown as recorded)" if view.recorded else ""
    is_more = view.level is Level.DECLARED and view.masks > found.total > 0
    leaves = f" (with {view.masks:,} masked values)" if is_more else ""
    is_counted = view.model_bytes >= _LEAST_COUNTED and not _has_media(view.values[1])
    about = f", about {tokens(view.model_bytes):,} tokens" if is_counted else ""
    parts = [
        Content.assemble(sent, ", model gets ", (size(view.model_bytes), "bold"), more, about),
        content(f"✗ {found.words}{leaves}", "bold $text-error")
        if found.withheld
        else Content.styled("nothing withheld here", "bold $text-error")
        if view.known
        else Content.styled(found.words, level_style(view.level)),
    ]
    parts += _without_boundary(view, is_withheld=bool(found.withheld.keys() - _WITHHELD_AT_OPEN))
    if words := page_answer(view.record.outcome):
        parts.append(content(words, "$text-warning"))
    if view.masks and value_at(view.values[0], "isError") is True:
        parts.append(Content.styled("the text of the error is masked: u shows it", QUIET))
    if view.sensitive:
        words = f"sensitive by {view.sensitive}, which by itself withholds nothing"
        parts.append(content(words, "$text-warning"))
    # If something is withheld and no text is between markers, only the list of reasons names metadata.
    if found.other_words and (found.delimited or not found.withheld):
        parts.append(content(found.other_words, "$text-accent" if found.delimited else QUIET))
    if view.known:
        parts.insert(2, Content.styled(f"! {_known_words(view)}", "bold $text-error"))
    if view.reached > len(view.known):
        words = reached_words(view.reached - len(view.known))
        parts.append(Content.styled(f"! {words}", "bold $text-error"))
    if view.credentials:
        what = passing_words(len(view.credentials))
        where = (
            f"passed, and {'is' if len(view.credentials) == 1 else 'are'} in the recording"
            if is_recorded
            else "passed"
        )
        parts.append(Content.styled(f"! {what} like a credential, and {where}", "bold $text-error"))
    if view.search_limit:
        parts.append(Content.styled(f"? {view.search_limit}", "bold $text-warning"))
    if view.undeclared.number:
        short = f"? {count(view.undeclared.number, 'value')} in no schema"
        words = short if is_brief and view.undeclared.places else view.undeclared.words
        parts.insert(1, Content.styled(words, "bold $text-warning"))
    parts += _by_the_host(view)
    if view.app is not None:
        parts.append(content(_app_words(view.app), "$text-accent"))
    if remarks := result_remarks(view):
        parts.append(
            Content.styled(f"! {count(len(remarks), 'remark')} on the result, in tab 4", "$text-warning")
        )
    return tuple(parts)


def _known_words(view: ResultView) -> str:
    """A text such as `what was withheld from #1 reaches the model`."""
    places = f" in {len(view.known):,} places" if len(view.known) > 1 else ""
    return f"{calls_withheld_from(view.known.values())} reaches the model{places}"


def _without_boundary(view: ResultView, *, is_withheld: bool) -> Iterator[Content]:
    """What the host does with the result as the server sent it.

    `is_withheld`: whether the boundary withholds a value that it lets through at the boundary level `open`.
    """
    host = shortened(view.host, 40)
    keys = ("B", "b") if view.level is Level.DECLARED else ("b", "B")
    there_and_back = f"{keys[0]} shows `open`, {keys[1]} goes back"
    if view.refused:
        yield content(f"{host} refuses this result", "bold $text-error")
    elif is_withheld and view.host != "spec" and lacks_values(view.record):
        yield content(
            f"what {host} does with the result as sent is not known: it is not recorded whole",
            "$text-warning",
        )
    elif view.refused_as_sent:
        words = f"{host} refuses this result as sent, so its model gets an error: {there_and_back}"
        yield content(words, "bold $text-error")
    elif view.level is not Level.OPEN and is_withheld:
        is_of_page = view.sender == "page"
        who = "an agent in the browser" if is_of_page else "MCP" if view.host == "spec" else host
        yield content(f"{who} itself would withhold nothing: {there_and_back}", "$text-warning")


def _by_the_host(view: ResultView) -> Iterator[Content]:
    """What the host does with the result after the boundary."""
    changes = sum(change.pointer not in PROTOCOL_MEMBERS for change in view.changes)
    if changes:
        yield Content.styled(f"~ {count(changes, 'change')} by the host", "$text-accent")
    if view.is_moved:
        yield Content.styled("~ the model gets the result as structuredContent", "$text-accent")
    if not view.observed:
        yield Content.styled("the host was not observed with such a result", "$text-warning")


def seen_words(view: ResultView) -> str:
    """What the model sees of a result that is drawn once for both sides, in words such as `the same`."""
    if view.is_moved:
        return "all of it as structuredContent"
    return "all of it but metadata" if view.outline.tops else "the same"


def _has_media(model: Json) -> bool:
    """True if one of the first blocks that a model gets is not text, so that its bytes say nothing about tokens."""
    blocks = model.get("content") if isinstance(model, dict) else model
    first = blocks[:MAX_REMARKS] if isinstance(blocks, list) else []
    return any(isinstance(block, dict) and block.get("type") not in {"text", None} for block in first)


def _app_words(app: AppView) -> str:
    if not app.only_app:
        return "MCP App"
    return f"MCP App: only the interface gets {' and '.join(pointer[1:] for pointer in app.only_app)}"


def effect_line(view: ResultView) -> Content:
    """A sentence about the effect of the boundary on this result.

    For an unfinished call, the sentence says what the call waits for; for an MCP App, what the app gets.
    """
    if view.unfinished:
        words = "; ".join(view.unfinished.asks) or view.unfinished.reason
        return content(
            shortened(f"unfinished, so the model gets nothing; {words}", 1_000), "bold $text-warning"
        )
    if view.app is not None and view.level is not Level.OPEN:
        return content(" ".join(view.app.notes), "$text-accent")
    match view.level:
        case Level.OPEN:
            own = view.reached - len(view.known)
            reached = f"; {reached_words(own)}" if own > 0 else ""
            return Content.styled(f"open: nothing is withheld{reached}", "$text-error")
        case Level.DECLARED:
            return Content.styled("declared: values without a declaration pass", "$text-warning")
        case Level.CLOSED:
            return Content.styled(
                "closed: only declared, non-sensitive values of the output schema pass", "$text-success"
            )


def reason_line(view: ResultView, outline: Outline, node: int | None) -> Content:
    """The reason why the two sides of a node differ, on one line.

    If they do not differ, the text of `effect_line`.
    """
    if view.unfinished or node is None:
        return effect_line(view)
    if view.sign(outline, node) is SideDifference.REACHES:
        return _reaching_line(view, outline, node)
    if why := view.to_model_on(outline, node):
        return reason_words("@", "bold $text-error", [outline.pointer(node)], 1, why)
    removals, changes = view.removals_on(outline, node), view.changes_on(outline, node)
    if removals:
        return removal_line(removals[0], len(removals) - 1 + view.more_on(outline, node))
    if changes:
        return change_line(changes[0])
    if outline.difference(node) is SideDifference.RIGHT:
        words = added_words(outline, node, is_failure=view.failure is not None)
        return Content.styled(f"+ {words}", "$text-accent")
    violation = view.violation_on(outline, node)
    if violation is not None:
        return reason_words("≠", "bold $text-error", [outline.pointer(node)], 1, broken_words(violation))
    if view.is_undescribed(outline, node):
        place = outline.pointer(node)
        return reason_words("?", "bold $text-warning", [place], 1, undescribed_key(place)[2])
    return effect_line(view)


def _reaching_line(view: ResultView, outline: Outline, node: int) -> Content:
    """A line that says that a secret reaches the model, where it is, and why it is a secret."""
    found = view.reaching_on(outline, node)
    why = view.credential_on(outline, node) or "a copy of a value that `declared` withholds"
    if found is not None and found.rule not in COPIES:
        why = found.detail
    return Content.assemble(
        ("! reaches the model", "bold $text-error"),
        "  ",
        content(cut_in_the_middle(path(outline.pointer(node)), 120), "bold"),
        "  ",
        content(shortened(why, 400)),
    )


def reasons(view: ResultView, outline: Outline, node: int | None, most: int) -> list[Content]:
    """At most `most` reasons, one per line, the worst first. The first one about the node under the cursor is among them.

    Reasons for metadata and notices are left out if there are no others, unless the cursor is on one of them.
    """
    found = view.reasons
    keys = keys_of(view, outline, node) if node is not None else ()
    here = next((index for index, reason in enumerate(found) if reason.key in keys), -1)
    # The verdict names metadata and notices already.
    if here < 0 and not any(reason.is_loud for reason in found):
        return []
    start = max(here - most + 1, 0)
    lines = [
        Content.assemble("▹ " if found[index].key in keys else "  ", found[index].line)
        for index in range(start, min(start + most, len(found)))
    ]
    # `n` goes to metadata and notices only if nothing else differs.
    number = sum(reason.is_loud for reason in found) or len(found)
    if len(found) > most:
        lines[-1] = with_number(lines[-1], number)
    return lines


def with_number(line: Content, number: int) -> Content:
    """The line of a reason, with the number of all reasons if there are several."""
    return Content.assemble(line, (f"  ({number:,} reasons in all, n next)", QUIET)) if number > 1 else line


def remark_lines(view: ResultView, most: int) -> list[Content]:
    """At most `most` remarks on a result, one per line, as in the list of reasons."""
    return [
        Content.assemble(("  ! ", "bold $text-warning"), content(shortened(remark, 400)))
        for remark in view.remarks[:most]
    ]


def absences(view: ResultView, outline: Outline, node: int) -> tuple[Content, ...]:
    """The texts that can take the place of a value that the model does not get, the longest first.

    For a value that the boundary withholds: a text with the reason, a text with the words of the rule, and
    a text with neither.
    """
    removals = view.removals_on(outline, node)
    is_quiet = view.is_quiet(outline, node)
    if is_quiet:
        return tuple(Content.styled(text, QUIET) for text in ("┄ metadata, not for models ┄", "┄ metadata ┄"))
    if removals:
        style = "$text-error"
        whys = f": {shortened(removals[0].detail, 200)}", f": {COUNTED[Rule(removals[0].rule)]}", ""
        return tuple(content(f"┄ withheld{why} ┄", style) for why in whys)
    words = _place_in_words(outline, node) or ("┄ not passed on by the host ┄", "┄ not passed on ┄")
    if view.holder and is_structured(outline.pointer(node)):
        words = (f"┄ passed on within {path(view.holder, 60)} ┄", "┄ passed on elsewhere ┄")
    if outline is not view.outline and _is_passed(view, outline.pointer(node)):
        # As JSON, each side is as on the wire. In the list of values, both values are beside each other.
        words = ("┄ passed on in another place ┄", "┄ elsewhere ┄")
    return tuple(Content.styled(text, "$text-accent") for text in words)


def _is_passed(view: ResultView, pointer: str) -> bool:
    node = view.outline.node_at(pointer)
    return (
        node is not None
        and view.outline.pointer(node) == pointer
        and view.outline.value(node, 1) is not ABSENT
    )


_LEAST_QUOTED = 8
"""The minimum length of a string, in characters, that is looked for within other strings."""


def _place_in_words(outline: Outline, node: int) -> tuple[str, str] | None:
    """Where the model gets a value that the host has moved or renamed, in words; None if it does not."""
    if name := renamed(outline, node, 0):
        return f"┄ passed on as {path(join([name]), 60)} ┄", "┄ renamed ┄"
    value, parent = outline.value(node, 0), outline.parent(node)
    there = outline.value(parent, 1) if parent >= 0 else ABSENT
    if not isinstance(value, str) or len(value) <= 1 or not isinstance(there, dict):
        return None
    found = next(places(there, lambda leaf: isinstance(leaf, str) and leaf == value), None)
    how = "as"
    if not found and len(value) >= _LEAST_QUOTED:
        found = next(places(there, lambda leaf: isinstance(leaf, str) and value in leaf), None)
        how = "within"
    if not found:
        return None
    return f"┄ passed on {how} {path(join(map(str, found)), 60)} ┄", f"┄ passed on {how} … ┄"


def result_remarks(view: ResultView) -> tuple[Content, ...]:
    """The remarks on a result, in sentences. They do not depend on the host."""
    return (
        *(
            Content.assemble(("? result  ", "bold $text-warning"), content(shortened(asked, 400)))
            for asked in (view.unfinished.asks if view.unfinished else ())
        ),
        *(
            Content.assemble(("? result  ", "bold $text-warning"), limit)
            for limit in filter(None, [view.search_limit])
        ),
        *(
            Content.assemble(("! result  ", "$text-warning"), content(shortened(sentence, 400)))
            for sentence in view.remarks[:MAX_REMARKS]
        ),
        *(
            Content.assemble(("≠ result  ", "bold $text-error"), content(shortened(remark, 400)))
            for remark in view.record.remarks[:MAX_REMARKS]
        ),
    )


def _ending(record: CallRecord) -> Content:
    if unfinished(record.outcome):
        return Content.styled("unfinished", "bold $text-warning")
    match record.outcome:
        case RpcError() as error:
            words = error.who if error.of_page else "JSON-RPC error"
            return Content.styled(words, "bold $text-error")
        case Failure(kind=FailureKind.NOT_RECORDED):
            return Content.styled("no answer", "bold $text-error")
        case Failure(kind=kind):
            return Content.styled(f"no answer: {kind.value.replace('_', ' ')}", "bold $text-error")
        case outcome:
            failed = isinstance(outcome.value, dict) and outcome.value.get("isError") is True
            return (
                Content.styled("tool error", "bold $text-error")
                if failed
                else Content.styled("done", "$text-success")
            )
