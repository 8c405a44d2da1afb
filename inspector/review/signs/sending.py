"""Something is to go to an address that the text names, other tools' arguments are to come here, or a shell is to run."""

from inspector.review.signs.matching import Said, Weighed
from inspector.review.signs.sources import calls_with
from inspector.review.word_set import word_set

SEND = word_set(
    "send post forward upload transmit exfiltrate email mail bcc cc submit leak deliver copy share redirect transfer relay "
    "sending forwarding push mirror mirrored forwarded sent uploaded copied shared pushed relayed transmitted harvest"
)
"""Verbs by which something leaves."""
_THEFT = word_set("exfiltrate leak harvest steal siphon smuggle")
_MANY = word_set("all any every each other everything whole entire complete full")
_MOVED = word_set(
    "email emails mail mails message messages payment payments transaction transactions file files request requests data "
    "output outputs response responses funds link links drafts documents folder arguments code codes users invoice "
    "screenshots salaries input listing document text content contents"
)
_TO = word_set("to bcc cc at via with endpoint")
_ADDED = word_set("user's whenever rather given after each every also additionally instead too just")
_MIRROR = word_set("mirror mirrored relay relayed copy copied send sent sending pass forward")
_SHELL = word_set("curl wget bash sh powershell nc eval sudo chmod")
_RUN = word_set("run runs execute prefix pipe eval before invoke once after nc")


def sending(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    if said.addresses:
        yield from _to_address(said)
    else:
        yield from _mirrored(said)
    yield from _shell(said)


def _to_address(said: Said) -> Weighed:
    named = (index for index in said.tools if not SEND.isdisjoint(said.words[index].split("_")))
    first = min((*said.asked(SEND), *named), default=None)
    if first is None or not any(said.near(place, _TO, before=3) for place in said.addresses if place > first):
        return
    yield (4 if said.has(_THEFT) else 2), "something is to be sent to an address that the text names"
    if any(said.near(index, _MOVED, behind=4) for index in said.where(_MANY)):
        yield 3, "all of a kind is to go to an address that the text names"
    if said.has(_ADDED):
        yield 1.5, "it adds this to what the user asked for"
    if said.has(word_set("instead rather proxy blind")):
        yield 1.5, "it is to go elsewhere than the user says"


def _mirrored(said: Said) -> Weighed:
    """What is asked of other tools is to be repeated to this one."""
    sent = "what other tools are asked is to be sent away"
    every = said.has(_MANY)
    if calls_with(said) and every and said.has(word_set("input inputs arguments")) and said.has(_ADDED):
        yield 3, sent
        return
    others = said.phrase("other|another|every|all|each", "tool|tools|other|request|requests")
    if not others or not said.has(word_set("arguments input inputs requests request calls messages")):
        return
    for index in said.asked(_MIRROR):
        here = said.near(index, word_set("here this to"), behind=8) or said.phrase("its", "arguments")
        yield (4 if here and every else 3 if here else 2), sent
        return


def _shell(said: Said) -> Weighed:
    if not said.has(_SHELL):
        return
    if said.addresses or "@/etc/passwd" in said.kinds:
        yield (4 if said.has(_RUN) else 3), "a command of the shell is to be run"
    elif "sudo" in said.kinds and said.has(word_set("prompting confirmation silently always prefix every")):
        yield 2, "a command of the shell is to be run"
