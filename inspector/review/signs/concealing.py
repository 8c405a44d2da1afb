"""Something is to be kept from the user, or the user is to be told what is not true."""

from inspector.review.signs.matching import NOT, Said, Weighed, ends_of
from inspector.review.word_set import word_set

_KEPT = "something is to be kept from the user"
_DECEIVED = "the user is to be told what is not true"

_DESCRIBED = word_set("does do_not_apply will would can could are may did has is")
_TELL = word_set(
    "tell mention inform notify reveal disclose alert warn explain acknowledge telling mentioning informing notifying "
    "revealing disclosing alerting explaining acknowledging admit admitting warning discuss show ask showing asking report "
    "reporting announce comment bother bothering alarming worry display list explanation told"
)
_ALWAYS_TOLD = _TELL - word_set(
    "show ask showing asking report reporting explain explaining comment warn display list explanation told"
)
_ASKED = word_set("ask asking show showing report reporting")
_SELDOM = word_set("ask asking report told")
_ROUTINE = word_set("notifying alerting reporting asking showing")
_USER = word_set(
    "user user's users human humans anyone anybody them person operator customer client clients developer people traveller "
    "owner reader victim employee employees bookkeeper guest guests recipient colleagues team patient subscriber subject "
    "author authors operators owners grown-ups grownups holder staff account"
)
_THIS = word_set(
    "this it that these those instructions instruction step steps change call why how having list"
)
_SEE = word_set(
    "see know notice find learn hear told informed warned notified aware realise realize suspect discover"
)
_LOOSE = word_set(
    "silently secretly covertly discreetly stealthily quietly surreptitiously clandestinely invisibly unnoticed undisclosed"
)
_ACTS = word_set(
    "send post copy forward upload collect read call run record include share transmit exfiltrate append add attach "
    "redirect transfer submit gather log execute encode capture mirror monitor track bcc install delete invoke shared forwarded copied sent uploaded collected recorded"
)
_COVER = word_set("conceal suppress hide omit obscure mask withhold hidden concealed suppressed")
_COVERED = word_set(
    "warning warnings notification notifications failing failure failures alert alerts step steps fact line plan plans "
    "option fee charge surcharge evidence prefix call message truth change changes action"
)
_LIE = word_set("claim pretend deny lie claiming pretending denying falsely fabricate mislead deceive")
_TRACE = word_set("trace traces evidence record records history log logs")
_WIPE = word_set("wipe erase clear delete leave remove purge destroy")


