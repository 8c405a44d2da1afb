"""Masks in texts: words, lines and whole texts that repeat a value, and the parts in which a long value is searched for."""

from base64 import b64encode
from typing import TYPE_CHECKING

import pytest

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import MASK, mask_lines, mask_literally, mask_words, outer_values
from inspector.boundary.removals import MarkedRows, RemovalPlaces, places
from inspector.boundary.spellings import LONGEST, MOST_IN_PARTS, is_cut, parts_in
from tests.boundary.bounding import SENSITIVE, fields, judged

if TYPE_CHECKING:
    from inspector.json.exact import Json, JsonObject


def repeating(texts: set[str]) -> set[str]:
    """The texts that have the letters a, b and c in this order, whatever is between them."""
    return {
        text
        for text in texts
        if "a" in text and "b" in text.partition("a")[2] and "c" in text.rpartition("b")[2]
    }


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("", ""),
        ("ab d\nd", "ab d\nd"),
        ("x abc y", "x • y"),
        ("x abc y\nabd\nz abc", "x • y\nabd\nz •"),
        ("x ab-c  y-abc", "x •  •"),
        ("x a b c y\nz", "•\nz"),
        ("x\nabc a b c\ny", "x\n•\ny"),
        ("x a\nb\nc y", "•"),
        ("abc\na\nb c", "•"),
    ],
)
def test_the_smallest_part_of_a_text_that_repeats_a_value_is_masked(text: str, masked: str) -> None:
    assert mask_words(text, repeating, "•") == masked


CARD, FAMILY = "4111 1111 1111 1234", "Smithers"


def test_a_value_that_another_one_contains_is_not_masked_by_itself() -> None:
    assert outer_values(["1234", CARD, "Ann Marie Smithers", "SMITHERS", "11 11", "1134x"]) == (
        CARD,
        "Ann Marie Smithers",
        "1134x",
    )
    assert outer_values(["41111", CARD]) == (CARD,), "blanks do not count"
    assert outer_values(["one two", "onetwo"]) == ("one two", "onetwo"), "each is written in its own way"
    assert len(outer_values([f"value {number:03}" for number in range(300)])) == 300
    assert outer_values([f"value {number:03}" for number in range(301)]) == ()


@pytest.mark.parametrize(
    ("text", "values", "masked"),
    [
        ("a one-way b", ["one-way"], f"a {MASK} b"),
        ("a One-WAY b oNe-way", ["one-way"], f"a {MASK} b {MASK}"),
        ("a one\ntwo b", ["one\ntwo"], f"a {MASK}\n{MASK} b"),
        ("a one\nx\ntwo b", ["one\ntwo"], "a one\nx\ntwo b"),
        ("pin 12345, 123456, x12345", ["12345"], f"pin {MASK}, 123456, x12345"),
        ("key 123456, 1234567", ["123456"], f"key {MASK}, {MASK}7"),
        ("one-way", ["one-way"], MASK),
    ],
)
def test_verbatim_copies_are_masked_and_the_lines_stay(text: str, values: list[str], masked: str) -> None:
    assert mask_literally(text, outer_values(values)) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("all is well\n", "all is well\n"),
        (f"charging {CARD} now", f"charging {MASK} now"),
        ("charging 4111-1111-1111 1234 now\nnext", f"{MASK}\nnext"),
        ("ends in 1234\nnext", f"{MASK}\nnext"),
        ("ANN marie SMITHERS came", f"{MASK} came"),
        ("Ann  Marie  Smithers came\nand went", f"{MASK}\nand went"),
        (f"x\nMrs {FAMILY} came", f"x\n{MASK}"),
        ("x\nAnn Marie\nSmithers came\ny", f"{MASK}\n{MASK}\n{MASK}\n{MASK}"),
        (f"Mrs {FAMILY}\nAnn Marie\nSmithers", f"{MASK}\n{MASK}\n{MASK}"),
        (f"x\n{b64encode(b'Ann Marie Smithers').decode()} y\ny", f"x\n{MASK}\ny"),
        (f"x\n{b64encode(b'it is Smithers').decode()}\ny", f"{MASK}\n{MASK}\n{MASK}"),
    ],
)
def test_a_copy_of_a_value_leaves_nothing_of_the_value_around_it(text: str, masked: str) -> None:
    values = [CARD, "1234", "Ann Marie Smithers", FAMILY]
    shown = mask_lines(text, outer_values(values), Echoes(values).matches, Echoes(()).matches)
    assert shown == masked


