"""The question before an interface is opened, and the questions and screens on its behalf."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import pytest

from inspector.apps.browser.running import AppEntry, AppEntryKind
from inspector.apps.interface import AppInterface, interface_in
from inspector.boundary.bounded import Level
from inspector.boundary.judgement import Judgement
from inspector.errors import NotConfirmedError
from inspector.json.exact import Json, JsonObject
from inspector.pins.known_secrets import KnownSecrets
from inspector.pins.pins import ConfirmReason
from inspector.policy.gate.ruling import Ruled
from inspector.protocol.outcome import Result
from inspector.protocol.targets import DemoTarget
from inspector.session.call_record import CallRecord
from inspector.session.live import Session
from inspector.tui.apps.screen import AppScreen
from inspector.tui.apps.serving import AppServer, opening_view
from tests.tui.scripted import Script, ScriptedSession

if TYPE_CHECKING:
    from textual.screen import Screen

    from inspector.tui.policy.gate import PolicyGate

SECRET = "sk-live-9f8e7d6c5b4a3210"
RECORD = CallRecord(
    number=1,
    name="weather",
    arguments={},
    judgement=Judgement(Result(value={"content": []}), None),
    at_s=0,
    duration_s=0,
    size_bytes=0,
)


def session() -> Session:
    made = ScriptedSession(Script(), DemoTarget(), lambda _: None)
    made.own.add([SECRET])
    return made


def interface(uri: str, ui: Json) -> AppInterface:
    content: JsonObject = {
        "uri": uri,
        "mimeType": "text/html;profile=mcp-app",
        "text": "",
        "_meta": {"ui": ui},
    }
    found = interface_in(uri, {"contents": [content]}, {})
    assert isinstance(found, AppInterface), found
    return found


def question(uri: str, ui: Json) -> list[str]:
    return [line.plain for line in opening_view(interface(uri, ui), RECORD, session(), is_headed=False).lines]


def test_every_origin_has_a_line_of_its_own_in_the_question() -> None:
    kinds = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
    label = "x" * 60
    origins = {
        kind: [f"https://{kind.lower()}{n}.{label}.{label}.{label}.example:65535" for n in range(64)]
        for kind in kinds
    }
    asked = question("ui://" + "a" * 5000, {"csp": {kind: [*found] for kind, found in origins.items()}})
    for kind in kinds:
        for origin in origins[kind]:
            assert sum(line.endswith(f" {origin}") for line in asked) == 1, origin
    assert "192 origins below" in "\n".join(asked)
    assert max(map(len, asked)) < 320


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_the_question_says_that_the_proxy_is_not_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ui: Json = {"csp": {"connectDomains": ["https://a.example"]}}
    for each in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(each, raising=False)
    assert "proxy" not in "\n".join(question("ui://a", ui))
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert "does not use your proxy" in "\n".join(question("ui://a", ui))
    assert "proxy" not in "\n".join(question("ui://a", None))


class Gate:
    """Asks, and answers no."""

    def __init__(self) -> None:
        self.asked: list[ConfirmReason] = []

    async def made(
        self,
        session: Session,
        name: str,
        arguments: JsonObject,
        *,
        asking: Sequence[ConfirmReason],
        **_: object,
    ) -> Ruled:
        del session, name, arguments
        self.asked += asking
        raise NotConfirmedError("no")


def desk(gate: Gate, uri: str) -> AppServer:
    under = cast("Screen[None]", None)

    async def asks(_name: str) -> tuple[ConfirmReason, ...]:
        return ()

    return AppServer(
        under, session(), cast("PolicyGate", gate), asks, lambda _: None, lambda _: KnownSecrets(), uri
    )


async def test_a_tool_and_a_resource_with_the_same_name_are_asked_about_separately() -> None:
    gate = Gate()
    served = desk(gate, "ui://a")
    for made in (served.call("same", {}), served.read("same"), served.call("same", {}), served.read("same")):
        with pytest.raises(NotConfirmedError):
            await made
    assert ["tool" in each.sentence for each in gate.asked] == [True, False]
    assert len({each.key for each in gate.asked}) == 2


async def test_the_credentials_of_the_user_are_masked_in_texts_of_an_interface() -> None:
    gate = Gate()
    uri = f"ui://{SECRET}"
    served = desk(gate, uri)
    served._screen = screen = AppScreen("", "", Level.OPEN, lambda _: KnownSecrets())  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    for title, detail in ((SECRET, "x"), ("x", f"GET https://evil.example/{SECRET}")):
        served.add(AppEntry(kind=AppEntryKind.HEARD, at_s=0, title=title, detail=detail))
    with pytest.raises(NotConfirmedError):
        await served.call("a", {})
    ui: Json = {"csp": {"connectDomains": [f"https://{SECRET}.example"], "frameDomains": [f"x {SECRET}"]}}
    shown = "\n".join(
        (
            *(f"{entry.title} {entry.detail}" for entry in screen.entries),
            *(each.sentence for each in gate.asked),
            *question(uri, ui),
        )
    )
    assert SECRET not in shown
    assert "evil.example" in shown
