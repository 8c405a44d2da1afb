import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.sightline import ROOT, raw_server, sightline


@pytest.mark.parametrize(
    ("argv", "code", "message", "hint"),
    [
        (("list",), 2, "no target", "Give one of"),
        (("list", "demo", "--", "x"), 2, "two targets", "Give one of"),
        (("list", "ftp://x"), 2, "not a target: ftp://x", "A target is"),
        (("list", "--"), 2, "no command", "Write the server's command"),
        (("list", "--config", "none.json"), 2, "cannot read none.json: No such file or directory", "Check"),
        (("list", "--no-such"), 2, "no option --no-such", "Try sightline list --help."),
        (("pin", "--chek", "demo"), 2, "no option --chek", "Did you mean --check? Try sightline pin --help."),
        (
            ("list", "--era", "modrn", "demo"),
            2,
            "--era: modrn is none of auto, legacy, modern",
            "Did you mean modern? Try sightline list --help.",
        ),
        (
            ("call", "t", "demo", "--nick", "x"),
            2,
            "no option --nick",
            "To pass an argument of the tool, write --arg nick=VALUE.",
        ),
        (
            ("project", "nosuch.json"),
            2,
            "too many words: nosuch.json",
            "The result is --result FILE, or stdin.",
        ),
        (
            ("list", "--web", "demo"),
            2,
            "no option --web",
            "web+http://… or web+https://…; sightline demo --web",
        ),
        (("review", "--url", "http://x"), 2, "no option --url", "write it without an option"),
        (("call", "--stdio", "x"), 2, "no option --stdio", "at the end, after --"),
        (
            ("call", "demo", "t", "--url=x"),
            2,
            "no option --url",
            "sse+https://…. To pass an argument of the tool",
        ),
        (("docs", "--json", "demo"), 2, "no option --json", "Try sightline docs --help."),
        (("claims", "mcp", "more"), 2, "too many words: more", "Try sightline claims --help."),
        (
            ("list", "--host", "codex", "demo"),
            2,
            "--host only works with --definitions",
            "Add --definitions",
        ),
        (
            ("list", "--hide-untrusted", "demo"),
            2,
            "--hide-untrusted only works with --record",
            "leave it out",
        ),
        (("demo", "--serve", "stdio", "--host", "codex"), 2, "--host does not work with --serve", "Leave it"),
        (("call", "demo"), 2, "no tool: demo is the target", "sightline list demo lists"),
        (("call", "https://h/mcp"), 2, "no tool: https://h/mcp is the target", "call TOOL https://h/mcp."),
        (("read", "demo"), 2, "no URI: demo is the target", "sightline read URI demo."),
        (("read", "https://h/a.json"), 2, "no target", "Give one of"),
        (("call", "--", "server"), 2, "missing argument 'TOOL'", "sightline list TARGET lists the tools."),
        (("lst", "demo"), 2, "no command lst", "Did you mean list?"),
        (("call", "t", "--host", "cluade-code", "demo"), 2, "no host cluade-code", "mean claude-code?"),
        (("list", "localhost:8080/mcp"), 2, "not a target", "Did you mean http://localhost:8080/mcp?"),
        (("my server.py",), 2, "not a target", "Did you mean -- python 'my server.py'?"),
        (("list", "--header", "a: b", "--", "x"), 2, "--header only works with HTTP targets", "Use -e"),
        (
            ("list", "-e", "A=1", "http://127.0.0.1:1/"),
            2,
            "-e and --cwd only work with commands",
            "Use --header",
        ),
        (("list", "-e", "A", "--", "x"), 2, "-e A: not NAME=VALUE", "Write it as"),
        (
            ("list", "http://127.0.0.1:1/mcp"),
            4,
            "POST http://127.0.0.1:1/mcp: All connection attempts failed",
            "Is the",
        ),
        (
            ("list", "--", "no-such-command"),
            4,
            "cannot start the server: No such file",
            "Is no-such-command installed",
        ),
        (("list", "--cwd", "/no/such", "--", "sh"), 4, "no such folder: /no/such", "Check --cwd"),
        (
            ("list", *raw_server("ends at once")),
            4,
            "the server exited with code 7",
            "Run the command in a shell",
        ),
        (
            ("list", "--timeout", "1", *raw_server("never answers")),
            4,
            "no answer to initialize within 1 s",
            "Is this",
        ),
        (
            ("call", "demo", "resolve_path", "path=/a b"),
            2,
            "the tool comes before the target: demo",
            "sightline call resolve_path demo --arg 'path=/a b'",
        ),
        (
            ("call", "resolve_path", "demo", "path=/a"),
            2,
            "an argument of the tool without --arg: path=/a",
            "Write it as --arg path=/a.",
        ),
        (("call", "resolve_path", "demo", "more"), 2, "too many words: more", "sightline call TOOL TARGET"),
        (("call", "none", "demo"), 5, "the server lists no tool none", "It lists:"),
        (
            ("call", "clean_clok", "demo"),
            5,
            "the server lists no tool clean_clok",
            "Did you mean clean_clock? sightline list TARGET lists all.",
        ),
        (("call", "Calendar", "demo"), 5, "the server lists no tool Calendar", "Did you mean sync_calendar?"),
        (
            ("policy", "explain", "clean_clok", "demo"),
            5,
            "lists no tool clean_clok",
            "Did you mean clean_clock?",
        ),
        (
            ("read", "hanbook", "demo"),
            5,
            "no resource or template hanbook",
            "Did you mean handbook or ",
        ),
        (
            ("read", "demo", "handbook"),
            2,
            "the URI comes before the target: demo",
            "sightline read handbook demo",
        ),
        (("prompt", "demo", "x"), 2, "the prompt comes before the target: demo", "sightline prompt x demo"),
        (
            ("skill", "mcp.json:a", "x"),
            2,
            "the skill comes before the target",
            "sightline skill x mcp.json:a",
        ),
        (("request", "demo", "ping"), 2, "the method comes before the target", "sightline request ping demo"),
        (
            ("policy", "explain", "demo", "x"),
            2,
            "the tool comes before the",
            "sightline policy explain x demo",
        ),
        (("read", "file:///a.json", "x"), 2, "not a target: x", "A target is"),
        (
            ("call", "broken_tool", "demo"),
            5,
            "broken_tool is malformed: `inputSchema` is missing",
            "--no-validate",
        ),
        (
            ("call", "delete_project", "--arg", "project=apollo", "demo"),
            10,
            "not called without your agreement: the server ",
            "--yes",
        ),
        (("call", "t", "--args", "{", *raw_server("plain")), 2, "", ""),
        (
            ("call", "t", "--timeout", "0.5", *raw_server("silent")),
            4,
            "no answer to tools/call within 0.5 s",
            "--timeout",
        ),
        (("call", "t", *raw_server("dies in a call")), 4, "the server exited with code 3", "command: "),
        (("call", "t", "--host", "no-host", "demo"), 2, "no host no-host", "Known hosts: spec"),
        (("project", "--result", "none.json"), 2, "cannot read none.json", "Check the path"),
        (("claims", "none"), 2, "no vocabulary none", "Known vocabularies: mcp"),
        (("open", "demo"), 2, "the interface needs a terminal", "Use sightline list"),
        (("demo.py",), 2, "not a target: demo.py", "a recording (session.jsonl)"),
        (("project", "README.md"), 2, "too many words: README.md", "Write --result README.md."),
        (("hosts", "README.md"), 2, "no host README.md", "Write --result README.md."),
        (("policy",), 2, "sightline policy needs a command", "Give one of: check, explain."),
        (("call", "resolve_path", "--arg", "path"), 2, "no target", "Write sightline call TOOL TARGET."),
        (("demo", "--theme", "drak"), 2, "no theme drak", "Known themes: "),
        (
            ("call", "resolve_path", "demo"),
            2,
            "the arguments do not match the input schema:\n    /path: is missing",
            "--no-validate",
        ),
    ],
)
def test_a_failure_is_one_clear_message_with_its_exit_code(
    argv: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    ran = sightline(*argv)
    assert (ran.code, ran.out) == (
        code,
        "" if "dies in a call" not in argv and "silent" not in argv else ran.out,
    )
    assert f"sightline: {message}" in ran.err or message in ran.err
    assert hint in ran.err
    assert "Traceback (most recent call last)" not in ran.err


@pytest.mark.parametrize(
    "before",
    [
        ["list"], ["call", "t"], ["read", "u:x"], ["prompt", "p"], ["skill", "s"], ["request", "ping"],
        ["context"], ["review"], ["check"], ["policy", "explain", "t"], ["pin"], ["docs"],
        ["verify", "a.jsonl"], ["diff", "a.jsonl"], ["codegen", "c"], ["open"], [], ["demo"],
    ],
)  # fmt: skip
def test_a_command_without_the_dashes_before_it_is_suggested_with_them(before: list[str]) -> None:
    ran = sightline(*before, "sh", "my server.py")
    assert ran.code == 2
    assert "Did you mean -- sh 'my server.py'?" in ran.err
    # These are no commands of servers: no program, and a second target.
    assert "Did you mean --" not in sightline(*before, "no-such-program", "more").err
    assert "Did you mean --" not in sightline(*before, "sh", "demo").err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("bin/my server",), "sightline -- 'bin/my server'"),
        (("list", "./bin/my server"), "sightline list -- './bin/my server'"),
        (("call", "echo", "bin/my server"), "sightline call TOOL -- 'bin/my server'"),
        (("bin/my server", "demo"), "sightline -- 'bin/my server'"),
        (("list", "here.py"), "sightline list -- ./here.py"),
        (("list", "on-path"), "sightline list -- on-path"),
        (("on-path", "demo"), ""),
        (("list", "./bin"), ""),
        (("list", "./notes"), ""),
    ],
)
def test_the_error_for_a_program_as_target_begins_with_the_command_line_that_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], line: str
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("bin/my server", "bin/on-path", "here.py", "notes"):
        (tmp_path / name).touch(0o644 if name == "notes" else 0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    ran = sightline(*words, cwd=tmp_path, columns=300)
    said = ran.err.splitlines()
    assert ran.code == 2
    assert said[0].startswith("sightline: not a target: ")
    assert said[1].strip() == f"It is a program: {line}" if line else "a program" not in ran.err
    assert "A target is an http(s) URL" in said[-1]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            ("review",),
            ("--call",),
            "--call is after --, so the server's command gets it. For sightline review, ",
        ),
        (("review",), ("--format=json", "--fail-on", "low"), "--format, --fail-on are after --, "),
        (("policy", "explain", "t"), ("--arg", "a=b"), "For sightline policy explain, write it before --."),
        (("call", "t", "--no-validate"), ("--boundary", "open"), "For sightline call, write it before --."),
        (("open",), ("--theme", "dark"), "For sightline open, write it before --."),
        ((), ("--theme", "dark"), "For sightline open, write it before --."),
        (("review",), ("--fail", "call", "-q"), ""),
        (("list",), ("--fail-on", "low"), ""),
        (("list",), ("--timeout", "3"), ""),
        (("review", "-q"), ("--call",), ""),
    ],
)
def test_an_option_of_the_command_after_two_dashes_is_passed_to_the_server_with_a_warning(
    before: tuple[str, ...], after: tuple[str, ...], said: str
) -> None:
    ran = sightline(*before, *raw_server("plain"), *after)
    assert said in ran.err
    assert ("after --, so" in ran.err) is bool(said)
    is_open = before in {(), ("open",)}
    assert ran.code == (2 if is_open else 0), ran.err


