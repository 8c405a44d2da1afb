"""Gets tokens with the SDK's OAuth providers, shows each step, and waits on loopback for the redirect.

Source: MCP 2025-11-25 and 2026-07-28, Authorization.
"""

import asyncio
import logging
import os
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.client.auth import oauth2 as sdk_oauth
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from inspector.connect.oauth.redirect import Redirect, TooManyRefusedError, bound_redirect, redirect_to
from inspector.connect.oauth.steps import RESOURCE_METADATA, OAuthStep, answer_of, place_of, step_of
from inspector.credentials.cutting import masked_start
from inspector.errors import InspectorError
from inspector.protocol.authorization import Access, AuthorizationAsk, Authorizing, ClientIdentity
from inspector.protocol.targets import HttpTarget
from inspector.safe_text import safe_line
from inspector.urls.host import is_on_this_machine

if TYPE_CHECKING:
    import socket

# The SDK's log messages quote answers, which may hold secrets.
logging.getLogger(sdk_oauth.__name__).disabled = True

STEP_S = 30.0
"""Time limit for one request to an authorization server."""
USER_S = 600.0
"""The time that the user has to agree on the authorization page."""
MOST_BYTES = 1 << 20
"""The maximum size of one answer of an authorization server."""
_LONGEST = 300
"""The maximum number of characters quoted of one text of an authorization server."""

_NO_ONE = "Authorization: no token is stored, and there is no terminal to ask you in"
_STORED_ONLY = "Authorization: the server accepts none of the stored tokens (--stored-auth-only)"


class AuthorizationFailedError(Exception):
    """Authorization failed. The message is a clause that quotes no secret."""


class _Kept(BaseModel):
    """The content that a token store has for one server, as JSON."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    expires_at: float | None = None


class _Storage:
    """The SDK's token storage, implemented with a token store."""

    def __init__(self, authorizing: Authorizing, url: str, failed: Callable[[str], None]) -> None:
        self._store = authorizing.store
        self._url = url
        self._failed = failed
        self.kept = _Kept()

    async def restore(self) -> None:
        try:
            text = await asyncio.to_thread(self._store.read, self._url)
            self.kept = _Kept.model_validate_json(text) if text else _Kept()
        except ValidationError:
            self._failed("the stored tokens cannot be read")
        except Exception as error:  # noqa: BLE001 - keyrings raise any exception, and its text may quote a secret
            self._failed(f"stored tokens cannot be read: {type(error).__name__}")

    async def get_tokens(self) -> OAuthToken | None:
        return self.kept.tokens

    async def set_tokens(self, tokens: OAuthToken | None) -> None:
        self.kept.tokens = tokens
        limit = tokens.expires_in if tokens else None
        self.kept.expires_at = time.time() + limit if limit else None
        await self._write()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.kept.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.kept.client = client_info
        await self._write()

    async def _write(self) -> None:
        text = self.kept.model_dump_json(exclude_none=True)
        try:
            await asyncio.to_thread(self._store.write, self._url, text)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(f"tokens cannot be stored: {type(error).__name__}")