def test_all_lines_are_masked_if_the_beginning_of_a_huge_value_is_left() -> None:
    huge = "".join(f"{number:05}" for number in range(MOST_IN_PARTS // 4))
    matches, begins = Echoes([huge, *parts_in([huge])]).matches, Echoes([huge]).matches
    shown = mask_lines(f"all is well\n{huge}", (huge,), matches, begins)
    assert shown == f"all is well\n{MASK}", "it is written as it was withheld"
    reversed_copy = f"all is well\n{huge[::-1]}\n{huge[-40:]}"
    assert mask_lines(reversed_copy, (huge,), matches, begins) == f"{MASK}\n{MASK}\n{MASK}"
    other = "\n".join((f"{huge[:200]} and more", huge[-40:]))
    assert mask_lines(other, (huge,), matches, begins) == f"{MASK}\n{MASK}"
    assert mask_lines(other, (huge,), matches, Echoes(()).matches) == f"{MASK}\n{huge[-40:]}"


def _masked(text: str, *values: str) -> str:
    matches = Echoes([*values, *parts_in(values)]).matches
    return mask_lines(text, outer_values(values), matches, Echoes(()).matches)


def test_all_lines_are_masked_if_one_has_the_beginning_of_an_encoded_long_value() -> None:
    long = "".join(f"{number:04}" for number in range(50))
    coded = b64encode(long.encode()).decode()
    assert _masked(f"so:\n{coded[:176]}\n{coded[176:]}", long) == f"{MASK}\n{MASK}\n{MASK}"


def test_all_lines_are_masked_if_several_have_an_encoded_line_of_a_value() -> None:
    lines = ("alpha-bravo-charlie", "delta-echo-foxtrot")
    coded = b64encode(lines[0].encode()).decode()
    text = f"so:\n{coded[:12]}\n{coded[12:]}"
    assert _masked(text, "\n".join(lines)) == f"{MASK}\n{MASK}\n{MASK}"


@pytest.mark.parametrize("between", ["\n", "\r"])
def test_of_a_value_of_several_lines_only_its_lines_are_masked(between: str) -> None:
    value = f"alpha-bravo{between}charlie-delta"
    assert _masked("so:\n  alpha-bravo \ncharlie-delta.\nend", value) == f"so:\n{MASK}\n{MASK}\nend"
    assert _masked("so: alpha-bravo\nend", value) == f"{MASK}\nend"


def test_a_value_that_is_longer_than_a_needle_is_cut() -> None:
    assert [is_cut("x" * length) for length in (32, 33, LONGEST, LONGEST + 1)] == [False, False, False, True]
    assert [is_cut("é" * length) for length in (LONGEST // 2, LONGEST // 2 + 1)] == [False, True]
    assert [is_cut("\U0001f600" * length) for length in (32, 33)] == [False, True]


def test_the_parts_of_a_value_are_its_lines_and_the_pieces_of_long_lines() -> None:
    long = "".join(f"{number:04}" for number in range(80))
    assert parts_in(["short", "one line of 20 chars", long[:LONGEST]]) == set()
    assert parts_in(["first line\nsecond line\n\nfive5\n  six6 \nsixsix"]) == {
        "second line",
        "first line",
        "sixsix",
    }
    assert parts_in(["only one\n"]) == {"only one"}
    assert parts_in(["first line\rsecond line"]) == {"first line", "second line"}
    # Its beginning is the needle of the value itself. The last piece overlaps the one before.
    assert parts_in([long]) == {long[LONGEST : 2 * LONGEST], long[-LONGEST:]}
    assert parts_in([f"a first line\n{long}"]) == {
        "a first line",
        *(long[:LONGEST], long[LONGEST : 2 * LONGEST], long[-LONGEST:]),
    }
    accents = "é" * 30 + "ü" * 40
    assert parts_in([f"line one\n{accents}"]) == {"line one", accents[:32], accents[32:64], accents[-32:]}
    short = "é" * 40
    assert parts_in([f"line one\n{short}"]) == {"line one", short}
    assert parts_in(["alpha-bravo\ncharlie-delta"]) == {"alpha-bravo", "charlie-delta"}
    # With a blank or a tab in it, the needle of the value goes on behind this piece.
    for blank in " \t":
        spaced = f"ab{blank}{long}"
        assert spaced[:LONGEST] in parts_in([spaced])
    exact = long[:LONGEST] + "x" * LONGEST
    assert parts_in([exact]) == {"x" * LONGEST}


def test_only_the_beginning_of_a_huge_value_is_searched_for_in_parts() -> None:
    found = parts_in(["first line\n" + "x" * MOST_IN_PARTS + "\nlast line"])
    assert "first line" in found
    assert "last line" not in found


def test_the_outermost_removal_around_a_pointer_is_found_in_rows_too() -> None:
    rows: JsonObject = {"type": "array", "items": fields(pin=SENSITIVE, tag=SENSITIVE, id={"type": "string"})}
    schema = fields(rows=rows, key=SENSITIVE)
    values: list[Json] = [{"pin": "p1", "tag": "t1", "id": str(number)} for number in range(20)]
    value: JsonObject = {
        "structuredContent": {"rows": values, "key": {"in": ["a"]}},
        "_meta": {"k": 1},
    }
    removals = judged(value, schema, Level.CLOSED).removals
    assert any(isinstance(place, MarkedRows) for _, place in places(removals)), "they are kept as rows"
    found = RemovalPlaces(removals)
    assert found
    for number in (0, 7, 19):
        for key in ("pin", "tag"):
            at = f"/structuredContent/rows/{number}/{key}"
            assert found.around(at) == found.around(f"{at}/0/x") == (at, Rule.X_SENSITIVE)
    for pointer in ("", "/structuredContent", "/structuredContent/rows", "/structuredContent/rows/0"):
        assert found.around(pointer) is None
    for token in ("20", "-1", "x", "01x", ""):
        assert found.around(f"/structuredContent/rows/{token}/pin") is None
    assert found.around("/structuredContent/rows/0/id") is None
    assert found.around("/structuredContent/key/in/0") == ("/structuredContent/key", Rule.X_SENSITIVE)
    # The first rule at a place counts.
    twice = [*removals, removals[0].__class__(pointer="/structuredContent/key", rule=Rule.META, detail="d")]
    assert RemovalPlaces(twice).around("/structuredContent/key") == (
        "/structuredContent/key",
        Rule.X_SENSITIVE,
    )
    without = RemovalPlaces(removals, without={Rule.X_SENSITIVE})
    assert without.around("/structuredContent/key") is None
    assert without.around("/structuredContent/rows/0/pin") is None
    assert not RemovalPlaces(())
    assert RemovalPlaces([one for one in removals if one.pointer == "/structuredContent/key"])
    only_rows = judged({"structuredContent": values}, rows, Level.DECLARED).removals
    assert [isinstance(place, MarkedRows) for _, place in places(only_rows)] == [True]
    assert RemovalPlaces(only_rows)