def test_a_failure_is_one_json_object_on_stderr_with_format_json() -> None:
    ran = sightline("list", "--format", "json", *raw_server("ends at once"))
    told = json.loads(ran.err)
    assert set(told) == {"error"}
    assert told["error"]["code"] == "unreachable"
    assert "cannot open /etc/nothing" in told["error"]["message"]
    assert told["error"]["hint"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_ends_its_server(number: signal.Signals, code: int, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    server = f"import os,time; open({str(pid_file)!r},'w').write(str(os.getpid())); time.sleep(60)"
    running = subprocess.Popen(
        [sys.executable, "-m", "inspector", "list", "--", sys.executable, "-c", server],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 10
    while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(number)
    assert running.wait(30) == code
    assert running.stderr is not None
    assert "Traceback" not in running.stderr.read()
    running.stderr.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


@pytest.mark.parametrize(
    ("words", "code", "shows"),
    [
        ("call 2>/dev/full", 2, ""),
        ("call nope demo 2>&-", 5, ""),
        ("list demo 2>/dev/full", 0, "broken_tool"),
        ("list demo 2> >(exec true)", 0, "broken_tool"),
        ("hosts >&-", 0, ""),
        ("hosts 2>&1 >/dev/full", 2, "cannot write the output: No space left on device"),
        ("list demo 2>&1 >/dev/full", 2, "cannot write the output: No space left on device"),
        ("--help 2>&1 >/dev/full", 2, "cannot write the output: No space left on device"),
        ("list --help 2>&1 >/dev/full", 2, "cannot write the output: No space left on device"),
        ("--version 2>&1 >/dev/full", 2, "cannot write the output: No space left on device"),
        ("list --cdp ws://127.0.0.1:99999/x web+http://127.0.0.1:9/ 2>&1", 2, "not the address of a browser"),
        ("list --cdp 'ws://[::1' web+http://127.0.0.1:9/ 2>&1", 2, "not the address of a browser"),
        ("list --cdp http://127.0.0.1:abc web+http://127.0.0.1:9/ 2>&1", 2, "not the address of a browser"),
    ],
)
def test_streams_that_cannot_be_written_and_wrong_addresses_are_no_defects(
    words: str, code: int, shows: str
) -> None:
    command = f"{sys.executable} -m inspector {words}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, cwd=ROOT, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert shows in done.stdout
    assert "internal error" not in done.stdout


def test_a_closed_pipe_ends_the_command_silently_with_141() -> None:
    for argv in (("list", "-q", "demo"), ("list", "-q", "--format", "json", "demo"), ("--help",)):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "inspector", *argv]
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, timeout=60, check=False
        )
        os.close(writing)
        assert (done.returncode, done.stderr) == (141, b"")
