import pytest
from msgspec.structs import replace

from inspector.boundary.judgement import Judgement
from inspector.boundary.options import Level
from inspector.hosts.comparison import compare
from inspector.hosts.leaks import Leak, LeakPlace
from inspector.hosts.profile import HostChange
from inspector.hosts.registry import hosts
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.session.call_record import CallRecord
from inspector.tui.hosts.view import (
    MAX_NAMED,
    ComparedHost,
    GivenUpError,
    HostsView,
    compared_call,
    host_detail,
    host_line,
    hosts_head,
    hosts_summary,
    hosts_view,
)

RECORD = CallRecord(
    number=3,
    name="mint",
    arguments={},
    judgement=Judgement(Result(value=None), None),
    at_s=0.0,
    duration_s=0.1,
    size_bytes=4,
)


def at(*pointers: str) -> tuple[tuple[LeakPlace, ...], ...]:
    """Values that leak, each from one place."""
    return tuple((LeakPlace(pointer=pointer, is_within=False),) for pointer in pointers)


HOST = ComparedHost(
    name="some-host",
    title="Some Host",
    version="1.2",
    as_of="2026-11",
    how="observed: by running the code of the adapter",
    model_gets="all",
    observed=True,
    size_bytes=812,
    changes=(),
    change_count=0,
    leak=Leak.NO,
    leak_places=(),
    leak_count=0,
    why_unknown="",
    unknown_count=0,
    observed_open=True,
)
LEAKING = replace(HOST, name="leaking", leak=Leak.YES, leak_places=at("/structuredContent/key"), leak_count=1)
UNKNOWN = replace(
    HOST,
    name="unknown",
    observed=False,
    observed_open=False,
    size_bytes=None,
    leak=Leak.UNKNOWN,
    why_unknown="its view is not known",
    unknown_count=1,
)


def view(*rows: ComparedHost, withheld: int = 1) -> HostsView:
    return HostsView(record=RECORD, level=Level.DECLARED, raw_bytes=9, withheld=withheld, rows=rows)


def line(row: ComparedHost, *, width: int = 79, withheld: int = 1, chosen: bool = False) -> str:
    shown = host_line(row, view(row, withheld=withheld), width, here=False, chosen=chosen)
    return shown.plain


@pytest.mark.parametrize("width", [59, 79, 139])
@pytest.mark.parametrize("name", [host.name for host in hosts()])
def test_a_row_fits_and_its_columns_are_aligned_with_their_titles(name: str, width: int) -> None:
    shown = line(replace(LEAKING, name=name, model_gets="a text"), width=width)
    head = hosts_head(width).plain
    assert len(shown) <= width
    assert name in shown
    if width >= 79:
        assert shown.index("observed") == head.index("evidence")
    assert shown.index("812 B") + len("812 B") == head.index("to model") + len("to model")
    counted = "its changes" if width >= 79 else "changes"
    assert head.index(counted) + len(counted) == shown.index("  ! leaks 1")
    assert shown.index("! leaks 1") == head.index("without protection" if width > 100 else "at open")
    assert ("its model gets" in head) == (" a text  " in f"{shown}  ") == (width > 100)


def test_a_row_shows_whether_a_withheld_value_would_leak() -> None:
    assert line(HOST).rstrip().endswith("no leak")
    assert line(LEAKING).rstrip().endswith("! leaks 1")
    assert line(replace(LEAKING, unknown_count=5)).rstrip().endswith("! leaks 1+")
    assert line(replace(LEAKING, leak_places=(), leak_count=0)).rstrip().endswith("! leaks 1+")
    assert line(UNKNOWN).rstrip().endswith("? unknown")
    assert line(HOST, withheld=0).rstrip().endswith("undeclared")


def test_the_details_begin_with_what_leaks() -> None:
    lines = host_detail(LEAKING, view(LEAKING)).plain.splitlines()
    assert lines[1].startswith("! Without protection (boundary open), its model gets these withheld values:")
    assert lines[-1].startswith("evidence:")


def test_a_host_that_refuses_the_result_as_sent_is_shown_as_such() -> None:
    refusing = replace(UNKNOWN, refused_open="the client library refuses the result")
    assert line(refusing).rstrip().endswith("refuses it")
    assert line(refusing, width=59).rstrip().endswith("refuses it")
    assert line(replace(LEAKING, refused_open="no")).rstrip().endswith("! leaks 1")
    detail = host_detail(refusing, view(refusing)).plain
    assert "! Without protection (boundary open), the client library refuses the result." in detail
    sent = Result(
        value={"content": [{"type": "secret_reference", "id": "a", "label": "b", "redeemUrl": "c"}]}
    )
    found = hosts_view(
        replace(RECORD, judgement=Judgement(sent, None)), Level.DECLARED, server="s", turn=lambda _: True
    )
    refused = {row.name for row in found.rows if row.refused_open}
    assert {"claude-code", "codex", "langchain-py", "ms-agent-framework", "pydantic-ai"} <= refused
    assert not {"spec", "vercel-ai"} & refused


def test_an_unobserved_host_is_shown_as_such_without_a_size() -> None:
    shown = line(UNKNOWN)
    assert "observed ?" in shown
    assert " ? " in shown
    assert "after the evidence" not in hosts_summary(view(HOST)).plain
    detail = host_detail(UNKNOWN, view(UNKNOWN)).plain
    assert "Not observed with such a result" in detail
    assert "This host was not observed with the raw result" in detail
    assert "(boundary open): its view is not known." in detail


def test_protocol_metadata_counts_as_no_change_of_a_host() -> None:
    sent = Result(
        value={"content": [{"type": "text", "text": "a"}], "resultType": "complete", "_meta": {"a": 1}}
    )
    row = compare(sent, None, Level.OPEN).row("spec")
    assert row is not None
    assert {change.pointer for change in row.context.changes} == {"/resultType", "/_meta"}
    assert (row.changes, row.change_count) == ((), 0)


