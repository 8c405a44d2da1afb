import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json import pointer as json_pointer
from inspector.json.document import Document, Line, SpanKind
from inspector.json.exact import DuplicateKeys, Json, JsonText, Number, dump, equal, parse
from inspector.safe_text import safe_line


def value_of(text: str) -> Json:
    parsed = parse(text)
    assert isinstance(parsed, JsonText), parsed
    return parsed.value


def text_of(line: Line) -> str:
    return "".join(span.text for span in line.spans)


def shown(document: Document) -> list[str]:
    return [text_of(line) for line in document.lines(0, document.line_count)]


def unbroken(document: Document) -> str:
    """All lines as one text, with broken texts joined again."""
    lines = document.lines(0, document.line_count)
    return "".join(text_of(line).lstrip() if line.continued else "\n" + text_of(line) for line in lines)


# Characters that a document shows unchanged, or as JSON escapes them, so that its output can be parsed again.
plain = st.characters(codec="utf-8").filter(
    lambda character: character < " " or safe_line(character) == character
)
# A continued line that begins with a blank would be indistinguishable from its indentation.
visible = plain.filter(lambda character: character == "\n" or not character.isspace())


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Json]:
    numbers = st.sampled_from(["1.10", "-0", "1e400", "9" * 30]).map(value_of)
    leaves: st.SearchStrategy[Json] = (
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | numbers
    )
    keys = st.text(plain, max_size=3)

    def containers(children: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
        pairs = st.lists(st.tuples(keys, children), min_size=1)
        repeated = pairs.map(lambda found: DuplicateKeys((*found, found[0])))
        return st.lists(children) | st.dictionaries(keys, children) | repeated

    return st.recursive(leaves | text, containers, max_leaves=30)


json_values = values(st.text(visible, max_size=30))


def pointers(value: Json) -> list[str]:
    found, stack = list[str](), [("", value)]
    while stack:
        pointer, item = stack.pop()
        found.append(pointer)
        members: list[tuple[str | int, Json]] = []
        match item:
            case dict():
                members = list(item.items())
            case list():
                members = list(enumerate(item))
            case _:
                pass
        stack.extend((json_pointer.child(pointer, token), member) for token, member in members)
    return found


EXAMPLE = """
{"a": [1, 2.50, {"b": "x\\ny\\n"}, [], {}], "twice": {"k": true, "k": [null]}, "~/": "\\u001b",
 "long": "0123456789", "a key of some length": 12345678901234567890}
"""
EXAMPLE_LINES = r"""
{
  "a": [
    1,
    2.50,
    {
      "b": "x\n
           y\n"
    },
    [],
    {}
  ],
  "twice": {
    "k": true,
    "k": [
      null
    ]
  },
  "~/": "\u001b",
  "long": "01234567
          89",
  "a key of…" ⟨20 characters⟩: 12345678
                               90123456
                               7890
}
"""


def test_a_document_is_indented_and_long_texts_are_wrapped() -> None:
    assert shown(Document(value_of(EXAMPLE), chunk=8)) == EXAMPLE_LINES.strip().split("\n")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ('{"a": "b"}', "punctuation/punctuation key punctuation string/punctuation"),
        ("[1, null]", "punctuation/punctuation number punctuation/punctuation word/punctuation"),
        ("true", "word"),
        ("NaN", "number"),
        ("{}", "punctuation"),
        ('""', "string"),
    ],
)
def test_each_span_has_its_kind(text: str, kinds: str) -> None:
    document = Document(value_of(text))
    found = [[span.kind for span in line.spans] for line in document.lines(0, document.line_count)]
    assert found == [[SpanKind(kind) for kind in line.split()] for line in kinds.split("/")]


@given(json_values, st.integers(0, 4), st.integers(3, 9))
def test_the_lines_joined_parse_back_to_an_equal_value(value: Json, indent: int, chunk: int) -> None:
    assert equal(value_of(unbroken(Document(value, indent=indent, chunk=chunk))), value)


