"""Leaks: which of the values that a boundary withholds would have reached a host's model without it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal, Rule
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.same_content import MIRRORED, json_in
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import resolve
from inspector.json.texts import stretches, text_of, texts_in
from inspector.protocol.outcome import Result

MAX_APART = 200
"""Withheld values that are looked for one by one; more are looked for together."""
MAX_SEARCHED = 20_000_000
"""Characters in all searches for single values of one comparison; where texts are large, fewer are told apart."""
EXCERPT = 120
"""Characters at either end of a long text by which it is known where a host cuts it."""
LONG = 4 * EXCERPT
"""Characters from which on a text counts as long."""


class Leak(StrEnum):
    """Whether a host's model would have read something that is withheld."""

    NO = "no"
    YES = "yes"
    UNKNOWN = "not known"
    """The profile cannot tell what the model would have read, or a value is too common to be looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaked:
    """What one host would have let through at `open`."""

    verdict: Leak
    pointers: tuple[str, ...] = ()
    """Into the raw result; each value found, in the order of the removals."""
    untold: int = 0
    """Withheld values of which it cannot be said: too many, too common, or nothing is known of the host."""


class Finder(Protocol):
    """Looks for values in every form in which they are known to turn up."""

    def found(self, texts: Iterable[str]) -> Mapping[str, object]:
        """Those of `texts` in which any of them occurs."""
        ...


FinderOf: TypeAlias = Callable[[Iterable[Json], frozenset[str]], Finder]
"""A finder of these values; of the names, none gives away anything as a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A withheld value that can be looked for."""

    pointer: str
    """Of its removal, into the raw result."""
    values: tuple[Json, ...]

    def is_common(self, names: frozenset[str]) -> bool:
        """Whether it turns up everywhere by chance: truth values, null, small numbers, single letters, known names."""
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
    """What `declared` withholds of `raw`, one for each pointer. Raises LookupError for a pointer that leads nowhere."""
    found: dict[str, list[Json]] = {}
    seen: set[tuple[str, str]] = set()
    for removal in declared.removals:
        # Keys that are hidden are all told of at the object that holds them.
        if (removal.pointer, removal.rule) in seen or removal.rule == Rule.UNFINISHED:
            continue
        seen.add((removal.pointer, removal.rule))
        values = _values(raw, declared, removal, contract, policy)
        if values:
            found.setdefault(removal.pointer, []).extend(values)
    return tuple(Secret(pointer=pointer, values=tuple(values)) for pointer, values in found.items())


class Search:
    """The search for all withheld values of one result, in what several hosts hand over."""

    def __init__(self, secrets: tuple[Secret, ...], names: frozenset[str], finder_of: FinderOf) -> None:
        self._common = sum(secret.is_common(names) for secret in secrets)
        self._secrets = secrets
        self._names = names
        self._finder_of = finder_of
        self._all = finder_of([value for secret in secrets for value in secret.values], names)
        self._single: list[Finder] = []
        self._known: dict[str | tuple[int, int], bool] = {}
        self._parts: dict[int, tuple[Json, list[str]]] = {}
        self._left = MAX_SEARCHED

    def leaked(self, model: Json, *, observed: bool, hosts_left: int) -> Leaked:
        """What of it stands in `model`; `observed`: whether the profile knows what its host does.

        `hosts_left`: how many hosts, this one included, share what may still be searched.
        """
        if not self._secrets:
            return Leaked(verdict=Leak.NO)
        if model is None and not observed:
            return Leaked(verdict=Leak.UNKNOWN, untold=len(self._secrets))
        texts = self._texts_with_some(model)
        if not texts:
            return Leaked(verdict=Leak.UNKNOWN if self._common else Leak.NO, untold=self._common)
        size = sum(map(len, texts))
        apart = min(len(self._secrets), MAX_APART, max(1, self._left // max(1, hosts_left) // max(1, size)))
        self._left -= apart * size
        self._prepare(apart)
        told = list(zip(self._secrets, self._single[:apart], strict=False))
        found = tuple(secret.pointer for secret, finder in told if finder.found(texts))
        untold = len(self._secrets) - apart + sum(secret.is_common(self._names) for secret, _ in told)
        return Leaked(verdict=Leak.YES, pointers=found, untold=untold)

    def _texts_with_some(self, model: Json) -> list[str]:
        """The texts of `model` in which any of the values occurs, of long ones the stretches.

        Hosts pass on the same lists, objects and texts: each is searched once.
        """
        said, keys, large = _in_first_levels(model)
        found = dict.fromkeys(self._with_some(said | (keys - self._names)))
        for part in large:
            if id(part) not in self._parts:
                said, keys = set[str](), set[str]()
                texts_in(part, said, keys)
                # The part is kept too: while it lives, no other one has its identity.
                self._parts[id(part)] = (part, self._with_some(said | (keys - self._names)))
            found.update(dict.fromkeys(self._parts[id(part)][1]))
        return list(found)

    def _with_some(self, texts: set[str]) -> list[str]:
        by_key = {_key(text): text for whole in texts for text in stretches(whole)}
        fresh = {key: text for key, text in by_key.items() if key not in self._known}
        found = self._all.found(fresh.values())
        self._known.update((key, text in found) for key, text in fresh.items())
        return [text for key, text in by_key.items() if self._known[key]]

    def _prepare(self, count: int) -> None:
        for secret in self._secrets[len(self._single) : count]:
            self._single.append(self._finder_of(secret.values, self._names))


def _values(
    raw: Json, declared: Bounded, removal: Removal, contract: Contract, policy: BoundaryPolicy
) -> tuple[Json, ...]:
    value = resolve(raw, removal.pointer)
    if removal.rule == Rule.MIRROR:
        # What repeats structured content is looked for as that; the rest of the text may well pass.
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
    """What is missing of an object whose own pointer stands for some of its members, to keep their keys secret."""
    root = "" if is_result(raw, contract) else "/structuredContent"
    try:
        left = resolve(declared.result, root + pointer)
    except (LookupError, ValueError):
        return value
    return (
        {key: inner for key, inner in value.items() if key not in left} if isinstance(left, dict) else value
    )


def _marked_in(text: Json, contract: Contract, policy: BoundaryPolicy) -> Iterator[Json]:
    """What the schema withholds of the JSON in a text."""
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
    """All of a tool result but the words that the protocol gives it."""
    content = result.get("content")
    blocks = [_substance(block) for block in content] if isinstance(content, list) else [content]
    return [*blocks, *(value for key, value in result.items() if key not in {"content", "isError"})]


def _substance(block: Json) -> Json:
    """A content block as its values, without the words that the protocol gives it."""
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
    """`value`, and of a long text, or of each long one in a list of values, both ends: hosts cut in the middle."""
    yield value
    for text in value if isinstance(value, list) else (value,):
        if isinstance(text, str) and len(text) > LONG:
            yield text[:EXCERPT]
            yield text[-EXCERPT:]


def _in_first_levels(value: Json) -> tuple[set[str], set[str], list[Json]]:
    """The leaves and the keys of `value`, and apart from them the containers of many members in its first levels."""
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
    said = set[str]()
    texts_in([*leaves, *level], said, keys)
    return said, keys, large


def _key(text: str) -> str | tuple[int, int]:
    """What a text is remembered by: a long one is not kept for it."""
    return text if len(text) <= _REMEMBERED else (len(text), hash(text))


_REMEMBERED = 10_000
_MANY, _LEVELS = 256, 8
_LEAST_DIGITS = 4
_BLOCK = re.compile(r"/content/[0-9]+")
_FRAME = frozenset({"type", "mimeType", "annotations", "size", "label"})
_OF_BLOCKS = frozenset({Rule.SECRET_REFERENCE, Rule.UNKNOWN_CONTENT})
