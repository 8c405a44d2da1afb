"""Helpers for the tests of the vault: results with references and withheld values, and the vault items made of them."""

from inspector.boundary.bounded import Removal, Rule
from inspector.json.exact import Json, JsonObject
from inspector.secrets.holdings import Holdings, holdings_in
from inspector.secrets.vault import Vault
from inspector.urls.origin import Allowed, RefusedUrl, resolve

BASE = "http://127.0.0.1:8000/mcp"


def reference(identifier: str = "s1", ttl_s: float | None = 60, **more: Json) -> JsonObject:
    """A secret reference, as a server writes it."""
    written: JsonObject = {
        "type": "secret_reference",
        "id": identifier,
        "label": f"label of {identifier}",
        "redeemUrl": f"/secrets/{identifier}",
        **more,
    }
    return written if ttl_s is None else {**written, "ttl": ttl_s}


def withheld(pointer: str, rule: str = Rule.X_SENSITIVE) -> Removal:
    """A value that is withheld from models."""
    return Removal(pointer=pointer, rule=rule, detail="the schema marks `key` sensitive")


def left(raw: Json, *pointers: str) -> Holdings:
    """The holdings of a result, with the values at `pointers` withheld."""
    return holdings_in(raw, [withheld(pointer) for pointer in pointers])


def keep(vault: Vault, number: int, raw: Json, *pointers: str, received_s: float = 0.0) -> None:
    """Keep the holdings of a call."""
    vault.keep(number, "mint", received_s, raw, left(raw, *pointers))


def allowed(path: str = "/secrets/s1") -> Allowed:
    """The request for a reference that may be redeemed."""
    request = resolve(path, BASE)
    assert not isinstance(request, RefusedUrl)
    return request
