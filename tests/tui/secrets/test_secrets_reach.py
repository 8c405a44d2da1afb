"""The commands, keys, palette entries and modules that can access a secret. Each new one has to be added to a table here."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import click
from textual.command import DiscoveryHit

from inspector.cli.main import sightline
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import COMMANDS
from inspector.tui.secrets.screen import SecretsScreen
from tests.tui.scripted import LARGE, app_of, screen_text, settled
from tests.tui.secretive import QUESTION, REDEEMED, among_secrets, revealed, secretive

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "inspector"

SHOWS = {"secrets.peek", "lines.choose", "result.unmask"}
"""The commands that show a value: on the secrets screen, and of a result in its pane."""
ASKS = {"secrets.reveal"}
"""The commands that ask whether a reference is to be redeemed."""
SENDS = {"secrets.agree"}
"""The commands that redeem one, after the question."""
COPIES = {"secrets.copy"}
"""The commands that copy a value, if the user's own configuration allows it."""
ENDS = {"app.quit", "app.quit-anywhere", "session.reconnect"}
"""The commands that end the session, and forget its secrets."""
HARMLESS = {
    "app.interrupt",
    "app.help",
    "app.palette",
    "app.palette-colon",
    "app.next",
    "app.previous",
    "main.back",
    "main.filter",
    "main.timeline",
    "main.zoom",
    "tab.call",
    "tab.definition",
    "tab.claims",
    "tab.findings",
    "form.run",
    "form.send-anyway",
    "form.json",
    "form.call",
    "arguments.edit",
    "call.repeat",
    "session.list",
    "call.submit",
    "call.copy",
    "boundary.next",
    "boundary.previous",
    "host.choose",
    "host.back",
    "host-list.next",
    "host-list.previous",
    "host-list.back",
    "calls.compare",
    "host.compare",
    "result.compare",
    "secrets.open",
    "choice.next",
    "choice.previous",
    "choice.none",
    "lines.down",
    "lines.up",
    "lines.first",
    "lines.last",
    "lines.page-down",
    "lines.page-up",
    "servers.next",
    "servers.previous",
    "lines.left",
    "lines.right",
    "result.next",
    "result.sides",
    "result.json",
    "result.link",
    "resource.subscribe",
    "session.ping",
    "session.roots",
    "session.announce",
    "answer.open",
    "answer.accept",
    "answer.decline",
    "answer.cancel",
    "answer.decline-rest",
    "answer.cancel-call",
    "result.copy",
    "values.fold",
    "values.fold-recorded",
    "values.search",
    "search.next",
    "search.previous",
    "search.close",
    "result.previous",
    "definition.next",
    "definition.previous",
    "frame.back",
    "frame.copy",
    "frame.next",
    "frame.previous",
    "frame.text",
    "hosts.back",
    "hosts.boundary",
    "hosts.boundary-previous",
    "secrets.back",
    "secrets.mask",
    "secrets.forget",
    "help.back",
    "page.open",
    "interface.open",
    "interface.back",
    "interface.boundary",
    "page.back",
    "decision.agree",
    "decision.decline",
    "trust.open",
    "policy.open",
    "policy.back",
    "trust.new-session",
    "trust.back",
    "trust.propagation",
    "trust.renew",
    "session.record",
    "session.export",
    "play.step",
    "play.back",
    "play.next-call",
    "play.previous-call",
    "play.first",
    "play.last",
    "play.toggle",
    "play.speed",
    "play.jump",
    "play.find",
    "play.find-next",
    "play.find-previous",
    "asking.back",
    "findings.open",
    "findings.accept",
    "review.back",
    "review.filter",
    "review.export",
    "pins.open",
    "pins.back",
    "pins.pin",
    "pins.unpin",
    "pins.agree",
    "authorize.cancel",
    "authorize.copy",
    "authorize.open",
    "choice.pick",
    "context.back",
    "context.open",
    "editor.all",
    "editor.undo",
    "field.undo",
    "result.save",
    "search.keep",
    "timeline.fold",
    "history.open",
    "history.back",
    "history.call",
    "history.definition",
    "history.claims",
    "history.findings",
    "history.again",
    "history.edit",
    "history.mark",
    "history.compare",
    "history.save",
    "history.filter",
    "history.forget",
    "history.agree",
    "pair.back",
    "pair.next",
    "pair.previous",
    "pair.sides",
    "watch.back",
    "watch.open",
}
OPTIONS = {
    "--watch",
    "--also-as",
    "--cacert",
    "--calls",
    "--client-credentials",
    "--client-id",
    "--client-key",
    "--client-metadata-url",
    "--client-secret",
    "--file",
    "--files",
    "--forget",
    "--hosts",
    "--insecure",
    "--installed",
    "--issuer",
    "--junit",
    "--no-browser",
    "--pins",
    "--propose",
    "--redirect-uri",
    "--remember",
    "--sarif",
    "--scope",
    "--stored-auth-only",
    "--arg",
    "--remove",
    "--list",
    "--audit",
    "--stderr",
    "--policy",
    "--args",
    "--boundary",
    "--cdp",
    "--chromium",
    "--compare",
    "--config",
    "--cwd",
    "--definitions",
    "--era",
    "--format",
    "--headed",
    "--header",
    "--hide-untrusted",
    "--host",
    "--no-check-output",
    "--no-history",
    "--no-validate",
    "--polyfill",
    "--submit",
    "--wait",
    "--port",
    "--result",
    "--serve",
    "--server",
    "--server-name",
    "--theme",
    "--timeout",
    "--tool",
    "--unmask",
    "--view",
    "--version",
    "--withhold-credentials",
    "--yes",
    "--yes-call",
    "--output",
    "--ignore",
    "--baseline",
    "--call",
    "--web",
    "--fail-on",
    "--check",
    "--meta",
    "--root",
    "--no-root",
    "--answer",
    "--log-level",
    "--params",
    "--sampling-reply",
    "--as",
    "--exact",
    "--exit-code",
    "--export",
    "--http",
    "--identity",
    "--record",
    "--save",
    "--seal-to",
    "-o",
    "-e",
    "-q",
}
"""The options of the command line. None of them accesses a redeemed value; `--unmask` shows the withheld values of a result."""
ARGUMENTS = {
    "words",
    "others",
    "uri",
    "method",
    "target",
    "targets",
    "tool",
    "name",
    "after",
    "before",
    "recording",
    "recordings",
}
COMMAND_WORDS = {
    "open",
    "read",
    "prompt",
    "skill",
    "request",
    "context",
    "list",
    "call",
    "project",
    "claims",
    "hosts",
    "demo",
    "policy",
    "review",
    "replay",
    "serve",
    "diff",
    "pin",
    "docs",
    "auth",
    "check",
    "codegen",
    "discover",
    "run",
    "verify",
}


