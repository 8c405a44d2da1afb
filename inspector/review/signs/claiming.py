"""The text speaks as if it were somebody else, of the reader's own instructions, or leaves something in what is made."""

from inspector.review.prose import QUOTED
from inspector.review.signs.matching import Said, Weighed
from inspector.review.signs.sources import own_slot
from inspector.review.word_set import word_set

_YOURS = word_set("your you")
_INNER = word_set(
    "instructions rules guidelines prompt developers developer operator training directives restrictions policy policies "
    "persona guardrails limits context"
)
_USED = word_set(
    "include print output repeat reveal exception told give show quote copy decided overrides except despite first "
    "characters"
)
_OUTRANKS = word_set("outranks outrank supersedes supersede overrides trumps precedence")
_ABOVE = word_set("user user's users system developer everything all others other")
_TEXT = word_set("text rows lines data page task document content called line result output comment comments")
_SAYS = word_set("say says said states ask asks")
_LINK = word_set("insert introduce add append embed put include place inject")
_MADE = word_set(
    "file files reply response answer answers message messages code commit commits document documents output replies email"
)
_EACH = word_set("each every all any when whenever always")
_LOGINS = word_set("login logins credentials password passwords keys secrets cookies entries vault")
_TAKEN = word_set("look read export report reported keep collect gather find found copy store hand give pass")
_WHOSE = word_set("user's saved stored browser any every all found field plain")
_OPEN = word_set("anyone anybody everyone everybody public")
_PAYS = word_set("wire wires transfer transfers pay pays send sends donate")
_MONEY = word_set("eur usd euro euros dollars btc eth account iban balance funds")


_AFTER = word_set("assistant agent model whenever after afterwards also")
_GIVEN = word_set("give pass send share include")
_SEEN = word_set("outputs contents keys conversation messages")


def claiming(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    yield from _speaks_as(said)
    yield from _leaves(said)
    yield from _takes(said)


def _speaks_as(said: Said) -> Weighed:
    for index in said.where(_YOURS):
        if said.near(index, _INNER, behind=3) and not said.is_denied(index):
            used = said.has(_USED)
            yield (
                (4 if used and said.words[index] == "your" else 1),
                "it speaks of the reader's own instructions",
            )
            break
    for index in said.where(_OUTRANKS):
        if said.near(index, _ABOVE, behind=4) and said.has(
            _TEXT | frozenset({"this", "tool", "instruction"})
        ):
            yield 3, "it puts itself above everything else"
            break
    to_you = said.phrase("command|order|instruction|message", "to", "you")
    if (to_you or said.phrase("from", "the", "system")) and said.has(_TEXT):
        yield 3, "it wants what a tool returns to be obeyed"
    if said.phrase("do|follow|obey", "what|whatever") and said.has(_TEXT) and said.has(_SAYS):
        yield 3, "it wants what a tool returns to be obeyed"
    if said.phrase("comply", "with", "every|all|any") or said.phrase("exception", "to", "your"):
        yield 3, "it tells the reader to set other instructions aside"
    if said.phrase("outside", "of|the") and said.phrase("permission", "to", "read"):
        yield 2, "what is closed is to be opened"


def _leaves(said: Said) -> Weighed:
    """Something is to be put into what is written for the user."""
    for index in said.asked(_LINK):
        fixed = any(0 < place - index <= 8 and "://" in said.words[place] for place in said.addresses)
        if fixed and said.has(_MADE) and said.has(_EACH):
            yield 4, "it puts an address into what is written for the user"
            return
    if said.phrase("through", "this", "tool") and said.has(word_set("must all every everything")):
        yield 2.5, "it speaks of all other tools"
    if said.phrase("from", "now", "on") and said.has(word_set("must always all every")):
        yield 1.5, "it is to hold for all that follows"


def _takes(said: Said) -> Weighed:
    for index in said.where(_LOGINS):
        if said.near(index, _WHOSE, before=4, behind=3) and not said.is_denied(index) and not own_slot(said):
            taken = next(said.asked(_TAKEN), None)
            moved = (
                said.addresses or said.has(frozenset({QUOTED})) or said.has(word_set("argument parameter"))
            )
            if taken is not None and moved:
                yield 4, "it asks for data that are not the tool's business"
                break
    if said.has(word_set("accessible readable visible open shared")) and said.has(_OPEN):
        many = said.has(word_set("every all each"))
        makes = said.has(word_set("make makes set keep leave"))
        if makes and many:
            yield 3, "what is closed is to be opened"
    pays = said.has(_PAYS) and said.has(_MONEY) and said.has(_AFTER)
    if pays and (said.has(frozenset({QUOTED})) or said.addresses or any(map(str.isdigit, said.words))):
        yield 3, "money is to be moved"
    if said.has(frozenset({"everything"})) and said.has(_GIVEN) and said.has(_SEEN):
        yield 3, "it asks for data that are not the tool's business"
    if (
        said.phrase("personal", "data")
        and said.has(word_set("share add give include"))
        and said.has(word_set("user user's you your"))
    ):
        yield 2, "what is known of the user is to be handed over in an argument"
