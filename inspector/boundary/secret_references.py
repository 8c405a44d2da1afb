"""Secret references in the result of a tool.

Source: WebMCP issue 110, section 4: `{"type":"secret_reference","id","label","redeemUrl","ttl"?}`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from inspector.boundary.walking import DUPLICATE_KEY, REFERENCE, is_reference
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import escape
from inspector.schema.nodes import SCALARS
from inspector.urls.origin import MAX_URL_CHARACTERS

MAX_ID_CHARACTERS = 1_000
MAX_LABEL_CHARACTERS = 1_000
MAX_TTL_S = 10 * 366 * 86_400
"""The maximum lifetime in seconds: ten years. A longer lifetime is an error."""
MAX_REFERENCES = 1_000
MAX_POINTER_CHARACTERS = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretReference:
    """A value that the server keeps for the user and returns at `redeem_url`. All members are untrusted."""

    pointer: str
    """Pointer into the raw result."""
    label: str
    id: str = field(repr=False)
    redeem_url: str = field(repr=False)
    """The URL as sent, which is unchecked and may be relative. It may contain a credential."""
    ttl_s: float | None = None
    """The lifetime in seconds from receipt; None if the reference does not expire."""

    def is_over(self, *, received_s: float, now_s: float) -> bool:
        """True if the reference has expired. Both times are seconds of one monotonic clock."""
        return self.ttl_s is not None and now_s - received_s >= self.ttl_s


class MalformedReference(Struct, frozen=True, kw_only=True):
    """A secret reference that cannot be redeemed."""

    pointer: str
    """Pointer into the raw result; empty if it is nested too deeply."""
    reason: str
    """The reason, in a sentence that quotes nothing of the result."""
    label: str | None = None
    """The label, if usable. Untrusted text."""


ListedReference: TypeAlias = SecretReference | MalformedReference

_TOO_DEEP = "it is nested too deeply in the result"
_TOO_MANY = f"the result holds more than {MAX_REFERENCES:,} references; this one and the rest are not listed"


def references_in(raw: Json) -> tuple[ListedReference, ...]:
    """All secret references anywhere in a result, in document order. Never raises.

    `raw`: a tools/call result, or any value from a page. A string that contains JSON is not searched. The
    cost is linear in `raw`.
    """
    references: list[ListedReference] = []
    for value, place in _containers(raw):
        if isinstance(value, dict | DuplicateKeys) and _is_listed(value):
            if len(references) == MAX_REFERENCES:
                return (*references, MalformedReference(pointer=_pointer(place) or "", reason=_TOO_MANY))
            references.append(_read(value, _pointer(place)))
    return tuple(references)


_Place: TypeAlias = "tuple[_Place, str | int] | None"
"""The container and token of a value; None for the root.

Pointers are built for references only, because the cost of building a pointer grows with its depth.
"""


def _containers(raw: Json) -> Iterator[tuple[Json, _Place]]:
    """Every object and list, each before its content. Reads long lists one item at a time."""
    yield raw, None
    way: list[tuple[Iterator[tuple[str | int, Json]], _Place]] = [(iter(_inside(raw)), None)]
    while way:
        inside, place = way[-1]
        for token, value in inside:
            if type(value) not in SCALARS:
                here = (place, token)
                yield value, here
                way.append((iter(_inside(value)), here))
                break
        else:
            way.pop()


def _inside(value: Json) -> Iterable[tuple[str | int, Json]]:
    match value:
        case dict():
            return value.items()
        case list():
            return enumerate(value)
        case DuplicateKeys():
            return value.pairs
        case _:
            return ()


def _is_listed(value: JsonObject | DuplicateKeys) -> bool:
    if isinstance(value, dict):
        return is_reference(value)
    return any(key == "type" and inner == REFERENCE for key, inner in value.pairs)


def _pointer(place: _Place) -> str | None:
    """The pointer to a place; None if it would be too long."""
    tokens: list[str] = []
    left = MAX_POINTER_CHARACTERS
    while place is not None:
        place, token = place
        written = str(token)
        left -= len(written) + 1
        if left < 0:
            return None
        tokens.append(escape(written))
    return "".join(f"/{token}" for token in reversed(tokens))


def _read(value: JsonObject | DuplicateKeys, pointer: str | None) -> ListedReference:
    if pointer is None:
        return MalformedReference(pointer="", reason=_TOO_DEEP)
    if isinstance(value, DuplicateKeys):
        return MalformedReference(pointer=pointer, reason=DUPLICATE_KEY)
    label = value.get("label")
    fault = (
        _text_fault(value, "label", MAX_LABEL_CHARACTERS)
        or _text_fault(value, "id", MAX_ID_CHARACTERS)
        or _text_fault(value, "redeemUrl", MAX_URL_CHARACTERS)
        or _ttl_fault(value)
    )
    match label, value.get("id"), value.get("redeemUrl"), value.get("ttl"):
        case str(), str() as identifier, str() as url, (float() | int() | None) as ttl_s if not fault:
            return SecretReference(
                pointer=pointer,
                label=label,
                id=identifier,
                redeem_url=url,
                ttl_s=None if ttl_s is None else float(ttl_s),
            )
        case _:
            is_usable = isinstance(label, str) and 0 < len(label) <= MAX_LABEL_CHARACTERS
            return MalformedReference(pointer=pointer, reason=fault, label=str(label) if is_usable else None)


def _text_fault(value: JsonObject, key: str, longest: int) -> str:
    """The problem with a text member; empty if there is none."""
    text = value.get(key)
    if key not in value:
        return f"it has no `{key}`"
    if not isinstance(text, str):
        return f"its `{key}` is not text"
    if not text:
        return f"its `{key}` is empty"
    return f"its `{key}` is longer than {longest:,} characters" if len(text) > longest else ""


def _ttl_fault(value: JsonObject) -> str:
    """The problem with the lifetime; empty if there is none."""
    if "ttl" not in value:
        return ""
    ttl = value["ttl"]
    if isinstance(ttl, bool) or not isinstance(ttl, int | float):
        return "its `ttl` is not a number of seconds"
    # This form also rejects NaN.
    if not ttl >= 0:
        return "its `ttl` is negative, or not a number"
    return "its `ttl` is longer than ten years" if ttl > MAX_TTL_S else ""
