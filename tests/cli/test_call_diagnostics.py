"""The messages of `sightline call` about a server, next to its result: stderr, stray output, and Sightline's own errors."""

import json
import sys
from pathlib import Path

import pytest

from inspector.boundary.mask import MASK
from tests.cli.sightline import raw_server, sightline, words
from tests.peers.terminal import terminal

FAILING = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    match request["method"]:
        case "initialize":
            print("starting", file=sys.stderr, flush=True)
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "f", "version": "0"}}
        case "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("fails", "works", "large")]}
        case "tools/call" if request["params"]["name"] == "large":
            rows = json.dumps([{"row": number} for number in range(40_000)], indent=1)
            result = {"content": [{"type": "text", "text": rows}]}
        case "tools/call":
            for number in range(29):
                print("ValidationError %d \\x1b[31m" % number, file=sys.stderr, flush=True)
            print("ValueError: no key", file=sys.stderr, flush=True)
            failed = request["params"]["name"] == "fails"
            result = {"content": [{"type": "text", "text": "no"}], "isError": failed}
        case _:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "?"}}), flush=True)
            continue
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "server.py"
    path.write_text(FAILING)
    return ("--", sys.executable, "-S", "-E", str(path))


def test_a_failed_call_prints_the_last_lines_of_stderr_and_on_request_all(server: tuple[str, ...]) -> None:
    ran = sightline("call", "fails", "-q", *server)
    assert ran.code == 5
    lines = ran.err.splitlines()
    assert lines[0] == "the server's stderr during the call, 30 lines: ValueError: no key"
    shown = [f"  ValidationError {number} ␛[31m" for number in range(10, 29)]
    assert lines[1:-2] == [*shown, "  ValueError: no key"]
    assert lines[-2:] == [
        "  … 10 more lines; --stderr shows all",
        "sightline: fails: the tool reported an error",
    ]
    whole = sightline("call", "fails", "-q", "--stderr", *server).err
    assert [line for line in whole.splitlines() if "ValidationError" in line] == [
        f"  ValidationError {number} ␛[31m" for number in range(29)
    ]
    assert "more line" not in whole
    assert "starting" not in whole
    shape = sightline("call", "fails", "--format", "json", *server)
    assert len(shape.json["stderr"]) == 30
    assert shape.err == ""


def test_a_terminal_ends_with_the_result_of_a_failed_call(server: tuple[str, ...]) -> None:
    with terminal(words("call", "fails", *server), columns=80, NO_COLOR="1") as screen:
        assert screen.wait_for_end() == 5
    shown = screen.plain()
    assert shown.index("--stderr shows all") < shown.index("SERVER SENT") < shown.index("the tool reported")


def test_a_call_that_works_prints_one_line_about_stderr(server: tuple[str, ...]) -> None:
    said = sightline("call", "works", *server).err
    assert "the server's stderr during the call, 30 lines: ValueError: no key\n" in said
    assert "ValidationError" not in said
    ran = sightline("call", "works", "-q", *server)
    assert (ran.code, ran.err) == (0, "")
    assert "stderr" not in sightline("call", "works", "--format", "json", *server).json


def test_a_large_result_is_announced_before_its_text_is_laid_out(server: tuple[str, ...]) -> None:
    ran = sightline("call", "large", *server)
    assert "received 1.1 MB, preparing the text …" in ran.err
    assert ran.out.count('\\"row\\": ') == 80_000
    assert "preparing" not in sightline("call", "large", "--format", "json", *server).err
    assert "preparing" not in sightline("call", "works", *server).err


def test_stray_output_on_stdout_is_reported_with_advice() -> None:
    ran = sightline("call", "t", *raw_server("garbage"))
    assert ran.code == 0
    assert 'server printed to stdout instead of stderr: "Traceback (most recent call last):"' in ran.err
    assert (
        ran.err.count("server printed to stdout") == ran.err.count("server sent a message that cannot") == 1
    )
    assert "server printed" not in sightline("call", "t", *raw_server("plain")).err


