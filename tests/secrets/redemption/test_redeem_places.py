"""The addresses that a redemption contacts. The host `secrets.test` exists only in the resolvers of these tests."""

import asyncio
import socket
from collections.abc import Sequence

import pytest

from inspector.secrets.http import HttpRedeemer, HttpServer
from inspector.secrets.outcomes import Cause, Failed, Outcome, Revealed
from inspector.secrets.redemption import fetch
from inspector.secrets.redemption.addresses import AddressClass, class_of, look_up
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import NO_ORIGIN, Origin, origin_of
from tests.peers.redemption_server import Endpoint, answer
from tests.secrets.redemption.redeeming import CANARY, SECRET, Names, redeemed, redeemer, reference

REVEALED = Revealed(value=CANARY)
NO_NAME = Failed(cause=Cause.NO_NAME)
NAMES = ("secrets.test",)


@pytest.mark.parametrize(
    ("redeem_url", "word"),
    [
        ("https://127.0.0.1:{port}/s", "other origin"),
        ("http://127.0.0.1:{other}/s", "other origin"),
        ("http://127.0.0.1/s", "other origin"),
        ("http://127.0.0.2:{port}/s", "other origin"),
        ("http://localhost:{port}/s", "other origin"),
        ("http://[::1]:{port}/s", "other origin"),
        ("http://[::ffff:127.0.0.1]:{port}/s", "other origin"),
        ("http://[::ffff:7f00:1]:{port}/s", "other origin"),
        ("//localhost:{other}/s", "other origin"),
        ("http://127.1:{port}/s", "four decimal parts"),
        ("http://0x7f000001:{port}/s", "four decimal parts"),
        ("http://2130706433:{port}/s", "four decimal parts"),
        ("http://127.0.0.1.:{port}/s", "four decimal parts"),
        ("http://\uff11\uff12\uff17.0.0.1:{port}/s", "international name"),
        ("http://127\u30020.0.1:{port}/s", "international name"),
        ("http://u:p@127.0.0.1:{port}/s", "user info"),
        ("http://127.0.0.1:{port}@127.0.0.1:{other}/s", "user info"),
        ("http://127.0.0.1:{port}\\@127.0.0.1:{other}/s", "backslash"),
        ("\\\\127.0.0.1:{other}/s", "backslash"),
        ("/s#fragment", "fragment"),
        ("/s\r\nX-Other: 1", "control character"),
        ("/\x00", "control character"),
        (" http://127.0.0.1:{port}/s", "white space"),
        ("ftp://127.0.0.1:{port}/s", "neither http nor https"),
        ("file:///etc/hosts", "neither http nor https"),
        ("http:/127.0.0.1:{port}/s", "two slashes"),
        ("http:s", "two slashes"),
        ("/%2e%2e/s", "encoded dots"),
    ],
)
async def test_a_url_at_another_origin_is_refused_before_any_connection(redeem_url: str, word: str) -> None:
    async with Endpoint(answer(SECRET)) as endpoint, Endpoint(answer(SECRET)) as other:
        url = redeem_url.format(port=endpoint.port, other=other.port)
        names = Names()
        one = redeemer(endpoint.origin, names=names)
        outcome = await one.redeem(reference(url), received_s=1000)
        assert isinstance(outcome, RefusedUrl)
        assert word in outcome.reason
        assert one.preview(reference(url)) == outcome
        assert (endpoint.connections, other.connections, names.asked) == (0, 0, [])


async def test_without_an_origin_everything_is_refused() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        assert await redeemed(None, f"{endpoint.origin}/s") is NO_ORIGIN
        assert endpoint.connections == 0
        assert await redeemed(endpoint.origin, f"{endpoint.origin}/s") == REVEALED


