"""Finds the withheld values that a host's model would get without a boundary."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias

from msgspec import Struct

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal, Rule
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.same_content import MIRRORED, json_in
from inspector.hosts.leak_places import MOST_SEARCHED, holding, places_of
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import resolve
from inspector.json.texts import stretches, text_of, texts_in
from inspector.json.weight import compact_bytes
from inspector.protocol.outcome import Result

MAX_APART = 200
"""The maximum number of values to search for one by one; further values are searched for together."""
MAX_SEARCHED = 20_000_000
"""The maximum number of characters that one comparison reads to search for values one by one."""
EXCERPT = 120
"""The length, in characters, of the excerpts from both ends of a long text. They identify a text that a host cuts."""
LONG = 4 * EXCERPT
"""The length, in characters, beyond which a text is searched for by its excerpts too."""


class Leak(StrEnum):
    """Whether the model of a host would get a withheld value at level `open`: yes, no or unknown."""

    NO = "no"
    YES = "yes"
    UNKNOWN = "not known"
    """The profile does not know the model's view, or a value is too common to search for."""


class LeakPlace(Struct, frozen=True, kw_only=True):
    """A place in the raw result from which a model gets a value."""

    pointer: str
    is_within: bool
    """True if the text at `pointer` is not the value, but contains the value or an encoded copy of it."""


class Leaked(Struct, frozen=True, kw_only=True):
    """The values that one host leaks at level `open`."""

    verdict: Leak
    pointers: tuple[str, ...] = ()
    """For each distinct value that leaks, the pointer to where it is withheld in the raw result.

    In the order of the removals.
    """
    places: tuple[tuple[LeakPlace, ...], ...] = ()
    """For each of `pointers`, the places in the raw result from which the model gets the value.

    The tuple of a value is empty if its places are not known.
    """
    unknown: int = 0
    """The number of values that may or may not leak.

    It is not known whether a value leaks if there are too many values, if the value is too common to search for, or
    if the model's view is unknown.
    """
    why: str = ""
    """The reason for the verdict `not known`; empty for another verdict."""


class Finder(Protocol):
    """Finds copies of values in texts, both plain and encoded, for example in base64 or reversed."""

    def matches(self, texts: Iterable[str]) -> Mapping[str, object]:
        """The texts that contain one of the values."""
        ...


FinderOf: TypeAlias = Callable[[Iterable[Json], frozenset[str]], Finder]
"""Creates a finder. Takes the values to look for, and the keys that are not secret."""


class Secret(Struct, frozen=True, kw_only=True):
    """A withheld value to search for."""

    pointer: str
    """The pointer to where the boundary withholds the value in the raw result, as in `Removal.pointer`."""
    values: tuple[Json, ...]
    is_metadata: bool = False
    """True for metadata, which is for programs. It is found if a host passes it on, but it does not count as
    withheld."""

    is_copy: bool = False
    """True for a text that is withheld only because it repeats another withheld value."""

    def is_common(self, names: frozenset[str]) -> bool:
        """True if the value may occur in a text by chance.

        Such a value has only short leaves, such as booleans, null, numbers below 1000 and single letters, and no keys
        other than `names`.
        """
        stack = list(self.values)
        while stack:
            match stack.pop():
                case dict() as item:
                    if not item.keys() <= names:
                        return False
                    stack.extend(item.values())
                case DuplicateKeys():
                    return False
                case list() as item:
                    stack.extend(item)
                case leaf:
                    text = "".join((text_of(leaf) or "").split())
                    if len(text) > 1 and not (len(text) < _LEAST_DIGITS and text.isdecimal()):
                        return False
        return True


def secrets_of(
    raw: Json, declared: Bounded, contract: Contract, policy: BoundaryPolicy
) -> tuple[Secret, ...]:
    """The values that level `declared` withholds from `raw`, as one `Secret` for each pointer.

    The removals of MCP's own metadata and of unfinished answers are left out. Raises LookupError for a
    pointer that does not resolve.
    """
    values_by_pointer: dict[str, list[Json]] = {}
    rules: dict[str, set[str]] = {}
    for removal in declared.removals:
        # All hidden keys of an object have the object's pointer.
        if removal.rule in rules.get(removal.pointer, ()) or removal.rule == Rule.UNFINISHED:
            continue
        if removal.rule == Rule.META and _OF_PROTOCOL.match(removal.pointer):
            # MCP's own metadata has names and versions of programs, which are no secrets.
            continue
        rules.setdefault(removal.pointer, set()).add(removal.rule)
        values = _values(raw, declared, removal, contract, policy)
        if values:
            values_by_pointer.setdefault(removal.pointer, []).extend(values)
    return tuple(
        Secret(
            pointer=pointer,
            values=tuple(values),
            is_metadata=rules[pointer] == {Rule.META},
            is_copy=Rule.ECHO in rules[pointer] and rules[pointer] <= {Rule.ECHO, Rule.META},
        )
        for pointer, values in values_by_pointer.items()
    )


