import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import cast

import click
import pytest

from inspector.cli import main
from inspector.cli.help import FormatOption, SectionedCommand
from inspector.cli.main import COMMANDS, LazyGroup, run
from inspector.cli.options import ConnectionOptions
from inspector.cli.overview import overview_lines, remember
from inspector.errors import ExitCode
from inspector.files import private
from inspector.files.recent import MAX_TARGETS, recent_targets, remember_target
from inspector.launch import Launch
from inspector.protocol.targets import ConfiguredTarget, HttpTarget, parse_target, stdio_target
from tests.cli.sightline import ROOT, sightline


def commands() -> list[tuple[str, click.Command]]:
    context = click.Context(main.sightline)
    group = LazyGroup("sightline")
    found = [(name, group.get_command(context, name)) for name in COMMANDS]
    nested = [
        (f"{name} {inner}", command.commands[inner])
        for name, command in found
        if isinstance(command, click.Group)
        for inner in command.commands
    ]
    return [
        (name, command) for name, command in found if command and not isinstance(command, click.Group)
    ] + nested


@pytest.mark.parametrize(("name", "command"), commands(), ids=[name for name, _ in commands()])
def test_help_has_two_examples_with_only_existing_options(name: str, command: click.Command) -> None:
    assert isinstance(command, SectionedCommand)
    assert len(command.examples) == 2
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    for example in command.examples:
        words = shlex.split(example.partition(" -- ")[0])
        assert words[0] == "sightline"
        assert name.split(maxsplit=1)[0] in words or name == "open"
        assert {word for word in words if word.startswith("--") and word != "--"} <= known
    ran = sightline(*name.split(), "--help")
    assert ran.code == 0
    assert ran.out.index("Examples:") < ran.out.index("Options:")
    assert all(not isinstance(option, click.Option) or option.help for option in command.params)


def test_help_lists_options_by_group() -> None:
    out = sightline("call", "--help").out
    titles = re.findall(r"^(\S.*):$", out, re.MULTILINE)
    assert titles == [
        "Examples", "Options", "Call", "Output", "Connection", "Client", "Authorization (http://…)",
        "Web pages (web+http://…)", "What the model sees", "Recording", "Policy", "Answers to the server",
        "Exit codes",
    ]  # fmt: skip
    policy = out.partition("\nPolicy:\n")[2]
    assert "--audit" in policy
    assert "--record" not in policy


def test_the_documentation_and_the_help_have_the_same_exit_codes() -> None:
    page = (ROOT / "docs" / "commands.md").read_text().partition("\n## Exit codes\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", page, re.MULTILINE))
    assert {int(number) for number in rows} == {code.value for code in ExitCode}
    for code in ExitCode:
        assert rows[str(code.value)].startswith(code.meaning), code
        naming = {name for name, command in commands() if code in cast("SectionedCommand", command).exits}
        if code >= ExitCode.TOOL_FAILED:
            of_docs = set(re.findall(r"`([a-z]+(?: explain)?)", rows[str(code.value)].partition(" | ")[2]))
            assert of_docs == naming, code


def test_the_help_of_sightline_fits_in_80_columns_also_in_a_pipe() -> None:
    assert max(map(len, sightline("--help").out.splitlines())) <= 80


def test_help_ends_with_the_exit_codes_of_the_command() -> None:
    ends = {name: sightline(name, "--help").out.partition("\nExit codes:\n")[2] for name in ("call", "hosts")}
    assert [line.split()[0] for line in ends["call"].splitlines()] == ["0", "2", "3", "4", "5", "10", "13"]
    assert "  13  a result breaks its tool's output schema\n" in ends["call"]
    assert [line.split()[0] for line in ends["hosts"].splitlines()] == ["0", "2"]


