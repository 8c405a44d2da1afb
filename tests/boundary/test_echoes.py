"""Withheld values are found again in any spelling, and values that only look like them are not."""

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from html import escape
from unicodedata import normalize
from urllib.parse import quote, quote_plus

import ahocorasick_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.boundary import echoes as searching
from inspector.boundary.bound import FoundSecrets, bound
from inspector.boundary.bounded import Level, Rule
from inspector.boundary.draft import Searched, Texts
from inspector.boundary.echoes import Echoes
from inspector.boundary.spellings import Spelling, meant, unescaped
from inspector.boundary.unseen import visible
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.json.texts import STRETCH
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result

VALUE = "hunter2-Sécret key+1"
RAW = VALUE.encode()

SPELT: list[tuple[str, str, Spelling]] = [
    ("verbatim", f"xx{VALUE}yy", Spelling.PLAIN),
    ("in other case", VALUE.upper(), Spelling.PLAIN),
    ("split by white space", "\n\t ".join(VALUE), Spelling.PLAIN),
    ("split by invisible characters", "\u200b".join(VALUE), Spelling.PLAIN),
    ("JSON-escaped", json.dumps(VALUE), Spelling.PLAIN),
    ("JSON in JSON", json.dumps(json.dumps(VALUE)), Spelling.PLAIN),
    ("every character escaped", "".join(f"\\u{ord(letter):04X}" for letter in VALUE), Spelling.PLAIN),
    ("URL-encoded", quote(VALUE), Spelling.PLAIN),
    ("URL-encoded as in a form", quote_plus(VALUE), Spelling.PLAIN),
    ("every byte URL-encoded", "".join(f"%{byte:02x}" for byte in RAW), Spelling.PLAIN),
    ("URL-encoded twice", quote(quote(VALUE)), Spelling.PLAIN),
    ("URL-encoded in JSON", json.dumps({"u": quote(VALUE), "q": '"'}), Spelling.PLAIN),
    ("HTML-escaped", "".join(f"&#{ord(letter)};" for letter in VALUE), Spelling.PLAIN),
    ("HTML-escaped in hexadecimal", "".join(f"&#x{ord(letter):x};" for letter in VALUE), Spelling.PLAIN),
    ("escaped as in JavaScript", "".join(f"\\u{{{ord(letter):x}}}" for letter in VALUE), Spelling.PLAIN),
    ("escaped as in Python", "".join(f"\\x{ord(letter):02x}" for letter in VALUE), Spelling.PLAIN),
    ("escaped with eight digits", "".join(f"\\U{ord(letter):08x}" for letter in VALUE), Spelling.PLAIN),
    ("Markdown", VALUE.replace("-", "\\-").replace("+", "\\+"), Spelling.PLAIN),
    ("HTML-escaped in JSON, URL-encoded", quote(json.dumps(escape(f"<{VALUE}>"))), Spelling.PLAIN),
    ("reversed", f"<{VALUE[::-1]}>", Spelling.REVERSED),
    ("hexadecimal", RAW.hex(), Spelling.HEX),
    ("hexadecimal in capitals, not aligned", f"0{RAW.hex().upper()}", Spelling.HEX),
    *(
        (
            f"base64 behind {before} bytes",
            base64.b64encode(b"x" * before + RAW + b"y").decode(),
            Spelling.BASE64,
        )
        for before in range(4)
    ),
    ("base64 behind letters", f"key{base64.b64encode(RAW).decode()}", Spelling.BASE64),
    ("base64url", base64.urlsafe_b64encode(b"\xff\xfe\xfd" + RAW).decode(), Spelling.BASE64),
    ("base64 in lines", "\r\n".join(base64.encodebytes(RAW * 4).decode().split("\n")), Spelling.BASE64),
]


@pytest.mark.parametrize(("text", "spelling"), [case[1:] for case in SPELT], ids=[case[0] for case in SPELT])
def test_a_value_is_found_in_every_spelling(text: str, spelling: Spelling) -> None:
    others = ["nothing here", VALUE[:-1], VALUE.replace("2", "3")]
    assert Echoes([VALUE]).matches([others[0], text, *others[1:]]) == {text: spelling}