STRAY = """
import json, sys
marked = {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}}
tools = [{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": marked}]
info = {"name": "s", "version": "0"}
for line in sys.stdin:
    request = json.loads(line)
    if request.get("method") == "tools/call":
        print("DEBUG made hunter2-Secret", flush=True)
        print('{"jsonrpc": "2.0", "id": 9, "method": "ask/hunter2-Secret"}', flush=True)
        # A request that is open when its call ends is withdrawn, not answered.
        sys.stdin.readline()
        print('{"jsonrpc": "2.0", "id": 1, "id": 1, "result": {"key": "another-Secret"}}', flush=True)
        result = {"content": [], "structuredContent": {"key": "hunter2-Secret"}}
    elif request.get("method") == "tools/list":
        result = {"tools": tools}
    else:
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if "id" in request and "method" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


def test_stray_output_is_masked_as_the_result_is_and_a_broken_message_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    path.write_text(STRAY)
    ran = sightline("call", "t", "--", sys.executable, "-S", "-E", str(path))
    assert f'server printed to stdout instead of stderr: "DEBUG made {MASK}"' in ran.err
    assert "server sent a message that cannot be read, of 73 bytes" in ran.err
    assert f"not answered: not supported: ask/{MASK}" in ran.err
    assert "Secret" not in ran.err
    as_json = sightline("call", "t", "--format", "json", "--", sys.executable, "-S", "-E", str(path))
    remarks = [each["message"] for each in json.loads(as_json.out)["remarks"]]
    assert remarks[-2:] == [
        f'server printed to stdout instead of stderr: "DEBUG made {MASK}"',
        "server sent a message that cannot be read, of 73 bytes",
    ]
    assert "Secret" not in as_json.out


DYING = """
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("noisy", "die")]}
    if request["method"] == "initialize":
        info = {"name": "s", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif request["method"] == "tools/call":
        if request["params"]["name"] == "die":
            os._exit(3)
        print("DEBUG got request token=abc123secretabc", flush=True)
        result = {"content": []}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


def test_a_credential_on_stdout_is_shown_nowhere_and_blamed_on_no_later_call(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    path.write_text(DYING)
    server = ("--", sys.executable, "-S", "-E", str(path))
    ran = sightline("review", "--call", "--yes-call", "noisy", "--yes-call", "die", *server)
    assert "SL-OUT013" in ran.out
    assert "SL-OUT010" not in ran.out
    assert ran.err.count('"DEBUG got request token=•••••••••••••••"') == 2
    assert "abc123" not in ran.out + ran.err


def test_a_note_about_the_connection_is_printed_once_for_several_connections(server: tuple[str, ...]) -> None:
    said = sightline("review", "--also-as", "none", "--log-level", "info", *server).err
    assert "with the client profile none" in said
    assert said.count("the log level info was not requested") == 1


def test_an_error_of_sightline_is_not_shown_as_sent_by_the_server() -> None:
    ran = sightline("call", "t", "--timeout", "0.5", *raw_server("silent"))
    sent, _, model = ran.out.partition("MODEL SEES")
    assert "nothing. Sightline: no answer to tools/call within 0.5 s" in sent
    assert '"error"' not in sent
    assert model
    assert "server sent no result" in ran.out


def test_how_a_server_ended_is_printed_once() -> None:
    ran = sightline("call", "t", *raw_server("dies in a call"))
    assert ran.code == 4
    assert "nothing. Sightline: the server exited with code 3\n" in ran.out
    assert "command: " not in ran.out
    assert "the server exited with code 3\n  command: " in ran.err
    assert "?" not in ran.err


@pytest.mark.parametrize(("view", "absent"), [("model", "SERVER SENT"), ("raw", "MODEL SEES")])
def test_one_view_can_be_printed_alone(view: str, absent: str) -> None:
    ran = sightline(
        "call", "generate_api_key", "--arg", "name=x", "--view", view, "--format", "json", "-q", "demo"
    )
    assert [*json.loads(ran.out)][1:3] == [view, "withheld"]
    ran = sightline("call", "generate_api_key", "--arg", "name=x", "--view", view, "-q", "demo")
    assert ran.code == 0
    assert absent not in ran.out


REPEATING = """
import base64, json, sys
SECRET = {"type": "string", "x-sensitive": True}
TOOLS = [
    {"name": name, "inputSchema": {"type": "object", "properties": {"owner": SECRET}},
     "outputSchema": {"type": "object", "properties": {"card": SECRET}}}
    for name in ("look_up", "refuse", "keep")
]
CARD = "4111-2222-3333-4444"
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    match request["method"]:
        case "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "f", "version": "0"}}
        case "tools/list":
            result = {"tools": TOOLS}
        case "tools/call":
            name, owner = request["params"]["name"], request["params"]["arguments"].get("owner", "")
            said = {
                "look_up": ["looking up card " + CARD + " now"],
                "refuse": ["of " + owner, base64.b64encode(CARD.encode()).decode() + " in base64", "ValueError: no " + CARD],
                "keep": ["nothing to see", "until 4112"],
            }[name]
            print("\\n".join(said), file=sys.stderr, flush=True)
            result = {"content": [], "structuredContent": {"card": CARD}, "isError": name == "refuse"}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
SAYS_SO = "! the server's stderr repeats a masked value\n"


@pytest.fixture
def repeating(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "server.py"
    path.write_text(REPEATING)
    return ("--", sys.executable, "-S", "-E", str(path))


def test_the_summary_of_stderr_masks_what_the_result_masks(repeating: tuple[str, ...]) -> None:
    ran = sightline("call", "look_up", *repeating)
    assert f"call, 1 line: looking up card {MASK} now\n{SAYS_SO}" in ran.err
    assert "4111" not in ran.err + ran.out
    shape = sightline("call", "look_up", "--format", "json", "--stderr", *repeating).json
    assert shape["stderr"] == [f"looking up card {MASK} now"]
    assert {"message": SAYS_SO[2:-1]} in shape["remarks"]
    ran = sightline("call", "look_up", "--unmask", *repeating)
    assert f"looking up card 4111-2222-3333-4444 now\n{SAYS_SO}" in ran.err
    kept = sightline("call", "keep", "--stderr", *repeating).err
    assert "  nothing to see\n  until 4112\n" in kept
    assert "repeats" not in kept


def test_lines_of_stderr_mask_sensitive_arguments_and_other_spellings(repeating: tuple[str, ...]) -> None:
    ran = sightline("call", "refuse", "--arg", "owner=Ada", "-q", *repeating)
    assert ran.err.splitlines()[:4] == [
        f"the server's stderr during the call, 3 lines: ValueError: no {MASK}",
        f"  of {MASK}",
        f"  {MASK}",
        f"  ValueError: no {MASK}",
    ]


def test_a_review_finds_a_withheld_value_on_stderr(repeating: tuple[str, ...]) -> None:
    ran = sightline("review", "--call", "--yes-call", "*", "--format", "json", *repeating)
    found = [each for each in ran.json["findings"] if each["id"] == "SL-OUT014"]
    assert {each["tool"] for each in found} == {"look_up", "refuse"}
    assert {each["severity"] for each in found} == {"medium"}
    assert "4111" not in ran.out + ran.err
