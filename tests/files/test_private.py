import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.files import private


@pytest.fixture(autouse=True, params=[0o000, 0o022, 0o777])
def umask(request: pytest.FixtureRequest) -> Generator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def own(path: Path, text: str, bits: int = 0o600) -> Path:
    path.touch()
    path.chmod(0o600)
    path.write_text(text)
    path.chmod(bits)
    return path


def test_a_new_file_is_accessible_to_the_user_alone(folder: Path) -> None:
    with private.create(folder / "new") as file:
        assert mode(folder / "new") == 0o600
        file.write(b"one\n")
    assert (folder / "new").read_bytes() == b"one\n"


def test_a_new_file_never_replaces_an_existing_one(folder: Path) -> None:
    old = own(folder / "old", "kept", 0o644)
    with pytest.raises(UsageError, match="exists already"):
        private.create(old)
    assert (old.read_text(), mode(old)) == ("kept", 0o644)


@pytest.mark.parametrize("name", ["a\0b", "a" * 300, "a\ud800b"])
def test_an_impossible_file_name_is_a_usage_error(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        private.create(folder / name)
    with pytest.raises(UsageError, match="cannot write"):
        private.replace(folder / name, b"new")
    with pytest.raises(UsageError, match="cannot read"):
        private.read(folder / name, 100)


def test_a_new_file_is_written_completely(folder: Path) -> None:
    assert private.write_new(folder / "new", iter([b"one\n", b"two\n"])) == 8
    assert ((folder / "new").read_bytes(), mode(folder / "new")) == (b"one\ntwo\n", 0o600)
    with pytest.raises(UsageError, match="exists already"):
        private.write_new(folder / "new", [b"three"])
    assert (folder / "new").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("fault", "told"), [(OSError(28, "No space left on device"), UsageError), (ZeroDivisionError(), None)]
)
def test_an_incomplete_new_file_is_not_left_behind(
    folder: Path, fault: Exception, told: type[Exception] | None
) -> None:
    def pieces() -> Generator[bytes]:
        yield b"one\n"
        raise fault

    with pytest.raises(told or type(fault)):
        private.write_new(folder / "new", pieces())
    assert list(folder.iterdir()) == []


def test_the_folder_of_a_kept_file_is_created(folder: Path) -> None:
    private.keep(folder / "data" / "pins" / "one", b"1")
    private.keep(folder / "data" / "pins" / "one", b"2")
    assert (folder / "data" / "pins" / "one").read_bytes() == b"2"
    assert mode(folder / "data" / "pins") & 0o77 == 0
    with pytest.raises(UsageError, match="cannot make"):
        private.keep(folder / "data" / "pins" / "one" / "two", b"3")


@pytest.mark.parametrize("exists", [True, False])
def test_a_new_file_is_not_written_through_a_link(folder: Path, *, exists: bool) -> None:
    elsewhere = folder / "elsewhere"
    if exists:
        own(elsewhere, "kept")
    (folder / "link").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="exists already"):
        private.create(folder / "link")
    with pytest.raises(UsageError, match="not a regular file"):
        private.replace(folder / "link", b"new")
    assert elsewhere.exists() is exists
    assert not exists or elsewhere.read_text() == "kept"
    assert (folder / "link").is_symlink()


def test_a_file_that_others_could_read_is_not_left_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a file system without modes.
    def no_modes(descriptor: int, _: int) -> None:
        Path(f"/proc/self/fd/{descriptor}").chmod(0o644)

    monkeypatch.setattr(os, "fchmod", no_modes)
    with pytest.raises(UsageError, match="lets others read it"):
        private.create(folder / "new")
    assert not (folder / "new").exists()


def test_a_replaced_file_is_accessible_to_the_user_alone(folder: Path) -> None:
    own(folder / "old", "old", 0o644)
    for name in ("old", "new"):
        private.replace(folder / name, b"new")
        assert ((folder / name).read_bytes(), mode(folder / name)) == (b"new", 0o600)
    assert {path.name for path in folder.iterdir()} == {"new", "old"}


def test_a_file_that_cannot_be_replaced_stays_unchanged(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = own(folder / "old", "kept")

    def full(descriptor: int) -> None:
        raise OSError(28, f"No space left ({descriptor > 0})")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        private.replace(old, b"new")
    assert old.read_text() == "kept"
    assert list(folder.iterdir()) == [old]


def test_only_a_regular_file_is_replaced(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        private.replace(folder / "pipe", b"new")
    with pytest.raises(UsageError, match=r"cannot write .*No such file or directory"):
        private.replace(folder / "none" / "new", b"new")


def test_a_private_file_is_read_without_a_warning(folder: Path) -> None:
    path = own(folder / "a", "text")
    assert private.read(path, 4) == private.Content(raw=b"text", warning="")
    assert private.read(folder / "none", 4) is None


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o644])
def test_a_file_that_others_can_read_is_read_with_a_warning(folder: Path, bits: int) -> None:
    path = own(folder / "a b", "text", bits)
    content = private.read(path, 4)
    assert content is not None
    assert content.raw == b"text"
    assert f"chmod 600 '{path}'" in content.warning


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_refused(folder: Path, bits: int) -> None:
    path = own(folder / "a b", "text", bits)
    with pytest.raises(UsageError, match="can be written by others") as caught:
        private.read(path, 4)
    assert caught.value.hint == f"Run: chmod 600 '{path}'"


@pytest.mark.parametrize("bits", [0o720, 0o702])
@pytest.mark.parametrize("linked", [True, False])
def test_a_file_in_a_folder_that_others_can_write_is_refused(
    folder: Path, bits: int, *, linked: bool
) -> None:
    shared = folder / "shared"
    shared.mkdir()
    shared.chmod(0o700)
    path = own(shared / "a", "text")
    shared.chmod(bits)
    if linked:
        path = folder / "link"
        path.symlink_to(shared / "a")
    with pytest.raises(UsageError, match="can be written by others") as caught:
        private.read(path, 4)
    assert caught.value.hint == f"Run: chmod go-w {shared}"
    shared.chmod(bits | stat.S_ISVTX)
    assert private.read(path, 4) is not None


def test_a_link_in_a_folder_that_others_can_write_is_not_followed(folder: Path) -> None:
    shared = folder / "shared"
    shared.mkdir()
    shared.chmod(0o702)
    (shared / "link").symlink_to(own(folder / "a", "text"))
    with pytest.raises(UsageError, match="shared can be written by others"):
        private.read(shared / "link", 4)


def test_a_file_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own(folder / "a", "text")
    user = os.geteuid()
    if user == 0:
        os.chown(path, 65534, -1)
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(UsageError, match="belongs to another user") as caught:
        private.read(path, 4)
    assert caught.value.hint.startswith("Run: chown ")


def test_a_file_that_is_not_regular_or_too_large_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "pipe").chmod(0o600)
    own(folder / "large", "12345")
    for name, message in (
        ("pipe", "is not a regular file"),
        (".", "is not a regular file"),
        ("large", "larger than 4 bytes"),
        ("large/a", "Not a dir"),
    ):
        with pytest.raises(UsageError, match=message):
            private.read(folder / name, 4)
