import random
import re
from importlib import resources
from pathlib import Path

import pytest

from inspector.json.chunks import pieces
from inspector.json.exact import Json, JsonObject, dump, parse
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.recording import replaying
from inspector.recording.codec import Broken, decoded, written
from inspector.recording.format import Lenses, PageCall
from inspector.recording.scribe import Scribe
from inspector.schema.validation import violations
from tests.recording.sessions import HEADER, KEY, TOOL, conversation

SCHEMA = parse(resources.files("inspector.recording").joinpath("recording-v2.schema.json").read_bytes()).value


def every_kind() -> list[JsonObject]:
    """A line of every kind."""
    scribe = Scribe(KEY, Lenses())
    lines = [written(HEADER)]
    wire = conversation()
    wire.stderr("CANARY-4711-abcdef")
    wire.stderr("harmless")
    for frame in wire.matched:
        lines += map(written, scribe.take(frame))
    lines += map(written, scribe.note(1, "policy", "allowed"))
    lines += map(written, scribe.look(2, Lenses(host="codex")))
    lines += map(written, scribe.listed(2, [Tool(name="get_key", definition=TOOL)]))
    lines += map(written, scribe.connect(2, 2, "none"))
    for number, outcome in enumerate(
        (Result(value={"key": "x"}), RpcError(value={"code": 1, "message": "no"}))
    ):
        made = PageCall(
            number=number,
            name="get_key",
            tool=Tool(name="get_key", definition=TOOL),
            arguments={},
            outcome=outcome,
            at_s=3,
            duration_s=1,
        )
        lines += map(written, scribe.call(made))
    failed = PageCall(
        number=3,
        name="get_key",
        tool=None,
        arguments={},
        outcome=Failure(kind=FailureKind.TIMEOUT, detail="no answer"),
        at_s=4,
        duration_s=1,
    )
    lines += map(written, scribe.call(failed))
    return [*lines, *map(written, scribe.finish())]


@pytest.mark.parametrize("largest", [1, 1 << 20])
def test_every_line_fits_the_schema_and_is_read_back_unchanged(
    monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(replaying, "LARGEST_MODEL", largest)
    lines = every_kind()
    known = {"sightline", "frame", "call", "projection", "note", "end", "lenses", "listed", "connection"}
    assert {next(key for key in line if key in known) for line in lines} == known
    for line in lines:
        assert violations(line, SCHEMA) == (), line
        found = decoded(dump(line))
        assert not isinstance(found, Broken), line
        assert dump(written(found)) == dump(line)


def test_the_schema_requires_every_member_of_a_line() -> None:
    for line in every_kind():
        for key in line:
            if key not in {"head", "ends", "faults", "output", "omits", "client"}:
                less: JsonObject = {name: value for name, value in line.items() if name != key}
                assert violations(less, SCHEMA), less


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        "x" * 1_200_000 + '\u00e9\n"\\',
        [{"a": [number, "y" * 50]} for number in range(60_000)],
        {str(number): {"deep": [number] * 3} for number in range(40_000)},
        {"a": [["x" * 700_000], [1, 2]], "b": {"c": list(range(100_000))}, "d": []},
    ],
)
def test_a_value_is_written_in_pieces_as_in_one(value: Json) -> None:
    found = list(pieces(value))
    assert b"".join(found) == dump(value)
    assert max(map(len, found)) < 4_000_000


def test_the_documentation_names_every_kind_of_line() -> None:
    text = Path("docs/recording-format.md").read_text()
    for key in (
        "sightline",
        "frame",
        "call",
        "projection",
        "lenses",
        "note",
        "end",
        "listed",
        "connection",
        "$withheld",
    ):
        assert f'"{key}"' in text, key


ODD: list[bytes] = [
    b"5", b"-1", b"true", b"null", b"[]", b"{}", b'["CANARY"]', b'{"CANARY":1}', b"1.50", b"1e400", b"NaN",
    b'"CANARY\' - at `x"', b'"\\ud800"', b"1" + b"0" * 400, b"9" * 5_000, b'{"a":1,"a":"CANARY"}',
]  # fmt: skip


def changed(value: Json, chance: random.Random) -> Json:
    """A value with `@N`, which stands for an odd value, at some place."""
    odd = f"@{chance.randrange(len(ODD))}"
    if chance.random() < 0.4:
        return odd
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        rest = {name: member for name, member in value.items() if name != key}
        return rest if chance.random() < 0.1 else {**value, key: changed(value[key], chance)}
    if isinstance(value, list) and value:
        index = chance.randrange(len(value))
        return [*value[:index], changed(value[index], chance), *value[index + 1 :]]
    return odd


def test_a_changed_line_is_read_or_broken_and_its_outline_agrees() -> None:
    chance = random.Random(7)  # noqa: S311 - the same lines in every run
    broken = 0
    for line in every_kind() * 60:
        raw = re.sub(rb'"@(\d+)"', lambda odd: ODD[int(odd[1])], dump(changed(dict(line), chance)))
        whole, outline = decoded(raw), decoded(raw, is_outline=True)
        assert isinstance(whole, Broken) is isinstance(outline, Broken), raw
        if isinstance(whole, Broken):
            broken += 1
            assert "CANARY" not in whole.reason
        else:
            again = decoded(once := dump(written(whole)))
            assert not isinstance(again, Broken)
            assert dump(written(again)) == once
    assert 200 < broken < 1_500