def test_the_option_groups_of_a_command_share_no_field() -> None:
    for _, command in commands():
        names = [option.name for option in command.params]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (("list", "--era", "modrn", "demo"), "Did you mean modern?"),
        (("call", "t", "--boundary", "decared", "demo"), "Did you mean declared?"),
        (("call", "t", "--view", "modle", "demo"), "Did you mean model?"),
        (("call", "--tool", "t", "demo"), "TOOL is an argument: write it without --tool."),
        (("list", "--format", "jsn", "demo"), "Did you mean json?"),
        (("review", "--fail-on", "hgh", "demo"), "Did you mean high?"),
        (("claims", "webmpc"), "Did you mean webmcp"),
        (("hosts", "--compare", "--result", "-", "--host", "cluade-code"), "Did you mean claude-code?"),
        (("server.py",), "Did you mean -- python server.py?"),
        (("localhost:8080/mcp",), "Did you mean http://localhost:8080/mcp?"),
        (("lst", "demo"), "Did you mean list?"),
        (("list", "--hots", "x", "demo"), "Try sightline list --help."),
    ],
)
def test_a_misspelt_command_or_option_gets_a_suggestion(argv: tuple[str, ...], hint: str) -> None:
    ran = sightline(*argv)
    assert ran.code == 2
    assert hint in ran.err


@pytest.mark.parametrize(
    "argv",
    [("list", "--nope", "demo"), ("call", "t", "--format", "yaml", "demo")],
)
def test_a_word_that_is_like_no_known_one_gets_no_suggestion_of_another(argv: tuple[str, ...]) -> None:
    ran = sightline(*argv)
    assert ran.code == 2
    assert "Did you mean" not in ran.err


def test_json_is_short_for_the_format_json_of_every_command_that_has_it() -> None:
    having = [
        (name, each)
        for name, command in commands()
        for each in command.params
        if isinstance(each.type, click.Choice)
        and {"--format"} <= {*each.opts}
        and "json" in each.type.choices
    ]
    assert len(having) == 19
    assert {name for name, each in having if not isinstance(each, FormatOption)} == set()
    for words in (("claims",), ("list", "demo"), ("policy", "explain", "clean_clock", "demo")):
        short, long = sightline(*words, "--json"), sightline(*words, "--format", "json")
        assert (short.code, short.err, short.json) == (0, "", long.json), words
    failed = sightline("list", "none", "--json")
    assert json.loads(failed.err)["error"]["message"] == "not a target: none"
    assert "--json is short for --format json" in sightline("call", "--help").out


WORDS_WITH_A_HOST = {
    "list": ("demo",),
    "call": ("t", "demo"),
    "read": ("u:x", "demo"),
    "prompt": ("p", "demo"),
    "skill": ("s", "--files", "demo"),
    "run": ("calls.toml",),
    "context": ("demo",),
    "project": ("--tool", "none.json"),
    "hosts": ("--compare", "--result", "-"),
    "check": ("demo",),
    "demo": ("--serve", "stdio"),
}


def test_every_command_that_takes_a_host_refuses_an_unknown_one(tmp_path: Path) -> None:
    taking = {name for name, command in commands() if any("--host" in each.opts for each in command.params)}
    # `open` asks for a terminal first.
    assert taking == {"open", *WORDS_WITH_A_HOST}
    (tmp_path / "calls.toml").write_text('[[call]]\nname = "a"\nserver = "demo"\ntool = "clean_clock"\n')
    for name in sorted(WORDS_WITH_A_HOST):
        words = [str(tmp_path / word) if word == "calls.toml" else word for word in WORDS_WITH_A_HOST[name]]
        ran = sightline(name, *words, "--host", "cluade-code")
        assert (name, ran.code, "no host cluade-code" in ran.err) == (name, 2, True)


