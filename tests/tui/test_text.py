import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.boundary.bounded import Level
from inspector.errors import headline
from inspector.json.exact import (
    DuplicateKeys,
    Json,
    JsonObject,
    JsonText,
    Malformed,
    Number,
    equal,
    parse,
)
from inspector.policy.taint import LabelKind, LabelOrigin, SessionTrust, TrustLabel
from inspector.protocol.catalogue import Catalogue, Entry, Item, Kind, Tool
from inspector.protocol.targets import DemoTarget, HttpTarget, StdioTarget, Target
from inspector.protocol.timeline import Entry as TimelineEntry
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.safe_text import safe
from inspector.session.call_record import Progress
from inspector.session.events import SessionState
from inspector.tui.call.command_line import CommandLine, call_command, editable
from inspector.tui.call.progress import progress_line
from inspector.tui.catalogue.item import about, title
from inspector.tui.catalogue.marks import RowMarks
from inspector.tui.catalogue.rows import Group, ServerHeading, matching, rows, server_line
from inspector.tui.catalogue.rows import entry_line as item_line
from inspector.tui.connection.failure import FailureView, failure, failure_in_short, last_words
from inspector.tui.findings.screen import FindingsScreen
from inspector.tui.help.screen import help_lines
from inspector.tui.hosts.screen import HostsScreen
from inspector.tui.keys import palette
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.footer import FocusedPart, KeyOffer, KeySituation, fitting, key_line, keys_now
from inspector.tui.keys.table import COMMANDS, command
from inspector.tui.main.header import HeaderView, header
from inspector.tui.main.tool_pane import TABS
from inspector.tui.text import content, count, duration, level_note, paragraph, shortened, size, tokens
from inspector.tui.timeline.frame import FrameScreen, entry_title, pieces
from inspector.tui.timeline.rows import entry_line
from inspector.tui.trust.view import GravestLabel, gravest_label
from inspector.tui.widgets.secondary import Keys
from inspector.tui.widgets.tab_line import tab_texts


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1234, "1.2 kB"),
        (123_456, "123 kB"),
        (999_600, "1.0 MB"),
        (5_000_000, "5.0 MB"),
    ],
)
def test_a_size_is_written_in_words(size_bytes: int, words: str) -> None:
    assert size(size_bytes) == words


@pytest.mark.parametrize(
    ("duration_s", "words"),
    [
        (0.0004, "0 ms"),
        (0.012, "12 ms"),
        (0.9999, "1.00 s"),
        (9.999, "10.0 s"),
        (61.4, "1 min 01 s"),
        (3600, "60 min 00 s"),
    ],
)
def test_a_duration_is_written_in_words(duration_s: float, words: str) -> None:
    assert duration(duration_s) == words


def test_counts_and_tokens_are_written_in_words() -> None:
    assert count(1, "tool") == "1 tool"
    assert count(10_000, "tool") == "10,000 tools"
    assert tokens(0) == "about 1 token"
    assert tokens(1592) == "about 398 tokens"


@given(st.text())
def test_foreign_text_is_made_safe_and_is_never_markup(text: str) -> None:
    assert content(text).spans == []
    assert "\n" not in content(text).plain
    assert safe(content(text).plain) == content(text).plain
    assert safe(paragraph(text).plain) == paragraph(text).plain


def test_shortened_text_ends_in_an_ellipsis() -> None:
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"


HEADER = HeaderView(
    target="https://example.org/a/long/path/to/an/endpoint/mcp",
    state=SessionState.READY,
    level=Level.DECLARED,
    host="spec",
    protocol="2025-11-25",
    tools=12,
)


@pytest.mark.parametrize("level", Level)
def test_open_stands_out_in_the_header_and_in_the_note_of_the_key_that_led_there(level: Level) -> None:
    for line, words in (
        (header(replace(HEADER, level=level), 80), str(level)),
        (level_note(level), "open: withholds nothing"),
    ):
        marked = "".join(
            line.plain[span.start : span.end] for span in line.spans if "reverse" in str(span.style)
        )
        assert marked == (words if level is Level.OPEN else "")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_the_header_always_shows_boundary_host_and_state(width: int) -> None:
    line = header(HEADER, width)
    assert line.plain.endswith("declared  host: spec " if width >= 80 else "declared  spec ")
    assert "ready" in line.plain
    assert line.cell_length <= max(width, 52)


