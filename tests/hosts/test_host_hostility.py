"""No result makes a profile raise, or output text that is not in the result."""

import re
from itertools import count

import pytest
from hypothesis import example, given, settings

from inspector.boundary.bounded import Bounded, Level
from inspector.hosts.facts import JAVASCRIPT
from inspector.hosts.notes import Notes
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.hosts.received import UNJUDGED, ReceivedAnswer, judged
from inspector.hosts.registry import hosts
from inspector.json import pointer as json_pointer
from inspector.json.exact import DuplicateKeys, Json, Number, dump_text, equal
from tests.hosts.results import ERRORS, ODD, RESULTS

REAL = tuple(host for host in hosts() if host.name != "spec")
BY_NAME = pytest.mark.parametrize("host", REAL, ids=lambda host: host.name)
CALL = Call(server="fx", tool="try")
DIGIT = re.compile("[0-9]")
MARK = re.compile(r"zq[0-9]{6}qz")


def handed(host: Host, result: Json, call: Call = CALL) -> ModelContext:
    context = host.model_view(Bounded(level=Level.OPEN, result=result), call)
    assert not any(UNJUDGED in change.what for change in context.changes)
    return context


def nested(depth: int) -> Json:
    value: Json = "innermost"
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


@settings(max_examples=150, deadline=None)
@given(RESULTS | ERRORS | ODD)
def test_a_profile_accepts_any_result_and_its_changes_point_into_it(result: Json) -> None:
    for host in REAL:
        context = handed(host, result)
        dump_text(context.model)
        assert context.observed or any(change.what.startswith("not observed: ") for change in context.changes)
        for change in context.changes:
            json_pointer.resolve(result, change.pointer)


@settings(max_examples=100, deadline=None)
@example({"content": [{"type": kind, "data": "é", "mimeType": f"{kind}/png"} for kind in ("image", "audio")]})
@example(
    {"content": [{"type": "resource", "resource": {"uri": "x:", "blob": "é", "mimeType": "text/plain"}}]}
)
@given(RESULTS)
def test_a_profile_leaves_the_result_as_it_was(result: Json) -> None:
    before = dump_text(result)
    for host in REAL:
        handed(host, result)
    assert dump_text(result) == before


@settings(max_examples=100, deadline=None)
@given(RESULTS | ERRORS)
def test_the_words_of_a_host_do_not_depend_on_the_texts_of_the_result(result: Json) -> None:
    """Two results that differ only in the words of their texts give the same except for those words."""
    one, other = marked(result, 100_000), marked(result, 500_000)
    for host in REAL:
        first, second = (dump_text(handed(host, each).model) for each in (one, other))
        # A host may quote half a mark.
        assert DIGIT.sub("#", first) == DIGIT.sub("#", second)
        assert set(MARK.findall(first)) <= set(MARK.findall(dump_text(one)))


PROSE = frozenset({"text", "description", "title", "name", "message", "ref"})


def marked(value: Json, start: int) -> Json:
    """`value` with a mark of its own in place of each prose text. All marks have the same length."""
    numbers = count(start)
    root: list[Json] = [value]
    stack: list[Json] = [root]
    while stack:
        holder = stack.pop()
        items = (
            holder.items()
            if isinstance(holder, dict)
            else enumerate(holder)
            if isinstance(holder, list)
            else ()
        )
        for key, inner in list(items):
            fresh = inner.copy() if isinstance(inner, (dict, list)) else inner
            if isinstance(inner, str) and key in PROSE:
                fresh = f"zq{next(numbers)}qz"
            if isinstance(holder, dict):
                holder[str(key)] = fresh
            elif isinstance(holder, list):
                holder[int(key)] = fresh
            stack.append(fresh)
    return root[0]


