import json
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.files import paths
from inspector.json.exact import JsonObject
from inspector.pins.files import (
    MAX_BYTES,
    UnreadablePins,
    Watch,
    all_pins,
    folder,
    known_as,
    read_pin,
    remove_pin,
    reported_as,
    write_pin,
)
from inspector.pins.identity import Identity
from inspector.pins.pins import Pinned, PinStatus, ServerDefinitions
from inspector.protocol.catalogue import Catalogue, Kind, Tool
from inspector.protocol.targets import DemoTarget, PageTarget, StdioTarget

SERVER = StdioTarget(command=("node", "server.js"))
TOOL: JsonObject = {"name": "sum", "description": "Adds.", "inputSchema": {"type": "object"}}


def definitions(**members: str) -> ServerDefinitions:
    return ServerDefinitions(
        tools=(Tool(name="sum", definition={**TOOL, **members}),), instructions="Be kind."
    )


def catalogue(**members: str) -> Catalogue:
    return Catalogue(entries={Kind.TOOL: definitions(**members).tools})


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def file() -> Path:
    (found,) = folder().glob("*.json")
    return found


def test_a_pin_is_a_private_file_without_the_name_of_the_server() -> None:
    identity = known_as(SERVER)
    assert read_pin(identity) is None
    pinned = write_pin(identity, definitions())
    assert read_pin(identity) == pinned
    assert pinned.at.endswith("Z")
    assert stat.S_IMODE(file().stat().st_mode) == 0o600
    assert stat.S_IMODE(folder().stat().st_mode) == 0o700
    assert file().name == f"{identity.key}.json"
    assert read_pin(known_as(DemoTarget())) is None


def test_a_new_pin_replaces_the_old_one_completely() -> None:
    identity = known_as(SERVER)
    write_pin(identity, definitions())
    write_pin(identity, definitions(title="Sum"))
    found = read_pin(identity)
    assert found is not None
    assert found.definitions == definitions(title="Sum")
    assert len(list(folder().iterdir())) == 1
    assert remove_pin(identity)
    assert not remove_pin(identity)
    assert list(folder().iterdir()) == []


def test_an_edit_of_the_author_changes_nothing_about_a_pin() -> None:
    watch = Watch(SERVER)
    watch.listed(catalogue(), "Be kind.")
    edit = watch.listed(catalogue(title="Sum"), "Be kind.", is_edited=True)
    assert (edit.status, edit.asks("sum")) == (PinStatus.UNPINNED, ())
    assert watch.listed(catalogue(title="Total"), "Be kind.").asks("sum")

    write_pin(known_as(SERVER), definitions())
    (asking,) = watch.listed(catalogue(title="All"), "Be kind.", is_edited=True).asks("sum")
    assert "since it was pinned" in asking.sentence


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"{}", "it is not a pin"),
        (b'{"format":"sightline-pin","version":99}', "newer Sightline"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_a_file_that_is_not_a_pin_is_an_error_with_the_reason(raw: bytes, reason: str) -> None:
    identity = known_as(SERVER)
    write_pin(identity, definitions())
    file().write_bytes(raw)
    with pytest.raises(UsageError, match=reason) as raised:
        read_pin(identity)
    assert "pin the server again" in raised.value.hint
    (found,) = all_pins()
    assert isinstance(found, UnreadablePins)
    assert reason in found.reason


def test_a_pin_of_another_server_in_this_file_is_refused() -> None:
    ours, theirs = known_as(SERVER), known_as(DemoTarget())
    write_pin(theirs, definitions())
    file().rename(folder() / f"{ours.key}.json")
    with pytest.raises(UsageError, match="pin of another server"):
        read_pin(ours)
    (found,) = all_pins()
    assert isinstance(found, UnreadablePins)


def test_a_pin_that_others_can_write_is_refused() -> None:
    identity = known_as(SERVER)
    write_pin(identity, definitions())
    file().chmod(0o666)
    with pytest.raises(UsageError, match="can be written by others"):
        read_pin(identity)
    state = Watch(SERVER).listed(catalogue(), "Be kind.")
    assert state.status is PinStatus.UNKNOWN
    assert len(state.asks("anything")) == 1


def test_a_link_in_place_of_a_pin_is_not_followed(data: Path) -> None:
    identity = known_as(SERVER)
    write_pin(identity, definitions())
    elsewhere = data / "elsewhere"
    file().rename(elsewhere)
    (folder() / f"{identity.key}.json").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="not a regular file"):
        write_pin(identity, definitions(title="x"))
    assert "title" not in elsewhere.read_text()


def test_definitions_that_are_too_large_are_not_pinned() -> None:
    identity = known_as(SERVER)
    with pytest.raises(UsageError, match="a pin may have at most"):
        write_pin(identity, definitions(description="x" * MAX_BYTES))
    assert read_pin(identity) is None


