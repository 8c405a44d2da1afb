import base64
import hashlib
import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.demo.jsonrpc import Code, RefusedError
from inspector.demo.secrets import MARK, SHAPED_MARK, Mint
from inspector.demo.server import DemoOptions, DemoServer
from inspector.demo.tools import TOOLS
from inspector.demo.tools.projects import FIRST_SEQUENCE
from inspector.demo.workspace import OPENED_AT
from inspector.json.exact import (
    DuplicateKeys,
    Json,
    JsonObject,
    JsonText,
    Number,
    dump,
    dump_text,
    equal,
    parse,
)
from inspector.protocol.catalogue import Kind, Tool, decode_page
from tests.demo.calls import blocks, finished, ignore, result_of, said, seeded
from tests.demo.clients import ARGUMENTS, call, member

TRUST = "io.modelcontextprotocol/trust-annotations"


def test_the_tools_are_listed_in_a_fixed_order() -> None:
    assert [tool.name for tool in TOOLS] == list(ARGUMENTS)


def test_exactly_one_tool_is_malformed() -> None:
    entries = decode_page(Kind.TOOL, seeded().listing(Kind.TOOL, {}))
    assert isinstance(entries, tuple)
    assert [entry.name for entry in entries if not isinstance(entry, Tool)] == ["broken_tool"]


def test_every_effect_is_declared_by_a_tool() -> None:
    metas = [tool.definition.get("_meta") for tool in TOOLS]
    effects = [meta.get("mcp.dev/effect") for meta in metas if isinstance(meta, dict)]
    assert all(effect in effects for effect in ("read", "write", "delete", "external"))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_seed_makes_results_identical(name: str) -> None:
    assert dump(result_of(seeded(), name)) == dump(result_of(seeded(), name))


def test_the_clock_is_fixed_only_with_a_seed() -> None:
    assert member(result_of(seeded(), "clean_clock"), "structuredContent", "now") == OPENED_AT
    running = member(result_of(DemoServer(DemoOptions()), "clean_clock"), "structuredContent", "now")
    assert running != OPENED_AT


@pytest.mark.parametrize("name", ["generate_api_key", "rotate_token", "sync_calendar", "odd_claims"])
def test_no_secret_is_issued_twice(name: str) -> None:
    server = seeded()
    assert dump(result_of(server, name)) != dump(result_of(server, name))
    assert dump(result_of(DemoServer(DemoOptions()), name)) != dump(
        result_of(DemoServer(DemoOptions()), name)
    )


def output_faults(name: str) -> list[str]:
    server = seeded()
    schema, result = server.tools[name].definition["outputSchema"], result_of(server, name)
    assert isinstance(schema, dict)
    plain = json.loads(dump(member(result, "structuredContent")))
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    return [error.message for error in validator.iter_errors(plain)]


@pytest.mark.parametrize(
    "name", [tool.name for tool in TOOLS if tool.sound and "outputSchema" in tool.definition]
)
def test_a_result_fits_its_output_schema(name: str) -> None:
    assert output_faults(name) == []


def test_the_odd_result_does_not_fit_its_output_schema() -> None:
    assert output_faults("odd_claims") == ['"12F" is not of type "integer"']


@pytest.mark.parametrize("name", ARGUMENTS)
def test_hostile_text_stays_inside_json_strings(name: str) -> None:
    server = seeded()
    for value in (server.tools[name].definition, result_of(server, name)):
        raw = dump(value)
        assert min(raw) >= 0x20
        parsed = parse(raw)
        assert isinstance(parsed, JsonText)
        assert equal(parsed.value, value)


@pytest.mark.parametrize("hidden", ["\x1b]52;", "\x1b[31m", "\x07", "\u200b", "\u202e", "\U000e0061", "\x9b"])
def test_the_poisoned_definition_contains_control_and_invisible_characters(hidden: str) -> None:
    definition = seeded().tools["poisoned_weather"].definition
    assert hidden in f"{definition['title']}{definition['description']}"


def test_an_api_key_is_marked_and_repeated_in_the_text() -> None:
    result = result_of(seeded(), "generate_api_key")
    assert str(member(result, "structuredContent", "secret")).startswith(MARK)
    assert said(result) == dump_text(member(result, "structuredContent"))


