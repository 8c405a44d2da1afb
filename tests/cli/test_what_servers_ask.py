"""Requests of servers to the client during a command: shown before they are answered, declined with the true reason, refused with a count."""

import json
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from inspector.files.roots import working_folder
from tests.cli.sightline import ROOT, sightline

FIELDS = ("  name: string", "  age: integer, default 7")


def asking(era: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "asking_server.py"), era)


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(
    ("tool", "options", "said"),
    [
        ("form", (), ("declined: no --answer was given", *FIELDS)),
        ("form", ("--answer", "decline"), ("declined: --answer says so",)),
        ("form", ("--answer", "other=decline"), ("declined: no --answer has its key",)),
        ("form", ("--answer", "accept-defaults"), ("“Who are you?”: answered", *FIELDS)),
        (
            "secret",
            ("--answer", '{"api_key": "canary-7f3a91"}'),
            ("api_key “Your API key”: string, asks for a credential, which the protocol forbids",),
        ),
        ("sample", (), ("declined: no --sampling-reply was given", "  user: Rhyme!", "  maxTokens: 9")),
        ("controls", (), ("Who ␛[31mare you?␇ ⟨U+202E⟩evil",)),
        ("huge", ("--answer", "accept-defaults"), ("not answered: elicitation/create is longer than 1 MB",)),
    ],
)
def test_a_call_shows_each_request_of_the_server_and_its_answer(
    era: str, tool: str, options: tuple[str, ...], said: tuple[str, ...]
) -> None:
    ran = sightline("call", tool, "--view", "model", "--host", "spec", *options, *asking(era))
    assert [words for words in said if words not in ran.err] == []
    assert "canary" not in ran.err
    assert "\x1b" not in ran.err


def test_refusals_are_shown_once_with_a_count_and_the_reason() -> None:
    flood = sightline("call", "thousand", *asking("legacy")).err
    # How many are open at once depends on how fast they are answered.
    assert flood.count("not answered: more than ") == flood.count("not answered:") in {1, 2}
    assert (
        "not answered: more than 50 requests during one call (150 times)"
        in sightline("call", "endless", *asking("legacy")).err
    )
    ran = sightline("call", "thousand", "--answer", "accept-defaults", *asking("modern"))
    assert ran.code == 5
    assert "Sightline did not answer: the server makes 1,000 requests at once" in ran.err
    assert "--answer and" not in ran.err


def test_a_requested_visit_shows_its_url_the_wait_and_the_timeout() -> None:
    ran = sightline("call", "visit first", "--timeout", "2", "--answer", "accept-defaults", *asking("legacy"))
    assert ran.code == 5
    url, waiting, end = (
        ran.err.index(words)
        for words in (
            "https://[auth.example]/login",
            "Sightline waits up to 2 s",
            "did not say within 2 s",
        )
    )
    assert url < waiting < end
    assert "again with --answer accept-defaults" in sightline("call", "visit first", *asking("legacy")).err


def test_commands_that_answer_no_requests_report_that_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = "elicitation/create (form) “Who are you?”: declined: this command does not answer requests"
    review = sightline("review", "--call", "--yes-call", "endless", "--format", "json", *asking("legacy"))
    assert "elicitation/create (form) (" in str(json.loads(review.out)["notChecked"])
    review = sightline("review", "--call", "--yes-call", "endless", *asking("legacy"))
    assert review.err.count(said) == 1
    (tmp_path / "calls.toml").write_text('[calls.f]\ntool = "form"\n')
    assert sightline("run", "calls.toml", *asking("legacy")).err.count(said) == 1


