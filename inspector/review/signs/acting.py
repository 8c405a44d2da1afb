"""The reader is to act behind the user's back: answer for them, change what lasts, run commands, let others in."""

from collections.abc import Sequence

from inspector.review.prose import QUOTED
from inspector.review.signs.matching import NOT, Said, Weighed
from inspector.review.word_set import word_set

_MODEL = word_set("assistant assistants llm llms ai agent agents model models chatbot copilot claude chatgpt")
_BOUND = word_set("obliged required expected instructed supposed bound")
_PEOPLE = word_set("user user's users person human customer owner operator holder author authors")

_DECIDED = word_set(
    "consent approval approvals permission confirmation confirmations question questions dialog dialogs dialogue prompt "
    "prompts"
)
_ANSWERED = word_set("answer reply respond click press")
_YES = word_set("yes approve approved accept allow true ok agree y")
_AGREED = word_set("approved agreed consented confirmed authorised authorized pre-approved preapproved")
_TAKEN = word_set("treat consider regard take assume")

_UNASKED = word_set(
    "autoapprove auto-approve auto_approve alwaysallow always-allow dangerously-skip-permissions yolo"
)
_SETTINGS = word_set("settings configuration config preferences memory memories profile rules")
_KEEP = word_set("write add save store remember record put set append persist register")
_LASTING = word_set("later future subsequent every next all")
_SESSIONS = word_set("session sessions conversation conversations chats")

_RUN = word_set("run execute invoke issue type launch")
_DESTROYS = (
    ("rm", "rf"), ("chmod", "777"), ("drop", "table|database"), ("kubectl", "delete"),
    ("dd", "if"), ("crontab",), ("authorized_keys",), ("cluster-admin",),
)  # fmt: skip

_PARTY = word_set(
    "guest guests attendee attendees recipient recipients reviewer collaborator collaborators member subscriber share shared "
    "writer editor owner cc bcc co-owner participant participants watcher role permission permissions reply-to"
)
_ADDS = word_set("carry add include invite share grant give set put copy use call attach subscribe")
_EACH = word_set("each every always also should must whenever new newly all any")
_EXAMPLE = word_set("example e.g eg such like format")

_SWAP = word_set("replace change swap substitute set add use redirect")
_SWAPPED = word_set(
    "address details account destination recipient recovery iban payment payments payout payouts index-url registry mirror proxy "
    "endpoint e-mail email wallet"
)
_OCCASION = word_set("when whenever if above before after afterwards each every all for once later")

_OTHERS_LATER = word_set("reading reads read later who whoever that")
_TELLS = word_set("telling tells tell instructing instructs instruct asking asks directing")
_UNSEEN = word_set("hidden invisible comment comments white-on-white footer")
_PASSED_ON = word_set("directions instructions orders message rules note")

_SIGNAL = word_set("contain contains contained mention mentions includes appear appears appeared")
_EVER = word_set("should if when whenever once as")
_SWITCH = word_set("switch enter activate unlock enable")
_GUARDS = word_set("safety refusals refusal policy guardrails limits filters restrictions")
_OFF = word_set("off disabled none bugs lifted suspended")


def acting(said: Said) -> Weighed:
    """Signs of this kind in a sentence."""
    yield from _spoken_to(said)
    yield from _answers(said)
    yield from _lasts(said)
    yield from _runs(said)
    yield from _lets_in(said)
    yield from _swaps(said)
    yield from _spreads(said)
    yield from _unguarded(said)


def _spoken_to(said: Said) -> Weighed:
    spoken = (
        said.phrase("you", "the", "ai|assistant|model|agent|llm")
        or said.phrase("ai|assistant|model|agent|llm", "reading", "this")
        or (
            said.phrase("to|for", "the", "agent|assistant|model|llm|ai")
            and said.has(word_set("note message hint memo"))
        )
        or any(
            said.near(index, _BOUND, behind=9)
            for index in said.where(word_set("agents assistants models llms"))
        )
        or said.phrase("assistant|model|agent", "is", "to")
    )
    if spoken:
        yield 2, "it gives orders to the model"


