"""Content read from a skill, verified against the entry of the skill."""

import base64
import hashlib
from typing import TypeAlias, cast

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level, Rule
from inspector.boundary.judgement import Judgement
from inspector.boundary.verification import DEEPEST_FRONTMATTER, LONGEST_FRONTMATTER, NO_DIGEST
from inspector.json.exact import Json, JsonObject, dump, dump_text, parse
from inspector.protocol.catalogue import Catalogue, Kind, Listing, Tool, decode_page, unlisted
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.protocol.skills import MOST_BYTES

URI, FORM = "skill://pdf/SKILL.md", "skill://pdf/forms/a.md"
MAIN = "---\nname: pdf\ndescription: Fills forms\n---\n\nDo as follows.\n"
Read: TypeAlias = tuple[str, Json]
"""A URI, and the answer to reading it."""


def file(uri: str, content: str) -> JsonObject:
    raw = content.encode()
    return {"uri": uri, "digest": f"sha256:{hashlib.sha256(raw).hexdigest()}", "size": len(raw)}


def entry(content: str = MAIN, **members: Json) -> JsonObject:
    frontmatter: Json = {"name": "pdf", "description": "Fills forms"}
    return {
        "uri": URI,
        "frontmatter": frontmatter,
        "resources": [file(URI, content), file(FORM, "A form.")],
        **members,
    }


def catalogue(*skills: JsonObject) -> Catalogue:
    listing = Listing(Kind.SKILL)
    listing.take({"skills": [*skills]})
    return Catalogue(entries={Kind.SKILL: tuple(listing.entries)})


def answer(uri: str = URI, text: str = MAIN) -> Json:
    return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}


def tool_of(uri: str, *skills: JsonObject) -> Tool:
    found = catalogue(*skills).tool(unlisted(Kind.RESOURCE, uri).handle)
    assert found
    return found


def reason(value: Json, *skills: JsonObject, uri: str = URI) -> str:
    """The reason why an answer is withheld, the same at every boundary; empty if it passes. Asserts that withheld content is absent."""
    found: set[str] = set()
    for level in Level:
        bounded = bound(Result(value=value), tool_of(uri, *skills), level)
        ours = [each.detail for each in bounded.removals if each.rule == Rule.UNVERIFIED]
        found.add(ours[0] if ours else "")
        if ours:
            assert bounded.removals[0].pointer == ""
            assert "follows" not in dump_text(bounded.result)
    assert len(found) == 1
    return found.pop()


YAML = "---\nname: pdf\ndescription: Fills forms\n{}---\nDo as follows.\n"


def listing_the_same(text: str, **frontmatter: Json) -> JsonObject:
    known: Json = {"name": "pdf", "description": "Fills forms", **frontmatter}
    return entry(text, frontmatter=known)


def many(depth: int) -> str:
    return YAML.format("deep: " + "[" * depth + "]" * depth + "\n")


BOMB = YAML.format("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n")

SPELT: dict[bool | None, str] = {
    None: " ~ null Null NULL",
    True: "true True TRUE yes Yes YES on On ON",
    False: "false False FALSE no No NO off Off OFF",
}
"""The spellings of YAML 1.1 and 1.2, and the value of each in JSON."""

