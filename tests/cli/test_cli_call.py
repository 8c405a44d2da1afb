import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inspector.cli.commands.call import CallArguments, argument_remarks, checked_arguments
from inspector.errors import UsageError
from inspector.protocol.catalogue import Tool
from tests.cli.sightline import raw_server, sightline, words
from tests.recording.samples import CANARY
from tests.recording.sessions import Wire, recorded_to

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

KEY = ("call", "generate_api_key", "--arg", "name=production", "--format", "json")


def test_a_call_prints_both_views_and_why_they_differ() -> None:
    ran = sightline(*KEY, "demo")
    assert ran.code == 0
    shape = (
        "tool raw model withheld undeclared undeclared_places remarks violations duration_ms decision answer"
    )
    assert list(ran.json) == shape.split()
    assert "DEMO-SECRET" not in ran.out
    assert {
        "pointer": "/structuredContent/secret",
        "rule": "x-sensitive",
        "vocabulary": "webmcp-110",
    }.items() <= (ran.json["withheld"][0].items())


def test_json_names_the_texts_that_address_the_model() -> None:
    ran = sightline("call", "search_web", "--arg", "query=cats", "--format", "json", "demo")
    message = "/content/2/text reads like an instruction to the model: SL-INJ001"
    assert {"message": message} in ran.json["remarks"]


@pytest.mark.parametrize(
    ("options", "in_raw", "in_model"),
    [
        ((), False, False),
        (("--unmask",), True, False),
        (("--boundary", "open"), False, False),
        (("--boundary", "open", "--unmask"), True, True),
        (("--boundary", "closed"), False, False),
        (("--boundary", "closed", "--unmask"), True, False),
    ],
)
def test_secrets_are_only_in_the_views_that_the_options_allow(
    options: tuple[str, ...], *, in_raw: bool, in_model: bool
) -> None:
    ran = sightline(*KEY, *options, "demo")
    assert ("DEMO-SECRET" in json.dumps(ran.json["raw"])) is in_raw
    assert ("DEMO-SECRET" in json.dumps(ran.json["model"])) is in_model


@pytest.mark.parametrize("words", [("generate_api_key", "name=x"), ("rotate_token", "service=builds")])
@pytest.mark.parametrize("host", ["spec", "claude-code", "codex"])
def test_a_secret_that_reaches_the_model_is_masked_in_every_view_and_format(
    words: tuple[str, str], host: str
) -> None:
    call = ("call", words[0], "--arg", words[1], "--yes", "--boundary", "open", "--host", host, "demo")
    assert CANARY.search(sightline(*call, "--unmask", "--format", "json").out)
    for options in (("--view", "both"), ("--view", "model"), ("--view", "raw"), ("--format", "json")):
        # A text of 400 columns is not wrapped, so that the secret would be found.
        ran = sightline(*call, *options, columns=400)
        assert not CANARY.search(ran.out + ran.err), options
        assert ("(reaches the model)" in ran.out or "characters, reaches the model)" in ran.out) is (
            "raw" not in options
        )
        if "json" not in options:
            assert "! values that `declared` withholds reach the model in " in ran.out


def test_what_reaches_the_model_has_a_sign_on_both_sides_masked_or_not() -> None:
    call = ("call", "generate_api_key", "--arg", "name=x", "--boundary", "open", "demo")
    for options in ((), ("--unmask",)):
        rows = [line for line in sightline(*call, *options).out.splitlines() if '"secret": ' in line]
        assert [(left[0], right[0]) for left, right in (row.split(" │ ") for row in rows)] == [("!", "!")]


def test_a_secret_reference_keeps_its_id_and_url_from_the_model() -> None:
    ran = sightline(
        "call",
        "create_share_link",
        "--args",
        '{"document": "/handbook.md"}',
        "--unmask",
        "--format",
        "json",
        "demo",
    )
    assert ran.code == 0, ran.err
    reference = next(block for block in ran.json["raw"]["content"] if block["type"] == "secret_reference")
    model = json.dumps(ran.json["model"])
    assert reference["id"] not in model
    assert reference["redeemUrl"] not in model
    assert reference["label"] in model