def test_what_a_server_says_before_its_result_is_masked_as_the_result_is(tmp_path: Path) -> None:
    def err(*words: str) -> str:
        server = ("--", sys.executable, "-S", "-E", str(ROOT / "tests" / "peers" / "telling_server.py"))
        return sightline(*words, "--era", "legacy", *server).err

    called = err("call", "marked")
    assert "canary" not in called
    assert called.index("progress 1 of 2\n") < called.index("progress 1 of 2: making ••••")
    assert "sampling/createMessage: declined: no --sampling-reply was given" in called
    for name in "plain", "marked":
        shown = err("call", name, "--unmask")
        assert "progress 1 of 2: making canary-7f3a91\nelicitation/create" in shown
    assert "progress 1 of 2: making canary-7f3a91\nelicitation/create" in err("call", "plain")
    silent = err("call", "silent", "--timeout", "2")
    assert "canary" not in silent
    assert "3 texts that the server sent during the call are not shown: without a result" in silent
    assert "canary" not in err("review", "--call", "--yes-call", "marked")
    calls = tmp_path / "calls.toml"
    calls.write_text('[calls.f]\ntool = "marked"\n')
    assert "canary" not in err("run", str(calls))


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_commands_name_the_working_folder_unless_an_option_names_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    here.mkdir()
    other.mkdir()
    monkeypatch.chdir(here)

    def named(*options: str) -> str:
        ran = sightline("call", "roots", "--boundary", "open", "--format", "json", *options, *asking(era))
        return ran.json["raw"]["content"][0]["text"]

    assert here.as_uri() in named()
    assert other.as_uri() in (sent := named("--root", str(other)))
    assert here.as_uri() not in sent
    assert '"roots": []' in named("--no-root")
    usual, chosen = (
        sightline("call", "roots", *options, *asking(era)).err for options in ((), ("--root", str(other)))
    )
    assert f"roots/list: answered with {here.as_uri()}, the working folder; --no-root names none\n" in usual
    assert f"roots/list: answered with {other.as_uri()}\n" in chosen
    without = sightline("call", "roots", "--no-root", *asking(era))
    assert "roots/list: answered with no folders: --root DIR names one" in without.err
    both = sightline("call", "roots", "--no-root", "--root", str(other), *asking(era))
    assert (both.code, "--root has no effect beside it" in both.err) == (2, True)
    review = sightline("review", "--call", "--yes-call", "roots", "--format", "json", *asking(era))
    assert "roots/list" not in str(review.json["notChecked"])
    reviewed = sightline("review", "--call", "--yes-call", "roots", *asking(era))
    assert reviewed.err.count(f"roots/list: answered with {here.as_uri()}, the working folder") == 1


def test_a_removed_working_folder_is_not_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with chdir(gone):
        gone.rmdir()
        assert working_folder() == ()


def test_a_raw_request_is_answered_too() -> None:
    words = ("request", "tools/call", "--params", '{"name":"form"}', "--answer", '{"name":"Ada"}')
    assert "Ada" in sightline(*words, *asking("legacy")).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--log-level", "warning", *asking("legacy"), "quiet"), "the log level warning was not requested"),
        (("--log-level", "warning", *asking("legacy")), ""),
        (("--log-level", "off", *asking("legacy"), "quiet"), ""),
        (asking("legacy"), ""),
    ],
)
def test_a_log_level_that_cannot_be_set_is_reported(words: tuple[str, ...], said: str) -> None:
    err = sightline("list", *words).err
    assert said in err
    assert bool(said) == ("log level" in err)


def test_a_question_that_the_stateless_era_does_not_have_names_the_option_that_helps() -> None:
    server = ("--", sys.executable, str(ROOT / "tests" / "peers" / "eliciting_server.py"))
    words = "cannot send elicitation/create during a call in the stateless era. --era legacy connects"
    ran = sightline("call", "ask", "--yes", *server)
    assert ran.code == 5
    assert words in ran.err
    assert words not in sightline("call", "ask", "--yes", "--era", "legacy", *server).err


def test_a_stateless_server_that_ends_for_want_of_a_handshake_gets_the_option_that_helps() -> None:
    server = (
        "--",
        sys.executable,
        str(ROOT / "tests" / "peers" / "raw_server.py"),
        "exits without a handshake",
    )
    words = "--era legacy connects with a handshake."
    ran = sightline("call", "t", *server)
    assert ran.code == 4
    assert words in ran.err
    kept = sightline("call", "t", "--era", "legacy", *server)
    assert kept.code == 0
    assert words not in kept.err


def test_a_server_that_ends_at_the_probe_is_started_again_and_stderr_says_so() -> None:
    server = ("--", sys.executable, str(ROOT / "tests" / "peers" / "raw_server.py"), "exits at the probe")
    ran = sightline("call", "t", *server)
    assert ran.code == 0
    assert ran.err.count("it was started again for the handshake (era legacy)") == 1
    assert "started again" not in sightline("call", "t", "--era", "legacy", *server).err
    refused = sightline("call", "t", "--era", "modern", *server)
    assert (refused.code, "started again" in refused.err) == (4, False)
