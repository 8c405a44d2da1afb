"""The grammar by which the other tests judge: it must detect each payload in the bytes sent to a terminal."""

import pytest

from inspector.safe_text import safe, safe_line
from tests.terminal.payloads import PAYLOADS, fuzzed
from tests.terminal.stream import assert_interface, assert_lines

ACTING = {name: text for name, text in PAYLOADS.items() if safe(text) != text}
OWN = b"\x1b[?1049h\x1b[1;1H\x1b[38;5;188;48;5;16m text \x1b[0m\r\n\x1b]22;default\x07\x1b[?1049l"


def sent(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def test_nearly_all_payloads_have_control_or_invisible_characters() -> None:
    assert len(ACTING) > 65
    assert {name for name in PAYLOADS if name not in ACTING} == {
        name for name in PAYLOADS if name.startswith("markup") or name in {"combining run", "right to left", "percent and braces"}
    }  # fmt: skip


def test_a_payload_that_reaches_the_terminal_is_detected(subtests: pytest.Subtests) -> None:
    for name, text in ACTING.items():
        with subtests.test(name):
            with pytest.raises((AssertionError, UnicodeDecodeError)):
                assert_interface(OWN + sent(text) + OWN)
            with pytest.raises((AssertionError, UnicodeDecodeError)):
                assert_lines(b"text " + sent(text) + b" text\r\n")


def test_safe_output_passes() -> None:
    assert_interface(OWN)
    for text in (*PAYLOADS.values(), *fuzzed(seed=3, number=300)):
        assert_interface(OWN + sent(safe_line(text)))
        assert assert_lines(sent(f"{safe_line(text)}\r\n")) == f"{safe_line(text)}\n"


def test_an_unexpected_write_to_the_clipboard_is_detected() -> None:
    with pytest.raises(AssertionError):
        assert_interface(b"\x1b]52;c;Q0FOQVJZ\x07")
    assert_interface(b"\x1b]52;c;Q0FOQVJZ\x07", copied=("CANARY",))


def test_a_mode_that_is_set_too_often_is_detected() -> None:
    with pytest.raises(AssertionError):
        assert_interface(OWN * 3)