@pytest.mark.parametrize(("text", "spelling"), [case[1:] for case in SPELT], ids=[case[0] for case in SPELT])
def test_among_many_values_a_text_that_begins_like_one_is_no_copy(
    text: str, spelling: Spelling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_MANY", 1)
    found = Echoes([VALUE, "another-value"]).matches([VALUE[:-1], text, VALUE[:-1].upper(), "another-valve"])
    assert found == {text: spelling}


def test_every_text_with_a_copy_is_found_in_one_search() -> None:
    spelt = {f"{number}: {text}": spelling for number, (_, text, spelling) in enumerate(SPELT * 3)}
    assert Echoes([VALUE]).matches([each for text in spelt for each in (text, "words")]) == spelt


def test_a_copy_is_found_in_the_text_behind_the_end_of_another_one() -> None:
    value = b"12345678-value"
    # Of the second copy, the first letter is missing: it had two bits of the value, both zero, as a separator has.
    first, cut = base64.b64encode(value + b"....").decode()[:22], base64.b64encode(b"xx" + value).decode()[3:]
    assert Echoes([value.decode()]).matches([first, cut]) == dict.fromkeys([first, cut], Spelling.BASE64)


ESCAPED: list[tuple[str, str, str]] = [
    *(
        (f"\\{letter}", f"hunter2{sign}Secret", f"hunter2\\{letter}Secret")
        for letter, sign in zip("nrtbf", "\n\r\t\b\f", strict=True)
    ),
    ("a slash", "user/hunter2/key", r"user\/hunter2\/key"),
    ("a quotation mark", 'user"hunter2', r"user\"hunter2"),
    ("an apostrophe", "user'hunter2", r"user\'hunter2"),
    ("an entity", "user&<hunter2>", "user&amp;&lt;hunter2&gt;"),
    ("no character", "user-hunter2", r"\U00110000 user\-hunter2"),
    ("a surrogate pair", "hunter2-\U0001f600-key", r"hunter2-\ud83d\uDE00-key"),
]


@pytest.mark.parametrize(("value", "text"), [case[1:] for case in ESCAPED], ids=[case[0] for case in ESCAPED])
def test_a_value_is_found_with_each_escape_of_json(value: str, text: str) -> None:
    assert Echoes([value]).matches([f'"{text}"'])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (base64.b64encode(b"user:hunter2").decode(), "user:hunter2"),
        (base64.urlsafe_b64encode(b"\xc3\xbf\xc3\xbe user").decode().rstrip("="), "\u00ff\u00fe user"),
        (base64.b64encode(("\u00e9" * 2_000).encode()).decode(), "\u00e9" * 2_000),
        (r"-----BEGIN KEY-----\nMIIE", "-----BEGIN KEY-----\nMIIE"),
        ("hunter2%40key", "hunter2@key"),
        ("user&amp;key", "user&key"),
    ],
)
def test_a_copy_is_found_if_it_is_what_the_withheld_value_spells(value: str, text: str) -> None:
    assert Echoes([value]).matches([text, "other words", "abcdefgh"]).keys() == {text}
    assert Echoes([[value]]).matches([text]).keys() == {text}
    assert not Echoes([[value]], but=([value], {value})).is_empty
    assert not Echoes([], but=([value], {value})).matches([text])


@pytest.mark.parametrize(("value", "text"), [("a%20b", "a b"), ("passwords1", "x"), ("YWJj", "abc")])
def test_what_a_value_spells_is_not_searched_for_if_it_is_short_or_no_text(value: str, text: str) -> None:
    assert not Echoes([value]).matches([text])
    assert len(Echoes([value]).wanted.anywhere | Echoes([value]).wanted.as_words) == 1


@pytest.mark.parametrize(
    ("raw", "decoded"),
    [
        (b"hunter2-Secret", "hunter2-Secret"),
        (b"hunter2\n Secret", "hunter2\n Secret"),
        # The end of a character may be cut off, but not the middle of the text.
        (b"hunter2-Secret\xf0\x9f\x98", "hunter2-Secret"),
        (b"hunter2-\xf0\x9f\x98Secret", "hunter2-Secret"),
        (b"hunter2-\xf0\x9f\x98Secr\xc3et", ""),
        (b"hunter2-Secret" + b"\xf0\x9f\x98" * 2, ""),
        (b"hunter2\xffSecret", ""),
        ("hunter2\u200bSecret".encode(), ""),
    ],
)
def test_a_value_in_base64_means_what_it_encodes_if_that_is_text(raw: bytes, decoded: str) -> None:
    assert meant(base64.b64encode(raw).decode().rstrip("=")) == ((decoded,) if decoded else ())


