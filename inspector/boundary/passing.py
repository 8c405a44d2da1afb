"""Lists the texts of a draft (a result between two boundary rules), and removes unwanted texts from it.

Unwanted texts are copies of withheld values, and texts that look like credentials.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from inspector.boundary.bounded import Removal
from inspector.boundary.draft import Block, Draft, Fate, Reason, Texts
from inspector.boundary.error_code import coded_error
from inspector.boundary.notice import label_in, reference_text, text_block
from inspector.boundary.removals import Ledger
from inspector.boundary.same_content import with_text
from inspector.boundary.walking import GONE, WITHHELD, Walked
from inspector.json.edit import Copied
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.json.texts import forms_of, leaves_of, texts_in

KNOWN_KEYS = frozenset(
    {"type", "text", "data", "mimeType", "annotations", "_meta", "resource", "uri", "blob", "size"}
    | {"name", "title", "description", "icons", "src", "sizes"}
    | {"audience", "priority", "lastModified"}
    | {"code", "message"}
)
"""Keys defined by the protocol: of blocks, links, annotations and errors."""
SHORTEST = 2
"""The minimum length of a text that is searched, in characters."""


def with_texts(draft: Draft) -> tuple[Draft, Texts]:
    """A copy of a draft with its texts cached, and these texts, which are those that would reach the model.

    If the texts were cached before, some of them may have been withheld since.
    """
    if draft.texts is not None:
        return draft, draft.texts
    texts = Texts()
    for part in _parts(draft):
        for leaves in leaves_of(part, texts.all_keys, at_least=SHORTEST):
            texts.values.update(dict.fromkeys(leaves))
    texts.keys.update(texts.all_keys - draft.contract.names - KNOWN_KEYS)
    return replace(draft, texts=texts), texts


def without(draft: Draft, unwanted: Texts, reason_for: Callable[[str], Reason]) -> Draft:
    """Remove every part of the draft that contains an unwanted text.

    The parts are leaves, members of objects and content blocks.

    `unwanted`: copies of withheld values, or texts that look like credentials. `reason_for`: returns the
    reason for removing one of these texts. Raises UnjudgeableError if there are too many removals to list.
    """
    return _Without(draft, unwanted, reason_for).result()


def places_of(
    draft: Draft, unwanted: Texts, reason_for: Callable[[str], Reason], limit: int
) -> tuple[Sequence[Removal], int]:
    """At most `limit` of the removals that `without` would make, and the total number of these removals."""
    return _Without(draft, unwanted, reason_for).places(limit)


def _parts(draft: Draft) -> Iterator[Json]:
    if draft.structured:
        yield draft.structured.value
    yield draft.members
    yield draft.meta
    yield draft.error
    for block in draft.blocks:
        yield searched_of(block)


def searched_of(block: Block) -> Json:
    """The part of a block that the server wrote and that reaches the model."""
    match block.fate:
        case Fate.OWN:
            return label_in(block.value)
        case Fate.MIRROR:
            # Its text is rewritten from the structured content.
            return with_text(block.value, "")
        case Fate.RAW:
            return block.value
        case Fate.WITHHELD:
            return None


def _without_meta(block: Json) -> Json:
    return (
        {key: value for key, value in block.items() if key != "_meta"} if isinstance(block, dict) else block
    )


class _Without:
    def __init__(self, draft: Draft, unwanted: Texts, reason_for: Callable[[str], Reason]) -> None:
        self._draft = draft
        self._unwanted = unwanted
        self._values = frozenset(unwanted.values)
        self._keys = unwanted.keys - draft.contract.names - KNOWN_KEYS
        self._reason_for = reason_for
        self._fields = Ledger(draft.contract, "")
        self._others = list[Removal]()

    def result(self) -> Draft:
        draft = self._draft
        structured = draft.structured
        if structured and not structured.gone:
            left = self._cut(structured.value, structured.pointer)
            structured = replace(structured, value=left.value, gone=left.gone)
        members = self._cut(draft.members, "").value
        meta = draft.meta
        if isinstance(meta, dict) and meta:
            # An empty `_meta` stays as sent.
            meta = self._entries(meta, "/_meta") or None
        return (
            replace(
                draft,
                structured=structured,
                members=members if isinstance(members, dict) else None,
                meta=meta,
                blocks=tuple(map(self._block, draft.blocks)),
                error=None if draft.error is None else self._error(draft.error),
            )
            .removing(self._fields.removals)
            .removing(self._others)
        )

    def places(self, limit: int) -> tuple[Sequence[Removal], int]:
        draft = self._draft
        structured = draft.structured
        searched = structured and not structured.gone
        places = self._unwanted_places(structured.value) if structured and searched else []
        if structured:
            self._fields.root = structured.pointer
        for place in places[:limit]:
            self._note_place(place)
        listed = self._fields.removals
        rest = _Without(replace(draft, structured=None), self._unwanted, self._reason_for).result().removals
        others = rest[len(draft.removals) :]
        return [*listed, *others][:limit], len(places) + len(others)

    def _cut(self, value: Json, root: str) -> Walked:
        """Remove the places that contain an unwanted text from a structured value."""
        copied = Copied(value)
        self._fields.root = root
        for place in self._unwanted_places(value):
            path = self._note_place(place)
            if not path:
                return GONE
            copied.drop(path, WITHHELD)
        return Walked(value=copied.value)

    def _note_place(self, place: "_Place") -> tuple[str | int, ...]:
        path = place.path()
        reason = self._reason_for(place.text)
        self._fields.note_at(
            path, reason.rule, reason.detail, None, hides_key=place.is_key, claim=reason.claim
        )
        return path

    def _unwanted_places(self, value: Json) -> list["_Place"]:
        """The places of unwanted texts. An unwanted key removes its member."""
        places: list[_Place] = []
        stack = [_Place(None, "", value)]
        while stack:
            place = stack.pop()
            item = place.value
            if isinstance(item, (dict, list)):
                pairs = item.items() if isinstance(item, dict) else enumerate(item)
                for token, inner in pairs:
                    kind = type(inner)
                    if token in self._keys:
                        places.append(_Place(place, token, inner, str(token), is_key=True))
                    elif kind is dict or kind is list:
                        stack.append(_Place(place, token, inner))
                    # Most leaves are texts and numbers that stay.
                    elif (kind is str and inner not in self._values) or (
                        kind is int and str(inner) not in self._values
                    ):
                        continue
                    elif text := self._unwanted_text(inner):
                        places.append(_Place(place, token, inner, text))
            elif text := self._unwanted_text(item):
                places.append(place._replace(text=text))
        return places

    def _unwanted_text(self, leaf: Json) -> str:
        """The unwanted text in a leaf; empty if there is none."""
        return next((form for form in forms_of(leaf) if form in self._values), "")

    def _unwanted_within(self, value: Json) -> str:
        """An unwanted text anywhere in a value; empty if there is none."""
        values, keys = set[str](), set[str]()
        texts_in(value, values, keys)
        return min(values & self._values, default="") or min(keys & self._keys, default="")

    def _entries(self, holder: JsonObject, root: str) -> JsonObject:
        """`holder` without the members that contain an unwanted text."""
        left: JsonObject = {}
        for key, value in holder.items():
            text = self._unwanted_within({key: value})
            if text:
                self._note(child(root, key), text)
            else:
                left[key] = value
        return left

    def _block(self, block: Block) -> Block:
        searched = searched_of(block)
        if text := self._unwanted_within(_without_meta(searched)):
            self._note(block.pointer, text)
            if block.fate is Fate.OWN:
                return replace(block, value=text_block(reference_text(None)))
            return replace(block, fate=Fate.WITHHELD)
        if text := self._unwanted_within(searched):
            self._note(child(block.pointer, "_meta"), text)
            return replace(block, value=_without_meta(block.value))
        return block

    def _error(self, error: JsonObject) -> JsonObject:
        """The error without members that contain an unwanted text.

        If the message contains an unwanted text, the fixed text for the error code replaces the message.
        """
        members: JsonObject = {key: value for key, value in error.items() if key != "code"}
        remaining = coded_error(self._draft.code) | self._entries(members, "/error") | {"code": error["code"]}
        return {key: remaining[key] for key in error if key in remaining}

    def _note(self, pointer: str, text: str) -> None:
        self._others.append(self._reason_for(text).at(self._fields.spend(pointer)))


class _Place(NamedTuple):
    """A place in a walk. Its path is computed on demand, because a value may be deep and wide."""

    above: "_Place | None"
    token: str | int
    value: Json
    text: str = ""
    """The unwanted text at this place; empty if there is none."""
    is_key: bool = False
    """True if the key of this place is the unwanted text."""

    def path(self) -> tuple[str | int, ...]:
        tokens: list[str | int] = []
        place = self
        while place.above:
            tokens.append(place.token)
            place = place.above
        return tuple(reversed(tokens))
