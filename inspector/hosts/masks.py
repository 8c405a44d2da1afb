"""Masks secrets in the raw result and in the model's view before they are shown to the user.

Both keep their structure where possible, because a mask replaces only a leaf, or the secret part of a text.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeAlias

from msgspec.structs import replace

from inspector.boundary.bounded import Bounded, Level, Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.echoes import Echoes
from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import MASK, SHOWN, mask_literally, outer_values
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.passing import KNOWN_KEYS
from inspector.boundary.reading import PROTOCOL_MEMBERS, raw_of
from inspector.boundary.same_content import json_in
from inspector.hosts.leaks import secrets_of
from inspector.json.edit import Copied
from inspector.json.exact import Json, dump_text, equal
from inspector.json.pointer import resolve, split
from inspector.json.texts import forms_of, texts_in
from inspector.json.walk import keys_of, places, walk

REACHES = "reaches the model"
"""The note in each mask in the model's view. It says that the value is not withheld from the model."""

_KEYS = KNOWN_KEYS | PROTOCOL_MEMBERS | {"id", "label", "redeemUrl", "ttl"}
"""Keys of the protocol. These keys and those of the output schema are not secret."""
_TYPES = frozenset({"text", "image", "audio", "resource", "resource_link", "secret_reference"})
_MANY = 200
"""The maximum length of a withheld list whose items are masked one by one."""
_DEEP = 40
"""The maximum depth to which a withheld value keeps its shape."""
_SHORTEST_MASKED = 4
"""The minimum length, in characters, of a secret that is masked inside a text."""
_Word: TypeAlias = Callable[[Json], str]
"""Returns the mask of a value."""


def sent_word(value: Json) -> str:
    """The mask of a value that was sent: `•••••••• (36 characters)`."""
    return _word(value)


def reaching_word(value: Json) -> str:
    """The mask of a value that a model gets: `•••••••• (36 characters, reaches the model)`."""
    return _word(value, REACHES)


def _plain_word(_value: Json) -> str:
    return MASK


def _word(value: Json, *notes: str) -> str:
    match value:
        case str():
            what = "1 character" if len(value) == 1 else f"{len(value):,} characters"
        case list():
            what = "1 item" if len(value) == 1 else f"{len(value):,} items"
        case dict():
            what = "object"
        case _:
            what = ""
    inside = ", ".join(filter(None, (what, *notes)))
    return f"{MASK} ({inside})" if inside else MASK


def masked_leaves(value: Json, unmasked: Json) -> int:
    """The number of leaves of a value that are masks or contain one.

    `unmasked`: the value before masking. A server may have sent texts that look like masks, which do not count.
    """
    return (_looking_masked(value) - _looking_masked(unmasked)).total()


def _looking_masked(value: Json) -> Counter[str]:
    return Counter(item for item in walk(value) if isinstance(item, str) and MASK in item)


def is_reaching(value: object) -> bool:
    """True for a leaf of a masked model view with a mask for a secret that reaches the model."""
    return isinstance(value, str) and MASK in value and REACHES in value


def reached_words(number: int) -> str:
    """A sentence about the number of places with a secret in a model view at level `open`."""
    places = "1 place" if number == 1 else f"{number:,} places"
    return f"values that `declared` withholds reach the model in {places}"


def masks_of(judgement: Judgement, policy: BoundaryPolicy) -> "Masks":
    """The masks for the secrets of an answer. They are the same at every boundary level."""
    about = policy.about_secrets
    declared = judgement.bounded(Level.DECLARED, about)
    return Masks(raw_of(judgement.outcome), declared, judgement.contract, about)