async def test_a_name_is_resolved_only_once_per_redemption() -> None:
    names = Names([["127.0.0.1"], ["127.0.0.2"]])
    async with Endpoint(answer(SECRET), names=NAMES) as endpoint:
        assert await redeemed(endpoint.origin, names=names) == REVEALED
        assert names.asked == [("secrets.test", endpoint.port)]
        # 127.0.0.2 is loopback too, and no server listens there.
        assert await redeemed(endpoint.origin, names=names) == Failed(cause=Cause.CONNECTION)
        assert len(names.asked) == 2


@pytest.mark.parametrize(
    ("reached_at", "addresses"),
    [
        (AddressClass.PUBLIC, ["127.0.0.1"]),
        (AddressClass.PUBLIC, ["::ffff:127.0.0.1"]),
        (AddressClass.PUBLIC, ["8.8.8.8", "127.0.0.1"]),
        (AddressClass.PUBLIC, ["127.0.0.1", "8.8.8.8"]),
        (AddressClass.PRIVATE, ["127.0.0.1"]),
        (AddressClass.PRIVATE, ["169.254.169.254"]),
        (AddressClass.LOOPBACK, ["127.0.0.1", "10.0.0.1"]),
        (AddressClass.LOOPBACK, ["127.0.0.1", "::"]),
        (AddressClass.LOOPBACK, ["127.0.0.1", "64:ff9b::127.0.0.1"]),
        (AddressClass.OTHER, ["0.0.0.0"]),  # noqa: S104
        (AddressClass.OTHER, ["127.0.0.1", "nonsense"]),
    ],
)
async def test_a_name_with_one_address_of_another_class_is_refused(
    reached_at: AddressClass, addresses: Sequence[str]
) -> None:
    async with Endpoint(answer(SECRET), names=NAMES) as endpoint:
        one = redeemer(endpoint.origin, names=Names([addresses]), reached_at=reached_at)
        outcome = await one.redeem(reference(), received_s=1000)
        assert isinstance(outcome, RefusedUrl)
        assert f"the server was reached at one that is {reached_at}" in outcome.reason
        assert endpoint.connections == 0


async def test_an_address_in_the_url_has_its_class_checked_too() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        one = redeemer(endpoint.origin, reached_at=AddressClass.PUBLIC)
        outcome = await one.redeem(reference(), received_s=1000)
        assert outcome == RefusedUrl(
            reason=f"{endpoint.origin} resolves to an address that is loopback; "
            "the server was reached at one that is public"
        )
        assert endpoint.connections == 0


@pytest.mark.parametrize("reached_at", [AddressClass.LOOPBACK, AddressClass.PRIVATE])
async def test_a_local_name_with_a_remote_address_gets_no_unencrypted_request(
    reached_at: AddressClass,
) -> None:
    names = Names([["10.0.0.1"]])
    one = redeemer("http://localhost:8080/mcp", names=names, reached_at=reached_at)
    assert isinstance(await one.redeem(reference(), received_s=1000), RefusedUrl)
    assert names.asked == [("localhost", 8080)]


async def test_an_address_that_refuses_is_followed_by_the_next_checked_one() -> None:
    async with Endpoint(answer(SECRET), names=NAMES) as endpoint:
        names = Names([["127.0.0.3", "127.0.0.1"]])
        assert await redeemed(endpoint.origin, names=names) == REVEALED


async def test_an_address_that_drops_packets_is_followed_by_the_next_checked_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetch, "CONNECT_TIMEOUT_S", 0.1)
    async with Endpoint(answer(SECRET), names=NAMES) as endpoint:
        with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
            deaf.bind(("127.0.0.4", endpoint.port))
            deaf.listen(0)
            # Once these wait to be accepted, the system drops further connection attempts.
            for waiting in (first, second):
                waiting.setblocking(False)
                waiting.connect_ex(("127.0.0.4", endpoint.port))
            names = Names([["127.0.0.4", "127.0.0.1"]])
            assert await redeemed(endpoint.origin, names=names) == REVEALED


class Unknown(Names):
    async def __call__(self, host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, f"{host} {port}")


