"""A session with the demo server, from its first frame to its recording, and the commands on that recording."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.mask import SHOWN
from inspector.boundary.reading import raw_of
from inspector.json.pointer import resolve
from inspector.json.texts import texts_in
from inspector.protocol.exchanges import Exchanges
from inspector.protocol.targets import DemoTarget, HttpTarget, StdioTarget
from inspector.recording.files import Recorder
from inspector.recording.format import Lenses
from inspector.recording.target import header_of, named, secret_values
from inspector.schema.fields import example_arguments, form_of
from inspector.secrets.holdings import Holdings, holdings_in
from inspector.secrets.vault import VaultKey
from inspector.session.call_record import CallRecord
from inspector.session.events import Event, FrameSeen
from inspector.session.live import Session
from inspector.session.options import Options
from tests.cli.sightline import sightline, words
from tests.secrets.redemption.redeeming import found_in

CANARY = re.compile(r"DEMO-SECRET-[A-Za-z-]+-[A-Za-z0-9]{8,}")
"""The marks of the secrets that the demo plants."""


async def recorded_session(path: Path) -> tuple[list[CallRecord], str]:
    """Call every tool of the demo and reveal a reference; return the calls, and the revealed value."""
    target = DemoTarget()
    header = header_of(target, Lenses(), created="2026-11-21T00:00:00Z", software="mcp-sightline 0")
    recorder = Recorder(path, header, secret_values=secret_values(target))

    exchanges = Exchanges()

    def listen(event: Event) -> None:
        if isinstance(event, FrameSeen):
            recorder.frame(exchanges.take(event.frame))

    session = Session(target, Options(timeout_s=20), listen)
    try:
        await session.connect()
        await session.locate_secrets()
        await session.list_all()
        for tool in session.catalogue.tools:
            await session.call(tool.name, example_arguments(form_of(tool.input_schema)))
        custody = session.custody
        made, holdings = next((call, found) for call in session.calls if (found := held(call)).references)
        custody.vault.keep(made.number, made.name, made.received_s, raw_of(made.outcome), holdings)
        key = VaultKey(made.number, 0)
        await custody.reveal(key)
        revealed = custody.vault.value(key)
        assert isinstance(revealed, str)
        return list(session.calls), revealed
    finally:
        await session.close()
        recorder.close()
        assert not recorder.failure


def held(call: CallRecord) -> Holdings:
    return holdings_in(raw_of(call.outcome), bound(call.outcome, call.tool, Level.DECLARED).removals)


def withheld(call: CallRecord) -> Iterator[str]:
    """The canaries that `declared` withholds of a call."""
    raw = raw_of(call.outcome)
    for removal in bound(call.outcome, call.tool, Level.DECLARED).removals:
        if removal.rule in SHOWN or removal.rule in {"mirror", "echo"}:
            continue
        said = set[str]()
        texts_in(resolve(raw, removal.pointer), said, set())
        yield from (canary for text in said for canary in CANARY.findall(text))


def test_a_recorded_session_contains_no_secret_and_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    calls, revealed = asyncio.run(recorded_session(path))
    text = path.read_text()
    assert len(calls) > 15
    secrets = {revealed} | {secret for call in calls for secret in withheld(call)}
    assert len(secrets) >= 5
    assert found_in(text, *secrets) == []
    check = sightline("replay", "--check", str(path))
    # The result of the odd tool violates its output schema, which is not a difference.
    assert check.code == 13, check.out
    assert [line.split(":")[0].split()[-1] for line in check.out.splitlines() if "≠" in line] == [
        "odd_claims"
    ]
    assert f"{len(calls)} results checked, 0 differ" in check.out
    replay = sightline("replay", "--format", "json", str(path))
    assert len(replay.json["recordings"][0]["calls"]) == len(calls)
    served = sightline("list", "--format", "json", "--", *words("serve", str(path)))
    live = sightline("list", "--format", "json", "demo")
    assert [tool["definition"] for tool in served.json["tools"]] == [
        tool["definition"] for tool in live.json["tools"]
    ]
    assert found_in(check.out + replay.out + served.out, *secrets) == []


def test_a_target_is_named_without_its_secrets() -> None:
    command = StdioTarget(
        command=("/usr/bin/node", "server.js", "--api-key", "first-secret", "--token=second-secret", "plain"),
        environment={"A": "third-secret"},
    )
    assert named(command) == ("stdio", "node")
    assert set(secret_values(command)) == {"first-secret", "second-secret", "third-secret"}
    address = HttpTarget(
        url="https://me:fourth%20secret@a.example/mcp?sig=fifth-secret",
        headers=(("Authorization", "Bearer sixth-secret"),),
    )
    assert named(address) == ("http", "https://a.example/mcp")
    assert {"fourth secret", "fifth-secret", "sixth-secret", "Bearer sixth-secret"} <= set(
        secret_values(address)
    )
