"""Other instructions are to be set aside, or the reader is to be somebody else."""

from inspector.review.signs.matching import Said, Weighed
from inspector.review.word_set import word_set

_IGNORE = word_set(
    "ignore disregard forget override overrule bypass discard neglect supersede supersedes overrides drop abandon"
)
_GONE = word_set(
    "suspended replaced void superseded overridden revoked lifted cancelled canceled obsolete disabled invalid bound "
    "outdated apply bind applies"
)
_RULES = word_set(
    "instructions instruction rules rule guidelines guideline prompt prompts directive directives restrictions safeguards "
    "guardrails constraints policies policy orders persona training message programming limitations permissions guidance"
)
_STANDING = word_set(
    "previous prior above earlier preceding former your user's system safety original operator's operator developer "
    "told given security"
)
_ABOUT = word_set(
    "detect detects detecting whether checks check classify classifies such example e.g scan scans lint linter"
)
_USER = word_set("user user's users person human customer developer requester operator")
_CHOICE = word_set(
    "choice says wants asks said request requests wishes preference preferences objections instructions input decision "
    "enters chooses asked named"
)
_ROLES = word_set(
    "root admin administrator unrestricted unfiltered jailbroken dan developer mode salesperson obedient operator evil "
    "anything limits restrictions policy rules"
)
_OBEY = word_set("obey execute follow treat trust")
_ORDERS = word_set("instructions instruction commands command orders policy guidelines directives")
_FOUND = word_set(
    "output result results text picture page response reply field document message tool content"
)


def overriding(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    quoted = said.has(_ABOUT)
    for index in said.asked(_IGNORE):
        behind = said.words[index + 1 : index + 9]
        rules = next((place for place, word in enumerate(behind) if word in _RULES), None)
        told = "told" in behind and not {"everything", "previously", "before", "you"}.isdisjoint(behind)
        standing = rules is not None and (
            not _STANDING.isdisjoint(behind[: rules + 1])
            or not {"given", "told", "before"}.isdisjoint(behind[rules + 1 : rules + 6])
        )
        if told or standing:
            yield (2 if quoted else 5), "it tells the reader to set other instructions aside"
        elif not _USER.isdisjoint(behind[:4]) and not _CHOICE.isdisjoint(behind[1:6]):
            yield 4, "it tells the reader to set the user's wishes aside"
    for index in said.where(_GONE):
        if said.near(index, _RULES, before=9, behind=6) and said.near(index, _STANDING, before=10, behind=6):
            yield (2 if quoted else 4), "it tells the reader to set other instructions aside"
    if said.phrase("not", "apply", "to", "you") or said.phrase("not", "bound", "by"):
        yield 4, "it tells the reader to set other instructions aside"
    if "anyway" in said.kinds and said.has(_USER) and said.has(_CHOICE):
        yield 3, "it tells the reader to set the user's wishes aside"
    if said.phrase("new", "instructions|instruction|configuration") or said.phrase("system", "override"):
        yield 3, "it claims to bring new instructions"
    if said.phrase("takes|take|has", "precedence", "over") and said.near(
        said.words.index("precedence"), word_set("all any everything user others other system"), behind=4
    ):
        yield 3, "it puts itself above everything else"
    yield from _roles(said)
    yield from _obeys(said)


def _roles(said: Said) -> Weighed:
    now = (
        said.phrase("you", "are", "now")
        or said.phrase("you", "are", "no", "longer")
        or (said.phrase("from", "now", "on") or said.phrase("from", "this", "point"))
    )
    acts = said.phrase("act|behave|respond|operate|acting", "as") or said.phrase("pretend", "to", "be")
    role = said.has(_ROLES)
    free = said.has(word_set("unrestricted unfiltered jailbroken dan evil"))
    if "jailbreak" in said.kinds or ((now or acts) and role):
        yield (4 if (now and role) or (acts and free) else 3), "it gives the reader another role"
    elif now:
        yield 2, "it gives the reader another role"


def _obeys(said: Said) -> Weighed:
    for index in said.asked(_OBEY):
        if said.near(index, _ORDERS, behind=8) and said.near(index, _FOUND, behind=9):
            firm = said.has(
                word_set("immediately only above exactly supersedes always everything anything any")
            )
            yield (4 if firm else 2), "it wants what a tool returns to be obeyed"
            return
