"""The quick test before a search rejects no text in which the search would find something."""

import base64
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from inspector.boundary import spellings
from inspector.boundary.echoes import Echoes
from inspector.boundary.runs import Runs
from inspector.boundary.spellings import needles, runs_of

ALPHABETS = ("ab", "0123456789abcdef", "ABCdef123-_+/=", "xyz ÄéßＦ\u200b", "\U0001f600ab\0%\\")
SECRETS = st.one_of(*(st.text(st.sampled_from(letters), min_size=1, max_size=40) for letters in ALPHABETS))
AROUND = st.text(st.sampled_from("ab 0fQ=-é\u200b\n"), max_size=9)


def spelt(secret: str, way: int) -> str:
    raw = secret.encode("utf-8", "surrogatepass")
    return (
        secret,
        secret[::-1],
        secret.swapcase(),
        "\u200b".join(secret),
        raw.hex().upper(),
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(b"x" + raw).decode(),
        base64.b64encode(b"xy" + raw).decode(),
        base64.b64encode(base64.b64encode(raw)).decode(),
        secret[:7],
    )[way]


COPIES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), AROUND, AROUND), max_size=6)


@given(st.lists(SECRETS, min_size=1, max_size=10), COPIES, st.sampled_from([4, 6]))
@example(["0123456789abcdef" * 2], [(0, way, "a", "f") for way in range(10)], 6)
def test_the_search_finds_the_same_with_and_without_the_quick_test(
    secrets: list[str], copies: list[tuple[int, int, str, str]], anywhere_from: int
) -> None:
    texts = {
        f"{before}{spelt(secrets[at % len(secrets)], way)}{behind}" for at, way, before, behind in copies
    }

    def found() -> dict[str, object]:
        # Each text by itself, so that no text is found because of its neighbour.
        echoes = Echoes(secrets, anywhere_from=anywhere_from)
        return {text: echoes.matches([text]).get(text) for text in texts}

    quick = found()
    with (
        patch.object(Runs, "may_hold", return_value=True),
        patch.object(Runs, "may_hold_decoded", return_value=True),
    ):
        assert quick == found()


@given(st.lists(SECRETS, max_size=10))
@example(["x" * 300])
@example(["x" * 256, "a-b_c"])
def test_simple_values_have_the_same_needles_as_other_values(values: list[str]) -> None:
    quick = needles(values)
    with patch.object(spellings, "_are_simple", return_value=False):
        assert quick == needles(values)


def test_a_text_that_can_hold_no_needle_has_no_views() -> None:
    sought = needles(["", "QQQQ-ZZZZ"])
    assert sought == {b"qqqq+zzzz"}
    runs = runs_of(sought)
    # Every third byte of `qxxqxx` occurs in the needle, which the first test for base64 cannot tell from all bytes.
    coded = [base64.b64encode(raw).decode() for raw in (b"some words of prose", b"qxx" * 12)]
    for text in ("some words", "73" * 20, *coded):
        assert list(spellings.spellings(text, runs)) == []
    assert not any(runs.may_hold_decoded(base64.b64encode(b"\0" * 60), shift) for shift in range(4))
