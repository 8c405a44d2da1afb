"""Reads from the parts of the main screen what the header and the footer show."""

from textual.widgets import Input, TextArea

from inspector.protocol.catalogue import Kind
from inspector.protocol.client import FULL
from inspector.protocol.targets import PageTarget
from inspector.tui.call.pane import VERBS
from inspector.tui.keys.footer import FocusedPart, KeySituation
from inspector.tui.main.header import HeaderView
from inspector.tui.main.parts import MainParts
from inspector.tui.trust.view import GravestLabel
from inspector.tui.values.search_line import SearchInput
from inspector.tui.widgets.choice import ChoiceInput


def focused_part(parts: MainParts) -> FocusedPart:
    """Return the part of the main screen that has the focus. Without a focus, it is the catalogue."""
    focused, tool = parts.screen.focused, parts.tool
    if isinstance(focused, (Input, TextArea, ChoiceInput)):
        if isinstance(focused, SearchInput):
            return FocusedPart.SEARCH
        is_filter = parts.catalogue.has_focus_within or focused is parts.timeline_filter
        return FocusedPart.FILTER if is_filter else FocusedPart.INPUT
    if parts.result.has_focus_within:
        return FocusedPart.RESULT
    if tool.has_focus_within and tool.is_in_findings:
        return FocusedPart.FINDINGS
    if tool.call.is_before_fields:
        return FocusedPart.ARGUMENTS
    if tool.has_focus_within:
        return {"call": FocusedPart.FORM, "definition": FocusedPart.DEFINITION}.get(
            tool.tab, FocusedPart.TOOL
        )
    if parts.timeline.has_focus:
        return FocusedPart.TIMELINE
    return FocusedPart.FAILURE if parts.failure.has_focus else FocusedPart.CATALOGUE


def situation(
    parts: MainParts, part: FocusedPart, *, is_opening: bool, is_recording: bool, goes_back: bool
) -> KeySituation:
    """The state of the screen that decides which keys work.

    `part`: the part with the focus. The other arguments are members of `KeySituation`.
    """
    server, focused = parts.server, parts.screen.focused
    tool, record = server.selection.tool, server.selection.record
    is_used_at_once = tool is not None and tool.item is not None and not tool.item.takes_arguments
    values = parts.tool.definition if part is FocusedPart.DEFINITION else parts.result
    return KeySituation(
        part=part,
        is_opening=is_opening,
        is_empty=parts.catalogue.lists_nothing,
        is_running=server.runner.is_running,
        is_filled=server.runner.is_filled,
        is_ready=server.link.is_ready,
        is_wrong=parts.tool.call.is_wrong,
        is_json=parts.tool.call.is_json,
        choice=(*focused.KEYS, ("choice.none", "")) if isinstance(focused, ChoiceInput) else (),
        goes_back=goes_back,
        has_called=server.runner.last is not None,
        has_servers=parts.servers.are_several,
        can_repeat=server.runner.repeatable(record) is not None,
        verb=VERBS[tool.kind if tool is not None else Kind.TOOL],
        is_used_at_once=is_used_at_once and not is_recording,
        has_history=bool(server.history.calls),
        has_result=record is not None,
        has_answer=record is None or record.is_answered,
        has_tool=tool is not None,
        has_differences=parts.result.has_differences,
        has_reasons=parts.result.has_reasons,
        has_earlier=record is not None and server.history.before_call(record) is not None,
        has_masks=parts.result.has_masks,
        is_result_shown=parts.is_result_shown,
        is_recording=is_recording,
        is_unmasked=parts.result.is_unmasked,
        explains=values.use_of_enter,
        timeline_enter=parts.timeline.use_of_enter,
        timeline_folds=parts.timeline.can_fold,
        is_searched=values.is_searched,
        has_matches=values.has_matches,
        is_comparing=server.selection.comparing.is_on,
        is_changed=server.pins.has_changes and not is_recording,
        is_accepted=server.reviewer.has_accepted(parts.tool.findings.entry),
        subscribes=server.subscriptions.offer(server.open_resource),
        is_saved=server.watch is not None and server.watch.has_changes,
        secrets=len(server.vault.custody.vault),
    )


def header_view(parts: MainParts, trust: GravestLabel | None) -> HeaderView:
    """The facts that the header shows. `trust`: the trust labels of the agent session."""
    server, link = parts.server, parts.server.link
    profile, facts = link.profile, link.server
    own = facts.name if facts and not isinstance(server.target, PageTarget) else ""
    return HeaderView(
        target=str(server.target),
        state=link.state,
        level=server.selection.level,
        host=server.selection.host,
        label=server.label,
        server=own,
        place=parts.servers.place,
        protocol=facts.protocol_version if facts else "",
        recording=server.recorder.sign,
        profile="" if profile in (None, FULL) else profile.name,
        tools=link.tools,
        trust=trust,
        is_insecure=link.is_insecure,
    )