@given(json_values, st.integers(3, 9))
def test_a_line_is_the_same_alone_and_in_a_range(value: Json, chunk: int) -> None:
    document = Document(value, chunk=chunk)
    lines = document.lines(-3, document.line_count + 3)
    assert len(lines) == document.line_count
    assert [document.line(index) for index in range(document.line_count)] == lines
    assert document.lines(1, 3) == lines[1:3]
    assert document.lines(3, 1) == []
    plain = [("".join(span.text for span in line.spans), line.pointer) for line in lines]
    assert [(" " * line.blanks + line.text, line.pointer) for line in document.plain_lines()] == plain


@given(values(st.text(max_size=30)), st.integers(0, 4), st.integers(1, 9))
def test_no_line_is_wider_than_the_document(value: Json, indent: int, chunk: int) -> None:
    document = Document(value, indent=indent, chunk=chunk)
    assert max(map(len, shown(document))) <= document.width


@pytest.mark.parametrize(
    "text", ['"' * 160, "\\" * 160, "\U000e0100" * 60, "\x1b" * 60, "a\n" * 90, "é" * 160]
)
def test_escaped_text_counts_towards_the_width_of_a_document(text: str) -> None:
    for value in (["a" * 300, text], [text, "a" * 300], {text: 1, "a" * 300: 2}):
        document = Document(list[Json](value) if isinstance(value, list) else dict[str, Json](value))
        assert max(map(len, shown(document))) <= document.width


def test_a_text_of_many_short_lines_does_not_make_a_document_wide() -> None:
    document = Document(f"{'x' * 60}\n" * 1000)
    assert document.width < 75


def test_the_estimated_width_of_ordinary_json_is_close() -> None:
    rows: Json = [{"name": f"row {number}", "text": "grüße an alle " * (number % 9)} for number in range(300)]
    document = Document(rows)
    assert 0 <= document.width - max(map(len, shown(document))) < 12


@given(json_values, st.integers(3, 9))
def test_a_pointer_finds_exactly_the_lines_of_its_value(value: Json, chunk: int) -> None:
    document = Document(value, chunk=chunk)
    lines = document.lines(0, document.line_count)
    for pointer in pointers(value):
        own = [i for i, line in enumerate(lines) if f"{line.pointer}/".startswith(f"{pointer}/")]
        extent = document.extent(pointer)
        assert extent is not None
        assert list(extent) == own


@pytest.mark.parametrize(
    "pointer", ["/b", "a", "/a/4", "/a/01", "/a/-", "/a/٢", "/a/0/x", "/s/0", "/a/" + "9" * 5000, "//"]
)
def test_a_pointer_to_nothing_has_no_lines(pointer: str) -> None:
    document = Document({"a": [1, 2, 3, 4], "s": "text"})
    assert document.extent(pointer) is None


def test_a_pointer_to_a_duplicate_key_finds_its_last_value() -> None:
    value = value_of('{"k": 1, "j": 0, "k": 2}')
    assert Document(value).extent("/k") == range(3, 4)
    assert json_pointer.resolve(value, "/k") == 2


@pytest.mark.parametrize("index", [-1, 3, 10**30])
def test_a_line_outside_the_document_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError):
        Document([1]).line(index)


def test_every_line_of_a_wide_object_is_found() -> None:
    value: Json = {f"key {index}": [index] if index % 3 else index for index in range(1000)}
    document = Document(value)
    assert equal(value_of("\n".join(shown(document))), value)
    last = document.line(document.line_count - 2)
    assert (last.pointer, text_of(last)) == ("/key 999", '  "key 999": 999')
    extent = document.extent("/key 998/0")
    assert extent is not None
    assert text_of(document.line(extent.start)).strip() == "998"