def test_the_views_of_a_text_are_distinct_and_limited() -> None:
    for plain in ("words", "100%", "a\x01b", "\ud800", "\u00e9", "user&ampkey"):
        assert unescaped(plain) == (plain,)
    assert unescaped("%" + "25" * 2 + "41") == ("%252541", "%2541", "%41", "A")
    assert unescaped("x\\U0010ffff") == ("x\\U0010ffff", "x\U0010ffff")
    assert unescaped("x\\U00110000") == ("x\\U00110000",)
    views = unescaped("%" + "25" * 30 + "41")
    assert len(views) == len(set(views)) == 22


def test_an_encoded_value_is_found_in_both_normal_forms() -> None:
    one, other = normalize("NFC", "p\u00e4ssw\u00f6rd-1"), normalize("NFD", "p\u00e4ssw\u00f6rd-1")
    for value, spelt in ((one, other), (other, one), (one, one), (other, other)):
        raw = spelt.encode()
        for text in (raw.hex(), base64.b64encode(raw).decode()):
            assert Echoes([value]).matches([text])


def test_the_letters_of_a_ligature_keep_their_order_in_a_reversed_copy() -> None:
    value = "o\ufb03ce-key"
    assert Echoes([value]).matches([value[::-1]]) == {value[::-1]: Spelling.REVERSED}


def test_only_hexadecimal_digits_spell_a_value_in_hexadecimal() -> None:
    assert Echoes(["pppppp"]).matches(["70" * 6])
    assert not Echoes(["pppppp"]).matches(["7x" * 6])


@pytest.mark.parametrize("text", [case[1] for case in SPELT], ids=[case[0] for case in SPELT])
def test_a_value_is_found_at_the_end_of_a_long_text_and_among_many_values(text: str) -> None:
    long = "some words of prose. " * 20_000 + text
    assert list(Echoes([VALUE]).matches([long])) == [long]
    many = Echoes([VALUE, *(f"{number:06d}-other-value" for number in range(25_000))])
    assert list(many.matches(["nothing", text])) == [text]


WORDS: list[tuple[str, Json, str, bool]] = [
    ("a word", "abcd", "it is abcd.", True),
    ("a word in other case", "abcd", "ABCD", True),
    ("a part of a word", "abcd", "abcde", False),
    ("behind letters", "abcd", "xabcd", False),
    ("beside an underline", "abcd", "abcd_x", False),
    ("reversed", "abcd", "dcba", True),
    ("hexadecimal", "abcd", "61626364", True),
    ("base64", "abcd", "YWJjZA==", True),
    ("among signs of a script without spaces", "abcd", "秘abcd密", True),
    ("such signs themselves", "秘密", "这是秘密吗", True),
    ("with signs at its ends", "#1a", "x#1a", True),
    ("URL-encoded", "ab d", "ab%20d", True),
    *(
        (f"on both sides of {sign!r}", "abcd", f"xyz{sign}abcd{sign}xyz", True)
        for sign in "\t\n\v\f\r\x1c\x1f"
    ),
    *((f"with {sign!r} in it", "abcd", f"ab{sign}cd", False) for sign in "\t\n\v\f\r\x1c\x1f"),
    ("one letter", "a", "a", False),
    ("three digits", "123", "123", False),
    ("four digits", "1234", "code 1234", True),
    ("nothing", "", "", False),
    ("a number", 1234, "code 1234", True),
    ("a part of a number", 1234, "12345", False),
    ("a small number", 999, "999", False),
    ("a number as spelt", Number("12.340"), "12.340", True),
    ("true", True, "true", False),
    ("null", None, "null", False),
    ("six characters", "abcdef", "xabcdefx", True),
]


@pytest.mark.parametrize(
    ("value", "text", "is_found"), [case[1:] for case in WORDS], ids=[case[0] for case in WORDS]
)
def test_short_values_match_as_whole_words_and_common_ones_never(
    value: Json,
    text: str,
    is_found: bool,  # noqa: FBT001 - a column of the table
) -> None:
    echoes = Echoes([value])
    assert echoes.holds({"a": ["x", text]}) is is_found
    assert echoes.is_weak is (value not in (None, "", "abcdef"))


