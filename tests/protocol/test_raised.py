"""The exception and its place in lines of stderr."""

import time

import pytest

from inspector.protocol.raised import ending_with_cause, raised_in, stderr_words

PLAIN = """
INFO ready
Traceback (most recent call last):
  File "/srv/app/server.py", line 51, in raises
    return deep(x)
  File "/srv/app/server.py", line 45, in deep
    return 1 / x
ZeroDivisionError: division by zero
[11/25/26 22:27:15] ERROR    Tool 'raises' raised
"""
PYDANTIC = """
  File "/srv/app/server.py", line 30, in good
    return Weather(temp="warm")
  File "/x/lib/python3.11/site-packages/pydantic/main.py", line 253, in __init__
    validated_self = self.validate_python(data)
pydantic_core._pydantic_core.ValidationError: 1 validation error for Weather
temp
  Input should be a valid number [type=float_parsing]
    For further information visit https://errors.pydantic.dev
"""
RICH = """
[11/25/26] ERROR    Tool 'raises' raised      server.py:4
                 ╭─ Traceback (most recent ─╮
                 │ /x/python3.11/site-packa │
                 │ ges/mcp/server.py:179 in │
                 │ call                     │
                 │                          │
                 │ /srv/app/server.py:45 in │
                 │ deep                     │
                 │ ❱ 45 │   return 1 / x    │
                 │                          │
                 │ /x/python3.11/site-packa │
                 │ ges/lib/run.py:7 in run  │
                 ╰──────────────────────────╯
                 ValueError: no key

                 The above exception was the direct
                 cause of the following exception:

                 ToolError: Error executing
                 tool raises
"""
NODE = """
starting
/srv/app/server.mjs:7
  throw new TypeError("x is not a function")
        ^

TypeError: x is not a function
    at deep (file:///srv/app/server.mjs:7:9)
    at Server.call (/srv/app/node_modules/sdk/index.js:12:3)
    at node:internal/main:1:1

Node.js v22.1.0
"""
SDK_ONLY = """
  File "/x/lib/python3.11/site-packages/mcp/server.py", line 179, in call
mcp.shared.exceptions.MCPError: gone
"""


def test_the_quoted_lines_end_with_the_exception_and_are_few() -> None:
    assert ending_with_cause(PLAIN.splitlines())[-1] == "ZeroDivisionError: division by zero"
    assert ending_with_cause(NODE.splitlines())[-1].strip() == "at node:internal/main:1:1"
    assert ending_with_cause(["a", "b"]) == ("a", "b")
    flood = [f'  File "/a.py", line {number}, in call' for number in range(100_000)]
    began_s = time.process_time()
    quoted = ending_with_cause([*flood, "KeyError: " + "x" * 1_000_000, "[1] later"])
    assert time.process_time() - began_s < 0.05
    assert quoted[-1].startswith("KeyError: x")
    assert max(map(len, quoted)) <= 500
    assert len(quoted) <= 25


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        (PLAIN, "ZeroDivisionError: division by zero", "server.py:45"),
        (PYDANTIC, "ValidationError: 1 validation error for Weather temp Input should be a valid number [type=float_parsing]", "server.py:30"),
        (RICH, "ValueError: no key", "server.py:45"),
        (NODE, "TypeError: x is not a function", "server.mjs:7"),
        ("Error: connect ECONNREFUSED\n    at /srv/a.js:3:1", "Error: connect ECONNREFUSED", "a.js:3"),
        (SDK_ONLY, "MCPError: gone", "server.py:179"),
        ("KeyError: 'id'", "KeyError: 'id'", ""),
        # Frames of another exception are no place of this one.
        (PLAIN + "ValueError: later", "ValueError: later", ""),
    ],
)  # fmt: skip
def test_an_exception_is_found_with_its_message_and_the_last_frame_of_the_author(
    text: str, words: str, place: str
) -> None:
    raised = raised_in(text.splitlines())
    assert raised is not None
    assert (raised.words, raised.place) == (words, place)
    assert raised.line in map(str.strip, text.splitlines())


def test_stderr_without_an_exception_has_none() -> None:
    for text in ("", "INFO started", "ERROR gone", "my error: Error", "at x (/a.js:1:1)"):
        assert raised_in(text.splitlines()) is None


def test_stderr_is_summarised_by_its_last_exception_or_last_line() -> None:
    assert stderr_words([]) == ""
    assert stderr_words(["INFO started", ""]) == "stderr 2 lines: INFO started"
    assert stderr_words(["KeyError: 'id'"]) == "stderr 1 line: KeyError: 'id'"
    # As Rich prints a chain of exceptions: indented, and wrapped.
    cause = [
        "│ code │",
        "   RuntimeError: database is down",
        "",
        "The above exception was the direct cause of the following exception:",
    ]
    chain = [*cause, "   ToolError: Error executing", "   tool boom"]
    assert stderr_words(chain).startswith("stderr 6 lines: RuntimeError: database is down")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            [
                "/x/pydantic/main.py:464: UserWarning: Pydantic serializer warnings:",
                "  PydanticSerializationUnexpectedValue(Expected `int`)",
                "  return self.__pydantic_serializer__.to_python(",
            ],
            "stderr 3 lines, main.py:464: UserWarning: Pydantic serializer warnings:",
        ),
        (
            ["(node:81) [DEP0040] DeprecationWarning: use another", "(Use `node --trace-deprecation ...`)"],
            "stderr 2 lines: DeprecationWarning: use another",
        ),
        (["Warning: first", "x.y.LateWarning: last", "done"], "stderr 3 lines: x.y.LateWarning: last"),
        (["a.py:1: UserWarning: x", "KeyError: 'id'"], "stderr 2 lines: KeyError: 'id'"),
        (["The Warning: of the log", "done"], "stderr 2 lines: done"),
    ],
)
def test_stderr_without_an_exception_is_summarised_by_its_last_warning(lines: list[str], words: str) -> None:
    assert stderr_words(lines) == words


def test_hostile_lines_take_no_time() -> None:
    begin = time.process_time()
    for line in (
        "a." * 50_000,
        "A" * 100_000 + "Error",
        "│ " + "x:1" * 50_000,
        "at " + "(" * 100_000,
        "at a" + ":1" * 50_000,
        "a:1: aWarning" * 50_000,
    ):
        stderr_words([line] * 5_000)
        raised_in(["ValueError: x", *[line] * 5_000, "ValueError: y"])
    assert time.process_time() - begin < 10
