"""A server made with the Python SDK that is its own authorization server: RFC 8414, 7591, 7636, 9728.

Its routes are the SDK's. This module keeps clients and tokens, agrees to every request, and repeats secrets where a
careless server would.
"""

import json
import secrets
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import httpx
import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl, AnyUrl

from inspector.protocol.authorization import AuthorizationAsk
from tests.sinks.echoing import repeated


@dataclass(slots=True)
class Issued(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everything that was issued, and settings for the next answers."""

    clients: dict[str, OAuthClientInformationFull] = field(
        default_factory=dict[str, OAuthClientInformationFull]
    )
    codes: dict[str, AuthorizationCode] = field(default_factory=dict[str, AuthorizationCode])
    tokens: dict[str, AccessToken] = field(default_factory=dict[str, AccessToken])
    refreshing: dict[str, RefreshToken] = field(default_factory=dict[str, RefreshToken])
    states: list[str] = field(default_factory=list[str])
    secrets: list[str] = field(default_factory=list[str])
    """Every issued code, token and client secret."""
    lifetime_s: int = 3600
    refuses: str = ""
    """The OAuth error with which every authorization is answered."""
    verifiers: list[str] = field(default_factory=list[str])
    echoes: bool = False
    """True if errors of the token endpoint repeat the request."""
    answer: str = "ok"
    """The answer of the tool `t`."""
    padding: int | None = None
    """The number of characters before the repeated request body in an error of the token endpoint; None for no such error."""

    def made(self, kind: str) -> str:
        value = f"{kind}-{secrets.token_urlsafe(24)}"
        self.secrets.append(value)
        return value

    def know(self, client_id: str, client_secret: str | None, redirect_uri: str) -> None:
        """Register a client in advance."""
        self.clients[client_id] = OAuthClientInformationFull(
            client_id=client_id,
            client_secret=client_secret,
            redirect_uris=[AnyUrl(redirect_uri)],
            token_endpoint_auth_method="client_secret_basic" if client_secret else "none",
            scope="call",
        )

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info
        if client_info.client_secret:
            self.secrets.append(client_info.client_secret)

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        self.states.append(params.state or "")
        if self.refuses:
            return construct_redirect_uri(
                str(params.redirect_uri),
                error=self.refuses,
                error_description="not today",
                state=params.state,
            )
        code = self.made("code")
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        _ = client
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        if self.echoes:
            raise TokenError("invalid_grant", f"the code {authorization_code.code} is not good")
        return self._token(client.client_id, authorization_code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        _ = client
        return self.refreshing.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        self.refreshing.pop(refresh_token.token)
        return self._token(client.client_id, scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)

    def _token(self, client_id: str, scopes: list[str]) -> OAuthToken:
        token, refresh = self.made("token"), self.made("refresh")
        self.tokens[token] = AccessToken(token=token, client_id=client_id, scopes=scopes)
        self.refreshing[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes)
        return OAuthToken(
            access_token=token, refresh_token=refresh, expires_in=self.lifetime_s, scope=" ".join(scopes)
        )


@contextmanager
def authorizing_server(issued: Issued, certificate: tuple[str, str] | None = None) -> Generator[str]:
    """The URL of a running server with the tool `t`, which requires the scope `call`.

    `certificate`: files with certificate and key, to answer over TLS.
    """
    scheme = "https" if certificate else "http"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        origin = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        settings = AuthSettings(
            issuer_url=AnyHttpUrl(origin),
            resource_server_url=AnyHttpUrl(f"{origin}/mcp"),
            required_scopes=["call"],
            client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["call"]),
            validate_token_resource=False,
        )
        server = MCPServer("authorizing", auth_server_provider=issued, auth=settings)

        def t() -> str:
            """Answer."""
            return issued.answer

        def ends() -> str:
            """Never answers: the token is repeated in its place."""
            raise RuntimeError

        server.tool()(t)
        server.tool()(ends)
        app = _Watching(server.streamable_http_app(json_response=True), issued)
        cert, key = certificate or (None, None)
        config = uvicorn.Config(
            app, log_level="critical", ws="none", lifespan="on", ssl_certfile=cert, ssl_keyfile=key
        )
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"{origin}/mcp"
        finally:
            running.should_exit = True
            thread.join(10)


class _Watching:
    """Keeps the verifiers that are sent, and answers calls of `ends` with the token in several spellings."""

    def __init__(self, app: Any, issued: Issued) -> None:
        self._app = app
        self._issued = issued

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        body = b"".join(message.get("body", b"") for message in messages)
        if scope["path"] == "/token":
            sent = parse_qs(body.decode())
            self._issued.verifiers += sent.get("code_verifier", [])
            self._issued.secrets += sent.get("client_assertion", [])
            if self._issued.padding is not None:
                said = "." * self._issued.padding + " " + body.decode()
                error = {"error": "invalid_grant", "error_description": said}
                head = [(b"content-type", b"application/json")]
                await send({"type": "http.response.start", "status": 400, "headers": head})
                await send({"type": "http.response.body", "body": json.dumps(error).encode()})
                return
        token = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        if b'"ends"' in body and token:
            said = repeated(token).encode()
            await send(
                {"type": "http.response.start", "status": 500, "headers": [(b"content-type", b"text/plain")]}
            )
            await send({"type": "http.response.body", "body": said})
            return
        waiting = iter(messages)

        async def again() -> Any:
            return next(waiting, None) or await receive()

        await self._app(scope, again, send)


async def browse(ask: AuthorizationAsk) -> bool:
    """Act as the user and the browser: agree, open the page, and follow its redirect."""
    async with httpx.AsyncClient(verify=False) as browser:  # noqa: S501 - a certificate of the test
        page = await browser.get(ask.url)
        await browser.get(str(AnyUrl(page.headers["location"])))
    return True
