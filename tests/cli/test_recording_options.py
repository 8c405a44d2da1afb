from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from inspector.cli.lenses import Lens
from inspector.cli.recording import Wish, recording, wish_of
from inspector.core.boundary.level import Level
from inspector.core.boundary.policy import BoundaryPolicy
from inspector.core.targets import StdioTarget
from inspector.errors import UsageError
from inspector.store.recordings import RecordingFile

TARGET = StdioTarget(command=("/usr/bin/node", "server.js", "--token", "a-secret-of-mine"))
LENS = Lens(level=Level.CLOSED, host="codex", policy=BoundaryPolicy(hide_untrusted=True))


def wished(*argv: str) -> Wish:
    found: list[Wish] = []

    @click.command()
    @recording
    def command(**options: object) -> None:
        found.append(wish_of(options))

    CliRunner().invoke(command, argv, catch_exceptions=False)
    return found[0]


def test_the_file_is_made_with_the_lenses_in_force_and_a_target_without_secrets(tmp_path: Path) -> None:
    recorder = wished("--record", str(tmp_path / "a.jsonl")).recorder(TARGET, LENS)
    assert recorder
    recorder.close()
    file = RecordingFile(tmp_path / "a.jsonl")
    assert (file.header.kind, file.header.target) == ("stdio", "node")
    assert (file.header.lenses.level, file.header.lenses.host) == (Level.CLOSED, "codex")
    assert file.header.lenses.policy == LENS.policy
    assert "a-secret-of-mine" not in (tmp_path / "a.jsonl").read_text()
    file.close()


def test_without_the_option_nothing_is_recorded() -> None:
    assert wished().recorder(TARGET, LENS) is None


def test_sealing_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="--seal-to is for recordings"):
        wished("--seal-to", "age1x")