DEEP = nested(3_000)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [], "structuredContent": {"k": DEEP}},
        {"content": [{"type": "text", "text": "x", "_meta": {"k": DEEP}}]},
        {"content": DEEP},
        {"content": [{"type": "quite_new", "k": DEEP}]},
        {"content": [{"type": "text", "text": "[" * 3_000 + "]" * 3_000}]},
        {"error": {"code": -1, "message": "m", "data": DEEP}},
        DEEP,
    ],
    ids=["structure", "metadata", "content", "unknown", "text", "error", "whole"],
)
def test_a_very_deep_result_does_not_make_a_profile_fail(result: Json, subtests: pytest.Subtests) -> None:
    for host in REAL:
        with subtests.test(host.name):
            context = handed(host, result)
            dump_text(context.model)
            # Brackets in a text add no depth.
            assert not context.observed or dump_text(result).startswith(
                '{"content":[{"type":"text","text":"[[['
            )


@pytest.mark.parametrize(
    "odd",
    [
        DuplicateKeys((("a", 1), ("a", 2))),
        Number("NaN"),
        Number("-Infinity"),
        [{"k": DuplicateKeys((("a", 1), ("a", 2)))}],
    ],
    ids=["duplicate", "not a number", "infinite", "duplicate below"],
)
def test_a_value_that_parsers_read_differently_is_withheld(odd: Json, subtests: pytest.Subtests) -> None:
    for host in REAL:
        with subtests.test(host.name):
            around: tuple[Json, ...] = (
                {"content": [], "structuredContent": {"k": odd}},
                {"content": [{"type": "text", "text": "x"}, odd]},
                {"content": [{"type": "text", "text": "x"}], "more": odd},
                odd,
            )
            for result in around:
                context = handed(host, result)
                assert context.model is None
                assert not context.observed
                assert "withheld" in context.changes[-1].what


@pytest.mark.parametrize(
    "number",
    [Number("1e400"), 10**400, Number("9" * 5_000), -(2**63) - 1, Number("-0"), 1e300, Number("1.10")],
)
def test_numbers_of_all_sizes_are_passed_on_or_withheld(number: float, subtests: pytest.Subtests) -> None:
    for host in REAL:
        with subtests.test(host.name):
            context = handed(host, {"content": [], "structuredContent": {"k": number}})
            dump_text(context.model)


@pytest.mark.parametrize("result", [None, True, 3, "text", [], {"error": 5}, {"error": {"code": "x"}}])
def test_a_value_that_is_not_a_result_is_withheld(result: Json, subtests: pytest.Subtests) -> None:
    for host in REAL:
        with subtests.test(host.name):
            context = handed(host, result)
            assert equal(context.model, None)
            assert not context.observed


@BY_NAME
def test_escape_sequences_and_invisible_characters_pass_as_they_are(host: Host) -> None:
    hostile = "\x1b[31m\u202e\U000e0041\u200b"
    context = handed(host, {"content": [{"type": "text", "text": hostile}]})
    parts = (hostile, dump_text(hostile)[1:-1], repr(hostile)[1:-1])
    assert any(part in written for written in strings(context.model) for part in parts)


def strings(value: Json) -> list[str]:
    found: list[str] = []
    stack = [value]
    while stack:
        match stack.pop():
            case str() as text:
                found.append(text)
            case dict() as members:
                stack.extend(members.values())
            case list() as items:
                stack.extend(items)
            case _:
                pass
    return found


@BY_NAME
def test_tools_and_servers_may_have_any_name(host: Host) -> None:
    for name in ("", "a b/c", "é" * 100, "\x1b[0m", "__proto__"):
        handed(host, {"content": []}, Call(server=name, tool=name))
        handed(host, {"error": {"code": 1, "message": "m"}}, Call(server=name, tool=name))


def test_a_profile_that_fails_withholds_everything() -> None:
    def failing(_call: Call, _answer: ReceivedAnswer, notes: Notes) -> Json:
        notes.change("", "something")
        raise RuntimeError("with the secret in its text")

    context = judged(JAVASCRIPT, failing)(Bounded(level=Level.OPEN, result={"content": []}), Call())
    assert context.model is None
    assert not context.observed
    assert [change.what for change in context.changes] == [
        "something",
        f"not observed: {UNJUDGED} (RuntimeError); the whole result is withheld here",
    ]
