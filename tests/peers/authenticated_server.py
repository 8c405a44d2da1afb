"""A server made with the Python SDK, behind its bearer authentication, in a thread of this process."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer

ISSUER = "http://127.0.0.1:1"


@dataclass(slots=True)
class Tokens(TokenVerifier):
    """The tokens that are valid now, with their scopes."""

    good: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access of a valid token; None for any other token."""
        scopes = self.good.get(token)
        return AccessToken(token=token, client_id="c", scopes=scopes) if scopes is not None else None


@contextmanager
def authenticated_server(
    tokens: Tokens, *, is_stateless: bool = False, issuer: str = ISSUER
) -> Generator[str]:
    """The URL of a running server with the tool `t`, which requires the scope `call`."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        settings = AuthSettings.model_validate(
            {
                # As text: a URL object would end in a slash, and issuers are compared character by character.
                "issuer_url": issuer,
                "resource_server_url": f"{origin}/mcp",
                "required_scopes": ["call"],
                "validate_token_resource": False,
            }
        )
        server = MCPServer("authenticated", token_verifier=tokens, auth=settings)

        def t() -> str:
            """Answer."""
            return "ok"

        server.tool()(t)
        app = server.streamable_http_app(json_response=True, stateless_http=is_stateless)
        running = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", lifespan="on"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"{origin}/mcp"
        finally:
            running.should_exit = True
            thread.join(10)
