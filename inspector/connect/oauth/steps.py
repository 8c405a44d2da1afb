"""Describes the requests of an authorization flow without secrets: known members are shown, others masked."""

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

import httpx2
from msgspec import Struct

from inspector.credentials.cutting import masked_start
from inspector.json.exact import Json, JsonText, dump_text, parse
from inspector.protocol.authorization import StepLog
from inspector.protocol.targets import COVERED
from inspector.safe_text import safe_line

_LONGEST, _LONGEST_NAME = 300, 60
_MOST_MEMBERS = 30

_NAMES = (
    "grant_type client_id client_name redirect_uri redirect_uris grant_types response_types response_type "
    "scope resource application_type client_assertion_type token_endpoint_auth_method "
    "code_challenge_method prompt audience token_type expires_in client_id_issued_at "
    "client_secret_expires_at authorization_servers scopes_supported bearer_methods_supported issuer "
    "authorization_endpoint token_endpoint registration_endpoint code_challenge_methods_supported "
    "grant_types_supported token_endpoint_auth_methods_supported client_id_metadata_document_supported "
    "authorization_response_iss_parameter_supported error error_description error_uri "
)
_SHOWN = frozenset(_NAMES.split())
RESOURCE_METADATA = "resource metadata"
_METADATA = {
    "oauth-protected-resource": RESOURCE_METADATA,
    "oauth-authorization-server": "server metadata",
    "openid-configuration": "server metadata",
}
_NO_SECRETS = frozenset(_METADATA.values())
"""The steps whose answers are public. Their unknown members are left out, instead of shown as masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthStep:
    """One request to an authorization server, without secrets."""

    name: str
    asked: str
    """The method, address and members of the request, without secrets."""


class StepAnswer(Struct, frozen=True, kw_only=True):
    """The answer of an authorization server to one step, without secrets."""

    text: str
    """The status and members of the answer, without secrets. Untrusted text."""
    is_failed: bool


def step_of(request: httpx2.Request, step_log: StepLog) -> OAuthStep:
    """Describe a request by the SDK's provider as a step.

    `step_log`: masks the secrets of the request from now on.
    """
    members: Mapping[str, Json] = {}
    body = request.content
    kind = request.headers.get("content-type", "")
    if "json" in kind:
        members, name = _members(body), "registration"
    elif body:
        members = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
        name = "refresh" if members.get("grant_type") == "refresh_token" else "token"
    else:
        path = request.url.path
        name = next((word for mark, word in _METADATA.items() if mark in path), RESOURCE_METADATA)
    header = request.headers.get("authorization", "")
    step_log.conceal([*_secrets(members), *_header_secrets(header)])
    words = [f"{request.method} {place_of(request.url)}", *_shown(members, step_log.mask)]
    if header:
        words.append(f"Authorization: {header.partition(' ')[0]} {COVERED}")
    return OAuthStep(name=name, asked="; ".join(words))


def answer_of(step: OAuthStep, response: httpx2.Response, body: bytes, step_log: StepLog) -> StepAnswer:
    """The answer to a step. `body`: the whole body of `response`.

    `step_log`: masks the secrets of the answer from now on.
    """
    members = _members(body)
    is_failed = not 200 <= response.status_code < 300
    is_public = step.name in _NO_SECRETS
    if not is_public:
        step_log.conceal([*_secrets(members)])
    words = [f"HTTP {response.status_code}", *_shown(members, step_log.mask, is_public=is_public)]
    if not is_failed and not members:
        words.append("not a JSON object")
    return StepAnswer(text="; ".join(words), is_failed=is_failed)


def place_of(url: httpx2.URL) -> str:
    """A URL without its query and user information, either of which may hold a secret."""
    port = f":{url.port}" if url.port else ""
    return f"{url.scheme}://{url.host}{port}{url.path}"


def _members(body: bytes) -> Mapping[str, Json]:
    found = parse(body) if body else None
    return found.value if isinstance(found, JsonText) and isinstance(found.value, dict) else {}


def _shown(
    members: Mapping[str, Json], mask: Callable[[str], str], *, is_public: bool = False
) -> Iterator[str]:
    for key, value in list(members.items())[:_MOST_MEMBERS]:
        if key in _SHOWN:
            yield f"{key}: {masked_start(_words(value), mask, _LONGEST)}"
        elif not is_public:
            yield f"{safe_line(masked_start(key, mask, _LONGEST_NAME))}: {COVERED}"


def _words(value: Json) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return " ".join(map(str, value))
    return value if isinstance(value, str) else dump_text(value)


def _secrets(members: Mapping[str, Json]) -> Iterator[str]:
    for key, value in members.items():
        if key not in _SHOWN and isinstance(value, str) and "://" not in value:
            yield value


def _header_secrets(header: str) -> Iterator[str]:
    scheme, _, value = header.partition(" ")
    if not value:
        return
    yield value
    if scheme.lower() == "basic":
        pair = b64decode(value).decode("utf-8", "replace")
        yield pair
        yield unquote(pair.partition(":")[2])
