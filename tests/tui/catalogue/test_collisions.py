"""Tools with the same name on several servers: detection, their mark, and the names that hosts give their models."""

from typing import TYPE_CHECKING

import pytest

from inspector.hosts.registry import hosts
from inspector.protocol.catalogue import Catalogue, Kind, Malformed, decode_page
from inspector.session.events import SessionState
from inspector.tui.catalogue.collisions import collision_mark, collision_note, collisions
from inspector.tui.catalogue.rows import ServerHeading, server_line

if TYPE_CHECKING:
    from inspector.json.exact import Json

HOSTILE = "\x1b[31m[bold]\u202egit"


def listing(*names: str) -> Catalogue:
    tools: list[Json] = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    page = decode_page(Kind.TOOL, {"tools": tools})
    assert not isinstance(page, Malformed)
    return Catalogue(entries={Kind.TOOL: page})


@pytest.mark.parametrize(
    ("listed", "shared"),
    [
        ([("a", listing("x", "y")), ("b", listing("y", "z"))], {"y": ("a", "b")}),
        ([("a", listing("x")), ("b", listing("X"))], {}),
        ([("a", listing("x")), ("b", None), ("c", listing("x"))], {"x": ("a", "c")}),
        ([], {}),
    ],
)
def test_tools_with_the_same_name_on_several_servers_are_found(
    listed: list[tuple[str, Catalogue | None]], shared: dict[str, tuple[str, ...]]
) -> None:
    assert collisions(listed) == shared


def test_the_names_that_hosts_give_are_shown_only_if_observed() -> None:
    note = collision_note("read file", "my files", ["git"], hosts()).plain
    assert "is also a tool of git." in note
    assert (
        "Claude Code names this tool mcp__my_files__read_file, and that of the other server mcp__git__read_file."
        in note
    )
    assert "other hosts do with equal names was not observed" in note
    assert "names are equal" not in note
    # Other characters are replaced by one: two servers can have the same name there.
    assert "The names are equal." in collision_note("x", "my files", ["my.files"], hosts()).plain


@pytest.mark.parametrize("width", [28, 60, 200])
def test_foreign_names_are_safe_in_headings_marks_and_notes(width: int) -> None:
    heading = ServerHeading(name=HOSTILE, state=SessionState.FAILED, reason=f"it said {HOSTILE}\nand more")
    shown = [
        server_line(heading, width, here=False),
        collision_mark([HOSTILE]).words,
        collision_note(HOSTILE, HOSTILE, [HOSTILE], hosts()),
    ]
    for line in shown:
        assert not set(line.plain) & {"\x1b", "\u202e"}
        assert not line.markup.count("[bold]g")
    assert server_line(heading, width, here=True).cell_length <= width


def test_a_heading_shows_the_state_of_its_server() -> None:
    ready = ServerHeading(name="git", state=SessionState.READY, tools=12)
    assert server_line(ready, 60, here=False).plain == "» git  ready  12 tools"
    recorded = ServerHeading(name="git", state=SessionState.READY, tools=1, is_recorded=True)
    assert "● recording" in server_line(recorded, 60, here=False).plain
    failed = ServerHeading(name="git", state=SessionState.FAILED, reason="the server exited with 1\nmore")
    assert server_line(failed, 80, here=False).plain == "» git  failed  the server exited with 1, more"