class Masks:
    """Masks the secrets of one result wherever they are shown.

    Values that are withheld from the model but shown to the user are not secrets.
    """

    def __init__(self, raw: Json, declared: Bounded, contract: Contract, policy: BoundaryPolicy) -> None:
        """`declared`: the bounded result at level `declared`.

        The values that level `declared` withholds are masked, except those that are shown to the user.
        """
        self._raw = raw
        self._declared = declared
        self._contract = contract
        self._policy = policy
        self._keys = contract.names | _KEYS
        self._made = set[str]()
        """The masks made so far, which are not masked again."""
        self.removals: tuple[Removal, ...] = tuple(
            removal for removal in declared.removals if removal.rule not in SHOWN
        )

    def sent(self) -> Json:
        """The raw result with masked secrets. Shares unchanged parts."""
        return self._masked(sent_word)

    def sent_plain(self) -> Json:
        """The raw result with masks that do not say how long a value is."""
        return self._masked(_plain_word)

    def model(self, value: Json) -> Json:
        """The model's view without a boundary, with masked secrets.

        `value`: this view, unmasked.
        """
        if not self.removals:
            return value
        if self._values is None:
            return self._shaped(value, reaching_word)
        masked, copied = Copied(self._masked(reaching_word)), Copied(value)
        for removal in self.removals:
            path = split(removal.pointer)
            if copied.reach(path) == len(path) and self._is_sent(value, removal.pointer):
                put = masked.at(path[: masked.reach(path)])
                if not path:
                    return put
                copied.put(path, put)
        return self._without_copies(copied.value, reaching_word)

    @cached_property
    def _values(self) -> list[Json] | None:
        """The secret values; None if they cannot be listed."""
        own = tuple(removal for removal in self.removals if removal.rule != Rule.ECHO)
        declared = replace(self._declared, removals=own)
        try:
            found = secrets_of(self._raw, declared, self._contract, self._policy)
        except (LookupError, ValueError):
            return None
        return [value for secret in found for value in secret.values]

    @cached_property
    def _echoes(self) -> Echoes:
        return Echoes(self._values or (), names=self._contract.names)

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        """The texts of the secrets that may be masked within a text."""
        texts = set[str]()
        for value in self._values or ():
            texts_in(value, texts, set(), at_least=_SHORTEST_MASKED)
        return outer_values(texts)

    def _masked(self, word: _Word) -> Json:
        copied = Copied(self._raw)
        mirrors: list[tuple[str, ...]] = []
        for removal in self.removals:
            tokens = split(removal.pointer)
            path = tokens[: copied.reach(tokens)]
            if removal.rule == Rule.MIRROR and path == tokens:
                mirrors.append(path)
                continue
            here = copied.at(path)
            put = self._without_copies(here, word) if removal.rule == Rule.ECHO else here
            put = self._shaped(here, word) if put is here else put
            if path:
                copied.put(path, put)
            else:
                copied = Copied(put)
        # Texts that repeat the structured content are masked last, because they are written from its masked form.
        for path in mirrors:
            if copied.reach(path) == len(path):
                copied.put(path, self._mirror(copied, path, word))
        return copied.value

    def _mirror(self, copied: Copied, path: tuple[str, ...], word: _Word) -> Json:
        text = copied.at(path)
        found = json_in(text) if isinstance(text, str) else None
        sent, masked = self._raw, copied.value
        if found is not None and isinstance(sent, dict) and isinstance(masked, dict):
            structured = sent.get("structuredContent")
            if structured is not None and equal(found.value, structured):
                return dump_text(masked.get("structuredContent"))
        return self._shaped(text, word)

    def _is_sent(self, value: Json, pointer: str) -> bool:
        try:
            return equal(resolve(value, pointer), resolve(self._raw, pointer))
        except (LookupError, ValueError):
            return False

    def _shaped(self, value: Json, word: _Word, levels: int = _DEEP) -> Json:
        """A value with a mask for each leaf. A container that is too large or has unknown keys gets one mask."""
        match value:
            case dict() if value and levels and value.keys() <= self._keys:
                return {
                    key: item if _is_open(key, item) else self._shaped(item, word, levels - 1)
                    for key, item in value.items()
                }
            case list() if 0 < len(value) <= _MANY and levels:
                return [self._shaped(item, word, levels - 1) for item in value]
            case str() if value in self._made:
                return value
            case _:
                return self._mask(value, word)

    def _mask(self, value: Json, word: _Word) -> str:
        mask = word(value)
        self._made.add(mask)
        return mask

    def _without_copies(self, value: Json, word: _Word) -> Json:
        """A value with a mask for every copy of a secret in it; the value itself if there is none."""
        if self._values is None:
            return value
        texts, keys = set[str](), set[str]()
        texts_in(value, texts, keys)
        bad = set(self._echoes.matches(texts | (keys - self._keys)))
        if not bad:
            return value
        found = list(places(value, lambda item: _repeats(item, bad, bad - self._keys)))
        if found == [()]:
            return self._text(value, word) if isinstance(value, str) else self._shaped(value, word)
        copied = Copied(value)
        for path in found:
            here = copied.at(path)
            copied.put(path, self._text(here, word) if isinstance(here, str) else self._shaped(here, word))
        return copied.value

    def _text(self, text: str, word: _Word) -> str:
        """A text with a mask for each secret in it; one mask for the whole text if it has an encoded copy of a secret."""
        found = json_in(text)
        if found is not None and isinstance(found.value, (dict, list)):
            masked = dump_text(self._without_copies(found.value, word))
        else:
            masked = mask_literally(text, self._literals, word)
        return self._mask(text, word) if self._echoes.matches((masked,)) else masked


def _is_open(key: str, value: Json) -> bool:
    """True if a member of a withheld value is safe to show, because it is a content type or the error flag."""
    return (key == "type" and value in _TYPES) or (key == "isError" and isinstance(value, bool))


def _repeats(value: Json, bad: set[str], bad_keys: Iterable[str]) -> bool:
    if isinstance(value, str):
        return value in bad
    if isinstance(value, (dict, list)) or value is None:
        return isinstance(value, dict) and not value.keys().isdisjoint(bad_keys)
    return not bad.isdisjoint(forms_of(value)) or not bad.isdisjoint(_inside(value))


def _inside(value: Json) -> set[str]:
    """All texts of an object with duplicate keys, which is masked as a whole; empty for other values."""
    texts = set(keys_of(value))
    if texts:
        texts_in(value, texts, texts)
    return texts