PASSES: list[tuple[str, Json, JsonObject, str]] = [
    ("as it was listed", answer(), entry(), URI),
    ("a file that was not asked for", answer(FORM, "A form."), entry(), FORM),
    ("a blob", {"contents": [{"uri": FORM, "blob": base64.b64encode(b"A form.").decode()}]}, entry(), FORM),
    ("dynamic", answer(), entry(resources="dynamic"), URI),
    ("an unlisted file of a dynamic one", answer("skill://pdf/b", "x"), entry(resources="dynamic"), "skill://pdf/b"),
    ("no file of it", answer("skill://pdfs/SKILL.md", "x"), entry(), "skill://pdfs/SKILL.md"),
    *(
        (title, answer(text=text), listing_the_same(text, **said), URI)
        for title, text, said in cast(
            "tuple[tuple[str, str, JsonObject], ...]", (
            ("numbers of YAML", YAML.format("version: 1.10\n"), {"version": parse(b"1.1").value}),
            ("numbers as texts", YAML.format("version: 1.10\n"), {"version": "1.10"}),
            ("YAML 1.1", YAML.format("on-start: yes\n"), {"on-start": True}),
            ("YAML 1.2", YAML.format("on-start: yes\n"), {"on-start": "yes"}),
            ("null", YAML.format("license:\n"), {"license": None}),
            ("folded", YAML.format("metadata:\n  a: >-\n    b\n    c\n"), {"metadata": {"a": "b c"}}),
            ("aliases", BOMB, {"a": ["x", "x"], "b": [["x", "x"], ["x", "x"]], "c": [[["x", "x"], ["x", "x"]]] * 2}),
            ("many lists side by side", YAML.format("a: [" + "[{}], " * 40 + "]\n"), {"a": [[{}]] * 40}),
            *(
                (f"{word} is {value}", YAML.format(f"a: {word}\n"), {"a": value})
                for value, words in SPELT.items()
                for word in words.split(" ")
            ),
            ("returns", MAIN.replace("\n", "\r\n"), {}),
        ))
    ),
]  # fmt: skip


@pytest.mark.parametrize(("title", "value", "skill", "uri"), PASSES, ids=[each[0] for each in PASSES])
def test_content_that_matches_its_entry_passes(title: str, value: Json, skill: JsonObject, uri: str) -> None:
    del title
    assert reason(value, skill, uri=uri) == ""


FAILS: list[tuple[str, Json, JsonObject, str, str]] = [
    ("another digest", answer(text=MAIN.replace("Do", "Be")), entry(), URI, "digest"),
    ("longer", answer(text=MAIN + "!"), entry(), URI, "bytes"),
    ("not listed", answer("skill://pdf/b", "x"), entry(), "skill://pdf/b", "does not list this file"),
    ("out of the folder", answer("skill://pdf/../x", "x"), entry(), "skill://pdf/../x", "does not list this file"),
    ("another URI", answer(FORM, MAIN), entry(), URI, "a file that was not asked for"),
    ("two files", {"contents": [{"uri": URI, "text": MAIN}, {"uri": URI, "text": MAIN}]}, entry(), URI, "exactly one"),
    ("no files", {"contents": []}, entry(), URI, "exactly one"),
    ("no result", 7, entry(), URI, "exactly one"),
    ("text and blob", {"contents": [{"uri": URI, "text": MAIN, "blob": ""}]}, entry(), URI, "neither"),
    ("not base64", {"contents": [{"uri": FORM, "blob": "A form."}]}, entry(), FORM, "base64"),
    ("half a character", answer(text=MAIN + "\ud800"), entry(), URI, "could not be verified"),
    ("large and dynamic", answer(text=MAIN + "x" * (16 << 20)), entry(resources="dynamic"), URI, "larger"),
    ("dynamic, another name", answer(text=MAIN.replace("pdf", "xml")), entry(resources="dynamic"), URI, "at /name"),
    ("no frontmatter", answer(text="Do as follows."), entry("Do as follows."), URI, "begin with frontmatter"),
    ("another description", answer(), entry(frontmatter={"name": "pdf", "description": "x"}), URI, "at /description"),
    ("a field more", answer(text=YAML.format("hooks: x\n")), entry(YAML.format("hooks: x\n")), URI, "frontmatter"),
    ("a field less", answer(), listing_the_same(MAIN, license="MIT"), URI, "frontmatter"),
    ("a quoted number", answer(text=YAML.format("v: '1'\n")), listing_the_same(YAML.format("v: '1'\n"), v=1), URI, "frontmatter"),
    ("twice", answer(text=YAML.format("name: pdf\n")), listing_the_same(YAML.format("name: pdf\n")), URI, "frontmatter"),
    ("no YAML", answer(text=YAML.format("a: [\n")), listing_the_same(YAML.format("a: [\n"), a=[]), URI, "cannot be read as YAML"),
    ("deep", answer(text=many(5000)), listing_the_same(many(5000), deep=[]), URI, "cannot be read as YAML"),
    ("long", answer(text=YAML.format(f"a: {'x' * LONGEST_FRONTMATTER}\n")), listing_the_same(YAML.format(f"a: {'x' * LONGEST_FRONTMATTER}\n")), URI, "longer than"),
    ("a key that is a list", answer(text=YAML.format("[a]: 1\n")), listing_the_same(YAML.format("[a]: 1\n"), a=1), URI, "keys that are not text"),
    ("an object by a tag", answer(text=YAML.format("a: !!python/object/apply:os.system [x]\n")), listing_the_same(YAML.format("a: !!python/object/apply:os.system [x]\n"), a="x"), URI, "frontmatter"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "value", "skill", "uri", "says"), FAILS, ids=[each[0] for each in FAILS])