def test_arguments_are_parsed_by_the_schema() -> None:
    ran = sightline(
        "call", "echo_arguments", "--arg", "text=123", "--arg", "count=3", "--arg", "tags=a", "--arg", "tags=b",
        "--arg", "exact=1.10", "--arg", "confirm=yes", "--no-validate", "--format", "json", "demo",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    echoed = ran.json["raw"]["structuredContent"]
    assert (echoed["text"], echoed["count"], echoed["tags"], echoed["confirm"]) == (
        "123",
        3,
        ["a", "b"],
        True,
    )
    assert '"exact":1.10' in ran.out


def test_invalid_arguments_are_reported_with_their_path_and_can_be_sent() -> None:
    wrong = ("call", "generate_api_key", "--args", '{"name": 5, "more": 1}')
    ran = sightline(*wrong, "demo")
    assert ran.code == 2
    assert "/name: " in ran.err
    assert "--no-validate" in ran.err
    sent = sightline(*wrong, "--no-validate", "--format", "json", "demo")
    assert sent.code == 5


def test_arguments_are_read_from_a_file_or_from_stdin(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"name": "from file"}')
    call = ("call", "generate_api_key", "--format", "json")
    assert '"name":"from file"' in sightline(*call, "--args", f"@{path}", "demo").out
    assert (
        '"name":"from stdin"' in sightline(*call, "--args", "-", "demo", stdin='{"name": "from stdin"}').out
    )


def test_a_tool_that_asks_to_be_confirmed_is_called_with_yes() -> None:
    ran = sightline("call", "delete_project", "--arg", "project=apollo", "--yes", "--no-validate", "demo")
    assert ran.code in {0, 5}
    assert "not called" not in ran.err


def test_a_misspelt_argument_name_gets_a_suggestion() -> None:
    ran = sightline("call", "generate_api_key", "--arg", "nme=x", "demo")
    assert ran.code == 2
    assert "nme: did you mean name?" in ran.err


def test_an_error_of_the_tool_shows_both_views_and_exits_5() -> None:
    ran = sightline("call", "sync_calendar", "--no-validate", "--yes", "--format", "json", "demo")
    assert ran.code == 5
    assert ran.json["raw"]["isError"] is True


def test_an_unlisted_tool_can_be_called_with_no_validate() -> None:
    ran = sightline("call", "none", "--no-validate", "--format", "json", "demo")
    assert ran.code == 5
    assert ran.json["raw"]["error"]["code"] == -32602


def test_progress_is_shown_on_stderr_unless_quiet() -> None:
    call = ("call", "t", "--format", "text", *raw_server("progress"))
    assert "progress 2 of 4: step 2" in sightline(*call).err
    assert sightline("call", "t", "-q", *raw_server("progress")).err == ""


@pytest.mark.parametrize(("columns", "beside"), [(120, True), (80, False)])
def test_views_are_side_by_side_if_the_terminal_is_wide_enough(columns: int, *, beside: bool) -> None:
    text = sightline("call", "generate_api_key", "--arg", "name=x", "demo", columns=columns).out
    assert any("SERVER SENT" in line and "MODEL SEES" in line for line in text.splitlines()) is beside
    assert "✗ /structuredContent/secret  [x-sensitive]" in text
    assert max(map(len, text.splitlines()[:20])) <= 120


def test_the_demo_without_a_terminal_shows_one_call() -> None:
    ran = sightline("demo")
    assert ran.code == 0
    assert "MODEL SEES" in ran.out
    assert "DEMO-SECRET" not in ran.out


def test_untrusted_text_is_delimited_by_markers_that_differ_for_each_call() -> None:
    texts: list[str] = []
    for _ in range(2):
        ran = sightline("call", "list_inbox", "--format", "json", "demo")
        assert ran.code == 0
        texts.append(ran.json["model"]["content"][0]["text"])
        assert texts[-1].splitlines()[0] not in str(ran.json["raw"])
    first, second = (text.splitlines()[0] for text in texts)
    assert first != second
    assert first.startswith("[untrusted content ")


def test_policy_options_tighten_a_call() -> None:
    text = sightline("call", "list_inbox", "-q", "--view", "raw", "demo").out
    assert re.search(r"^~ +\"text\"", text, re.MULTILINE), "changed, not withheld"
    ran = sightline("call", "list_inbox", "--hide-untrusted", "--format", "json", "demo")
    assert {removal["rule"] for removal in ran.json["withheld"]} >= {"untrusted"}
    assert "structuredContent" not in ran.json["model"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("generate_api_key",), "Add --arg name=VALUE. --no-validate"),
        (("generate_api_key", "--args", "{name: a}"), '--args \'{"name": "value"}\'. --arg name=value'),
        # As a shell splits JSON without quotes around it.
        (("generate_api_key", "--args", "{name:", "a}"), '--args \'{"name": "value"}\'. --arg name=value'),
        (("generate_api_key", "--args", "{name:", "a,", "b:", "1}"), '--args \'{"name": "value"}\''),
        (("generate_api_key", "--arg", "name:=a"), "A text after := needs double quotes, as in JSON"),
        (("generate_api_key", "--arg", "nme=a"), "nme: did you mean name? --no-validate"),
    ],
)
def test_a_wrong_argument_gets_the_nearest_fix(words: tuple[str, ...], said: str) -> None:
    ran = sightline("call", *words, "demo")
    assert ran.code == 2
    assert said in ran.err
    assert ("Add --arg" in ran.err) == said.startswith("Add")