@pytest.mark.parametrize(
    ("url", "names", "found"),
    [
        ("http://127.0.0.1:8080", Unknown(), AddressClass.LOOPBACK),
        ("https://secrets.test", Names([["127.0.0.1", "::1"]]), AddressClass.LOOPBACK),
        ("https://secrets.test", Names([["10.0.0.1"]]), AddressClass.PRIVATE),
        ("https://secrets.test", Names([["8.8.8.8", "10.0.0.1"]]), AddressClass.OTHER),
        ("https://secrets.test", Names([[]]), AddressClass.OTHER),
        ("https://secrets.test", Unknown(), AddressClass.OTHER),
    ],
)
async def test_the_class_of_a_server_is_that_of_all_its_addresses(
    url: str, names: Names, found: AddressClass
) -> None:
    origin = origin_of(url)
    assert isinstance(origin, Origin)
    assert await class_of(origin, names) is found


@pytest.mark.parametrize("names", [Unknown(), Names([[]])])
async def test_a_name_without_addresses_is_a_failure(names: Names) -> None:
    async with Endpoint(answer(SECRET), names=NAMES) as endpoint:
        assert await redeemed(endpoint.origin, names=names) == NO_NAME
        assert endpoint.connections == 0


async def test_the_system_resolves_localhost_to_loopback_addresses_only() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        assert "127.0.0.1" in await look_up("localhost", endpoint.port)
        url = f"http://localhost:{endpoint.port}/mcp"
        one = HttpRedeemer(HttpServer(url=url, reached_at=AddressClass.LOOPBACK))
        assert await one.redeem(reference(), received_s=0) == REVEALED
        assert endpoint.header("host") == [f"localhost:{endpoint.port}"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("secrets.test", "secrets.test"),
        ("SECRETS.test.", "secrets.test"),
        ("münchen.test", "xn--mnchen-3ya.test"),
    ],
)
async def test_the_checked_address_is_contacted_with_the_name_of_the_url(written: str, name: str) -> None:
    async with Endpoint(answer(SECRET), names=(name,)) as endpoint:
        names = Names()
        assert await redeemed(f"https://{written}:{endpoint.port}/mcp", names=names) == REVEALED
        assert names.asked == [(name, endpoint.port)]
        assert endpoint.server_names == [name]
        assert endpoint.header("host") == [f"{name}:{endpoint.port}"]


async def outcome_at(url: str, *, authorities: str | None = "") -> Outcome:
    server = HttpServer(url=url, reached_at=AddressClass.LOOPBACK, authorization="Bearer x")
    one = (
        redeemer(url)
        if authorities == ""
        else HttpRedeemer(server, resolver=Names(), authorities=authorities)
    )
    return await one.redeem(reference(), received_s=0)


async def test_an_invalid_certificate_is_refused_before_the_request() -> None:
    async with Endpoint(answer(SECRET), names=("other.test", "*.secrets.test")) as endpoint:
        url = f"https://secrets.test:{endpoint.port}/mcp"
        assert await outcome_at(url) == Failed(cause=Cause.CERTIFICATE)
        assert await outcome_at(f"https://other.test:{endpoint.port}/mcp") == REVEALED
        assert len(endpoint.heads) == 1
        strange = await outcome_at(f"https://other.test:{endpoint.port}/mcp", authorities=None)
        assert strange == Failed(cause=Cause.CERTIFICATE)
        assert await outcome_at(f"https://127.0.0.1:{endpoint.port}/") == Failed(cause=Cause.CERTIFICATE)
        assert len(endpoint.heads) == 1


async def test_a_server_without_tls_gets_no_request() -> None:
    async def complain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.read(3)).startswith(b"\x16\x03")
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(complain, "127.0.0.1", 0) as plain:
        port = plain.sockets[0].getsockname()[1]
        assert await outcome_at(f"https://127.0.0.1:{port}/") == Failed(cause=Cause.CONNECTION)


async def test_an_unreachable_server_is_a_connection_failure() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        origin = endpoint.origin
    assert await outcome_at(origin) == Failed(cause=Cause.CONNECTION)