def test_content_that_differs_from_its_entry_reaches_no_model(
    title: str, value: Json, skill: JsonObject, uri: str, says: str
) -> None:
    del title
    assert says in reason(value, skill, uri=uri)


FAULTS: list[tuple[JsonObject, str]] = [
    ({"uri": "skill://pdf"}, "/SKILL.md"),
    ({"uri": "/SKILL.md"}, "/SKILL.md"),
    ({"frontmatter": {"name": "pdf"}}, "no description"),
    ({"frontmatter": {"name": "xml", "description": "x"}}, "its folder is pdf"),
    ({"frontmatter": None}, "no name"),
    ({"resources": None}, "neither a list"),
    ({"resources": "Dynamic"}, "neither a list"),
    ({"resources": []}, "its own SKILL.md"),
    ({"resources": [file(URI, MAIN), file(URI, MAIN)]}, "twice"),
    ({"resources": [file(URI, MAIN), file("skill://xml/a", "")]}, "not in its folder"),
    ({"resources": [file(URI, MAIN), file("skill://pdf/%2E%2e/a", "")]}, "not in its folder"),
    ({"resources": [file(URI, MAIN) | {"digest": "sha256:abc"}]}, "no SHA-256"),
    ({"resources": [file(URI, MAIN) | {"size": True}]}, "or no size"),
    ({"resources": [file(URI, MAIN) | {"size": -1}]}, "or no size"),
    ({"resources": [7]}, "no URI"),
]


@pytest.mark.parametrize(("change", "says"), FAULTS, ids=[each[1] for each in FAULTS])
def test_a_skill_with_an_invalid_entry_is_withheld(change: JsonObject, says: str) -> None:
    skill = entry() | change
    uri = str(skill["uri"])
    assert says in reason(answer(uri), skill, uri=uri)


def test_content_must_match_all_entries_of_its_skill_and_the_innermost_skill() -> None:
    other = entry(MAIN + "!")
    assert "bytes" in reason(answer(), entry(), other)
    assert reason(answer(), entry(), entry()) == ""
    uri, text = "skill://pdf/inner/SKILL.md", MAIN.replace("pdf", "inner")
    said: Json = {"name": "inner", "description": "Fills forms"}
    inner: JsonObject = {"uri": uri, "frontmatter": said, "resources": [file(uri, text)]}
    assert reason(answer(uri, text), entry(), inner, uri=uri) == ""
    assert "list" in reason(answer(uri, text), entry(), uri=uri)


def test_a_skill_without_digests_passes_with_a_finding() -> None:
    bounded = bound(Result(value=answer()), tool_of(URI, entry(resources="dynamic")), Level.DECLARED)
    assert bounded.remarks == (NO_DIGEST,)
    assert bound(Result(value=answer()), tool_of(URI, entry()), Level.DECLARED).remarks == ()


@pytest.mark.parametrize(
    "outcome",
    [RpcError(value={"code": 1, "message": "no"}), Failure(kind=FailureKind.TIMEOUT, detail="late")],
)
def test_a_failed_reading_is_not_verified(outcome: RpcError | Failure) -> None:
    bounded = Judgement(outcome, tool_of(URI, entry())).bounded(Level.DECLARED)
    assert Rule.UNVERIFIED not in {each.rule for each in bounded.removals}
    assert Judgement(outcome, tool_of(URI, entry(resources="dynamic"))).bounded(Level.DECLARED).remarks == ()