def test_a_share_link_is_a_reference_without_the_secret() -> None:
    server = seeded()
    server.vault.origin = "http://127.0.0.1:1"
    result = result_of(server, "create_share_link")
    assert MARK not in dump_text(result)
    reference = blocks(result)[1]
    assert reference == {
        "type": "secret_reference",
        "id": reference["id"],
        "label": "Share link for /handbook.md",
        "redeemUrl": f"http://127.0.0.1:1/secrets/{reference['id']}",
        "ttl": 60,
    }


def test_a_rotated_token_leaks_in_the_text_and_as_base64() -> None:
    result = result_of(seeded(), "rotate_token")
    token = str(member(result, "structuredContent", "token"))
    assert SHAPED_MARK in token
    assert token in said(result)
    encoded = said(result).partition("Basic ")[2].partition("'")[0]
    assert base64.b64decode(encoded).decode() == f"workspace:{token}"


def test_a_failed_sync_leaks_its_token_in_message_and_debug_log() -> None:
    logged: list[str] = []
    outcome = seeded().call(call("sync_calendar"), lambda level, text: logged.append(level + dump_text(text)))
    result = finished(outcome)
    token = str(member(result, "structuredContent", "token"))
    assert result["isError"] is True
    assert token in said(result)
    assert [line for line in logged if line.startswith("debug") and token in line]


@pytest.mark.parametrize(
    ("folder", "sensitivity", "drafts"), [("personal", "pii", 2), ("handover", "credentials", 1)]
)
def test_drafts_are_labelled_with_their_one_data_class(folder: str, sensitivity: str, drafts: int) -> None:
    result = result_of(seeded(), "read_drafts", {"folder": folder})
    rows = member(result, "structuredContent", "drafts")
    assert isinstance(rows, list)
    assert len(rows) == drafts
    assert member(result, "_meta", "annotations", "returnMetadata", "sensitivity") == sensitivity
    assert (MARK in said(result)) is (sensitivity == "credentials")


@pytest.mark.parametrize(
    ("limit", "outside", "source", "malicious"),
    [(1, False, "internal", None), (2, True, "untrustedPublic", None), (3, True, "untrustedPublic", True)],
)
def test_an_inbox_has_the_annotations_of_the_mails_in_it(
    limit: int, source: str, *, outside: bool, malicious: bool | None
) -> None:
    annotations = member(result_of(seeded(), "list_inbox", {"limit": limit}), "_meta", "annotations")
    assert member(annotations, "openWorldHint") is outside
    assert member(annotations, "returnMetadata", "source") == source
    assert isinstance(annotations, dict)
    assert annotations.get("maliciousActivityHint") is malicious


def test_mail_is_not_sent_from_an_untrusted_context() -> None:
    server = seeded()
    params: JsonObject = {**call("send_mail"), "_meta": {"annotations": {"openWorldHint": True}}}
    assert finished(server.call(params, ignore))["isError"] is True
    assert server.workspace.sent == []
    assert "isError" not in result_of(server, "send_mail")
    assert server.workspace.sent == ["pia@printers.example"]


def test_the_digest_of_search_evidence_can_be_recomputed() -> None:
    record = b'{"class":"public","origin":"open_world","resource_kind":"search_result"}'
    digest = member(blocks(result_of(seeded(), "search_web"))[1], "_meta", TRUST, "evidenceRef", "digest")
    assert digest == f"sha256:{hashlib.sha256(record).hexdigest()}"


def test_a_project_can_be_deleted_only_once() -> None:
    server = seeded()
    assert member(result_of(server, "delete_project"), "structuredContent", "deleted") == "old-website"
    assert result_of(server, "delete_project")["isError"] is True
    assert list(server.workspace.projects) == ["lighthouse", "tidepool"]


def test_a_new_salary_is_stored() -> None:
    server = seeded()
    assert member(result_of(server, "update_salary"), "structuredContent", "before") == 71_500
    assert member(result_of(server, "update_salary"), "structuredContent", "before") == 72_000