def test_a_word_is_found_although_another_value_is_a_part_of_it() -> None:
    words = {"abcd", "abcde", "xabcd"}
    assert Echoes(words).matches([*words, "abcdx", "xabcde"]).keys() == words


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("plr_9f4c", Spelling.PLAIN),
        ("x PLR_9f4c", Spelling.PLAIN),
        ("c4f9_rlp", Spelling.REVERSED),
        (b"plr_".hex(), Spelling.HEX),
        (b"xplr_9f4c".hex(), Spelling.HEX),
        *((base64.b64encode(b"x" * before + b"plr_9f4c").decode(), Spelling.BASE64) for before in range(3)),
        (base64.urlsafe_b64encode(b"plr_").decode().rstrip("="), Spelling.BASE64),
    ],
)
def test_a_short_text_is_found_inside_words_if_requested(text: str, spelling: Spelling) -> None:
    assert Echoes(["plr_"], anywhere_from=4).matches([text, "plr 9"]) == {text: spelling}
    assert not Echoes(["plr_"]).matches(["plr_9f4c"])


@pytest.mark.parametrize(
    "secret", [12345678, Number("1.2345678e7"), Number("12345678.0"), 12345678.0, -12345678]
)
@pytest.mark.parametrize(
    "leaf", [12345678, Number("12345678.0"), "is 12345678.", -12345678, Number("1.2345678e7")]
)
def test_a_number_is_found_in_every_notation(secret: Json, leaf: Json) -> None:
    assert Echoes([secret]).holds([leaf])


@pytest.mark.parametrize("sign", "\u2066\u206a\u061c\ufe0f\u034f\u3164\u2800\u115f\U000e0020\x01\x7f")
def test_a_value_split_by_invisible_characters_is_found(sign: str) -> None:
    assert Echoes(["hunter2-Secret"]).holds(sign.join("hunter2-Secret"))
    assert Echoes([sign.join("hunter2-Secret")]).holds("hunter2-Secret")


def test_invisible_padding_does_not_make_a_value_longer() -> None:
    assert not Echoes(["a" + "\0" * 5 + "\u200b" * 5]).holds("a text with an a")
    assert Echoes(["ab\0cd"]).holds("is ab\0cd.")


@pytest.mark.parametrize("sign", ["\0", "\x01", "\x7f", "\t", " ", "\u200b"])
def test_padding_longer_than_a_needle_does_not_hide_a_value(sign: str) -> None:
    value = sign * 300 + "hunter2-Secret"
    encoded = base64.b64encode(b"the hunter2-Secret is").decode()
    for text in ("has hunter2-Secret.", value, encoded):
        assert Echoes([value]).holds(text)
    assert not Echoes(["a" + value]).holds("an a")


def test_nested_values_give_one_match_at_each_place() -> None:
    echoes = Echoes(["a" * length for length in range(6, 128)])
    texts = {"a" * 100_000: Spelling.PLAIN, "b" * 100_000 + "a" * 6: Spelling.PLAIN}
    assert echoes.matches([*texts, "a" * 5]) == texts


def test_the_automaton_is_built_once_and_of_many_values_has_only_the_beginnings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[set[bytes]] = []
    original = ahocorasick_rs.BytesAhoCorasick

    def build(patterns: Iterable[bytes]) -> ahocorasick_rs.BytesAhoCorasick:
        listed = list(patterns)
        built.append(set(listed))
        return original(listed)

    def built_for(*values: str) -> list[set[bytes]]:
        built.clear()
        echoes = Echoes(values)
        texts = [f"a {values[-1]}.", values[-1][::-1]]
        assert echoes.matches(texts).keys() == echoes.matches(texts[:1]).keys() | {texts[1]} == set(texts)
        return built

    monkeypatch.setattr(ahocorasick_rs, "BytesAhoCorasick", build)
    monkeypatch.setattr(searching, "_MANY", 2)
    few, begins = (b"my.hunter2secret", b"hunter2secret"), {b"another1", b"my.hunte", b"hunter2s"}
    # The first search is for the values that contain another one.
    assert built_for(*map(bytes.decode, few)) == [set(few), {few[1]}]
    assert built_for("another1value", "hunter2secret") == [{b"another1value", b"hunter2secret"}] * 2
    assert built_for("another1value", *map(bytes.decode, few)) == [begins]


def test_values_are_found_at_any_place_in_a_value() -> None:
    secret: Json = {"list": ["first-secret", {"deep": "second-secret"}], "n": 123456}
    echoes = Echoes([secret, DuplicateKeys((("x", "third-secret"), ("x", "fourth-secret")))])
    for text in ("first-secret", "second-secret", "third-secret", "fourth-secret"):
        assert echoes.holds(text)
        assert echoes.holds([{"key": {text: 1}}])
        assert echoes.holds(DuplicateKeys((("a", text), ("a", 1))))
    assert echoes.holds(123456)
    assert not echoes.holds({"list": 1, "deep": 2})