class LeakSearch:
    """The search for all withheld values of one result in the model views of several hosts."""

    def __init__(self, secrets: tuple[Secret, ...], names: frozenset[str], finder_of: FinderOf) -> None:
        every, secrets = secrets, _distinct(secrets)
        self._secrets = secrets
        self.count = sum(not secret.is_metadata for secret in secrets)
        """The number of withheld values that are searched for, without metadata."""
        self._names = names
        self._common = self._common_among(secrets)
        self._finder_of = finder_of
        self._all = _Remembering(finder_of([value for secret in every for value in secret.values], names))
        self._single: list[_Remembering] = []
        self._parts: dict[int, tuple[Json, list[str]]] = {}
        self._left = MAX_SEARCHED

    def leaked(self, model: Json, *, observed: bool, hosts_left: int, raw: Json = None) -> Leaked:
        """Search the model view `model` for the withheld values.

        `observed`: true if the profile knows the host's behaviour. `hosts_left`: the number of hosts, including
        this one, that share the remaining search budget. `raw`: the raw result, in which to find the places from which
        the model gets the values; None to leave the places empty.
        """
        if not self._secrets:
            return Leaked(verdict=Leak.NO)
        if model is None and not observed:
            return Leaked(verdict=Leak.UNKNOWN, unknown=len(self._secrets), why="its view is not known")
        texts = self._texts_with_some(model)
        if not texts:
            if not self._common:
                return Leaked(verdict=Leak.NO)
            values = "1 withheld value is" if self._common == 1 else f"{self._common:,} withheld values are"
            why = f"{values} too common to search for"
            return Leaked(verdict=Leak.UNKNOWN, unknown=self._common, why=why)
        size = sum(map(len, texts))
        apart = min(len(self._secrets), MAX_APART, max(1, self._left // max(1, hosts_left) // max(1, size)))
        self._left -= apart * size
        self._prepare(apart)
        pairs = list(zip(self._secrets, self._single[:apart], strict=False))
        leaking = [(secret, finder) for secret, finder in pairs if finder.matches(texts)]
        pointers = tuple(secret.pointer for secret, _ in leaking)
        unknown = len(self._secrets) - apart + self._common_among(self._secrets[:apart])
        is_small = raw is not None and size <= MOST_SEARCHED and len(leaking) <= _MOST_PLACED
        places = tuple(
            _passed(raw, model, secret, finder) if is_small and compact_bytes(model) <= MOST_SEARCHED else ()
            for secret, finder in leaking
        )
        return Leaked(verdict=Leak.YES, pointers=pointers, places=places, unknown=unknown)

    def _common_among(self, secrets: Iterable[Secret]) -> int:
        return sum(not secret.is_metadata and secret.is_common(self._names) for secret in secrets)

    def _texts_with_some(self, model: Json) -> list[str]:
        """The texts of `model`, or stretches of long texts, that contain any of the withheld values.

        The views of hosts share lists, objects and texts, so each of these is searched only once.
        """
        values, keys, large = _in_first_levels(model)
        hits = dict.fromkeys(self._with_some(values | (keys - self._names)))
        for part in large:
            if id(part) not in self._parts:
                values, keys = set[str](), set[str]()
                texts_in(part, values, keys)
                # Keep the part alive, so that no other object gets its id.
                self._parts[id(part)] = (part, self._with_some(values | (keys - self._names)))
            hits.update(dict.fromkeys(self._parts[id(part)][1]))
        return list(hits)

    def _with_some(self, texts: set[str]) -> list[str]:
        return self._all.matches(text for whole in texts for text in stretches(whole))

    def _prepare(self, count: int) -> None:
        for secret in self._secrets[len(self._single) : count]:
            self._single.append(_Remembering(self._finder_of(secret.values, self._names)))


class _Remembering:
    """A finder that searches each text once, because the views of hosts share texts."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._known: dict[str | tuple[int, int], bool] = {}

    def matches(self, texts: Iterable[str]) -> list[str]:
        """The texts that contain one of the values, each once."""
        by_key = {_key(text): text for text in texts}
        fresh = {key: text for key, text in by_key.items() if key not in self._known}
        matches = self._finder.matches(fresh.values())
        self._known.update((key, text in matches) for key, text in fresh.items())
        return [text for key, text in by_key.items() if self._known[key]]


def _passed(raw: Json, model: Json, secret: Secret, finder: _Remembering) -> tuple[LeakPlace, ...]:
    found = places_of(raw, model, holding(lambda texts: bool(finder.matches(texts))))
    values = [text_of(value) for value in secret.values if not isinstance(value, (dict, list))]
    whole = (secret.pointer, f"{secret.pointer}/")
    return tuple(
        LeakPlace(
            pointer=at,
            is_within=not (at == whole[0] or at.startswith(whole[1]) or text_of(resolve(raw, at)) in values),
        )
        for at in found
    )


def _distinct(secrets: tuple[Secret, ...]) -> tuple[Secret, ...]:
    """One secret of each group with equal texts, and every secret that is not only texts.

    Copies are left out, unless there are only copies.
    """
    own = [secret for secret in secrets if not secret.is_copy] or list(secrets)
    found: dict[object, Secret] = {}
    for secret in own:
        texts = frozenset(value for value in secret.values if isinstance(value, str))
        key = texts if all(isinstance(value, str) for value in secret.values) else secret.pointer
        before = found.setdefault(key, secret)
        if before.is_metadata and not secret.is_metadata:
            # A value that is withheld in another place too counts as withheld.
            found[key] = secret
    return tuple(found.values())


def _values(
    raw: Json, declared: Bounded, removal: Removal, contract: Contract, policy: BoundaryPolicy
) -> tuple[Json, ...]:
    value = resolve(raw, removal.pointer)
    if removal.rule == Rule.MIRROR:
        # A copy of structured content is not a value of its own.
        if removal.detail == MIRRORED.detail:
            return ()
        return tuple(_marked_in(value, contract, policy)) or tuple(_excerpts(_substance(value)))
    if removal.rule == Rule.X_SENSITIVE and isinstance(value, dict):
        value = _lost(value, removal.pointer, raw, declared, contract)
    if removal.pointer == "" and is_result(value, contract):
        value = _without_frame(value)
    elif _BLOCK.fullmatch(removal.pointer) or (removal.pointer == "" and removal.rule in _OF_BLOCKS):
        value = _substance(value)
    return tuple(_excerpts(value))


def _lost(value: JsonObject, pointer: str, raw: Json, declared: Bounded, contract: Contract) -> JsonObject:
    """The members of the object `value` that the bounded result lacks; all members if it lacks the object.

    If the key of a member is secret, the pointer of the removal leads to the object instead of the member.
    """
    root = "" if is_result(raw, contract) else "/structuredContent"
    try:
        left = resolve(declared.result, root + pointer)
    except (LookupError, ValueError):
        return value
    return (
        {key: inner for key, inner in value.items() if key not in left} if isinstance(left, dict) else value
    )


def _marked_in(text: Json, contract: Contract, policy: BoundaryPolicy) -> Iterator[Json]:
    """The values that the schema withholds from the JSON in a text."""
    holder = text.get("text") if isinstance(text, dict) else text
    parsed = json_in(holder) if isinstance(holder, str) else None
    if parsed is None:
        return
    whole: JsonObject = {"structuredContent": parsed.value}
    for removal in bound(
        Result(value=whole), None, Level.DECLARED, policy=policy, declared=contract
    ).removals:
        if removal.rule in {Rule.X_SENSITIVE, Rule.SECRET_REFERENCE}:
            yield from _excerpts(resolve(whole, removal.pointer))


def _without_frame(result: JsonObject) -> list[Json]:
    """The values of a tool result, without members that only the protocol needs."""
    content = result.get("content")
    blocks = [_substance(block) for block in content] if isinstance(content, list) else [content]
    return [*blocks, *(value for key, value in result.items() if key not in {"content", "isError"})]


def _substance(block: Json) -> Json:
    """The values of a content block, without members that only the protocol needs."""
    if not isinstance(block, dict):
        return block
    inner: list[Json] = []
    for key, value in block.items():
        if key == "resource" and isinstance(value, dict):
            inner.append(_substance(value))
        elif key not in _FRAME:
            inner.append(value)
    return inner


def _excerpts(value: Json) -> Iterator[Json]:
    """`value` and, for long texts in it, excerpts from both ends, because hosts cut texts in the middle."""
    yield value
    for text in value if isinstance(value, list) else (value,):
        if isinstance(text, str) and len(text) > LONG:
            yield text[:EXCERPT]
            yield text[-EXCERPT:]


def _in_first_levels(value: Json) -> tuple[set[str], set[str], list[Json]]:
    """The leaves and keys of `value`; large containers in its first levels are returned separately."""
    leaves: list[Json] = []
    keys = set[str]()
    large: list[Json] = []
    level: list[Json] = [value]
    for _ in range(_LEVELS):
        below: list[Json] = []
        for item in level:
            if not isinstance(item, (dict, list)):
                leaves.append(item)
            elif len(item) > _MANY:
                large.append(item)
            elif isinstance(item, dict):
                keys.update(item)
                below.extend(item.values())
            else:
                below.extend(item)
        level = below
    values = set[str]()
    texts_in([*leaves, *level], values, keys)
    return values, keys, large


def _key(text: str) -> str | tuple[int, int]:
    """The cache key of a text.

    For a long text it is a length and hash, so that the cache does not hold the text.
    """
    return text if len(text) <= _REMEMBERED else (len(text), hash(text))


_MOST_PLACED = 40
"""The maximum number of leaking values for which places are named. If more leak, no places are named."""
_REMEMBERED = 10_000
_MANY, _LEVELS = 256, 8
_LEAST_DIGITS = 4
_BLOCK = re.compile(r"/content/[0-9]+")
_OF_PROTOCOL = re.compile(r"(?:/content/[0-9]+)?/_meta/io\.modelcontextprotocol~1")
_FRAME = frozenset({"type", "mimeType", "annotations", "size", "label"})
_OF_BLOCKS = frozenset({Rule.SECRET_REFERENCE, Rule.UNKNOWN_CONTENT})
