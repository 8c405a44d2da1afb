import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InspectorError, UsageError
from inspector.files.settings import AuditSettings
from inspector.json.exact import Json, JsonObject
from inspector.pins.files import known_as
from inspector.policy.audit import AuditedCall
from inspector.policy.files.audit import LOGGER, Audit
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError
from inspector.protocol.targets import HttpTarget, StdioTarget, Target
from tests.proof.templates import Encoding, written
from tests.sinks.searching import found_in

CANARY = "kT7pQx2mWv9sRb4nLc8yHd3g"
SERVER = StdioTarget(command=("serve", "--token", "argvT0kenQx71mW"), environment={"KEY": "envT0kenQx71mWzz"})
SECRET: JsonObject = {"type": "string", "x-sensitive": True}


def tool(effect: str | None = None, **inputs: Json) -> Tool:
    definition: JsonObject = {
        "name": "act",
        "inputSchema": {"type": "object", "properties": dict(inputs)},
        "outputSchema": {"type": "object", "properties": {"key": SECRET, "word": {"type": "string"}}},
    }
    if effect:
        definition["_meta"] = {"mcp.dev/effect": effect}
    return Tool(name="act", definition=definition)


def call(
    of: Tool | None, arguments: JsonObject | None = None, *, name: str = "act", target: Target = SERVER
) -> AuditedCall:
    return AuditedCall(target=target, session=1, number=3, name=name, tool=of, arguments=arguments or {})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def audit(path: Path) -> Iterator[Audit]:
    made = Audit(path)
    yield made
    made.close()


def handlers() -> list[logging.Handler]:
    """The handlers that Sightline added; pytest has its own."""
    found = logging.getLogger(LOGGER).handlers
    return [handler for handler in found if not type(handler).__module__.startswith("_pytest")]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_the_key_of_a_server_is_the_beginning_of_the_name_of_its_pin(audit: Audit, path: Path) -> None:
    target = StdioTarget(command=("serve",), cwd=".")
    audit.declined(call(tool("read"), target=target), "user")
    (line,) = lines(path)
    assert line["serverKey"] == known_as(target).key[:16]


def test_arguments_are_logged_unless_the_tool_is_read_only(audit: Audit, path: Path) -> None:
    audit.deciding(call(tool("read"), {"word": "tea"}), "allow", ())
    for effect in ("write", "external", "delete", None):
        audit.deciding(call(tool(effect), {"word": "tea"}), "confirm", ("claims-delete",))
    first, *others = lines(path)
    assert first.pop("time").endswith("Z")
    assert first == {
        "event": "decided",
        "session": 1,
        "call": 3,
        "server": "serve",
        "serverKey": first["serverKey"],
        "tool": "act",
        "effect": "read",
        "verdict": "allow",
    }
    assert [other["effect"] for other in others] == ["write", "external", "delete", "unknown"]
    assert all(other["arguments"] == {"word": "tea"} for other in others)
    assert all(other["rules"] == ["claims-delete"] for other in others)


def test_a_decision_names_its_reasons_and_who_agreed_also_for_a_tool_that_only_reads(
    audit: Audit, path: Path
) -> None:
    audit.deciding(call(tool("read"), {"word": "tea"}), "confirm", ("it has changed",), "--yes")
    audit.deciding(call(tool("write")), "confirm", ("mine",), "user")
    audit.deciding(call(tool("write")), "confirm", ("mine",))
    read, agreed, refused = lines(path)
    assert (read["rules"], read["agreed"]) == (["it has changed"], "--yes")
    assert "arguments" not in read
    assert (agreed["rules"], agreed["agreed"]) == (["mine"], "user")
    assert "agreed" not in refused