def test_keys_are_secret_unless_a_schema_names_them() -> None:
    secret: Json = {"password": "x", "alice@example.com": "y", "token_1": "z"}
    echoes = Echoes([secret], names=frozenset({"token_1"}))
    assert echoes.holds("my password")
    assert not echoes.holds("mypasswords")
    assert echoes.holds("mail to alice@example.com.au")
    assert not echoes.holds("token_1")
    assert not echoes.holds({"token_1": 1})
    assert echoes.holds({"password": 1})


def test_a_key_of_six_characters_is_secret_and_one_that_is_no_name_is_found_inside_words() -> None:
    echoes = Echoes([{"abcdef": 1, "abcde": 2}, DuplicateKeys((("k3y-42", 1), ("k3y-42", 2)))])
    matches = echoes.matches(["abcdef", "xabcdefx", "abcde", "xk3y-42x"])
    assert matches.keys() == {"abcdef", "xk3y-42x"}


def test_a_value_that_cannot_be_found_makes_a_search_weak_whatever_follows_it() -> None:
    assert Echoes([True, 123456]).is_weak
    assert not Echoes([123456, "p\u00e4ssw\u00f6rd"]).is_weak


def test_encoded_forms_are_searched_for_only_if_a_value_is_too_short_to_be_decoded() -> None:
    assert set(Echoes(["plr_9"], anywhere_from=4).wanted.coded.values()) == {Spelling.HEX, Spelling.BASE64}
    assert not Echoes([["plr_9f"]], anywhere_from=4).wanted.coded


def test_only_the_sign_of_a_number_is_not_part_of_it() -> None:
    assert Echoes([[-123456]]).matches(["123456"])
    assert not Echoes([["-123456"]]).matches(["123456"])


def test_a_search_knows_the_length_of_the_shortest_text_that_may_hold_a_value() -> None:
    found = [Echoes(["long-value"], anywhere_from=8), Echoes(["plr_"], anywhere_from=4), Echoes(["abc"])]
    assert [echoes.shortest for echoes in found] == [6, 4, 2]


def test_a_copy_is_named_as_it_is_spelt_without_a_long_run_of_invisible_characters() -> None:
    spread = VALUE[:4] + "\u200b" * (STRETCH + 1) + VALUE[4:]
    assert Echoes([VALUE]).matches([spread]) == {spread: Spelling.PLAIN}
    both = f"{VALUE[::-1]} {spread}"
    assert Echoes([VALUE]).matches([both]) == {both: Spelling.REVERSED}


def test_a_released_name_is_not_secret_if_it_is_repeated() -> None:
    echoes = Echoes(["real-secret"], but=(["public-name", "real-secret", "another-one"], {"public-name"}))
    assert not echoes.holds("public-name")
    assert echoes.holds("real-secret")
    assert echoes.holds("another-one")


def test_a_long_value_is_found_by_its_beginning() -> None:
    value = "".join(f"{number:04d}" for number in range(1_000))
    assert Echoes([value]).holds(value[:200])
    assert not Echoes([value]).holds(value[:100])


def test_a_value_is_not_found_across_two_texts() -> None:
    assert not Echoes(["secret-value"]).holds(["secret", "-value"])
    for text in ("x\0secret\0-value", "secret\0-value"):
        assert Echoes(["secret-value"]).matches(["words", text, "words"]).keys() == {text}


def test_a_search_without_values_finds_nothing() -> None:
    assert Echoes([]).is_empty
    assert Echoes([True, None, 5]).is_empty
    assert Echoes([]).matches(["anything"]) == {}


ENCODE: list[Callable[[str], str]] = [
    str,
    json.dumps,
    lambda value: quote(value, safe=""),
    lambda value: base64.b64encode(value.encode("utf-8", "surrogatepass")).decode(),
    lambda value: value.encode("utf-8", "surrogatepass").hex(),
    lambda value: value[::-1],
    str.swapcase,
    " ".join,
]
values = st.text(
    st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=6, max_size=40
) | st.text(st.characters(categories=["Ll", "Nd"]), min_size=6, max_size=20)


