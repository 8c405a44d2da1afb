"""The text that reaches a model before its first call: parts, their sizes, and what was not observed in a host."""

import hashlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from inspector.boundary.bounded import Level
from inspector.files import tokenizer
from inspector.hosts.context import (
    GIVEN,
    INSTRUCTIONS_NOT_OBSERVED,
    PROMPTS,
    PartKind,
    context_of,
    host_totals,
)
from inspector.hosts.definitions.projection import project_definition
from inspector.hosts.registry import hosts
from inspector.hosts.tokens import MAX_COUNTED, Tokenizer
from inspector.json.exact import JsonObject, dump
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool
from tests.cli.sightline import sightline

SMALL: JsonObject = {"name": "small", "inputSchema": {"type": "object"}, "annotations": {"title": "x" * 500}}
LARGE: JsonObject = {"name": "large", "description": "y" * 300, "inputSchema": {"type": "object"}}
PROMPT: JsonObject = {"name": "ask", "description": "Asks."}
LISTED = Catalogue(
    entries={
        Kind.TOOL: (Tool(name="small", definition=SMALL), Tool(name="large", definition=LARGE)),
        Kind.PROMPT: (Item(kind=Kind.PROMPT, name="ask", definition=PROMPT),),
    }
)
SPEC = hosts()[0]


def test_parts_are_measured_as_the_model_gets_them_largest_first() -> None:
    found = context_of("é" * 8, LISTED, Level.DECLARED, SPEC)
    assert [(part.kind, part.name) for part in found.parts] == [
        (PartKind.INSTRUCTIONS, ""),
        (PartKind.TOOL, "large"),
        (PartKind.TOOL, "small"),
        (PartKind.PROMPT, "ask"),
    ]
    sizes = [part.size_bytes for part in found.parts]
    small = project_definition(LISTED.tools[0], Level.DECLARED, SPEC).model_bytes
    assert (sizes[0], sizes[2], sizes[3]) == (16, small, len(dump(PROMPT)))
    assert small < 100
    assert found.tokens(*GIVEN) == 4 + sum(part.tokens for part in found.parts[1:3])
    assert found.notes == (PROMPTS,)


def test_unobserved_behaviour_of_a_host_is_noted_once() -> None:
    for host in hosts()[1:]:
        notes = context_of("a", LISTED, Level.DECLARED, host).notes
        assert notes[0] == INSTRUCTIONS_NOT_OBSERVED
        assert len(notes) == len(set(notes)) == 3
    assert context_of(None, Catalogue(), Level.OPEN, SPEC).parts == ()


def test_the_command_prints_parts_and_totals() -> None:
    shown = sightline("context", "demo")
    assert (shown.code, "an estimate: bytes / 4" in shown.out) == (0, True), shown.err
    assert "instructions" in shown.out
    found = sightline("context", "demo", "--format", "json").json
    given = [part for part in found["parts"] if part["kind"] != "prompt"]
    assert found["total"]["bytes"] == sum(part["bytes"] for part in given)
    assert found["tokens"].startswith("an estimate: bytes / 4")
    assert "hosts" not in found
    compared = sightline("context", "demo", "--format", "json", "--hosts").json
    assert set(compared["hosts"]) == {host.name for host in hosts()}
    assert compared["hosts"]["spec"] == compared["total"]["tokens"]


def test_a_tokenizer_counts_in_pieces_and_huge_texts_are_estimated() -> None:
    lengths: list[int] = []

    def exact(text: str) -> int:
        lengths.append(len(text))
        return 1

    counter = Tokenizer(label="exact", exact=exact)
    assert counter.count("a" * 25_000) == 3
    assert lengths == [10_000, 10_000, 5_000]
    assert counter.count("a" * (MAX_COUNTED + 4)) == (MAX_COUNTED + 4) // 4
    found = context_of("abc", LISTED, Level.DECLARED, SPEC, counter)
    assert (found.counted_by, found.tokens(*GIVEN)) == ("exact", 3)
    assert host_totals("abc", LISTED, Level.DECLARED, counter)[0].tokens == 3


def test_no_vocabulary_is_downloaded_and_only_the_known_one_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Encoding:
        def encode_ordinary(self, text: str) -> list[int]:
            return [0] * len(text)

    def get_encoding(name: str) -> Encoding:
        asked.append(name)
        return Encoding()

    monkeypatch.setitem(sys.modules, "tiktoken", SimpleNamespace(get_encoding=get_encoding))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    made = tokenizer.tokenizer.__wrapped__
    assert "is not on this machine" in made().label
    name = "fb374d419588a4632f3f557e76b4b70aebbca790"
    (tmp_path / name).write_bytes(b"another")
    assert made().exact is None
    assert not asked
    monkeypatch.setattr(tokenizer, "_SHA256", hashlib.sha256(b"another").hexdigest())
    assert made().count("four") == 4
    assert asked == ["o200k_base"]
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert "pip install mcp-sightline[tokens]" in made().label