def test_a_skill_read_by_its_uri_is_verified_like_a_listed_one() -> None:
    page = decode_page(Kind.SKILL, {"skills": [entry()]})
    assert isinstance(page, tuple)
    got = replace(Catalogue(), got=page).tool(unlisted(Kind.RESOURCE, URI).handle)  # pyright: ignore[reportArgumentType]
    assert got
    assert bound(Result(value=answer(text="x")), got, Level.OPEN).removals


NOT_THE_ONE = "its frontmatter is not the one in the entry of the skill"
EXACTLY: list[tuple[Json, JsonObject, str]] = [
    ({"contents": [5]}, entry(), "the answer holds a file that was not asked for"),
    ({"contents": [{"uri": URI}]}, entry(), "the answer holds neither text nor a blob"),
    ({"contents": [{"uri": URI, "blob": 5}]}, entry(), "the answer holds neither text nor a blob"),
    (answer(), listing_the_same(MAIN, license="MIT"), NOT_THE_ONE),
    (answer(text=YAML.format("a: 1\n")), listing_the_same(YAML.format("a: 1\n"), a=2), NOT_THE_ONE),
    (answer(text=YAML.format("a: b\n")), listing_the_same(YAML.format("a: b\n"), a={}), NOT_THE_ONE),
    (answer(text=YAML.format("a: b\n")), listing_the_same(YAML.format("a: b\n"), a=[]), NOT_THE_ONE),
    *(
        (
            answer(text=YAML.format(f"{key}: b\n")),
            listing_the_same(YAML.format(f"{key}: b\n"), **{key: "c"}),
            f"{NOT_THE_ONE} at /{key}",
        )
        for key in ("license", "compatibility", "metadata", "allowed-tools")
    ),
    *(
        (
            answer(text=YAML.format(f"a: {word}\n")),
            listing_the_same(YAML.format(f"a: {word}\n"), a=value),
            NOT_THE_ONE,
        )
        for value in SPELT
        for other, words in SPELT.items()
        if other is not value
        for word in words.split(" ")
    ),
    (answer(text=YAML.format("a: [1]\n")), listing_the_same(YAML.format("a: [1]\n"), a=[1, 2]), NOT_THE_ONE),
]


@pytest.mark.parametrize(("value", "skill", "said"), EXACTLY)
def test_a_reason_names_what_differs_and_no_key_of_the_server(
    value: Json, skill: JsonObject, said: str
) -> None:
    assert reason(value, skill) == said


@pytest.mark.parametrize("more", [0, 1])
def test_the_limits_of_a_file_are_exact(more: int) -> None:
    nested: Json = []
    for _ in range(DEEPEST_FRONTMATTER - 2 + more):
        nested = [nested]
    deep = YAML.format(f"deep: {dump_text(nested)}\n")
    begin = "name: pdf\ndescription: Fills forms\nlicense: "
    terms = "x" * (LONGEST_FRONTMATTER + more - len(begin))
    long = f"---\n{begin}{terms}\n---\n"
    large = MAIN + "x" * (MOST_BYTES + more - len(MAIN))
    said = [
        reason(answer(text=deep), listing_the_same(deep, deep=nested)),
        reason(answer(text=long), listing_the_same(long, license=terms)),
        reason(answer(text=large), entry(resources="dynamic")),
    ]
    assert [bool(each) for each in said] == [bool(more)] * 3


TEXTS = st.text(max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(
    members=st.dictionaries(TEXTS.filter(lambda key: key not in {"name", "description"}), VALUES, max_size=4),
    other=VALUES,
)
def test_frontmatter_fits_only_the_object_that_it_represents(members: dict[str, Json], other: Json) -> None:
    said = parse(dump({"name": "pdf", "description": "Fills forms", **members})).value
    assert isinstance(said, dict)
    text = f"---\n{yaml.safe_dump(said)}---\nDo as follows.\n"
    assert reason(answer(text=text), entry(text, frontmatter=said)) == ""
    changed = {**said, "more": other}
    assert reason(answer(text=text), entry(text, frontmatter=changed)) != ""