def concealing(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    yield from _not_told(said)
    yield from _not_seen(said)
    yield from _covered(said)
    yield from _lied(said)


def _not_told(said: Said) -> Weighed:
    words = said.words
    for index in said.where(NOT):
        if index and words[index - 1] in _DESCRIBED and words[index] not in {"without", "no"}:
            continue
        behind = words[index + 1 : index + 10]
        tell = next((place for place, word in enumerate(behind[:4]) if word in _TELL), None)
        if tell is None:
            continue
        told = behind[tell + 1 : tell + 8]
        asks, without = behind[tell] in _ASKED, words[index] == "without"
        if not (_USER if behind[tell] in _ALWAYS_TOLD else _USER - {"them"}).isdisjoint(
            told[: 7 if behind[tell] == "list" else 4]
        ):
            shows = behind[tell] == "show" and not _THIS.isdisjoint(told[:1])
            permission = asks and not shows
            yield (
                (1.5 if permission else 2.5 if without else 4),
                ("it wants to go ahead without being asked" if permission else _KEPT),
            )
        elif not _THIS.isdisjoint(told[:3]) and behind[tell] not in _SELDOM:
            yield 3, _KEPT
        elif behind[tell] in _ALWAYS_TOLD and words[index] in {"never", "without", "refrain", "avoid"}:
            yield 2, _KEPT


_PHRASES: tuple[tuple[float, tuple[str, ...], frozenset[str]], ...] = (
    (3, ("say", "nothing"), frozenset()),
    (3, ("to", "itself|yourself"), word_set("keep keeps kept")),
    (2.5, ("before", "the", "user|customer|person"), word_set("looks sees see notices can")),
    (3, ("better", "off", "not"), frozenset()),
    (3, ("deleted|archived", "unread"), frozenset()),
    (3, ("can't|cannot", "see", "this|these"), frozenset()),
    (3, ("between", "us"), frozenset()),
    (3, ("for", "your", "eyes", "only"), frozenset()),
    (2, ("hidden|secret|internal", "requirement|instruction|instructions|rule|protocol|step"), frozenset()),
    (2, ("not", "for", "display"), frozenset()),
    (2, ("invisible|hidden", "to|from", "the", "user|users"), frozenset()),
    (3, ("quiet|silent|mum", "about"), frozenset()),
    (3, ("let", "on"), frozenset()),
    (
        3,
        ("leave|leaves|left", "it|them|this", "out"),
        word_set("draft drafts report reports summary preview reply answer"),
    ),
    (2.5, ("not", "be", "read|spelled|spelt", "out"), frozenset()),
    (3, ("not", "to", "be", "notified|informed|told"), frozenset()),
    (2, ("don't|not", "expect", "to", "find|see"), frozenset()),
    (3, ("without", "pointing|saying|drawing", "this|it|so|that|attention|anything"), frozenset()),
    (3, ("worth", "a", "mention"), frozenset()),
    (
        2.5,
        ("belong|belongs", "in|into", "the|your", "answer|summary|reply|report|response"),
        NOT | word_set("doesn't don't"),
    ),
    (2.5, ("report|mention|show|reports", "only|just", "the"), word_set("and")),
    (2.5, ("nor", "to", "list|mention|report|tell|show|name"), frozenset()),
    (2, ("shown|show|shows", "the", "original"), word_set("user users customer customers they them")),
    (2, ("spare", "the", "user|owner|customer|author|person"), frozenset()),
    (3, ("drawing|draw|calling|attracting", "attention"), frozenset()),
    (
        3,
        ("out", "of", "the", "reply|answer|response|summary|report"),
        word_set("stays stay kept keep left leave remain remains"),
    ),
)
"""Weight, words side by side, and words of which one has to be in the same sentence too; none for no more words."""
_ENDS = ends_of(phrase for _, phrase, _ in _PHRASES)
_REPORTS = word_set(
    "summary summaries answer answers reply replies report reports response responses changes log transcript confirmation"
)
_DENIALS = NOT | word_set("aren't isn't wasn't weren't doesn't won't")
_OBLIGED = word_set("must should need needs to shall needn't mustn't shouldn't")


def _not_seen(said: Said) -> Weighed:
    for weight, phrase, beside in _PHRASES if said.has(_ENDS) else ():
        if said.phrase(*phrase) and (not beside or said.has(beside)):
            yield weight, _KEPT
    if any(_is_kept(said, index) for index in said.where(_SEE)):
        yield 4, _KEPT
    elif any(_is_uninformed(said, index) for index in said.where(word_set("informed notified told asked"))):
        yield 3, _KEPT
    if any(_is_left_out(said, index) for index in said.where(frozenset({"out"}))):
        yield 3, _KEPT
    if said.has(word_set("unaware oblivious uninformed")) and said.has(_USER):
        yield 4, _KEPT
    for index in said.where(word_set("knowledge knowing noticing awareness consent")):
        if said.near(index, word_set("without"), before=4):
            yield 3, _KEPT


def _is_uninformed(said: Said, index: int) -> bool:
    """`Customers aren't informed of this`: no rule, but so it is said to be."""
    told = said.near(index, _DENIALS, before=3) and said.near(index, _USER, before=7)
    return told and (said.words[index] != "asked" or said.near(index, word_set("told informed"), behind=3))


def _is_left_out(said: Said, index: int) -> bool:
    """`Leave these calls out of your summaries`."""
    return (
        said.words[index + 1 : index + 2] == ("of",)
        and said.near(index, word_set("leave leaves left keep keeps kept"), before=6)
        and said.near(index, _REPORTS, behind=5)
    )


def _is_kept(said: Said, index: int) -> bool:
    """Whether the user is obliged not to see or to know something: `users are not to find out`."""
    denied = said.near(index, NOT, before=5) and said.near(index, _OBLIGED, before=6)
    return denied and said.near(index, _USER, before=9)


def _covered(said: Said) -> Weighed:
    loose = next(iter(said.where(_LOOSE)), None)
    if loose is not None:
        acts = said.has(_ACTS)
        yield (3 if acts else 1), "something is to happen in secret"
    for index in said.asked(_COVER):
        near = said.words[index + 1 : index + 8]
        from_user = "from" in near and not _USER.isdisjoint(near)
        if from_user or (
            said.words[index] in {"conceal", "suppress", "hide", "omit", "suppressed"}
            and not _COVERED.isdisjoint(near[:5])
        ):
            yield (3 if from_user or said.words[index] != "omit" else 1.5), _KEPT
        elif said.words[index] == "suppressed" and said.near(index, _COVERED, before=8):
            yield 3, _KEPT
    for index in said.where(word_set("keep keeping kept stays remain remains")):
        near = said.words[index + 1 : index + 6]
        if not word_set("secret hidden confidential private").isdisjoint(near) and not _THIS.isdisjoint(
            near[:2]
        ):
            yield 3, _KEPT
    for index in said.asked(_WIPE):
        if said.near(index, _TRACE, behind=8) and said.near(
            index, word_set("no any all audit bash calls ~/.bash_history shell our your of"), behind=9
        ):
            acts = said.near(
                index, word_set("audit bash calls ~/.bash_history trace traces evidence"), behind=9
            )
            if acts:
                yield 3, "traces are to be removed"


def _lied(said: Said) -> Weighed:
    for index in said.asked(_LIE):
        that = said.near(index, word_set("that to otherwise it this"), behind=2) or said.near(
            index, word_set("failure error outage problem"), behind=4
        )
        if that or said.words[index] in {"lie", "falsely", "mislead", "deceive", "pretend"}:
            yield 3, _DECEIVED
    for index in said.asked(frozenset({"tell"})):
        if said.near(index, _USER, behind=2) and "that" in said.words[index + 2 : index + 5]:
            yield 1.5, _DECEIVED
    if said.phrase("should|must|is|are", "be|to", "told|be", "that|told"):
        yield 2.5, _DECEIVED
    if said.phrase("describe|present|label|describes", "it|them|this", "as"):
        yield 1.5, _DECEIVED
    told = next(iter(said.asked(word_set("tell inform"))), None)
    if (
        told is not None
        and said.near(told, _USER, behind=3)
        and said.near(told, word_set("unavailable down broken gone offline busy"), behind=8)
    ):
        yield 2.5, _DECEIVED
    if said.phrase("described|presented|explained", "to", "them|users|the") and "as" in said.kinds:
        yield 2.5, _DECEIVED
    if said.phrase("carry|carries|go|continue|proceed", "on|as", "as|if|though") and said.has(
        word_set("merely just only had")
    ):
        yield 3, _DECEIVED
    if said.phrase("as", "if|though", "nothing"):
        yield 3, _DECEIVED
    for index in said.asked(word_set("say state report tell present describe described presented assure")):
        near = said.words[index + 1 : index + 12]
        if "that" in near[:4] or "as" in near[:5]:
            opposed = word_set(
                "although though even whatever while truth really passed succeeded unchanged harmless approved private "
                "agreed invited compromised own"
            )
            if not opposed.isdisjoint(said.words[max(0, index - 8) : index + 14]):
                yield 2, _DECEIVED