@pytest.mark.parametrize(
    ("path", "mode", "outcome"),
    [
        ("/new.md", "create", "n"),
        ("/new.md", "append", "n"),
        ("/runbook.md", "replace", "n"),
        ("/press.md", "create", "n"),
    ],
)
def test_a_document_contains_the_text_that_was_written(path: str, mode: str, outcome: str) -> None:
    server = seeded()
    result_of(server, "write_file", {"path": path, "text": "n", "mode": mode})
    assert server.workspace.documents[path] == outcome


def test_a_document_can_be_appended_to_and_not_created_twice() -> None:
    server = seeded()
    result_of(server, "write_file", {"path": "/runbook.md", "text": "4. Sleep.", "mode": "append"})
    assert server.workspace.documents["/runbook.md"].endswith("later.\n4. Sleep.")
    again = result_of(server, "write_file", {"path": "/runbook.md", "text": "", "mode": "create"})
    assert again["isError"] is True
    result_of(server, "resolve_path", {"path": "/empty.md", "create": True})
    assert server.workspace.documents["/empty.md"] == ""


@pytest.mark.parametrize(
    ("arguments", "hints"),
    [
        ({"path": "/a", "text": "", "mode": "append"}, [False, False, False, False]),
        ({"path": "/a", "text": "", "mode": "replace"}, [False, True, True, False]),
        ({"path": "/public/a", "text": "", "mode": "create"}, [False, False, False, True]),
    ],
)
def test_a_write_resolves_to_the_four_hints_of_that_write(arguments: JsonObject, hints: list[bool]) -> None:
    resolved = seeded().resolve(call("write_file", arguments))
    names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    assert resolved == {"name": "write_file", "annotations": dict(zip(names, hints, strict=True))}


def test_a_path_resolves_in_the_older_shape_and_a_public_path_widens() -> None:
    server = seeded()
    look = server.resolve(call("resolve_path", {"path": "/a"}))
    assert member(look, "tool", "annotations", "readOnlyHint") is True
    make = server.resolve(call("resolve_path", {"path": "/public/a", "create": True}))
    assert member(make, "tool", "annotations", "readOnlyHint") is False
    assert member(make, "tool", "annotations", "openWorldHint") is True
    assert member(server.tools["resolve_path"].definition, "annotations", "openWorldHint") is False


def test_the_audit_log_has_numbers_that_floats_cannot_represent() -> None:
    rows = member(result_of(seeded(), "list_audit_log", {"rows": 50_000}), "structuredContent", "rows")
    assert isinstance(rows, list)
    assert len(rows) == 50_000
    assert member(rows, 0, "sequence") == FIRST_SEQUENCE
    assert int(float(FIRST_SEQUENCE)) != FIRST_SEQUENCE
    assert b'"costEur":0.10' in dump(rows[1])


def test_a_photo_has_every_kind_of_block_and_an_unknown_one() -> None:
    found = blocks(result_of(seeded(), "team_photo"))
    assert [block["type"] for block in found] == [
        *("text", "image", "audio", "resource_link", "resource", "resource", "text", "hologram"),
    ]
    assert base64.b64decode(str(found[1]["data"])).startswith(b"\x89PNG\r\n")
    assert base64.b64decode(str(found[2]["data"])).startswith(b"RIFF")
    assert member(found[6], "annotations", "audience") == ["user"]
    assert MARK in str(found[6]["text"])


def test_the_odd_result_has_a_duplicate_key() -> None:
    reply = member(result_of(seeded(), "odd_claims"), "structuredContent", "reply")
    assert isinstance(reply, DuplicateKeys)
    assert reply.repeated == ("status",)