def test_a_tool_that_claims_to_be_destructive_is_logged_as_deleting(audit: Audit, path: Path) -> None:
    annotations: JsonObject = {"destructiveHint": True}
    audit.deciding(
        call(Tool(name="act", definition={"name": "act", "annotations": annotations})), "allow", ()
    )
    audit.deciding(call(tool("write")), "allow", ())
    assert [line["effect"] for line in lines(path)] == ["delete", "write"]


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Result(value={"content": []}), "result"),
        (Result(value={"content": [], "isError": True}), "tool error"),
        (RpcError(value={"code": 1, "message": CANARY}), "protocol error"),
        (RpcError(value={"message": CANARY}, of_page=True), "tool error"),
        (Failure(kind=FailureKind.TIMEOUT, detail=CANARY), "no answer"),
    ],
)
def test_the_outcome_of_a_call_is_logged_without_its_content(
    audit: Audit, path: Path, outcome: Outcome, told: str
) -> None:
    audit.answered(call(tool("write")), outcome, 0.0125)
    audit.declined(call(tool("write")), "user")
    answered, declined = lines(path)
    assert (answered["outcome"], answered["durationMs"]) == (told, 12.5)
    assert (declined["event"], declined["by"]) == ("declined", "user")
    assert not found_in(path.read_bytes(), CANARY)


def test_the_end_of_a_call_has_the_time_of_its_answer(audit: Audit, path: Path) -> None:
    audit.answered(call(tool("write")), Result(value={"content": []}), 0.5, 1_764_214_119.25)
    (line,) = lines(path)
    assert line["time"] == "2025-11-27T03:28:39.250Z"


def test_equal_secrets_have_equal_ids_and_cannot_be_read(audit: Audit, path: Path) -> None:
    of = tool("write", pin=SECRET, note={"type": "string"})
    audit.deciding(call(of, {"pin": CANARY, "note": "tea"}), "allow", ())
    audit.deciding(call(of, {"pin": "another one, and long", "note": "tea"}), "allow", ())
    audit.deciding(call(of, {"pin": CANARY, "note": f"it is {CANARY}, keep it"}), "allow", ())
    first, second, third = (line["arguments"] for line in lines(path))
    assert first["pin"] == third["pin"] != second["pin"]
    assert first["note"] == "tea"
    assert set(third["note"]) == {"$withheld", "id"}
    assert not found_in(path.read_bytes(), CANARY)


FORMS: tuple[Json, ...] = (
    *(written(CANARY, encoding, variant)[0] for encoding in Encoding for variant in range(3)),
    {"nested": [{"deep": CANARY}]},
    {CANARY: 1},
)


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_a_value_withheld_from_a_result_is_in_no_later_line(audit: Audit, path: Path, form: Json) -> None:
    result: JsonObject = {
        "content": [{"type": "text", "text": f"The key is {CANARY}."}],
        "structuredContent": {"key": CANARY, "word": "tea"},
    }
    audit.answered(call(tool("read")), Result(value=result), 0.1)
    audit.deciding(call(tool("write"), {"body": form}), "confirm", (f"rule {CANARY}",))
    audit.deciding(call(None, {"body": form}, name=CANARY), "block", ())
    assert not found_in(path.read_bytes(), CANARY)


def test_the_arguments_of_an_unlisted_tool_are_withheld(audit: Audit, path: Path) -> None:
    audit.deciding(call(None, {"password": CANARY}, name="hidden"), "allow", ())
    (line,) = lines(path)
    assert (line["tool"], line["effect"]) == ("hidden", "unknown")
    assert set(line["arguments"]) == {"$withheld", "id"}
    assert not found_in(path.read_bytes(), CANARY)