def test_the_hints_about_missing_arguments_lead_to_a_call() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "order": {
                "type": "object",
                "properties": {
                    "who": {"type": "string"},
                    "to": {"type": "object", "required": ["zip code"]},
                    "lines": {"type": "array", "items": {"type": "object"}},
                },
                "required": ["who", "to", "lines"],
            }
        },
        "required": ["order"],
    }
    tool = Tool(name="t", definition={"name": "t", "inputSchema": schema})
    with pytest.raises(UsageError) as caught:
        checked_arguments({}, CallArguments(), tool)
    hint, _, _ = caught.value.hint.partition(". --no-validate")
    assert hint == "Add --arg order.who=VALUE --arg 'order.to.zip code=VALUE' --arg 'order.lines:=[…]'"
    single = [word for word in shlex.split(hint.replace("…", "")) if "=" in word]
    assert checked_arguments({}, CallArguments(single=tuple(single)), tool) == {
        "order": {"who": "VALUE", "to": {"zip code": "VALUE"}, "lines": []}
    }


def test_a_name_close_to_one_of_an_open_schema_is_sent_and_reported(tmp_path: Path) -> None:
    schema: JsonObject = {"type": "object", "properties": {"max_count": {"type": "integer"}}}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": schema})

    def said(*single: str, is_validated: bool = True) -> list[str]:
        call = CallArguments(single=single, unvalidated=not is_validated)
        arguments = checked_arguments({}, call, tool)
        assert len(arguments) == len(single)
        return argument_remarks(arguments, call, tool)

    remark = "the input schema does not name max-count: did you mean max_count?"
    assert said("max-count=2") == [remark]
    assert said("other=2") == ["the input schema does not name other, only max_count"]
    assert said("max_count=1") == said("max-count=2", is_validated=False) == []
    for keyword in ("additionalProperties", "patternProperties", "$ref"):
        open_ = Tool(name="t", definition={"name": "t", "inputSchema": {**schema, keyword: {}}})
        assert argument_remarks({"other": 2}, CallArguments(), open_) == []
    strict = Tool(name="t", definition={"name": "t", "inputSchema": {**schema, "required": ["max_count"]}})
    with pytest.raises(UsageError) as caught:
        checked_arguments({"other": 2}, CallArguments(), strict)
    assert (
        "Add --arg max_count=VALUE. The input schema does not name other, only max_count. "
        in caught.value.hint
    )

    wire = Wire()
    wire.listed({"name": "t", "inputSchema": schema})
    wire.called("t", {"max-count": "2"})
    wire.answered({"content": []})
    server = ("--", *words("serve", str(recorded_to(tmp_path / "a.jsonl", wire.frames))))
    assert remark in sightline("call", "t", "--arg", "max-count=2", *server).err.splitlines()
    shown = sightline("call", "t", "--arg", "max-count=2", "--json", *server)
    assert (shown.err, shown.json["argument_remarks"]) == ("", [{"message": remark}])