def test_all_pins_are_listed_and_other_files_ignored() -> None:
    assert list(all_pins()) == []
    write_pin(known_as(SERVER), definitions())
    write_pin(known_as(DemoTarget()), definitions())
    (folder() / "notes.txt").write_text("mine")
    assert {str(found.identity) for found in all_pins() if isinstance(found, Pinned)} == {
        "demo",
        "node server.js",
    }


def test_the_folder_of_a_command_is_identified_by_its_full_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    full = known_as(StdioTarget(command=("x",), cwd=str(tmp_path.resolve())))
    assert known_as(StdioTarget(command=("x",), cwd=".")) == full
    assert known_as(StdioTarget(command=("x",))) != full
    with pytest.raises(UsageError, match="without an address"):
        known_as(PageTarget(url=""))


@pytest.mark.parametrize(
    ("command", "is_of_folder"),
    [
        ("python server.py", True),
        ("python ./sub/server.py", True),
        ("./server.py", True),
        ("serve --config=server.py", True),
        ("server.py", False),
        ("python absent.py", False),
        ("npx -y sub", False),
        ("uvx mcp-server", False),
        (f"serve {'x' * 300}", False),
        ("python {folder}/server.py", False),
    ],
)
def test_a_command_that_names_a_file_of_its_folder_is_another_server_in_another_folder(
    *, command: str, is_of_folder: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "server.py").touch()
        (tmp_path / name / "sub" / "server.py").touch()
    target = StdioTarget(command=tuple(command.format(folder=tmp_path / "a").split()))
    monkeypatch.chdir(tmp_path / "a")
    here = known_as(target)
    assert here.folder == (str(tmp_path / "a") if is_of_folder else "")
    # A report is read on other machines.
    assert reported_as(target) == str(target)
    monkeypatch.chdir(tmp_path / "b")
    assert (known_as(target) != here) is is_of_folder
    if is_of_folder:
        assert here == known_as(replace(target, cwd="../a"))
        assert reported_as(replace(target, cwd="../a")) == f"{target} (in {tmp_path / 'a'})"


def test_a_pin_without_the_folder_counts_until_the_folder_has_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "server.js").touch()
    monkeypatch.chdir(tmp_path / "a")
    plain = write_pin(Identity(kind="stdio", name="node server.js"), definitions())
    here = known_as(SERVER)
    assert read_pin(here) == plain
    own = Watch(SERVER).pin(catalogue(title="Sum"), "Be kind.").pinned
    assert read_pin(here) == own
    monkeypatch.chdir(tmp_path / "b")
    assert read_pin(known_as(SERVER)) == plain

    # A pin made while the file existed counts after its removal too.
    monkeypatch.chdir(tmp_path / "a")
    assert remove_pin(plain.identity) == plain.identity
    (tmp_path / "a" / "server.js").unlink()
    assert read_pin(known_as(SERVER)) == own
    assert remove_pin(known_as(SERVER)) == here
    assert remove_pin(known_as(SERVER)) is None


def test_changes_since_the_pin_and_since_the_first_listing_are_reported() -> None:
    write_pin(known_as(SERVER), definitions())
    watch = Watch(SERVER)
    assert watch.listed(catalogue(), "Be kind.").status is PinStatus.SAME
    state = watch.listed(catalogue(description="Mails."), "Be kind.")
    # A change since the pin is not reported twice.
    assert [altered.since.name for altered in state.altered] == ["PINNED"]
    state = watch.listed(catalogue(), "Be kind.")
    assert state.status is PinStatus.SAME
    watch.unpin(catalogue(), "Be kind.")
    state = watch.listed(catalogue(description="Mails."), "Be kind.")
    assert [altered.since.name for altered in state.altered] == ["LISTED"]
    assert watch.pin(catalogue(description="Mails."), "Be kind.").status is PinStatus.SAME
    assert watch.listed(catalogue(description="Mails."), "Be kind.").altered == ()
    assert watch.unpin(catalogue(description="Mails."), None).status is PinStatus.UNPINNED
    assert read_pin(Identity(kind="stdio", name="node server.js")) is None


def test_a_page_without_an_address_is_compared_but_cannot_be_pinned() -> None:
    watch = Watch(PageTarget(url="", cdp="http://127.0.0.1:9222"))
    assert watch.listed(catalogue(), None).status is PinStatus.UNPINNED
    (altered,) = watch.listed(catalogue(description="Mails."), None).altered
    assert {change.tool for change in altered.tools} == {"sum"}
    with pytest.raises(UsageError):
        watch.pin(catalogue(), None)


def test_the_user_chooses_the_folder_of_the_pins(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.data() == data
    monkeypatch.delenv("SIGHTLINE_DATA_DIR")
    assert paths.data().name == "sightline"
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(data))
    write_pin(known_as(SERVER), definitions())
    assert json.loads(file().read_text())["tools"] == [{"name": "sum", "definition": TOOL}]
