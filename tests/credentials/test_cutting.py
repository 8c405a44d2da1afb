"""No part of a secret is left at the place where a text is cut."""

import random
import string

import pytest

from inspector.connect.http_response import challenge_lines, excerpt
from inspector.connect.processes import ErrorLines
from inspector.credentials.cutting import bytes_without_cut_secret, masked_start
from inspector.secrets.own_credentials import OwnCredentials

SECRET = "".join(random.SystemRandom().choices(string.ascii_letters + string.digits, k=128))
OWN = OwnCredentials([SECRET])


def parts_in(text: str, secret: str = SECRET, size: int = 8) -> list[str]:
    """The parts of a secret that occur in a text."""
    return [part for at in range(len(secret) - size + 1) if (part := secret[at : at + size]) in text]


@pytest.mark.parametrize("before", ["x", " ", "x "])
def test_no_part_of_a_secret_is_left_at_any_cut(before: str) -> None:
    for padding in range(260):
        text = (before * padding)[:padding] + SECRET + " and the rest" * 400
        lines = ErrorLines()
        mask = ErrorLines(OWN.mask)
        for each in (lines, mask):
            each.add(text.encode())
        made = (
            masked_start(text, OWN.mask, 200),
            excerpt(text.encode(), OWN.mask),
            *challenge_lines([f'Bearer error="{text}"'], OWN.mask),
            *mask.quoted(),
        )
        assert not [shown for shown in made if parts_in(shown)], padding
        assert parts_in("".join(lines.quoted()))


def test_no_part_of_a_secret_shows_in_a_text_full_of_masked_secrets() -> None:
    for padding in range(0, 130, 7):
        text = "." * padding + (SECRET + " ") * 10_000
        assert not parts_in(masked_start(text, OWN.mask, 200))
    assert masked_start("plain text", OWN.mask, 5) == "plain…"
    assert masked_start("plain", OWN.mask, 5) == "plain"


def test_bytes_that_are_kept_end_before_a_secret() -> None:
    for padding in range(4800, 5010, 7):
        raw = b"." * padding + SECRET.encode() + b"." * 9000
        kept = bytes_without_cut_secret(raw, OWN.mask, 5000)
        assert raw.startswith(kept)
        assert not [part for part in parts_in(kept.decode()) if len(kept) < padding + len(SECRET)]
    assert bytes_without_cut_secret(b"." * 9000, OWN.mask, 5000) == b"." * 5000


def test_a_part_of_a_secret_before_an_ellipsis_is_masked() -> None:
    for length in range(6, 128):
        assert OWN.mask(f"a: {SECRET[:length]}… b") in {"a: •••… b", "a: ••• b"}, length
    assert OWN.mask("plain… and more…") == "plain… and more…"
