import stat
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.json.exact import parse
from inspector.pins.identity import Identity, identity_of
from inspector.protocol.targets import DemoTarget, StdioTarget
from inspector.review.files import accept, path_of, read_accepted, take_back
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.report import Acceptance, ReportEntry, baseline_of
from tests.review.live.reviews import TORN, catalogue_of, entry_of, gone_through, material_of

ENTRY = entry_of(gone_through(material_of(catalogue_of([TORN]))), "SL-ANN001")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def identity(*command: str) -> Identity:
    found = identity_of(StdioTarget(command=command) if command else DemoTarget())
    assert found is not None
    return found


def test_without_a_file_nothing_is_accepted_and_no_file_is_created(folder: Path) -> None:
    assert read_accepted(identity()) == AcceptedFindings()
    assert not folder.exists()


def test_acceptances_are_kept_per_server_in_a_private_file(folder: Path) -> None:
    assert accept(identity(), ENTRY, "we own it").with_acceptance(ENTRY).acceptance == Acceptance(
        id="SL-ANN001", name="torn", reason="we own it"
    )
    assert not read_accepted(identity()).with_acceptance(ENTRY).counts
    assert read_accepted(identity("other")).with_acceptance(ENTRY).counts
    (path,) = (folder / "accepted").iterdir()
    assert path == path_of(identity())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_file_is_a_baseline_for_the_command_line() -> None:
    accept(identity(), ENTRY, "we own it")
    parsed = parse(path_of(identity()).read_bytes())
    assert baseline_of(parsed.value) == {ENTRY.fingerprint}  # type: ignore[union-attr] # pyright: ignore[reportAttributeAccessIssue]


def test_an_accepted_protocol_fault_stays_accepted_however_often_it_occurs() -> None:
    def fault(noise: int) -> ReportEntry:
        return entry_of(gone_through(material_of(catalogue_of([TORN]), noise=noise)), "SL-PRO002")

    assert fault(1).finding.message != fault(3).finding.message
    accepted = accept(identity(), fault(1), "a banner")
    assert not accepted.with_acceptance(fault(3)).counts
    assert take_back(identity(), fault(3)).items == ()


def test_taking_back_an_acceptance_keeps_the_others() -> None:
    other = entry_of(gone_through(material_of(catalogue_of([{**TORN, "name": "other"}]))), "SL-ANN001")
    accept(identity(), ENTRY, "one")
    accept(identity(), other, "two")
    left = take_back(identity(), ENTRY)
    assert left.with_acceptance(ENTRY).counts
    assert not read_accepted(identity()).with_acceptance(other).counts


def test_secrets_of_a_command_are_in_no_file_and_no_file_name(folder: Path) -> None:
    secret = "c4n4ryXq81Zt77Lm"
    accept(identity("serve", "--token", secret), ENTRY, "ours")
    (path,) = (folder / "accepted").iterdir()
    assert secret not in path.name
    assert secret.encode() not in path.read_bytes()


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"findings":[7]}', b"\xff\xfe"])
def test_a_file_that_is_not_a_report_is_reported_and_not_overwritten(raw: bytes) -> None:
    path = path_of(identity())
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)
    path.chmod(0o600)
    for attempt in (lambda: read_accepted(identity()), lambda: accept(identity(), ENTRY, "why")):
        with pytest.raises(UsageError, match="is not a report") as failed:
            attempt()
        assert failed.value.hint
    assert path.read_bytes() == raw


def test_a_file_that_others_can_write_is_refused() -> None:
    accept(identity(), ENTRY, "ours")
    path_of(identity()).chmod(0o666)
    with pytest.raises(UsageError, match="can be written by others"):
        read_accepted(identity())


def test_a_folder_that_cannot_be_created_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "file"))
    with pytest.raises(UsageError, match=r"cannot (make|read)"):
        accept(identity(), ENTRY, "ours")