def test_arguments_are_echoed_digit_for_digit() -> None:
    raw = b'{"count":1,"text":"x","exact":1.10,"anything":{"n":9007199254740993,"e":[1e400,-0]}}'
    parsed = parse(raw)
    assert isinstance(parsed, JsonText)
    assert isinstance(parsed.value, dict)
    assert said(result_of(seeded(), "echo_arguments", parsed.value)).encode() == raw


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("echo_arguments", {"text": "x"}, '"count" is a required property'),
        (
            "echo_arguments",
            {"text": "x", "count": 11},
            "Argument count: 11 is greater than the maximum of 10",
        ),
        ("echo_arguments", {"text": "x", "count": 1, "email": "nobody"}, "Argument email:"),
        ("echo_arguments", {"text": "x", "count": 1, "place": {"city": 1}}, "Argument place/city:"),
        ("clean_clock", {"zone": "CET"}, "Additional properties"),
        ("list_audit_log", {"rows": 50_001}, "Argument rows:"),
        ("create_share_link", {"document": "/nowhere.md"}, "There is no document /nowhere.md."),
        ("patient_record", {"person": "dora"}, "Argument person:"),
    ],
)
def test_wrong_arguments_give_an_error_with_the_reason(name: str, arguments: JsonObject, reason: str) -> None:
    result = result_of(seeded(), name, arguments)
    assert result["isError"] is True
    assert reason in said(result)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("nobody", {}), ("clean_clock", {}), ("write_file", {"path": "/a"}), ("write_file", {"path": 1})],
)
def test_a_call_that_cannot_be_resolved_is_refused(name: str, arguments: JsonObject) -> None:
    with pytest.raises(RefusedError) as refused:
        seeded().resolve({"name": name, "arguments": arguments})
    assert refused.value.code is Code.INVALID_PARAMS


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.SKILL])
def test_the_pages_together_are_the_whole_list(kind: Kind) -> None:
    whole = member(DemoServer(DemoOptions(seed="1")).listing(kind, {}), kind.value)
    server = DemoServer(DemoOptions(seed="1", page_size=2))
    items: list[Json] = []
    params: JsonObject = {}
    while True:
        page = server.listing(kind, params)
        found = member(page, kind.value)
        assert isinstance(found, list)
        assert len(found) <= 2
        items += found
        if "nextCursor" not in page:
            break
        params = {"cursor": page["nextCursor"]}
    assert items == whole


@pytest.mark.parametrize(
    "cursor", ["", "after-", "after-0", "after-99", "after-²", "2", None, 2, "after-" + "9" * 5000]
)
def test_an_unknown_cursor_is_refused(cursor: Json) -> None:
    with pytest.raises(RefusedError):
        seeded().listing(Kind.TOOL, {"cursor": cursor})


def test_only_sound_tools_are_listed_if_requested() -> None:
    server = DemoServer(DemoOptions(sound_only=True))
    assert set(ARGUMENTS) - set(server.tools) == {"odd_claims", "broken_tool"}


def test_shaped_fakes_have_the_right_shape_and_are_marked_as_fakes() -> None:
    mint = Mint("1")
    assert len(mint.access_token()) == 40
    assert len(mint.key_id()) == 20
    assert all(SHAPED_MARK in fake for fake in (mint.access_token(), mint.oauth_token(), mint.key_id()))


def twice(child: Json) -> DuplicateKeys:
    return DuplicateKeys((("k", child), ("k", child)))


numbers = st.sampled_from(["1.10", "1e400", "-0", "NaN", "9" * 5000]).map(Number)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | numbers
odd_values: st.SearchStrategy[Json] = st.recursive(
    leaves,
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.text(max_size=4), children, max_size=3)
        | children.map(twice)
    ),
    max_leaves=6,
)
known_keys = st.sampled_from(
    sorted(
        {key for arguments in ARGUMENTS.values() for key in arguments}
        | {"create", "anything", "place", "ttl"}
    )
)


@given(
    name=st.sampled_from(list(ARGUMENTS)),
    arguments=st.dictionaries(known_keys | st.text(max_size=3), odd_values, max_size=4),
)
def test_no_arguments_make_a_tool_raise(name: str, arguments: JsonObject) -> None:
    assert finished(SHARED.call({"name": name, "arguments": {**ARGUMENTS[name], **arguments}}, ignore))


SHARED = seeded()


def test_arguments_nested_deeper_than_the_stack_cannot_be_checked() -> None:
    deep: Json = []
    for _ in range(5000):
        deep = [deep]
    result = result_of(seeded(), "echo_arguments", {"text": "x", "count": 1, "anything": deep})
    assert result["isError"] is True
    assert said(result) == "The arguments hold something that cannot be checked."


def test_the_guide_has_a_row_for_every_tool() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "demo.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| [^|]+ \|(?: [^|]+ \|){3}$", guide, re.MULTILINE) == list(ARGUMENTS)