def test_a_header_without_room_leaves_out_details_then_words_and_cuts_the_name_last() -> None:
    own = replace(HEADER, server="mcp-servers/everything", profile="none", place="2 of 3")
    lines = [header(own, width).plain for width in range(200, 40, -1)]
    gone = ("MCP 2025-11-25", "12 tools", "as none", "server 2 of 3", "boundary: ", "mcp-servers/everything")
    at = [next(number for number, line in enumerate(lines) if part not in line) for part in gone]
    assert at == sorted(at)
    assert all("declared" in line and "spec" in line and "ready" in line for line in lines)


def test_a_header_keeps_what_fits_beside_the_name() -> None:
    long = replace(HEADER, target="a" * 31, trust=GravestLabel(word="untrusted since #1"))
    for width in range(70, 100):
        line = header(long, width).plain
        free = max(map(len, re.findall(" +", line))) - 1
        left_out = [
            part for part in ("boundary: host: ", " since #1", "  12 tools") if part.split()[0] not in line
        ]
        assert all(free <= len(part) for part in left_out), line
        assert ("boundary: " in line) == ("host: " in line)


def test_at_80_columns_recording_and_trust_lose_when_they_began_before_boundary_and_host_lose_their_names() -> (
    None
):
    recorded = replace(
        HEADER,
        target="demo-workspace",
        trust=GravestLabel(word="sensitive since #1"),
        recording="recording since 123.4 s",
    )
    line = header(recorded, 80).plain
    assert line.startswith(" demo-workspace  ready  sensitive  ")
    assert line.endswith("boundary: declared  host: spec ")
    assert "● recording" in line
    assert "since 123.4 s" in header(recorded, 140).plain


@pytest.mark.parametrize(
    ("also", "words"),
    [
        ((), "untrusted since #1, T why"),
        (("sensitive since #1",), "untrusted, sensitive since #1, T why"),
        (("sensitive since #4",), "untrusted since #1, sensitive since #4, T why"),
    ],
)
def test_a_header_names_every_trust_label_that_has_room(also: tuple[str, ...], words: str) -> None:
    trusted = replace(HEADER, target="a page", trust=GravestLabel(word="untrusted since #1", also=also))
    assert words in header(trusted, 120).plain
    assert "  untrusted since #1, T why  " in header(trusted, 74).plain
    assert "  untrusted  " in header(trusted, 60).plain


def test_the_labels_of_the_header_are_those_of_the_session_the_most_serious_first() -> None:
    assert gravest_label(SessionTrust()) == GravestLabel()
    made = [
        TrustLabel(kind=kind, origin=LabelOrigin(call=call, tool="t", server="s"))
        for kind, call in ((LabelKind.SENSITIVE, 1), (LabelKind.OPEN_WORLD, 2), (LabelKind.UNTRUSTED, 3))
    ]
    assert gravest_label(SessionTrust(labels=frozenset(made[:1]))) == GravestLabel(word="sensitive since #1")
    assert gravest_label(SessionTrust(labels=frozenset(made))) == GravestLabel(
        word="untrusted since #2", is_grave=True, also=("sensitive since #1",)
    )


def test_a_wide_header_names_the_program_the_protocol_and_the_tools() -> None:
    line = header(HEADER, 140).plain
    assert line.startswith(" Sightline  https://example.org")
    assert "ready  MCP 2025-11-25  12 tools" in line


FORGED = "acme\u201d  ready \u00a0\u2003 boundary: closed  host: spec"


@pytest.mark.parametrize("label", ["", "notes  ready  boundary: closed", "notes"])
@pytest.mark.parametrize("width", [60, 100, 140, 200])
def test_the_name_of_a_server_cannot_be_read_as_words_of_the_header(label: str, width: int) -> None:
    line = header(replace(HEADER, label=label, server=FORGED), width).plain
    own = re.sub("\u201c[^\u201c\u201d]*\u201d", "NAME", line)
    assert "closed" not in own
    assert own.count("ready") == 1
    assert own.rstrip().endswith("spec")
    assert "\u201d" not in own
    parts = own.split("  ")
    assert ("notes" if label == "notes" else "NAME") in [part.strip() for part in parts]