def test_secrets_of_the_target_are_in_no_line(audit: Audit, path: Path) -> None:
    arguments: JsonObject = {
        "a": "argvT0kenQx71mW",
        "b": "envT0kenQx71mWzz",
        "c": "queryT0kenQx71",
        "d": "headerT0kenQx71",
    }
    target = HttpTarget(
        url="https://host/mcp?key=queryT0kenQx71", headers=(("Authorization", "Bearer headerT0kenQx71"),)
    )
    audit.deciding(call(tool("write"), arguments), "allow", ())
    audit.deciding(call(tool("write"), arguments, target=target), "allow", ())
    assert "https://host/mcp" in path.read_text()
    last = path.read_text().splitlines()[-1]
    for secret in ("queryT0ken", "headerT0ken"):
        assert secret not in last
    assert "argvT0ken" not in path.read_text()
    assert "envT0ken" not in path.read_text()


def test_every_line_is_ascii_for_any_tool_name(audit: Audit, path: Path) -> None:
    name = "a\nb\x1b]0;x\x07\x7f\u202e\U0001f600\ud800"
    of = Tool(name=name, definition={"name": name, "inputSchema": {}})
    audit.deciding(call(of, {"k": name}, name=name), "allow", (name,))
    raw = path.read_bytes()
    assert raw.count(b"\n") == 1
    assert all(0x20 <= byte <= 0x7E for byte in raw.removesuffix(b"\n"))
    (line,) = lines(path)
    assert line["tool"] == name
    assert line["arguments"] == {"k": name}


def test_the_log_is_private_and_appended_to(path: Path) -> None:
    for _ in range(2):
        audit = Audit(path)
        audit.declined(call(tool()), "policy")
        audit.close()
    assert len(lines(path)) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    with pytest.raises(UsageError, match="accessible to other users"):
        Audit(path)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "nowhere"])
def test_a_path_that_is_not_a_regular_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "audit"
    match kind:
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(tmp_path / "other")
        case "pipe":
            os.mkfifo(path)
        case _:
            path = tmp_path / "missing" / "audit"
    with pytest.raises(UsageError):
        Audit(path)
    assert not handlers()


def test_a_line_that_cannot_be_written_raises_before_the_call() -> None:
    audit = Audit(
        settings=AuditSettings(handlers={"full": {"class": "logging.FileHandler", "filename": "/dev/full"}})
    )
    try:
        with pytest.raises(InspectorError, match="audit log cannot be written: No space left"):
            audit.deciding(call(tool("write")), "allow", ())
    finally:
        audit.close()


def test_a_truncated_line_does_not_run_into_the_next(
    audit: Audit, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def short(descriptor: int, raw: bytes) -> int:
        return write(descriptor, raw[:20])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(InspectorError, match="not enough space"):
        audit.declined(call(tool()), "user")
    monkeypatch.undo()
    audit.declined(call(tool()), "user")
    torn, whole = path.read_text().splitlines()
    assert len(torn) == 20
    assert json.loads(whole)["event"] == "declined"


def test_handlers_configured_by_the_user_get_every_line_with_its_level(tmp_path: Path, path: Path) -> None:
    own = tmp_path / "writes"
    settings = AuditSettings(
        file=path,
        handlers={
            "writes": {
                "class": "logging.FileHandler",
                "filename": str(own),
                "level": "WARNING",
                "formatter": "short",
            }
        },
        formatters={"short": {"format": "%(levelname)s %(message)s"}},
    )
    audit = Audit(settings=settings)
    audit.deciding(call(tool("read")), "allow", ())
    audit.deciding(call(tool("write")), "allow", ())
    logging.getLogger("httpx").warning("a library's words")
    audit.close()
    assert len(lines(path)) == 2
    (line,) = own.read_text().splitlines()
    assert line.startswith('WARNING {"time":')


@pytest.mark.parametrize(
    "handler",
    [
        {"class": "logging.NoSuchHandler"},
        {"class": "logging.FileHandler"},
        {"class": "logging.StreamHandler", "level": "LOUD"},
        {"class": "logging.StreamHandler", "formatter": "missing"},
        {},
    ],
)
def test_a_handler_that_cannot_be_created_is_a_usage_error(handler: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"config\.toml, `audit`"):
        Audit(settings=AuditSettings(handlers={"mine": handler}))
    assert not handlers()