@cache
def accesses() -> tuple[list[tuple[str, ast.Attribute]], list[tuple[str, str | None]]]:
    """Every call of a method and every module that is imported, each with its file. All files are parsed once."""
    called: list[tuple[str, ast.Attribute]] = []
    imported: list[tuple[str, str | None]] = []
    for path in PACKAGE.rglob("*.py"):
        file = str(path.relative_to(PACKAGE))
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called.append((file, node.func))
            elif isinstance(node, ast.ImportFrom):
                imported.append((file, node.module))
    return called, imported


def calls_of(name: str) -> Iterator[tuple[str, str]]:
    """Every call of a method with that name: its file, and its object."""
    for file, method in accesses()[0]:
        if method.attr == name:
            yield file, ast.unparse(method.value)


def users_of(module: str) -> set[str]:
    """Every file that imports a module, including imports within functions."""
    return {file for file, imported in accesses()[1] if imported == module}


NETWORK = ("connect/", "webmcp/browser/", "secrets/http.py", "secrets/redemption/")


def not_wire(files: Iterable[str]) -> set[str]:
    return {file for file in files if not file.startswith(NETWORK)}


def test_every_key_is_in_one_table() -> None:
    tables = (SHOWS, ASKS, SENDS, COPIES, ENDS, HARMLESS)
    assert {command.id for command in COMMANDS} == set().union(*tables)
    assert sum(map(len, tables)) == len(COMMANDS)
    offered = {command.id for command in COMMANDS if command.palette}
    assert offered <= HARMLESS | ENDS
    assert {command.id for command in COMMANDS if command.place is KeyPlace.SECRETS} >= ASKS | SENDS | COPIES


def test_every_command_and_option_of_the_command_line_is_in_a_table() -> None:
    context = click.Context(sightline)
    found = {name: sightline.get_command(context, name) for name in sightline.list_commands(context)}
    assert set(found) == COMMAND_WORDS
    known = [sightline, *(command for command in found.values() if command is not None)]
    spelt = {word for command in known for parameter in command.params for word in parameter.opts}
    assert spelt == OPTIONS | ARGUMENTS