@pytest.mark.parametrize("name", ["demo-workspace", "mcp-servers/everything", "caf\u00e9_2.0"])
def test_the_plain_name_of_a_server_is_not_quoted(name: str) -> None:
    assert f" {name}  " in header(replace(HEADER, server=name), 100).plain


def test_the_name_of_a_tool_in_a_row_of_parts_is_one_part() -> None:
    forged = "lookup  ok  policy: allowed"
    entry = an_entry(EntryKind.NOTIFICATION, title=forged)
    for shown in (entry_line(entry, 80), entry_title(entry)):
        assert "lookup ok policy: allowed  " in shown.plain
    heading = ServerHeading(name=forged, state=SessionState.FAILED, tools=3)
    assert "\u201clookup ok policy: allowed\u201d  failed" in server_line(heading, 80, here=True).plain


def test_all_tabs_are_seen_with_the_open_one_in_full_and_as_many_counts_as_fit() -> None:
    tabs = tuple(replace(tab, note="12") for tab in TABS)
    for active in tabs:
        for width in range(28, 100):
            line = "".join(tab_texts(tabs, active.id, width))
            assert len(line) <= width
            assert f"▸{tabs.index(active) + 1} {active.label}" in line
            assert re.findall(r"[ ▸│]([1-5])(?=[ ▸│]|$)", line) == [*"12345"], line
    assert "".join(tab_texts(tabs, "call", 51)) == "▸1 Call│2 Def.│3 Claims│4 Findings 12│5 History"
    assert "".join(tab_texts(TABS, "call", 51)) == "▸1 Call│2 Definition│3 Claims│4 Findings│5 History"


@pytest.mark.parametrize("part", list(FocusedPart))
@pytest.mark.parametrize("width", [40, 80, 140])
def test_the_footer_fits_and_its_last_key_opens_the_full_list(part: FocusedPart, width: int) -> None:
    offers = keys_now(
        KeySituation(part=part, has_called=True, has_differences=True, has_reasons=True, is_wrong=True)
    )
    keys = fitting(offers, width)
    assert key_line(keys).cell_length <= width + 2
    assert keys[-1].offer == offers[-1]
    assert offers[-1].command.id in {"app.help", "app.palette"}
    line = key_line(keys).plain
    for key in keys:
        assert line[key.start : key.end].endswith(key.offer.label)


@pytest.mark.parametrize("keys", [FindingsScreen.KEYS, HostsScreen.KEYS, FrameScreen.KEYS])
@pytest.mark.parametrize("width", [24, 50, 60, 80, 140])
def test_the_way_back_is_in_the_footer_before_any_other_key(keys: Keys, width: int) -> None:
    line = key_line(fitting([KeyOffer(command(known), label) for known, label in keys], width)).plain
    assert " Esc " in line


@pytest.mark.parametrize(
    ("situation", "first"),
    [
        (KeySituation(part=FocusedPart.CATALOGUE), "open"),
        (KeySituation(part=FocusedPart.RESULT, is_running=True), "cancel"),
        (
            KeySituation(part=FocusedPart.RESULT, has_result=True, has_differences=True, has_reasons=True),
            "next",
        ),
        (KeySituation(part=FocusedPart.INPUT), "call"),
        (KeySituation(part=FocusedPart.FILTER), "keep"),
        (KeySituation(part=FocusedPart.FAILURE, is_ready=False), "reconnect"),
        (KeySituation(part=FocusedPart.RESULT, is_ready=False, has_result=True), "reconnect"),
        (KeySituation(part=FocusedPart.RESULT, is_ready=False, has_result=True, is_recording=True), "tools"),
    ],
)
def test_the_footer_begins_with_the_most_important_key(situation: KeySituation, first: str) -> None:
    assert keys_now(situation)[0].label == first


def test_the_footer_offers_only_keys_that_work() -> None:
    nothing = {offer.command.id for offer in keys_now(KeySituation(part=FocusedPart.CATALOGUE))}
    assert not nothing & {"host.compare", "result.compare", "call.repeat", "call.copy", "secrets.open"}
    called = KeySituation(
        part=FocusedPart.CATALOGUE,
        has_tool=True,
        has_called=True,
        can_repeat=True,
        has_result=True,
        secrets=1,
    )
    assert {offer.command.id for offer in keys_now(called)} >= {
        "host.compare",
        "call.repeat",
        "call.copy",
        "secrets.open",
    }
    lost = replace(called, is_ready=False)
    assert "call.repeat" not in {offer.command.id for offer in keys_now(lost)}