def test_a_document_may_have_three_thousand_levels() -> None:
    value = value_of('{"a":[' * 1500 + "1" + "]}" * 1500)
    document = Document(value)
    assert document.line_count == 6001
    assert document.line(3000).pointer == "/a/0" * 1500
    assert document.line(3000).depth == 3000
    assert document.line(6000).pointer == ""
    assert document.extent("/a/0" * 1500) == range(3000, 3001)
    assert dump(value_of("".join(shown(document)))) == dump(value)


@pytest.mark.parametrize("text", ["", "\n", "\n\n", "ab\n", "\nab", "abc", "abcd", "abcdef\n\nab\ncdefghijk"])
@pytest.mark.parametrize("chunk", [1, 3, 4])
def test_a_text_breaks_after_line_feeds_and_chunks_only(text: str, chunk: int) -> None:
    document = Document(text, chunk=chunk)
    pieces = [value_of('"' + piece.lstrip().strip('"') + '"') for piece in shown(document)]
    assert "".join(map(str, pieces)) == text
    for piece in map(str, pieces):
        assert len(piece) <= chunk
        assert "\n" not in piece[:-1]
    assert all(len(str(piece)) == chunk or str(piece).endswith("\n") for piece in pieces[:-1])
    assert [line.continued for line in document.lines(0, 99)] == [index > 0 for index in range(len(pieces))]


@given(values(st.text(max_size=30)), st.text(max_size=12))
def test_no_control_or_invisible_character_is_shown(value: Json, key: str) -> None:
    for line in shown(Document({key: value}, chunk=5)):
        assert safe_line(line) == line


def test_a_very_long_number_is_wrapped_like_a_text() -> None:
    document = Document(Number("1" * 5000), chunk=400)
    assert document.line_count == 13
    assert "".join(shown(document)) == "1" * 5000


@given(json_values, st.text('ab1:" tru,\\', min_size=1, max_size=2), st.integers(0, 40))
def test_a_search_finds_the_nearest_line_that_shows_the_text(value: Json, text: str, start: int) -> None:
    document = Document(value)
    lines = [line.lstrip().casefold() for line in shown(document)]
    if any(line.continued for line in document.lines(0, document.line_count)):
        return
    hits = [index for index, line in enumerate(lines) if text.casefold() in line]
    assert document.find(text, start) == next((index for index in hits if index >= start), None)
    back = document.find(text, start, backwards=True)
    assert back == next((index for index in reversed(hits) if index <= start), None)


@pytest.mark.parametrize(
    ("text", "start", "backwards", "line"),
    [
        ("NEEDLE", 0, False, 700),
        ("needle", 701, False, 1400),
        ("needle", 1401, False, None),
        ("needle", 1399, True, 700),
        ("needle", 10**9, True, 1400),
        ("needle", 10**9, False, None),
        ("needle", 699, True, None),
        ("needle", -5, True, None),
        ("needle", -5, False, 700),
        ("", 0, False, None),
        ("1,", 0, False, 2),
    ],
)
def test_a_search_goes_forwards_and_backwards_over_many_lines(
    text: str, start: int, line: int | None, *, backwards: bool
) -> None:
    value: Json = ["a Needle" if index in {699, 1399} else index for index in range(2000)]
    assert Document(value).find(text, start, backwards=backwards) == line


def test_a_search_finds_a_match_across_the_break_of_a_text() -> None:
    document = Document({"text": "abcdefghijklmnop\nqr"}, chunk=8)
    assert document.find("ghij", 0) == 1
    assert document.find("p\\nq", 0) == 2
    assert document.find("p\\nq", 0) == document.find("p\\NQ", 9, backwards=True)


def test_a_text_with_many_quotes_is_wrapped_at_its_displayed_width() -> None:
    text = '{"id":"key_3MXcx5t6","name":"production","created":"2026-11-20"}' * 6
    document = Document({"text": text}, chunk=60)
    shown = ["".join(span.text for span in line.spans) for line in document.lines(0, document.line_count)]
    assert max(map(len, shown)) <= 60 + len('  "text": "",')
    joined = "".join(line.strip() for line in shown[1:-1]).removeprefix('"text": ')
    assert json.loads(joined) == text
