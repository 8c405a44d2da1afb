"""The demo page's server: its answers with and without the cookie that protects its secrets."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from inspector.demo.launch import page_beside
from inspector.demo.page.site import COOKIE, PageSite
from inspector.demo.secrets import MARK
from inspector.demo.server import DemoOptions, DemoServer
from inspector.errors import UnreachableError

FILES = Path(__file__).parents[2] / "inspector" / "demo" / "page" / "files"


@asynccontextmanager
async def _visited() -> AsyncGenerator[tuple[PageSite, httpx.AsyncClient]]:
    """The site, and a client with the page's cookie."""
    async with (
        PageSite(DemoServer(DemoOptions(seed="page"))) as site,
        httpx.AsyncClient(base_url=site.url) as client,
    ):
        assert (await client.get("/")).status_code == 200
        yield site, client


async def _share(client: httpx.AsyncClient) -> str:
    asked = {"name": "create_share_link", "arguments": {"document": "/handbook.md"}}
    answer = await client.post("/api/call", json=asked)
    return str(answer.json()["content"][1]["redeemUrl"])


async def test_the_page_sets_a_cookie_that_scripts_and_other_sites_cannot_read() -> None:
    async with _visited() as (site, client):
        answer = await client.get("/")
        (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
        assert (morsel.key, morsel["httponly"], morsel["samesite"], morsel["domain"]) == (
            COOKIE,
            True,
            "Strict",
            "",
        )
        assert "set-cookie" not in (await client.get(site.partner_url)).headers
        assert "set-cookie" not in (await client.get("/style.css")).headers


async def test_a_secret_is_given_once_and_only_with_the_cookie() -> None:
    async with _visited() as (_, client):
        url = await _share(client)
        async with httpx.AsyncClient() as stranger:
            assert (await stranger.get(url)).status_code == 401
            assert (await stranger.get(url, headers={"Cookie": f"{COOKIE}=guess"})).status_code == 401
            assert (await stranger.get(url, headers={"Cookie": f'{COOKIE}="\\377'})).status_code == 401
        answer = await client.get(url)
        assert answer.json()["value"].startswith(f"{MARK}share-")
        assert answer.headers["cache-control"] == "no-store"
        assert (await client.get(url)).status_code == 410
        assert (await client.get(f"{url}x")).status_code == 404


async def test_tools_can_be_called_only_with_the_cookie() -> None:
    async with _visited() as (site, client), httpx.AsyncClient() as stranger:
        asked = {"name": "generate_api_key", "arguments": {"name": "n"}}
        refused = await stranger.post(f"{site.url}api/call", json=asked)
        assert refused.status_code == 401
        assert MARK not in refused.text
        made = await client.post("/api/call", json=asked)
        assert made.json()["structuredContent"]["secret"].startswith(MARK)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"name":"nope"}', b'{"name":"list_inbox","arguments":1}']
)
async def test_an_invalid_call_is_refused(body: bytes) -> None:
    async with _visited() as (_, client):
        assert (await client.post("/api/call", content=body)).status_code == 400


async def test_requests_for_other_hosts_or_origins_are_refused() -> None:
    async with _visited() as (site, client):
        for url in (site.url, site.partner_url):
            assert (await client.get(url, headers={"Host": "evil.example"})).status_code == 421
            assert (await client.get(url, headers={"Origin": "https://evil.example"})).status_code == 403
            assert (await client.get(f"{url}mcp")).status_code == 404
            assert (await client.post(url)).status_code == 405
            assert (await client.get(f"{url}%2e%2e/site.py")).status_code == 404


async def test_the_frame_is_on_another_site_than_the_page() -> None:
    async with _visited() as (site, client):
        page, partner = urlsplit(site.url), urlsplit(site.partner_url)
        assert (page.hostname, partner.hostname) == ("127.0.0.1", "localhost")
        assert page.port != partner.port
        framed = await client.get(site.partner_url)
        assert f"frame-ancestors {site.origin}" in framed.headers["content-security-policy"]
        assert f'data-embedder="{site.origin}"' in framed.text
        assert f'src="{site.partner_url}" allow="tools"' in (await client.get("/")).text


async def test_every_answer_has_a_strict_policy() -> None:
    async with _visited() as (site, client):
        for url in ("/", "/workspace.js", "/search?q=press", site.partner_url):
            policy = (await client.get(url)).headers["content-security-policy"]
            assert policy.startswith(
                "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; "
            )
            assert "unsafe" not in policy


async def test_a_search_finds_documents_and_never_repeats_the_query() -> None:
    async with _visited() as (_, client):
        assert "/public/press.md" in (await client.get("/search", params={"q": "HARBOURS"})).text
        nothing = await client.get("/search", params={"q": "<script>"})
        assert "script" not in nothing.text
        assert "Nothing found" in nothing.text


async def test_people_are_shown_without_private_data() -> None:
    async with _visited() as (site, client):
        shown = (await client.get("/api/workspace")).text
        assert "Ada Marsh" in shown
        for person in site.server.workspace.people.values():
            assert person.diagnosis not in shown
            assert str(person.salary_eur) not in shown


def test_the_files_refer_to_no_external_resource() -> None:
    texts = {file.name: file.read_text("utf-8") for file in FILES.iterdir()}
    assert len(texts) == 8
    for name, text in texts.items():
        assert re.findall(r"(?:https?:)?//[\w.]|@import|url\(|style=|\son\w+=", text) == [], name
        assert MARK not in text


def test_the_page_server_runs_while_its_block_runs() -> None:
    with page_beside(DemoOptions(seed="page")) as url:
        assert httpx.get(url).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_a_page_server_that_cannot_listen_raises_a_clear_error() -> None:
    with (
        page_beside() as url,
        pytest.raises(UnreachableError, match="cannot listen"),
        page_beside(port=urlsplit(url).port or 0),
    ):
        pass