def test_no_key_of_the_main_screen_has_another_meaning_in_a_pane() -> None:
    main = {key for found in COMMANDS if found.place is KeyPlace.MAIN for key in found.keys.split(",")}
    panes = (KeyPlace.LINES, KeyPlace.RESULT, KeyPlace.DEFINITION)
    inner = {key for found in COMMANDS if found.place in panes for key in found.keys.split(",")}
    # In a result, `y` also offers parts of the result.
    assert main & inner == {"y"}


def test_the_palette_begins_with_common_commands_and_never_offers_to_quit() -> None:
    offered = [found.id for found in palette.offered()]
    assert offered[:5] == ["app.help", "form.run", "call.repeat", "session.reconnect", "session.record"]
    assert "app.quit" not in offered


def test_an_address_is_cut_in_its_middle() -> None:
    uri = "https://example.org/a/very/long/way/to/handbook/chapter-7.md"
    named = Item(kind=Kind.RESOURCE, name=uri, definition={"name": "handbook"})
    line = item_line(named, RowMarks(), 44, here=False).plain
    assert line.startswith("  handbook  https:")
    assert "…" in line
    assert line.rstrip().endswith("chapter-7.md")
    bare = item_line(Item(kind=Kind.RESOURCE, name=uri, definition={}), RowMarks(), 30, here=False).plain
    assert bare.rstrip().endswith("chapter-7.md")


def test_sending_anyway_is_offered_if_the_arguments_are_wrong() -> None:
    wrong = keys_now(KeySituation(part=FocusedPart.INPUT, is_wrong=True))
    assert KeyOffer(command("form.send-anyway"), "send anyway") in wrong
    assert all(
        offer.command.id != "form.send-anyway" for offer in keys_now(KeySituation(part=FocusedPart.INPUT))
    )


def test_every_key_has_a_unique_id_and_a_description() -> None:
    assert len({found.id for found in COMMANDS}) == len(COMMANDS)
    for found in COMMANDS:
        assert found.binding.id == found.id
        assert found.binding.tooltip.endswith(".")
        assert found.label


def test_the_help_lists_every_key_once() -> None:
    offers = keys_now(KeySituation(part=FocusedPart.CATALOGUE))
    lines = [line.words.partition(": ")[2] for line in help_lines((KeyPlace.MAIN,), offers) if line.key]
    assert sorted(lines) == sorted(found.tooltip for found in COMMANDS)


TOOL = Tool(name="send_mail", definition={"name": "send_mail", "description": "Sends a letter"})
BAD = Malformed(pointer="/tools/1", reason="`inputSchema` is missing", name="broken")
CATALOGUE = Catalogue(
    entries={
        Kind.TOOL: (TOOL, BAD),
        Kind.PROMPT: (Item(kind=Kind.PROMPT, name="greet", definition={}),),
    },
    problems=(Malformed(pointer="/nextCursor", reason="a cursor repeats"),),
)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Tools 1 and 1", "send_mail", "broken", "Prompts 1", "greet", "Problems 1", "None"]),
        ("MAIL", ["Tools 1", "send_mail"]),
        ("letter send", ["Tools 1", "send_mail"]),
        ("malformed", ["Tools 0 and 1", "broken", "Problems 1", "None"]),
        ("nothing", []),
    ],
)
def test_the_filter_finds_words_in_any_order_and_counts_matches(query: str, names: list[str]) -> None:
    found = matching(rows(CATALOGUE), query)
    assert [
        f"{row.title} {row.size}{f' and {row.malformed}' if row.malformed else ''}"
        if isinstance(row, Group)
        else str(row.entry.name)
        for row in found
    ] == names


def test_a_filter_word_may_match_the_name_of_the_server() -> None:
    def found(query: str) -> list[str]:
        shown = matching(rows(CATALOGUE), query, "mail at work")
        return [str(row.entry.name) for row in shown if not isinstance(row, Group)]

    assert found("work") == ["send_mail", "broken", "greet", "None"]
    assert found("work greet") == ["greet"]
    assert found("work elsewhere") == []