def test_a_misspelt_tool_name_gets_a_suggestion() -> None:
    ran = sightline("policy", "explain", "clean_clok", "-q", "demo")
    assert (ran.code, "Did you mean clean_clock" in ran.err) == (5, True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sightline cal", "call"),
        ("sightline list --era m", "modern"),
        ("sightline call t --host claude-c", "claude-code"),
    ],
)
def test_shell_completion_offers_commands_choices_and_hosts(words: str, expected: str) -> None:
    environment = {
        **os.environ,
        "_SIGHTLINE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "inspector"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"plain,{expected}" in done.stdout.split()


def test_without_a_target_a_terminal_gets_commands_and_a_pipe_gets_help(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "mcp.json").write_text(
        '{"mcpServers": {"notes": {"command": "x"}, "a b": {"url": "http://h"}}}'
    )
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "inspector"]
    ours, theirs = pty.openpty()
    done = subprocess.run(command, stdin=theirs, stdout=theirs, env=environment, cwd=tmp_path, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "sightline demo" in shown
    assert "  sightline mcp.json:notes\r\n  sightline 'mcp.json:a b'\r\n" in shown
    piped = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        cwd=tmp_path,
        text=True,
        check=True,
    )
    assert "Usage: sightline" in piped.stdout


def kept(word: str | None, command_line: tuple[str, ...] | None = None) -> list[str]:
    target = stdio_target(command_line) if command_line else parse_target(word or "demo")
    if isinstance(target, ConfiguredTarget):
        target = HttpTarget(url="http://h/?key=a-secret-of-mine")
    remember(word, ConnectionOptions(), command_line, target)
    return [shlex.join(each.words) for each in recent_targets()]


def test_recent_targets_are_listed_with_the_latest_first() -> None:
    kept("https://host/mcp")
    kept(None, ("node", "server.js"))
    kept("mcp.json:notes")
    assert kept("https://host/mcp") == ["https://host/mcp", "mcp.json:notes", "-- node server.js"]
    assert "  sightline -- node server.js" in overview_lines()
    for number in range(20):
        remember_target((f"https://host/{number}",))
    assert len(recent_targets()) == MAX_TARGETS


@pytest.mark.parametrize(
    ("word", "command_line"),
    [
        ("demo", None),
        ("https://host/mcp?key=a-secret-of-mine", None),
        ("https://user:a-secret-of-mine@host/mcp", None),
        ("web+https://host/page?token=a-secret-of-mine", None),
        (None, ("node", "server.js", "--token", "a-secret-of-mine")),
    ],
)
def test_a_target_with_a_credential_is_not_remembered(
    word: str | None, command_line: tuple[str, ...] | None
) -> None:
    assert kept(word, command_line) == []


def test_recent_targets_in_a_file_that_others_can_write_are_ignored() -> None:
    kept("https://host/mcp")
    path = Path(os.environ["SIGHTLINE_DATA_DIR"]) / "recent.json"
    assert path.stat().st_mode & 0o777 == private.MODE
    path.chmod(0o622)
    assert recent_targets() == ()
    path.unlink()
    for raw in (b"{", b'[{"words": ["\xff"], "folder": "/"}]'):
        path.write_bytes(raw)
        assert recent_targets() == ()


def test_a_target_is_remembered_after_the_interface_opened_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Launch] = []

    def interface(launch: Launch) -> int:
        opened.append(launch)
        return 0

    for module in ("cli.start", "cli.commands.demo"):
        monkeypatch.setattr(f"inspector.{module}.has_terminal", lambda: True)
    assert run(["http://127.0.0.1:1/mcp", "--host", "codex", "--boundary", "open"], interface) == 0
    assert [(str(launch.target), launch.host, launch.level.value) for launch in opened] == [
        ("http://127.0.0.1:1/mcp", "codex", "open")
    ]
    assert [each.words for each in recent_targets()] == [("http://127.0.0.1:1/mcp",)]
    assert run(["demo", "--no-history"], interface) == 0
    assert run(["--no-history", "--", "node", "a b.js"], interface) == 0
    assert [launch.is_history_kept for launch in opened] == [True, False, False]
    as_saved = [launch.as_saved() for launch in opened if launch.as_saved is not None]
    assert as_saved == ["http://127.0.0.1:1/mcp", "demo", "-- node 'a b.js'"]