def test_only_the_secrets_screen_requests_values_and_redemptions() -> None:
    assert {file for file, of in calls_of("value") if not of.endswith("outline")} == {
        # This `value` belongs to an entry of a registry file.
        "files/server_json.py",
        "secrets/vault.py",
        "tui/secrets/screen.py",
    }
    reveals = {(file, of) for file, of in calls_of("reveal") if of not in {"self", "super()"}}
    assert reveals == {("tui/secrets/fetching.py", "custody")}
    assert not_wire(file for file, _ in calls_of("redeem") if not file.startswith("demo/")) == {
        "secrets/session.py"
    }
    assert {file for file, _ in calls_of("copy_secret")} == set()


def test_the_modules_that_import_custody_and_vault_are_listed() -> None:
    assert users_of("inspector.secrets.session") == {
        "session/live.py",
        "tui/app.py",
        "tui/runtime/guard.py",
        "tui/secrets/keeper.py",
        "tui/main/screen.py",
        "tui/secrets/fetching.py",
        "tui/secrets/screen.py",
    }
    assert users_of("inspector.secrets.vault") == {
        "secrets/session.py",
        "tui/secrets/fetching.py",
        "tui/secrets/rows.py",
        "tui/secrets/screen.py",
    }
    assert not_wire(users_of("inspector.secrets.http")) == {"secrets/session.py"}


COMMAND_LINES = (
    ["--help"],
    ["claims"],
    ["hosts"],
    ["list", "demo"],
    ["call", "generate_api_key", "demo", "--arg", "name=a", "--yes", "--unmask", "--format", "json"],
    ["call", "create_share_link", "demo", "--arg", "document=/handbook.md", "--yes"],
)


def test_no_command_loads_the_redemption_code() -> None:
    script = (
        "import json, sys\n"
        "from inspector.__main__ import interface\n"
        "from inspector.cli.main import run\n"
        "codes = [run(words, interface) for words in json.loads(sys.argv[1])]\n"
        "print(*codes, file=sys.stderr)\n"
        "print(*sorted(name for name in sys.modules if 'inspector' in name), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(COMMAND_LINES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    *_, codes, names = done.stderr.splitlines()
    assert codes.split() == ["0"] * len(COMMAND_LINES)
    loaded = set(names.split())
    assert "inspector.cli.main" in loaded
    assert not loaded & {"inspector.secrets.session", "inspector.secrets.vault", "inspector.secrets.http"}


def keys_of(*ids: str) -> set[str]:
    return {key for command in COMMANDS if command.id in ids for key in command.keys.split(",")}


async def test_only_listed_keys_show_or_send_a_secret() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    others = keys_of(*(command.id for command in COMMANDS)) - keys_of(*ENDS, *SENDS, "secrets.forget")
    shows = keys_of(*SHOWS)
    # The key that agrees comes first, while there is no question, and the keys that may show a value come last.
    every_key = [*keys_of(*SENDS), *sorted(others - shows), *sorted(others & shows)]
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        custody = script.opened[0].custody
        for place in ("secrets", "main"):
            for key in every_key:
                while len(app.screen_stack) > 2 and not (
                    place == "secrets" and isinstance(app.screen, SecretsScreen)
                ):
                    await app.pop_screen()
                if place == "secrets" and not isinstance(app.screen, SecretsScreen):
                    app.screen_stack[1].set_focus(None)
                    await pilot.press("s")
                await pilot.press(key)
                may_show = place == "secrets" and key in shows
                assert may_show or (custody.peeked is None and REDEEMED not in screen_text(app)), (key, place)
        assert redeemer.asked == ["s1"]
        assert custody.vault.holds_revealed


async def test_no_entry_of_the_palette_shows_or_sends_a_secret() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        custody = script.opened[0].custody
        seen: list[str] = []
        for provider in app.COMMANDS:
            assert isinstance(provider, type)
            async for hit in provider(app.screen_stack[1]).discover():
                assert isinstance(hit, DiscoveryHit)
                entry = str(hit.text)
                seen.append(entry)
                if entry.startswith(("Quit", "Reconnect")):
                    continue
                ran = hit.command()
                if ran is not None:
                    await ran
                await pilot.pause()
                assert custody.peeked is None, entry
                assert REDEEMED not in screen_text(app), entry
                assert QUESTION not in screen_text(app), entry
        offered = {command.label for command in COMMANDS if command.palette}
        assert len(seen) >= len(offered)
        assert not any("screenshot" in entry.casefold() for entry in seen)
        await settled(pilot, app)
        assert redeemer.asked == ["s1"]