def test_the_filter_ranks_exact_names_before_prefixes_and_descriptions() -> None:
    described: JsonObject = {"description": "Echoes; as Echo does."}
    names = ("get_clock", "echo_all", "re_echo", "say", "ECHO", "echo_one")
    tools = tuple(
        Tool(name=name, definition=described if name == "say" else {"title": "Any"}) for name in names
    )
    prompts = tuple(Item(kind=Kind.PROMPT, name=name, definition={}) for name in ("echoing", "stop"))
    catalogue = Catalogue(entries={Kind.TOOL: tools, Kind.PROMPT: prompts})

    def found(query: str) -> list[str]:
        return [
            row.title if isinstance(row, Group) else str(row.entry.name)
            for row in matching(rows(catalogue), query)
        ]

    assert found("echo") == ["Tools", "ECHO", "echo_all", "echo_one", "re_echo", "say", "Prompts", "echoing"]
    assert found("all echo") == ["Tools", "echo_all"]
    assert found("echoing") == ["Prompts", "echoing"]
    assert found(" ") == ["Tools", *names, "Prompts", "echoing", "stop"]


def test_the_group_with_the_best_match_is_first() -> None:
    tool = Tool(name="about", definition={"description": "Shows greet."})
    prompt = Item(kind=Kind.PROMPT, name="greet", definition={})
    catalogue = Catalogue(entries={Kind.TOOL: (tool,), Kind.PROMPT: (prompt,)})
    found = matching(rows(catalogue), "greet")
    assert [row.title if isinstance(row, Group) else row.entry.name for row in found] == [
        "Prompts",
        "greet",
        "Tools",
        "about",
    ]


@pytest.mark.parametrize("entry", [TOOL, BAD, CATALOGUE.entries[Kind.PROMPT][0]])
def test_every_item_has_a_title_and_a_description(entry: Entry) -> None:
    assert str(entry.name) in title(entry).plain
    assert about(entry).plain


def an_entry(kind: EntryKind, state: EntryState = EntryState.DONE, **more: str) -> TimelineEntry:
    return TimelineEntry(
        number=1,
        kind=kind,
        title=more.get("title", "tools/call echo"),
        state=state,
        at_s=1.5,
        frames=(1,),
        size_bytes=1200,
        detail=more.get("detail", ""),
    )


@pytest.mark.parametrize("kind", list(EntryKind))
@pytest.mark.parametrize("width", [40, 80, 140])
def test_a_line_of_the_timeline_fits_its_width(kind: EntryKind, width: int) -> None:
    line = entry_line(an_entry(kind, title="x" * 500, detail="y" * 5000), width)
    assert line.cell_length <= width
    assert "1.2 kB" in line.plain


def test_a_line_of_the_timeline_shows_waiting_and_failed_in_words() -> None:
    assert "waiting" in entry_line(an_entry(EntryKind.EXCHANGE, EntryState.PENDING), 80).plain
    assert "failed" in entry_line(an_entry(EntryKind.EXCHANGE, EntryState.FAILED, detail="-32603"), 80).plain


def test_a_failure_shows_the_last_lines_of_stderr_in_order() -> None:
    entries = [an_entry(EntryKind.STDERR, detail=f"line {n}\n") for n in range(20)]
    words = last_words(reversed(entries))
    assert words == tuple(f"line {n}" for n in range(12, 20))
    text = failure(FailureView(message="it died", hint="look", stderr=words)).plain
    assert text.index("it died") < text.index("look") < text.index("R tries again") < text.index("line 12")
    told = failure(FailureView(message="\n".join(("it died", *words)), stderr=words)).plain
    assert told.count("line 12") == 1


def test_a_failure_above_a_result_takes_four_lines_with_the_stderr_of_this_call() -> None:
    entries = [
        an_entry(EntryKind.STDERR, detail="of an earlier call\n"),
        an_entry(EntryKind.EXCHANGE),
        *(an_entry(EntryKind.STDERR, detail=f"line {n} \x1b[2J\n\n") for n in range(3)),
    ]
    recent = last_words(reversed(entries), 2, since_request=True)
    message = "the server exited with code 3\ncommand: x\nits stderr:\n  of an earlier call"
    lines = failure_in_short(FailureView(message=message, hint="look", recent=recent)).plain.split("\n")
    assert [line.split()[:2] for line in lines] == [
        ["the", "server"],
        ["line", "1"],
        ["line", "2"],
        ["R", "tries"],
    ]
    assert lines[0] == "the server exited with code 3"
    assert "\x1b" not in "".join(lines)
    # A server that only closed its connection wrote nothing: then the hint helps.
    assert "look" in failure_in_short(FailureView(message=message, hint="look")).plain


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(progress=3, total=10, message="copying"), "3 of 10: copying"),
        (Progress(progress=3, total=None, message=None), "3"),
        (Progress(progress=float("nan"), total=10, message=None), "nan of 10"),
        (Progress(progress=50, total=10, message=None), "████████████ 50 of 10"),
        (Progress(progress=-1, total=-1, message=None), "-1"),
    ],
)
def test_progress_is_shown_for_any_numbers(progress: Progress, words: str) -> None:
    assert words in progress_line("echo", 1.0, progress).plain