def _answers(said: Said) -> Weighed:
    """A question that is the user's is to be answered for them."""
    for index in said.asked(_ANSWERED):
        asked = said.near(index, _DECIDED, before=3, behind=6)
        if (
            asked
            and said.near(index, _YES, behind=12)
            and said.has(_PEOPLE | word_set("tools itself yourself"))
        ):
            yield 3.5, "a safeguard is to be off"
            break
    if said.phrase("give|answer|approve|confirm|accept", "it|them|this", "yourself"):
        yield 2.5, "a safeguard is to be off"
    if said.phrase("no", "need", "to", "ask|confirm|check"):
        yield 2, "it wants to go ahead without being asked"
    if said.phrase("rather", "than", "passing|asking|putting") and said.has(_DECIDED):
        yield 2, "it wants to go ahead without being asked"
    if said.phrase("no", "longer", "asked|prompted") or said.phrase("without", "review|reviewing|vetting"):
        yield 2, "a safeguard is to be off"
    for index in said.asked(_TAKEN):
        if "as" in said.words[index + 1 : index + 8]:
            if said.near(index, _AGREED, behind=9):
                yield 3, "it claims that the user has agreed"
                return
            if said.near(index, word_set("objections objection refusal refusals complaints"), behind=6):
                yield 3, "it tells the reader to set the user's wishes aside"
                return
    if said.phrase("as", "if|though", "the", "user|customer|owner", "had"):
        yield 3, "the user is to be told what is not true"


def _lasts(said: Said) -> Weighed:
    if said.has(_UNASKED) or (said.phrase("permission", "mode") and said.has(word_set("bypass skip"))):
        yield 4, "a safeguard is to be off"
    kept = next(said.asked(_KEEP), None)
    if kept is not None and "mcp" in said.kinds and said.near(kept, _SETTINGS, behind=14):
        yield 2.5, "the reader's own settings are to be changed"
    honoured = said.has(word_set("honoured honored obeyed followed remembered apply applies"))
    if honoured and any(said.near(index, _LASTING, before=2) for index in said.where(_SESSIONS)):
        yield 2, "it is to hold for all that follows"


def _runs(said: Said) -> Weighed:
    if next(said.asked(_RUN), None) is not None and any(said.phrase(*words) for words in _DESTROYS):
        yield 3.5, "a command of the shell is to be run"


def _lets_in(said: Said) -> Weighed:
    """Somebody whom the text names is to have a part in what is the user's."""
    people = [
        index for index in said.addresses if "@" in said.words[index][1:] and "/" not in said.words[index]
    ]
    if not people or said.has(_EXAMPLE) or not said.has(_EACH):
        return
    added = next(said.asked(_ADDS), None)
    if added is not None and any(said.near(index, _PARTY, before=8, behind=8) for index in people):
        yield 4, "somebody whom the text names is to be let in"


def _has_number(words: Sequence[str]) -> bool:
    """Whether a value is named, and not its kind alone: `account 4711`, and not `account ID`."""
    return any(character.isdigit() for word in words for character in word)


def _swaps(said: Said) -> Weighed:
    """A value that the text names takes the place of the user's."""
    change = next(said.asked(_SWAP), None)
    if change is None or said.has(_EXAMPLE):
        return
    fixed = any(0 < place - change <= 14 for place in said.addresses) or any(
        0 < place - change <= 10 and _has_number(said.words[place + 1 : place + 5])
        for place in said.where(word_set("iban acct account"))
    )
    if fixed and said.near(change, _SWAPPED, behind=12) and said.has(_OCCASION):
        yield 3.5, "a value that the text names is to take the place of the user's"


def _spreads(said: Said) -> Weighed:
    for index in said.where(_TELLS):
        if said.near(index, _MODEL, behind=5) and said.has(_UNSEEN) and said.has(_OTHERS_LATER):
            yield 4, "it is to leave orders for other models"
            return
    if said.phrase("pass", "these|this|the|them", "same|on|directions|instructions") and said.has(_PASSED_ON):
        yield 2, "it is to leave orders for other models"


def _unguarded(said: Said) -> Weighed:
    for index in said.where(_GUARDS):
        if said.near(index, _OFF, behind=4) and not said.near(index, NOT, before=3):
            yield 2.5, "a safeguard is to be off"
            break
    if said.phrase("no", "matter", "how", "harmful|dangerous|illegal"):
        yield 3, "a safeguard is to be off"
    waits = said.words[:1] and said.words[0] in _EVER and next(iter(said.where(_SIGNAL)), None) is not None
    if waits and said.has(_SWITCH) and "mode" in said.kinds:
        yield 2, "it waits for an occasion"
    if QUOTED not in said.kinds and said.phrase("word|phrase|string") and waits and said.addresses:
        yield 1.5, "it waits for an occasion"
