"""Regenerates the recordings in `recordings/`: `python -m tests.recording.samples`.

Times, ids, ports and process ids are normalised afterwards, so that a sample changes only if the demo does.
"""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from inspector.boundary.bound import bound
from inspector.boundary.mask import SHOWN
from inspector.boundary.options import BoundaryPolicy, Level
from inspector.boundary.reading import raw_of
from inspector.demo.launch import page_beside
from inspector.demo.server import SEED_VARIABLE, DemoOptions
from inspector.errors import NotConfirmedError
from inspector.json.chunks import pieces
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import resolve
from inspector.json.texts import texts_in
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.protocol.targets import DemoTarget, PageTarget, StdioTarget, Target
from inspector.recording.codec import Broken, decoded, written
from inspector.recording.files import Recorder
from inspector.recording.format import Lenses, Line, Projected
from inspector.recording.replaying import Replay, ReplayedCall, projected
from inspector.recording.target import header_of, secret_values
from inspector.schema.fields import example_arguments, form_of
from inspector.secrets.redemption.addresses import free_port
from inspector.session.live import Session
from inspector.session.options import Options
from tests.sinks.searching import found_in

FOLDER = Path(__file__).parents[2] / "recordings"
CREATED, SOFTWARE = "2026-11-22T00:00:00Z", "mcp-sightline 0.1.0"
_SEED = "samples"
CANARY = re.compile(r"DEMO-SECRET-[A-Za-z-]+-[A-Za-z0-9]{8,}|DEMOSECRET[A-Za-z0-9]{6,}")
_ID = re.compile(r'(?<="id":")[0-9a-f]{16}(?=")|(?<= )[0-9a-f]{16}(?=\])')
_PROCESS = re.compile(r"process \d+")
_PORT = re.compile(r"(?<=127\.0\.0\.1:)\d{4,5}")


class Telling:
    """One session, and the agreement to its calls."""

    def __init__(self, session: Session, recorder: Recorder) -> None:
        self.session = session
        self.recorder = recorder
        self.oversight = Oversight()

    async def call(
        self, name: str, /, *, agreement: Agreement = Agreement.USER, timeout_s: float = 20, **given: Json
    ) -> None:
        """Call a tool with these arguments, and made-up values for the others."""
        tool = self.session.catalogue.tool(name)
        arguments: JsonObject = {**(example_arguments(form_of(tool.input_schema)) if tool else {}), **given}
        considered = await self.oversight.consider(self.session, name, arguments)
        with suppress(NotConfirmedError):
            await self.oversight.call(self.session, considered, agreement=agreement, timeout_s=timeout_s)

    def look(self, level: Level, host: str, policy: BoundaryPolicy | None = None) -> None:
        """Switch to another boundary and host."""
        self.recorder.look(
            self.session.now_s, Lenses(level=level, host=host, policy=policy or BoundaryPolicy())
        )


async def claims_and_boundaries(told: Telling) -> None:
    """The claims of tools, and the parts of their results that pass each boundary."""
    await told.call("clean_clock")
    await told.call("patient_record")
    told.look(Level.OPEN, "spec")
    await told.call("patient_record")
    told.look(Level.CLOSED, "spec")
    await told.call("patient_record")
    told.look(Level.DECLARED, "codex")
    await told.call("update_salary")
    await told.call("odd_claims")


async def secrets(told: Telling) -> None:
    """Declared credentials, in results, in logs of servers, and behind references."""
    await told.call("generate_api_key", name="build")
    for name in ("create_share_link", "rotate_token", "sync_calendar", "read_drafts"):
        await told.call(name)
    await told.call("export_report", seconds=1, steps=3)


async def untrusted_content(told: Telling) -> None:
    """Text from anyone, and the decision of the policy on a mail after it."""
    await told.call("search_web", query="release")
    await told.call(
        "send_mail", agreement=Agreement.NONE, to="chidi@example.org", subject="Notes", body="What I found."
    )
    await told.call("list_inbox")
    told.look(Level.DECLARED, "spec", BoundaryPolicy(hide_untrusted=True))
    await told.call("search_web", query="release")
    await told.call("send_mail", to="chidi@example.org", subject="Notes", body="What I found.")


async def faults(told: Telling) -> None:
    """Faults: an unknown tool, invalid arguments, a missing answer, and a reconnection."""
    await told.call("no_such_tool")
    await told.call("update_salary", person="")
    await told.call("export_report", timeout_s=0.3)
    await told.call("poisoned_weather", city="Bern")
    await told.session.close()
    again = Session(told.session.target, told.session.options)
    told.session = again
    await again.connect()
    await again.list_all()
    await told.call("clean_clock")