def test_the_selected_host_is_marked() -> None:
    assert "some-host (in force)" in line(HOST, chosen=True)


def test_the_summary_counts_leaking_and_unknown_hosts() -> None:
    summary = hosts_summary(view(HOST, LEAKING, UNKNOWN)).plain
    assert summary == (
        "✓ declared: no host gets a withheld value. At open, at least 1 of 3 hosts would leak one; 1 not known."
        " ? after the evidence: the host was not observed with such a result."
        "\nNot observed, so they have no profile: Claude Desktop, claude.ai, ChatGPT, Cursor, Copilot CLI."
    )
    at_open = replace(view(HOST, LEAKING, LEAKING), level=Level.OPEN)
    assert hosts_summary(at_open).plain.startswith("! open: 2 of 3 hosts leak a marked value.\n")
    assert "! leaks 1" in host_line(LEAKING, at_open, 79, here=False, chosen=False).plain
    assert "none of 2 hosts is known to leak one; 1" in hosts_summary(view(HOST, UNKNOWN)).plain
    assert "none of 1 host is known to leak" in hosts_summary(view(HOST)).plain
    assert "no leak to look for" in hosts_summary(view(HOST, withheld=0)).plain
    passing = replace(view(HOST, withheld=0), credentials=2)
    assert hosts_summary(passing).plain.startswith("! 2 values look like a credential, and reach each")


def test_the_details_list_some_leaks_and_changes_and_count_the_rest() -> None:
    many = replace(
        LEAKING,
        leak_places=at(*(f"/structuredContent/{n}" for n in range(MAX_NAMED))),
        leak_count=40,
        changes=(HostChange(pointer="/content/0", what="structured content replaces text"),),
        change_count=1,
    )
    text = host_detail(many, view(many)).plain
    assert "! structuredContent[0]" in text
    assert f"… and {40 - MAX_NAMED} more" in text
    assert "~ At declared, it makes 1 change" in text
    assert "~ content[0]  structured content replaces text" in text


@pytest.mark.parametrize("last", [1, 5])
def test_an_abandoned_comparison_ends_before_the_next_host(last: int) -> None:
    begun: list[int] = []

    def turn(number: int) -> bool:
        begun.append(number)
        return number < last

    with pytest.raises(GivenUpError):
        hosts_view(RECORD, Level.DECLARED, server="server", turn=turn)
    assert sorted(set(begun)) == list(range(1, last + 1))


def test_a_comparison_has_a_row_for_every_host_in_order() -> None:
    found = hosts_view(RECORD, Level.DECLARED, server="server", turn=lambda _: True)
    assert [row.name for row in found.rows] == [host.name for host in hosts()]


def test_an_unknown_host_has_no_size() -> None:
    failed = replace(RECORD, judgement=Judgement(Failure(kind=FailureKind.TIMEOUT, detail=""), None))
    found = hosts_view(failed, Level.DECLARED, server="server", turn=lambda _: True)
    unknown = [row for row in found.rows if row.size_bytes is None]
    assert [row.name for row in unknown] == ["vscode-copilot"]
    assert not unknown[0].observed


def test_foreign_text_in_a_comparison_is_made_safe() -> None:
    hostile = "/structuredContent/\x1b[31m\u202e"
    row = replace(
        LEAKING, leak_places=at(hostile), changes=(HostChange(pointer=hostile, what=hostile),), change_count=1
    )
    shown = host_detail(row, view(row)).plain + compared_call(replace(RECORD, name=hostile)).plain
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_host_is_never_called_safe_from_a_recording_that_lacks_withheld_values() -> None:
    tool = Tool(
        name="t", definition={"name": "t", "outputSchema": {"properties": {"s": {"x-sensitive": True}}}}
    )
    left_out = (("/structuredContent/s", "x-sensitive"), ("/content/0/text", "echo"))
    result = Result(
        value={
            "content": [{"type": "text", "text": "[withheld echo 0011223344556677]"}],
            "structuredContent": {"s": "[withheld x-sensitive 8899aabbccddeeff]"},
        }
    )
    judgement = Judgement(result, tool)
    seen = hosts_view(
        replace(RECORD, judgement=judgement, has_ids=True, left_out=left_out),
        Level.DECLARED,
        server="s",
        turn=lambda _: True,
    )
    live = hosts_view(replace(RECORD, judgement=judgement), Level.DECLARED, server="s", turn=lambda _: True)
    assert any(row.leak is Leak.NO for row in live.rows)
    assert not any(row.leak is Leak.NO for row in seen.rows)
    leaking = sum(row.leak is Leak.YES for row in seen.rows)
    assert f"at least {leaking} of 18 hosts would leak one" in hosts_summary(seen).plain
    known = next(row for row in seen.rows if row.leak is Leak.YES)
    assert "leaks 1+ values" in host_line(known, seen, 120, here=False, chosen=False).plain
    assert "Whether it gets more of them is unknown from this recording" in host_detail(known, seen).plain
    unknown = next(row for row in seen.rows if row.leak is Leak.UNKNOWN)
    assert "unknown from this recording" in host_detail(unknown, seen).plain


def test_the_places_of_a_leak_are_named_within_texts() -> None:
    places = (
        LeakPlace(pointer="/structuredContent/ssn", is_within=False),
        LeakPlace(pointer="/content/0/text", is_within=True),
    )
    detail = host_detail(replace(LEAKING, leak_places=(places,)), view(LEAKING)).plain
    assert "! structuredContent.ssn, within content[0].text" in detail