@given(values, st.sampled_from(ENCODE), st.text(max_size=30), st.text(max_size=30))
def test_any_value_is_found_in_any_encoding_between_any_texts(
    value: str, encode: Callable[[str], str], before: str, behind: str
) -> None:
    # A few letters have an upper-case form that other letters share.
    assume(encode is not str.swapcase or visible(value.swapcase()).casefold() == visible(value).casefold())
    text = f"{before} {encode(value)} {behind}"
    assert Echoes([value]).matches([text])


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=5))
def test_a_search_never_raises_and_finds_only_given_texts(secrets: list[str], texts: list[str]) -> None:
    assert Echoes(secrets).matches(texts).keys() <= set(texts)


@pytest.mark.parametrize("first", [Level.DECLARED, None])
def test_at_closed_a_copy_is_found_with_or_without_an_earlier_search(first: Level | None) -> None:
    marked: Json = {"type": "string", "x-sensitive": True}
    text: Json = {"type": "string"}
    schema: Json = {"type": "object", "properties": {"pin": marked, "note": text, "more": text}}
    copies: JsonObject = {"pin": "hunter2-Secret", "note": "is HUNTER2-secret", "more": "words"}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    found = FoundSecrets()
    outcome = Result(value={"content": [], "structuredContent": copies})
    if first:
        bound(outcome, tool, first, found=found)
    bounded = bound(outcome, tool, Level.CLOSED, found=found)
    assert [removal.pointer[-5:] for removal in bounded.removals if removal.rule == Rule.ECHO] == ["/note"]


def test_a_search_is_repeated_for_new_texts_only_unless_other_values_are_wanted() -> None:
    earlier = Searched(
        echoes=Echoes(["hunter2-Secret"]),
        texts=Texts(
            values=dict.fromkeys(["words", "has another-one", "is hunter2-Secret", "was hunter2-Secret"]),
            keys={"k", "another-one-key", "hunter2-secret-key", "old-hunter2-secret"},
        ),
        # Found in another way than a new search would find them.
        values={"is hunter2-Secret": Spelling.HEX, "was hunter2-Secret": Spelling.HEX},
        keys={"hunter2-secret-key": Spelling.HEX, "old-hunter2-secret": Spelling.HEX},
    )
    texts = Texts(
        values=dict.fromkeys(["words", "has another-one", "is hunter2-Secret", "new hunter2-secret"]),
        keys={"k", "another-one-key", "hunter2-secret-key", "x-hunter2-secret"},
    )
    values, keys = earlier.again(Echoes(["hunter2-Secret"]), texts)
    assert values == {"is hunter2-Secret": Spelling.HEX, "new hunter2-secret": Spelling.PLAIN}
    assert keys == {"hunter2-secret-key": Spelling.HEX, "x-hunter2-secret": Spelling.PLAIN}
    values, keys = earlier.again(Echoes(["hunter2-Secret", "another-one"]), texts)
    assert values == dict.fromkeys(
        ["has another-one", "is hunter2-Secret", "new hunter2-secret"], Spelling.PLAIN
    )
    assert keys == dict.fromkeys(
        ["another-one-key", "hunter2-secret-key", "x-hunter2-secret"], Spelling.PLAIN
    )


def test_at_closed_the_values_are_those_that_declared_has_found() -> None:
    found = FoundSecrets()
    outcome = Result(value={"content": [], "structuredContent": {"note": "is hunter2-Secret"}})
    schema: Json = {"type": "object", "properties": {"note": {"type": "string"}}}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    bound(outcome, tool, Level.DECLARED, found=found)
    assert found.secrets is not None
    found.secrets = found.secrets.add(Rule.X_SENSITIVE, ["hunter2-Secret"])
    removals = bound(outcome, tool, Level.CLOSED, found=found).removals
    assert [removal.pointer for removal in removals] == ["/structuredContent/note"]


def test_at_closed_a_text_that_declared_has_searched_is_not_searched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[str] = []
    real = Echoes.matches

    def recording(echoes: Echoes, texts: Iterable[str]) -> Mapping[str, Spelling]:
        texts = list(texts)
        searched.extend(texts)
        return real(echoes, texts)

    monkeypatch.setattr(Echoes, "matches", recording)
    text: Json = {"type": "string"}
    schema: Json = {"type": "object", "properties": {"pin": {**text, "x-sensitive": True}, "note": text}}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    value: JsonObject = {"pin": "hunter2-Secret", "note": "is HUNTER2-secret"}
    found = FoundSecrets()
    for level in (Level.DECLARED, Level.CLOSED):
        bounded = bound(Result(value={"content": [], "structuredContent": value}), tool, level, found=found)
        assert len(bounded.removals) == 2
    assert searched.count("is HUNTER2-secret") == 1