async def page(told: Telling) -> None:
    """A page in a browser: its declarations, and the results of its tools."""
    for name in ("list_documents", "team_motto", "latest_alert", "list_inbox", "count_documents"):
        await told.call(name)
    await told.call("generate_api_key", name="build")


Theme: TypeAlias = Callable[[Telling], Awaitable[None]]
THEMES: dict[str, Theme] = {
    "claims-and-boundaries": claims_and_boundaries,
    "secrets": secrets,
    "untrusted-content": untrusted_content,
    "faults": faults,
    "page": page,
}


async def recorded(path: Path, theme: Theme, target: Target, named: Target) -> list[str]:
    """Record a session to `path`; return its secrets. `named`: the target as the recording names it."""
    header = header_of(named, Lenses(), created=CREATED, software=SOFTWARE)
    recorder = Recorder(
        path, header, secret_values=secret_values(target), target=(str(target), header.target)
    )
    told = Telling(Session(target, Options(timeout_s=30, recorder=recorder)), recorder)
    try:
        await told.session.connect()
        await told.session.list_all()
        await theme(told)
    finally:
        await told.session.close()
        await asyncio.to_thread(recorder.close)
    if recorder.failure:
        raise RuntimeError(recorder.failure)
    return list(withheld_of(told.session))


def withheld_of(session: Session) -> Iterator[str]:
    """The values that the demo marks as secret and that the calls' declarations withhold."""
    for call in session.calls:
        raw = raw_of(call.outcome)
        for removal in bound(call.outcome, call.tool, Level.DECLARED).removals:
            if removal.rule not in SHOWN and removal.rule not in {"mirror", "echo"}:
                texts = set[str]()
                texts_in(resolve(raw, removal.pointer), texts, set())
                yield from (canary for text in texts for canary in CANARY.findall(text))


async def made(path: Path, name: str) -> list[str]:
    """Make one sample, as the demo gives it today; return the secrets that are not in it."""
    async with AsyncExitStack() as stack:
        if name == "page":
            url = stack.enter_context(page_beside(DemoOptions(seed=_SEED)))
            target: Target = PageTarget(url=url)
            named: Target = target
        else:
            command = (sys.executable, "-m", "inspector.demo", "stdio", "--port", str(free_port()))
            target = StdioTarget(command=command, environment={SEED_VARIABLE: _SEED})
            named = DemoTarget()
        return await recorded(path, THEMES[name], target, named)


def in_order(raw: str) -> str:
    """A recording with times, ids, ports and processes normalised."""
    ids: dict[str, str] = {}
    raw = _PORT.sub("8765", _PROCESS.sub("process 1000", raw))
    raw = _ID.sub(lambda found: ids.setdefault(found[0], f"{len(ids) + 1:016x}"), raw)
    lines = [json.dumps(_timed(json.loads(line), number)) for number, line in enumerate(raw.splitlines())]
    return "".join(f"{line}\n" for line in _seen_anew(lines))


def _timed(line: dict[str, object], number: int) -> dict[str, object]:
    known = {"at": number / 20, "duration": 0.04}
    return {key: known.get(key, value) for key, value in line.items()}


def _seen_anew(lines: list[str]) -> Iterator[str]:
    """The lines with new model views, because the markers around untrusted text depend on the ids."""
    replay = Replay()
    calls: dict[tuple[int, str], ReplayedCall] = {}
    for raw in lines:
        line = decoded(raw.encode())
        if isinstance(line, Broken):
            raise TypeError(line.reason)
        calls |= {(call.frame, call.request): call for call in replay.calls(line)}
        found: Line | None = line
        if isinstance(line, Projected):
            found = projected(calls[line.frame, line.request], line.lenses)
        if found:
            yield b"".join(pieces(written(found))).decode()


def main(names: list[str]) -> None:
    """Write the named samples, or all of them."""
    for name in names or THEMES:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "made.jsonl"
            secrets = asyncio.run(made(path, name))
            said = [form for secret in secrets for form in found_in(path.read_bytes(), secret)]
            if said:
                raise RuntimeError(f"{name} says what it withholds: {said}")
            text = in_order(path.read_text())
        (FOLDER / f"{name}.jsonl").write_text(text)
        sys.stdout.write(f"{name}: {len(text):,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