def test_text_is_split_into_lines_without_loss() -> None:
    assert pieces("abcdefgh\nij\n", 5) == ("abcde", "fgh", "ij", "")
    assert pieces("ab cdef gh\nij", 6) == ("ab cde", "f gh", "ij")
    assert pieces("abcd ef gh", 6) == ("abcd ", "ef gh")
    assert pieces("abcd        \n", 6) == ("abcd        ", "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
)


@given(json_values)
def test_json_in_an_editor_is_safe_and_represents_the_same_value(value: Json) -> None:
    text = editable(value)
    assert safe(text) == text
    parsed = parse(text)
    assert isinstance(parsed, JsonText)
    assert equal(parsed.value, value)


@pytest.mark.parametrize(
    "value", [Number("NaN"), Number("1.10"), DuplicateKeys((("a", 1), ("a", 2))), "\ud800", ["\u202e" * 3]]
)
def test_odd_json_in_an_editor_represents_the_same_value(value: Json) -> None:
    parsed = parse(editable(value))
    assert isinstance(parsed, JsonText)
    assert equal(parsed.value, value)


@pytest.mark.parametrize(
    ("target", "end"),
    [
        (DemoTarget(), ["demo"]),
        (StdioTarget(command=("node", "a b.js"), cwd="/x y"), ["--cwd", "/x y", "--", "node", "a b.js"]),
        (HttpTarget(url="https://h/mcp", older_sse=True), ["sse+https://h/mcp"]),
    ],
)
def test_a_call_is_copied_as_a_command_that_a_shell_reads_back(target: Target, end: list[str]) -> None:
    made = call_command(target, "echo it", {"text": "it's $HOME\n\u202e"}, ())
    assert isinstance(made, CommandLine)
    words = shlex.split(made.text)
    assert words[:3] == ["sightline", "call", "echo it"]
    parsed = parse(words[4])
    assert isinstance(parsed, JsonText)
    assert parsed.value == {"text": "it's $HOME\n\u202e"}
    assert words[5:] == end
    assert "\n" not in made.text


def test_sensitive_parts_are_left_out_of_a_copied_command_and_named() -> None:
    target = HttpTarget(url="https://user:pw@h/mcp?token=t0ken", headers=(("X-Key", "hush"),))
    arguments: JsonObject = {"a": {"pin": "1234", "b": 1}, "c": 2}
    made = call_command(target, "echo", arguments, ("/a/pin", "/none"))
    assert isinstance(made, CommandLine)
    assert not any(secret in made.text for secret in ("hush", "t0ken", "pw", "1234"))
    assert '"b":1' in made.text
    assert arguments == {"a": {"pin": "1234", "b": 1}, "c": 2}
    assert len(made.left_out) == 3


@pytest.mark.parametrize("name", ["x\x1b[201~", "x\ny", "a\u202eb"])
def test_a_command_that_could_act_when_pasted_is_not_copied(name: str) -> None:
    assert isinstance(call_command(DemoTarget(), name, {}, ()), str)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("", ""),
        ("gone", "gone"),
        ("no answer within 60 s\ncommand: x\n", "no answer within 60 s, command: x"),
        (
            "the server exited with code 1\ncommand: x\nits stderr:\n  Traceback\n  KeyError: 'url'\n",
            "the server exited with code 1: KeyError: 'url'",
        ),
    ],
)
def test_a_long_message_is_shortened_to_its_beginning_and_end(message: str, line: str) -> None:
    assert headline(message) == line
    shown = failure(FailureView(message=message)).plain
    assert shown.startswith(line.partition(",")[0])
    assert all(shown.count(part.strip()) == 1 for part in message.splitlines())
