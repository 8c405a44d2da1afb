"""Reads the OAuth members of configuration entries, for which each client has its own names.

Sources, read in November 2026:
- Claude Code: https://code.claude.com/docs/en/mcp (`oauth`: `clientId`, `callbackPort`, `scopes`, `authServerMetadataUrl`)
- VS Code: https://github.com/microsoft/vscode/pull/308648 (`oauth.clientId`)
- Cursor: https://cursor.com/docs/mcp (`auth`: `CLIENT_ID`, `CLIENT_SECRET`, `scopes`)
- Codex: https://developers.openai.com/codex/mcp (`scopes`, `oauth_resource`, `oauth`: `client_id`, `callback_port`, `callback_url`)
- Gemini CLI: https://geminicli.com/docs/tools/mcp-server (`oauth`)
- Zed: https://github.com/zed-industries/zed/pull/52900 (`oauth`: `client_id`, `client_secret`)
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Annotated

import msgspec

from inspector.errors import UsageError
from inspector.files.dialects import is_object
from inspector.protocol.authorization import ClientIdentity, are_scopes, redirect_fault
from inspector.protocol.targets import HttpTarget

_HOLDERS = ("oauth", "auth")
OAUTH_KEYS = frozenset({*_HOLDERS, "scopes", "oauth_resource"})
"""The keys of an entry that are about OAuth."""
_SPELLINGS = {
    "enabled": "enabled",
    "clientId": "clientId",
    "client_id": "clientId",
    "CLIENT_ID": "clientId",
    "clientSecret": "clientSecret",
    "client_secret": "clientSecret",
    "CLIENT_SECRET": "clientSecret",
    "scopes": "scopes",
    "callbackPort": "callbackPort",
    "redirectUri": "redirectUri",
    "authorizationUrl": "authorizationUrl",
    "tokenUrl": "tokenUrl",
}
_ASKS = (
    "Sightline asks the server which authorization server to use; if your client is registered with another, "
    "name that one with --issuer"
)
_CODEX = "Codex adds an id to the path of its redirect URI; give the whole registered URI with --redirect-uri"
_RESOURCE = "Sightline names the server itself as the resource, as MCP requires"
_UNUSED = {
    "authServerMetadataUrl": _ASKS,
    "registrationUrl": _ASKS,
    "callback_port": _CODEX,
    "callback_url": _CODEX,
    "audiences": _RESOURCE,
    "tokenParamName": "Sightline sends tokens in the Authorization header alone",
}


class OAuthMembers(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The OAuth members of a configuration entry, under Sightline's names.

    Placeholders are not filled in yet.
    """

    enabled: bool = True
    client_id: str | None = None
    client_secret: str | None = None
    scopes: list[str] | str = ""
    callback_port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None
    redirect_uri: str | None = None
    authorization_url: str | None = None
    token_url: str | None = None


def in_one_spelling(entry: dict[str, object]) -> dict[str, object]:
    """The entry with all of its OAuth members under `oauth`, and with Sightline's names for them.

    An entry without OAuth members is returned as it is.
    """
    members = {_SPELLINGS[key]: value for _, key, value in _members(entry) if key in _SPELLINGS}
    if "scopes" in entry:
        members.setdefault("scopes", entry["scopes"])
    others = {key: value for key, value in entry.items() if key not in OAUTH_KEYS}
    return others | {"oauth": members} if members else others


def filled_members(
    members: OAuthMembers, fill: Callable[[str, str, str], str], given: Collection[str]
) -> dict[str, str]:
    """The values of the OAuth members with placeholders filled in, by field of ClientIdentity.

    Fields in `given` are left out. `fill` returns a value with its placeholders filled in. Its arguments are the name
    of the member, the value, and the option that can set the value instead. Raises UsageError.
    """
    scopes = members.scopes if isinstance(members.scopes, str) else " ".join(members.scopes)
    written = (
        ("client_id", "clientId", members.client_id, "--client-id …"),
        ("client_secret", "clientSecret", members.client_secret, "--client-secret …"),
        ("scope", "scopes", " ".join(scopes.split()), "--scope …"),
        ("redirect_uri", "redirectUri", members.redirect_uri, "--redirect-uri …"),
        ("authorization_url", "authorizationUrl", members.authorization_url, ""),
        ("token_url", "tokenUrl", members.token_url, ""),
    )
    return {
        field: fill(f"oauth.{key}", text, option)
        for field, key, text, option in written
        if text and field not in given
    }


def client_of(members: OAuthMembers, values: Mapping[str, str], usual_redirect: str | None) -> ClientIdentity:
    """The identity with which Sightline authorizes, made from an entry's OAuth members. Raises UsageError.

    `values`: from `filled_members`. `usual_redirect`: the redirect URI of the MCP client to which the
    configuration file belongs; None if it is not known.
    """
    client = replace(ClientIdentity(), **values)
    if client.scope is not None and not are_scopes(client.scope):
        raise UsageError("oauth.scopes is not a list of scopes", 'Write them as ["read", "write"].')
    for key, url in (("authorizationUrl", client.authorization_url), ("tokenUrl", client.token_url)):
        if url is not None and not url.startswith(("http://", "https://")):
            raise UsageError(f"oauth.{key} is not an http(s) URL", "Write it as https://host/path.")
    redirect = client.redirect_uri
    if redirect is None and members.callback_port is not None:
        redirect = f"http://localhost:{members.callback_port}/callback"
    elif redirect is None and client.client_id is not None:
        redirect = usual_redirect
    return replace(client, redirect_uri=None if redirect and redirect_fault(redirect) else redirect)


def unused_members(entry: dict[str, object]) -> Iterator[tuple[str, str]]:
    """The OAuth members that Sightline does not use, each with the reason, which is empty for an unknown member."""
    for holder in _HOLDERS:
        if holder in entry and not is_object(entry[holder]):
            yield holder, ""
    for holder, key, _ in _members(entry):
        if key not in _SPELLINGS:
            yield f"{holder}.{key}", _UNUSED.get(key, "")
    if "oauth_resource" in entry:
        yield "oauth_resource", _RESOURCE


def without_effect(
    members: OAuthMembers, target: HttpTarget, given: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The OAuth members that Sightline supports but that do not affect `target`, each with the reason."""
    if any(name.casefold() == "authorization" for name, _ in target.headers):
        yield "oauth", "the entry has an Authorization header, which takes its place"
    if not members.enabled:
        yield (
            "oauth.enabled",
            "the value is false, but Sightline authorizes whenever the server requires authorization",
        )
    listens = target.client is not None and target.client.redirect_uri is not None
    if members.redirect_uri and not listens and "redirect_uri" not in given:
        yield "oauth.redirectUri", "Sightline can only listen on 127.0.0.1 and localhost; give --redirect-uri"


def _members(entry: dict[str, object]) -> Iterator[tuple[str, str, object]]:
    for holder in _HOLDERS:
        held = entry.get(holder)
        if is_object(held):
            for key, value in held.items():
                yield holder, key, value
