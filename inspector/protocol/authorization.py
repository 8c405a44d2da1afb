"""Authorization of HTTP targets by OAuth: the client's identity, the question to the user, and the token store."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientIdentity:
    """The client id, secret and redirect that Sightline uses at authorization servers.

    Without an id, Sightline registers itself.
    """

    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    signing_key: str | None = field(default=None, repr=False)
    """A private key in PEM, which signs assertions in place of a secret."""
    metadata_url: str | None = None
    """The URL of a client metadata document.

    It is the client id if the authorization server supports that.
    """
    scope: str | None = None
    """The scope to request with client credentials. A user's flow requests the scopes that the server
    names."""
    issuer: str | None = None
    """The authorization server that `client_id` belongs to."""
    is_machine: bool = False
    """True if the client authorizes itself, without a user."""
    redirect_uri: str | None = None
    """The redirect URI, on loopback; None to use a free port of 127.0.0.1."""
    authorization_url: str | None = None
    """The only page that the user may be sent to; None for the page that the server's metadata names."""
    token_url: str | None = None
    """The only address that codes and secrets may be sent to.

    None for the address that the server's metadata names.
    """


class AuthorizationAsk(Struct, frozen=True, kw_only=True):
    """A request to the user to authorize Sightline on a page. All texts are untrusted."""

    url: str
    server: str
    issuer: str
    """The issuer of the authorization server; empty if it has no metadata."""
    scopes: tuple[str, ...]
    redirect_uri: str


Authorizer: TypeAlias = Callable[[AuthorizationAsk], Awaitable[bool]]
"""Shows the authorization page to the user and opens it if the user agrees.

Returns whether to wait for the redirect. The call is cancelled when the redirect has arrived.
"""


class TokenStore(Protocol):
    """Keeps tokens and client registrations as one JSON text per server URL. Its methods may block."""

    def read(self, url: str) -> str | None: ...

    def write(self, url: str, text: str) -> None: ...

    def forget(self, url: str) -> bool:
        """Delete the text of this URL. Returns whether there was one."""
        ...


class MemoryStore:
    """A token store in memory, which is lost when the process ends."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def read(self, url: str) -> str | None:
        return self._texts.get(url)

    def write(self, url: str, text: str) -> None:
        self._texts[url] = text

    def forget(self, url: str) -> bool:
        return self._texts.pop(url, None) is not None


class Authorizing(Struct, frozen=True, kw_only=True):
    """The settings for authorizing a session whose server requires it."""

    client: ClientIdentity = msgspec.field(default_factory=ClientIdentity)
    authorizer: Authorizer | None = None
    """Asks the user; None if no user can be asked."""
    store: TokenStore = msgspec.field(default_factory=MemoryStore)
    is_stored_only: bool = False
    """True if only tokens from `store` may be used."""

    @property
    def may_ask(self) -> bool:
        """True if Sightline may get a new token, by asking the user or with the credentials of a machine."""
        return not self.is_stored_only and (self.authorizer is not None or self.client.is_machine)


class StepLog(Struct, frozen=True, kw_only=True):
    """Reports the steps of an authorization, and masks its secrets in everything shown later."""

    note: Callable[[str, str, bool], None]
    """Called with a step, its outcome, and whether it failed. The texts quote no secret."""
    conceal: Callable[[list[str]], None]
    mask: Callable[[str], str]
    """Masks the texts that were passed to `conceal`, and the user's own credentials."""


class Certificates(Struct, frozen=True, kw_only=True):
    """Which TLS certificates of servers Sightline accepts."""

    cacert: str | None = None
    """A file with certificates in PEM, which are trusted in addition to the system's."""
    is_insecure: bool = False
    """True if any certificate is accepted."""


class Access(Struct, frozen=True, kw_only=True):
    """The settings of a connection for authorization and TLS."""

    step_log: StepLog
    authorizing: Authorizing = msgspec.field(default_factory=Authorizing)
    certificates: Certificates = msgspec.field(default_factory=Certificates)


_SCOPES = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*")
"""Matches OAuth scopes with one space between them. Source: RFC 6749, section 3.3."""


def are_scopes(text: str) -> bool:
    """True if a text is a list of OAuth scopes, with one space between them."""
    return _SCOPES.fullmatch(text) is not None


_REDIRECT_HOSTS = frozenset({"127.0.0.1", "localhost"})
_PATH = re.compile(r"/[A-Za-z0-9._~/-]*")


def redirect_fault(uri: str) -> str:
    """The reason why Sightline cannot listen on a redirect URI, as a clause; empty if it can."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return "it is not a URL"
    if parts.scheme != "http" or parts.hostname not in _REDIRECT_HOSTS or parts.username is not None:
        return "it is not on http://127.0.0.1 or http://localhost"
    if not port:
        return "it has no port"
    return (
        ""
        if _PATH.fullmatch(parts.path) and not parts.query and not parts.fragment
        else "its path is missing or has special characters, or it has a query or a fragment"
    )
