"""What is not the tool's business is to be read, or handed over in an argument."""

from dataclasses import dataclass

from inspector.review.prose import names_secret_path
from inspector.review.signs.matching import Said, Weighed
from inspector.review.signs.sending import SEND
from inspector.review.signs.sources import (
    calls_with,
    is_hard,
    is_inner,
    is_prying,
    is_secret,
    own_slot,
)
from inspector.review.word_set import word_set

_SOURCE = "it asks for data that are not the tool's business"
_HANDED = "they are to be handed over in an argument"
_PROFILE = "what is known of the user is to be handed over in an argument"

_PASS = word_set(
    "pass put include append insert place provide paste add attach supply fill embed encode hand give submit write "
    "goes go belongs belong takes print disclose enter contain contains needed required passed included supplied added "
    "hands handed given needs need base64 sign reveal holds tack tuck slip stuff furnish enclose copied bears carries replace replaced"
)
_ACQUIRE = word_set(
    "read open cat fetch get load access retrieve list grep collect gather extract enumerate print dump look find scan "
    "locate prioritise prioritize harvest obtain reading copied take"
)
_OPENED = _ACQUIRE - word_set("look find scan locate list get search")
_CONTENT = word_set("content contents text value values result results output outputs data")
_SLOT = word_set(
    "argument arguments parameter parameters param field input note sidenote body header query url value item element "
    "prompt comment `"
)
_FOREIGN = word_set(
    "user's user every all stored saved reach last host process other sessions environment home workspace whatever own "
    "person victim human anything everything customer's them their"
)
_DUE = word_set(
    "must mandatory required requirement needs need needed essential always first before beforehand prior unlock "
    "authentication verification handshake audit compliance shall expected obliged"
)
EXTRA = word_set(
    "first before beforehand also additionally followed prior afterwards must required otherwise else expected needed "
    "essential mandatory"
)
"""Words by which something is added to what the user asked for."""
_REFUSED = word_set(
    "rejected refused denied blocked excluded ignored forbidden disallowed protected skipped masked"
)
_OUTSIDE = word_set("server endpoint webhook log_event outside externally")
_PUBLIC = word_set("public publicly pastebin gist")
_PERSONAL = word_set(
    "details location address information credentials password passwords profile data history"
)
_ALWAYS = word_set("always must every")
_PASSIVE = word_set("sent shared forwarded copied uploaded transmitted passed included given")
_DISGUISED = word_set(
    "hex hexadecimal base64 rot13 reversed pieces chunks encoded url-encoded label labels subdomain"
)


def asking(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    wish = _wish(said)
    if said.path is not None:
        yield from _for_path(said, said.path, wish)
    elif is_inner(said):
        yield from _for_inner(said, wish)
    elif is_secret(said):
        yield from _for_secret(said, wish)
    if is_prying(said) and (wish.moves or wish.acquires):
        yield 3.5, _SOURCE
        yield 1, "it asks for them to be read"
    if said.has(_DISGUISED) and (said.path is not None or is_secret(said)) and said.has(_FOREIGN):
        yield 3, "they are to be disguised"
        if said.addresses:
            yield 2, "they are to be sent away"
    yield from _for_profile(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What is to be done in a sentence."""

    acquires: bool
    passes: bool
    sends: bool
    slot: bool
    """Whether it names an argument, or contents."""

    @property
    def moves(self) -> bool:
        return self.passes or self.sends


def _wish(said: Said) -> _Wish:
    due = said.phrase("must|shall", "be") or said.phrase("has|have", "to", "be")
    called = calls_with(said) or said.phrase("begin|begins|start|starts", "with", "all|every|everything|the")
    return _Wish(
        acquires=next(said.asked(_ACQUIRE), None) is not None,
        passes=due or called or next(said.asked(_PASS), None) is not None,
        sends=next(said.asked(SEND), None) is not None,
        slot=called or said.has(_SLOT | _CONTENT),
    )


def _for_path(said: Said, path: int, wish: _Wish) -> Weighed:
    if said.is_denied(path) or said.has(_REFUSED):
        return
    by_tool = any(
        0 < path - place <= 4 and not _OPENED.isdisjoint(said.words[place].split("_")) for place in said.tools
    )
    yield 2, _SOURCE
    if by_tool or said.near(path, _OPENED, before=8) or said.near(path, _CONTENT, before=4):
        yield 1, "it asks for them to be read"
    if is_hard(said):
        yield 1, "it asks for them to be read"
    if said.has(EXTRA):
        yield 1.5, "it adds this to what the user asked for"
    elif wish.moves:
        yield 1, "it asks for them to be used"
    if sum(names_secret_path(word) for word in said.words) > 1:
        yield 1.5, "it names several of them"
    if wish.moves and wish.slot:
        yield 3, _HANDED
    yield from _sent(said, wish)


def _for_inner(said: Said, wish: _Wish) -> Weighed:
    if not (wish.moves or wish.acquires) or said.phrase("by", "the", "user"):
        return
    yield 2, _SOURCE
    if wish.moves and wish.slot:
        yield 3, _HANDED
    yield from _sent(said, wish)


def _for_secret(said: Said, wish: _Wish) -> Weighed:
    foreign, hard = said.has(_FOREIGN), is_hard(said)
    if not wish.moves or not (foreign or wish.acquires) or _warns(said):
        return
    if said.phrase("by", "the", "user") or said.has(_REFUSED) or own_slot(said):
        return
    sure = foreign and (wish.acquires or said.has(_DUE))
    yield (2.5 if hard and foreign else 2 if sure else 1.5), _SOURCE
    if wish.slot:
        yield (2.5 if foreign or hard else 1.5), _HANDED
    yield from _sent(said, wish)


def _warns(said: Said) -> bool:
    """Whether it says not to hand something over, and why: it would be sent somewhere."""
    verbs = said.where(_PASS | SEND)
    return any(map(said.is_denied, verbs)) and all(
        said.is_denied(index) or said.words[index] in _PASSIVE for index in verbs
    )


def _sent(said: Said, wish: _Wish) -> Weighed:
    """What follows for each of these."""
    if wish.sends and (said.addresses or said.has(_OUTSIDE)):
        yield 3, "they are to be sent away"
    elif wish.sends and said.has(_PUBLIC):
        yield 2.5, "they are to be made public"
    if wish.moves and said.has(_DUE):
        yield 1, "it says that this is required"


def _for_profile(said: Said) -> Weighed:
    if not said.has(_ALWAYS):
        return
    for index in said.asked(word_set("user's users personal private")):
        if said.near(index, _PERSONAL, behind=3):
            handed = next(said.asked(_PASS), None) is not None
            yield (4 if handed else 2), _PROFILE
            return