class Provider:
    """Gets and renews the token for one server."""

    def __init__(
        self,
        target: HttpTarget,
        access: Access,
        make_transport: Callable[[str], httpx2.AsyncBaseTransport],
    ) -> None:
        self._target = target
        self._authorizing = access.authorizing
        self._identity = access.authorizing.client
        step_log = self._step_log = access.step_log
        self._make_transport = make_transport
        self._storage = _Storage(
            access.authorizing, target.url, lambda what: step_log.note("keyring", what, True)
        )
        self._redirect_uri = ""
        self._bound: socket.socket | None = None
        """Keeps the port of a new redirect URI from other processes until the first flow uses it."""
        self._redirect: Redirect | None = None
        self._last = ""
        """The name and the answer of the last step that failed; empty if none did. Untrusted text."""
        secrets = (self._identity.client_secret, self._identity.signing_key)
        step_log.conceal([secret for secret in secrets if secret])

    @property
    def token(self) -> str | None:
        tokens = self._sdk.context.current_tokens
        return tokens.access_token if tokens else None

    @property
    def is_due(self) -> bool:
        """True if the token has expired and can be renewed."""
        context = self._sdk.context
        return not context.is_token_valid() and context.can_refresh_token()

    async def restore(self) -> None:
        """Load the tokens and the client registration that the token store has for this server."""
        await self._storage.restore()
        kept, identity = self._storage.kept, self._identity
        if identity.client_id is not None:
            if kept.client is None or kept.client.client_id != identity.client_id:
                # These tokens were granted to another client.
                kept.tokens = None
            kept.client = _registered(identity)
        redirects = kept.client.redirect_uris if kept.client else None
        before = str(redirects[0]) if redirects else None
        self._redirect_uri = identity.redirect_uri or before or self._new_redirect()
        if before not in (None, self._redirect_uri):
            kept.client = None
        if kept.client is not None and not identity.is_machine:
            kept.client.redirect_uris = [AnyUrl(self._redirect_uri)]
        self._sdk = self._made()
        if kept.tokens is not None:
            self._release()
            self._conceal_tokens(kept.tokens)
            context = self._sdk.context
            context.current_tokens, context.client_info = kept.tokens, kept.client
            context.token_expiry_time = kept.expires_at
            self._step_log.note("kept token", f"scope: {kept.tokens.scope or '-'}", False)

    def _new_redirect(self) -> str:
        if self._identity.is_machine:
            # No user is asked, so there is no redirect.
            return ""
        uri, self._bound = bound_redirect()
        return uri

    def _release(self) -> None:
        if self._bound is not None:
            self._bound.close()
            self._bound = None

    def _made(self) -> OAuthClientProvider:
        url, identity = self._target.url, self._identity
        if identity.is_machine and identity.signing_key:
            signing = SignedJWTParameters(
                issuer=identity.client_id or "",
                subject=identity.client_id or "",
                signing_key=identity.signing_key,
                signing_algorithm=_algorithm(identity.signing_key),
            )
            return PrivateKeyJWTOAuthProvider(
                url,
                self._storage,
                identity.client_id or "",
                signing.create_assertion_provider(),
                identity.scope,
                identity.issuer,
            )
        if identity.is_machine:
            return ClientCredentialsOAuthProvider(
                url,
                self._storage,
                identity.client_id or "",
                identity.client_secret or "",
                scope=identity.scope,
                issuer=identity.issuer,
            )
        return OAuthClientProvider(
            url,
            OAuthClientMetadata(redirect_uris=[AnyUrl(self._redirect_uri)], client_name="Sightline"),
            self._storage,
            self._show,
            self._redirected,
            identity.metadata_url,
        )

    async def authorize(self, request: httpx2.Request, response: httpx2.Response | None) -> str:
        """Renew the token, or replace the one that `response` refused.

        Returns the reason why there is no token, or an empty text.
        """
        context = self._sdk.context
        before = context.current_tokens
        self._last = ""
        try:
            if response is not None and not self._authorizing.may_ask and not self.is_due:
                return _STORED_ONLY if self._authorizing.is_stored_only else _NO_ONE
            await self._drive(request, response)
        except AuthorizationFailedError as error:
            return self._failed(str(error))
        except (OAuthFlowError, OAuthRegistrationError, OAuthTokenError) as error:
            return self._failed(
                _reason_of(error, self._step_log.mask) or self._last or "the flow ended early"
            )
        except ValueError as error:
            return self._failed(self._last or f"not possible: {type(error).__name__}")
        except InspectorError:
            raise
        except Exception as error:  # noqa: BLE001 - its text may quote a secret that is not masked yet
            return self._failed(f"{self._last or 'the flow ended early'} ({type(error).__name__})")
        finally:
            self._release()
        tokens = context.current_tokens
        if tokens is None:
            if before is not None:
                # Otherwise the SDK would restore the token that the server has just refused.
                await self._storage.set_tokens(None)
            return "" if response is None else self._failed(self._last or "no token was granted")
        self._note_granted(tokens)
        return ""

    def _failed(self, reason: str) -> str:
        self._step_log.note("failed", reason, True)
        return f"Authorization failed: {reason}"

    def _note_granted(self, tokens: OAuthToken) -> None:
        asked = (self._sdk.context.client_metadata.scope or "").split()
        granted = (tokens.scope or "").split()
        missing = [scope for scope in asked if scope not in granted] if granted else []
        if missing:
            self._step_log.note("token", f"scope not granted: {' '.join(missing)}", True)

    async def _drive(self, request: httpx2.Request, response: httpx2.Response | None) -> None:
        """Run the SDK's flow until it would send `request` again."""
        refused = _token_of(request)
        flow = self._sdk.async_auth_flow(request)
        async with aclosing(flow):
            outgoing = await anext(flow)
            while True:
                if outgoing is not request:
                    answer = await self._send(outgoing)
                elif response is None or not self._authorizing.may_ask or _token_of(request) != refused:
                    return
                else:
                    answer, response = self._challenge(response), None
                try:
                    outgoing = await flow.asend(answer)
                except StopAsyncIteration:
                    return

    def _challenge(self, response: httpx2.Response) -> httpx2.Response:
        """The refusal as the SDK's OAuth flow sees it.

        If the user chose scopes, a challenge that names these scopes is put before the challenges of a 401.
        The flow then requests these scopes.
        """
        if self._identity.scope is None or response.status_code != 401:
            return response
        challenges = (
            f'Bearer scope="{self._identity.scope}"',
            *response.headers.get_list("www-authenticate"),
        )
        headers = [("www-authenticate", challenge) for challenge in challenges]
        return httpx2.Response(401, headers=headers, request=response.request)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request to an authorization server and show it as a step. Raises AuthorizationFailedError."""
        step = step_of(request, self._step_log)
        fault = self._address_fault(step, request.url)
        if fault:
            self._step_log.note(step.name, f"{step.asked}\nnot sent: {fault}", True)
            raise AuthorizationFailedError(f"{step.name}: {fault}")
        try:
            async with asyncio.timeout(STEP_S):
                response = await self._answer(request)
        except (httpx2.TransportError, TimeoutError) as error:
            words = (
                f"no answer within {STEP_S:g} s" if isinstance(error, TimeoutError) else safe_line(str(error))
            )
            self._step_log.note(step.name, f"{step.asked}\n{words}", True)
            raise AuthorizationFailedError(f"{step.name}: {place_of(request.url)}: {words}") from error
        answer = answer_of(step, response, response.content, self._step_log)
        self._step_log.note(step.name, f"{step.asked}\n{answer.text}", answer.is_failed)
        if answer.is_failed:
            self._last = f"{step.name}: {answer.text}"
        elif step.name == "server metadata":
            self._choose_method(response)
        return response

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(
                httpx2.AsyncClient(transport=self._make_transport(str(request.url)), timeout=STEP_S)
            )
            response = await client.send(request, stream=True, follow_redirects=False)
            stack.push_async_callback(response.aclose)
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise httpx2.ReadError(f"its answer is longer than {MOST_BYTES >> 20} MB")
            whole = httpx2.Response(
                response.status_code,
                headers=[
                    (name, value)
                    for name, value in response.headers.multi_items()
                    if name.lower() not in {"content-length", "content-encoding", "transfer-encoding"}
                ],
                content=bytes(body),
                request=request,
            )
            whole.next_request = response.next_request
            return whole

    def _address_fault(self, step: OAuthStep, url: httpx2.URL) -> str:
        """The reason why requests to an address that a server named are refused; empty if allowed."""
        own = httpx2.URL(self._target.url)
        if is_on_this_machine(url.host) and not is_on_this_machine(own.host):
            return f"{url.host} is an address of this machine, but the server is on another one"
        # The user has chosen to reach the origin of the MCP server without encryption, so the metadata of the
        # resource may come from this origin without encryption too.
        is_own = step.name == RESOURCE_METADATA and (url.scheme, url.host, url.port) == (
            own.scheme,
            own.host,
            own.port,
        )
        is_open = url.scheme != "https" and not is_on_this_machine(url.host) and not is_own
        if is_open:
            return f"{place_of(url)} is not encrypted"
        named = self._identity.token_url if step.name in {"token", "refresh"} else None
        return _difference(url, named, "token endpoint")

    def _choose_method(self, response: httpx2.Response) -> None:
        """Set the method by which the user's own client authenticates.

        It is `client_secret_basic` if the server supports it or names no method (RFC 8414), else
        `client_secret_post`.
        """
        client = self._storage.kept.client
        if self._identity.client_secret is None or client is None:
            return
        try:
            supported = OAuthMetadata.model_validate_json(response.content)
        except ValidationError:
            return
        methods = supported.token_endpoint_auth_methods_supported or ["client_secret_basic"]
        used = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
        for each in (client, self._sdk.context.client_info):
            if each is not None:
                each.token_endpoint_auth_method = used

    async def _show(self, url: str) -> None:
        """Show the user the authorization page and wait for the redirect. Raises AuthorizationFailedError."""
        authorizer = self._authorizing.authorizer
        if authorizer is None:
            raise AuthorizationFailedError("there is no terminal to ask you in")
        query = parse_qs(urlsplit(url).query)
        state = query.get("state", [""])[0]
        self._step_log.conceal([state])
        metadata = self._sdk.context.oauth_metadata
        ask = AuthorizationAsk(
            url=url,
            server=str(self._target),
            issuer=str(metadata.issuer) if metadata else "",
            scopes=tuple(query.get("scope", [""])[0].split()),
            redirect_uri=self._redirect_uri,
        )
        place = place_of(httpx2.URL(url))
        fault = _difference(httpx2.URL(url), self._identity.authorization_url, "authorization page")
        if fault:
            raise AuthorizationFailedError(fault)
        asked = f"{place}; client_id: {query.get('client_id', [''])[0]}; scope: {' '.join(ask.scopes) or '-'}"
        self._step_log.note(
            "user", f"{asked}; redirect_uri: {self._redirect_uri}; code_challenge_method: S256", False
        )
        try:
            bound, self._bound = self._bound, None
            async with redirect_to(self._redirect_uri, state, self._refused, bound) as arrived:
                self._redirect = await _agreed(authorizer(ask), arrived)
        except OSError as error:
            port = urlsplit(self._redirect_uri).port
            raise AuthorizationFailedError(
                f"cannot listen for the redirect on port {port}: {os.strerror(error.errno or 0)}"
            ) from error
        except TooManyRefusedError as error:
            raise AuthorizationFailedError("too many other requests came before the redirect") from error
        self._note_redirect(self._redirect)

    def _refused(self, reason: str) -> None:
        self._step_log.note("redirect", f"refused: {reason}", True)

    def _note_redirect(self, redirect: Redirect) -> None:
        self._step_log.conceal([redirect.code] if redirect.code else [])
        if redirect.error is not None:
            said = f"{redirect.error}: {redirect.description}" if redirect.description else redirect.error
            said = masked_start(said, self._step_log.mask, _LONGEST)
            self._step_log.note("redirect", said, True)
            raise AuthorizationFailedError(f"the authorization server answered {said}")
        self._step_log.note("redirect", f"code: •••; iss: {redirect.iss or '-'}", False)

    async def _redirected(self) -> AuthorizationCodeResult:
        redirect, self._redirect = self._redirect, None
        if redirect is None:
            raise AuthorizationFailedError("there was no redirect")
        return AuthorizationCodeResult(code=redirect.code or "", state=redirect.state, iss=redirect.iss)

    def _conceal_tokens(self, tokens: OAuthToken) -> None:
        client = self._storage.kept.client
        values = (tokens.access_token, tokens.refresh_token, client.client_secret if client else None)
        self._step_log.conceal([value for value in values if value])


async def _agreed(asking: Awaitable[bool], arrived: asyncio.Future[Redirect]) -> Redirect:
    """Wait until the user agrees to authorize and the redirect arrives. Raises AuthorizationFailedError."""
    shown = asyncio.ensure_future(asking)
    try:
        async with asyncio.timeout(USER_S):
            await asyncio.wait({shown, arrived}, return_when=asyncio.FIRST_COMPLETED)
            if not arrived.done() and not shown.result():
                raise AuthorizationFailedError("you did not agree")
            return await arrived
    except TimeoutError as error:
        raise AuthorizationFailedError(f"no redirect within {USER_S / 60:g} minutes") from error
    finally:
        shown.cancel()
        await asyncio.gather(shown, return_exceptions=True)


def _difference(url: httpx2.URL, named: str | None, what: str) -> str:
    """A clause about an address that must not be used; empty if it may be used.

    It must not be used if the user's configuration names another address. Queries and user information are
    not compared. `named`: the address in the configuration; None if there is none. `what`: the name of the
    address.
    """
    expected = place_of(httpx2.URL(named)) if named else place_of(url)
    found = place_of(url)
    return "" if found == expected else f"{what} differs: {found}, and the configuration names {expected}"


def _token_of(request: httpx2.Request) -> str | None:
    return request.headers.get("Authorization")


def _registered(identity: ClientIdentity) -> OAuthClientInformationFull:
    return OAuthClientInformationFull(
        client_id=identity.client_id or "",
        client_secret=identity.client_secret,
        token_endpoint_auth_method="client_secret_basic" if identity.client_secret else "none",
        issuer=identity.issuer,
    )


def _algorithm(pem: str) -> str:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey  # noqa: PLC0415 - few clients sign
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    key = load_pem_private_key(pem.encode(), None)
    return f"ES{key.key_size}" if isinstance(key, EllipticCurvePrivateKey) else "RS256"


_REASONS = (
    (r"Authorization server metadata issuer mismatch: (\S+) != (\S+)", "issuer differs: the metadata names {0}, and {1} was expected"),
    (r"Authorization response iss mismatch: (\S+) != (\S+)", "issuer differs: the redirect names {0}, and {1} was expected"),
    (r"Authorization response missing iss", "the redirect names no issuer, though the server announced that redirects name it"),
    (r"Protected resource (\S+) does not match expected (\S+)", "resource differs: the metadata is about {0}, and the server is {1}"),
    (r"Protected resource metadata request failed: HTTP (\d+)", "resource metadata: HTTP {0}"),
    (r"No authorization server metadata discovered for configured issuer (\S+)", "the issuer {0} has no metadata"),
    (r"unsupported token_endpoint_auth_method", "the server requires a client authentication that Sightline does not support"),
    (r"but issued no client_secret", "the server requires a client secret, but issued none"),
    (r"^Invalid registration response", "registration: the answer cannot be read"),
    (r"^Invalid token response", "token: the answer cannot be read"),
)  # fmt: skip


def _reason_of(error: Exception, mask: Callable[[str], str]) -> str:
    """The SDK's reason in Sightline's words; empty if it is unknown.

    The SDK's own text may quote a whole answer, secrets included.
    """
    for pattern, words in _REASONS:
        found = re.search(pattern, str(error))
        if found:
            return words.format(*(safe_line(masked_start(part, mask, _LONGEST)) for part in found.groups()))
    return ""
