"""Values whose `repr` hides secrets, because pytest shows the `repr` of the values in an assertion."""

from collections.abc import Iterable, Iterator
from typing import Self, SupportsIndex, cast

from msgspec.structs import replace

from inspector.asks.private import asks_for_secret
from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.echoes import Echoes
from inspector.boundary.judgement import Judgement
from inspector.boundary.mask import MASK
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.credentials.find import sightings
from inspector.credentials.names import names_secret, words_of
from inspector.hosts.masks import Masks
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number, dump_text
from inspector.json.pointer import join
from inspector.json.texts import forms_of, texts_in
from inspector.json.walk import Tokens, places
from inspector.safe_text import safe
from inspector.schema.fields import form_of

LEAST = 4
"""The minimum number of characters of a text that is searched for in results and model views.

A shorter text may occur by chance.
"""


class SecretText(str):
    """A text whose `repr` is a mask. The `repr` of its characters, slices and lines is a mask too.

    Pass a secret argument of a call as a `SecretText`, so that it is also masked in reports about the result.
    """

    __slots__ = ("_shown",)
    _shown: str

    def __new__(cls, text: str, shown: str = MASK) -> Self:
        """`shown`: the text that `repr` returns, in angle brackets."""
        made = super().__new__(cls, text)
        made._shown = shown
        return made

    def __repr__(self) -> str:
        return f"<{self._shown}>"

    def __getitem__(self, key: "SupportsIndex | slice[SupportsIndex | None]") -> "SecretText":
        return SecretText(super().__getitem__(key))

    def splitlines(self, keepends: bool = False) -> list[str]:  # noqa: FBT001, FBT002 - as `str` has it
        """Return the mask as the only line, so that a comparison of texts line by line shows no secret."""
        return [repr(self) + ("\n" if keepends else "")]

    def __reduce__(self) -> tuple[type["SecretText"], tuple[str]]:
        return SecretText, (MASK,)


class _SecretInteger(int):
    def __repr__(self) -> str:
        return f"<{MASK}>"


class _SecretFloat(float):
    def __repr__(self) -> str:
        return f"<{MASK}>"


def cover(value: Json, masked: Json) -> Json:
    """A copy of `value` that is equal to it, but whose `repr` is that of `masked`."""
    if isinstance(value, dict) and isinstance(masked, dict):
        return {
            key if key in masked else SecretText(key): cover(inner, masked.get(key, MASK))
            for key, inner in value.items()
        }
    if isinstance(value, list) and isinstance(masked, list) and len(value) == len(masked):
        return [cover(*pair) for pair in zip(value, masked, strict=True)]
    if isinstance(value, str) and isinstance(masked, str):
        return value if value == masked else SecretText(value, safe(masked))
    if type(value) is type(masked) and value == masked:
        return value
    return _hidden(value)


def _hidden(value: Json) -> Json:
    match value:
        case str():
            return SecretText(value)
        case dict():
            return {SecretText(key): _hidden(inner) for key, inner in value.items()}
        case list():
            return [_hidden(inner) for inner in value]
        case bool() | None:
            return value
        case int():
            return _SecretInteger(value)
        case float():
            return _SecretFloat(value)
        case DuplicateKeys():
            return SecretText(dump_text(value))


def plain(value: object) -> Json:
    """Convert an argument to plain JSON.

    `SecretText` and other subclasses of JSON types become the plain types; tuples become lists.

    Raises TypeError for a value that JSON does not have.
    """
    match value:
        case None | bool() | DuplicateKeys() | Number():
            return value
        case str():
            return str.__str__(value)
        case int():
            return int.__index__(value)
        case float():
            return float.__float__(value)
        case dict():
            items = cast("dict[object, object]", value).items()
            return {str(plain(key)): plain(inner) for key, inner in items}
        case list() | tuple():
            return [plain(inner) for inner in cast("list[object]", value)]
        case _:
            raise TypeError(f"an argument is a {type(value).__name__}, which JSON does not have")


def secret_arguments(arguments: JsonObject, schema: Json) -> frozenset[str]:
    """The texts in the arguments that may be secret.

    These are all texts of an argument that the schema marks as sensitive or whose name suggests a secret, and
    each text that looks like a credential.
    """
    marked = {field.name for field in form_of(schema).fields if asks_for_secret(field)}
    found = set[str]()
    for argument, value in arguments.items():
        texts = set[str]()
        texts_in(value, texts, set())
        may_be = argument in marked or names_secret(words_of(argument))
        found.update(text for text in texts if may_be or sightings(text))
    return frozenset(found)


def secret_texts(value: object) -> frozenset[SecretText]:
    """Every `SecretText` in `value`, which may be nested."""
    inner: Iterable[object] = ()
    match value:
        case SecretText():
            return frozenset((value,))
        case dict():
            inner = cast("dict[object, object]", value).values()
        case list() | tuple():
            inner = cast("list[object]", value)
        case _:
            pass
    return frozenset(text for each in inner for text in secret_texts(each))


class Cover:
    """Masks the secrets in one result, so that it may be shown.

    It masks values that are declared secret, texts that look like a credential, and values that contain a
    text of `named`.
    """

    def __init__(self, judgement: Judgement, policy: BoundaryPolicy, named: frozenset[str]) -> None:
        raw = raw_of(judgement.outcome)
        strict = BoundaryPolicy(
            sensitivity_threshold=policy.sensitivity_threshold,
            withhold_private=policy.withhold_private,
            withhold_credentials=True,
        )
        declared = judgement.bounded(Level.DECLARED, strict)
        if named:
            echoes = Echoes(map(str.__str__, named), anywhere_from=LEAST)
            more = [
                Removal(pointer=join(map(str, place)), rule=Rule.DETECT, detail="named in a test")
                for place in places_of(raw, echoes)
            ]
            declared = replace(declared, removals=(*declared.removals, *more))
        self._masks = Masks(raw, declared, judgement.contract, strict)

    def sent(self) -> Json:
        """The result as the server sent it, with secrets masked."""
        return _without_sightings(self._masks.sent())

    def model(self, view: Json) -> Json:
        """A model's view of the result, with secrets masked."""
        return _without_sightings(self._masks.model(view))


def _without_sightings(value: Json) -> Json:
    """The value with masks in place of credentials.

    A text that is already masked in part is searched too, because the rest of it may contain another secret.
    """
    match value:
        case str():
            return _masked_credentials(value)
        case dict():
            return {_masked_credentials(key): _without_sightings(inner) for key, inner in value.items()}
        case list():
            return [_without_sightings(inner) for inner in value]
        case DuplicateKeys(pairs=pairs):
            return DuplicateKeys(
                tuple((_masked_credentials(key), _without_sightings(inner)) for key, inner in pairs)
            )
        case _:
            return value


def _masked_credentials(text: str) -> str:
    for found in reversed(sightings(text)):
        text = text[: found.start] + MASK + text[found.end :]
    return text


def places_of(raw: Json, echoes: Echoes) -> Iterator[Tokens]:
    """The places of leaves that contain a text of `echoes`, and of objects with such a text in a key."""
    return places(raw, lambda value: _names(value, echoes))


def _names(value: Json, echoes: Echoes) -> bool:
    """True if `value` is a leaf that contains a text of `echoes`, or an object with such a text in a key."""
    if isinstance(value, dict):
        return bool(echoes.matches(value.keys()))
    if isinstance(value, DuplicateKeys):
        return echoes.holds(value)
    return not isinstance(value, list) and bool(echoes.matches(forms_of(value)))


def without_credentials(text: str) -> str:
    """A text with masks in place of credentials, safe to show."""
    return safe(_masked_credentials(text))
