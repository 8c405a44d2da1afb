"""The folder of a browser's profile, if it cannot be created."""

import errno
import tempfile
from pathlib import Path

import pytest

from inspector.errors import UnreachableError
from inspector.webmcp.browser.chromium import create_profile, profiles_folder


def full(self: Path, data: str, **_: object) -> int:
    del data
    raise OSError(errno.ENOSPC, "No space left on device", str(self))


def test_a_profile_that_cannot_be_written_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UnreachableError, match="No space left on device"):
        create_profile()
    assert not list(profiles_folder().iterdir())
