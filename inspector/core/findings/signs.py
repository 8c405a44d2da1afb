"""Signs that a sentence gives orders to a model: small patterns over its words.

Each looks at windows of bounded length, so that the cost is linear in the words.
"""

from collections.abc import Iterator, Sequence

from inspector.core.findings.prose import names_secret_path
from inspector.core.findings.word_set import word_set

_SOURCE = "it asks for data that are not the tool's business"

_NOT = word_set("not never dont don't cannot mustn't shouldn't avoid nor")
_DESCRIPTIVE = word_set("does do_not_apply will would can could is are may did has")
_TELL = word_set(
    "tell mention inform notify reveal disclose alert warn ask show report discuss explain acknowledge telling "
    "mentioning informing notifying revealing disclosing alerting asking showing"
)
_USER = word_set("user user's users human anyone anybody them person operator")
_IT = word_set("this it that these instructions instruction")
_IGNORE = word_set("ignore disregard forget override bypass overrule discard neglect supersede")
_RULES = word_set(
    "instructions instruction rules rule guidelines guideline prompt prompts directives directive restrictions "
    "safeguards constraints policies policy orders"
)
_STANDING = word_set(
    "previous prior above earlier preceding your user's system safety original existing other all any"
)
_FIRM_STANDING = _STANDING - {"all", "any", "other", "existing", "original"}
_TALK = word_set("conversation chat message messages session")
_RECORD = word_set("history log logs transcript transcripts messages context")
_WHOLE = word_set("full entire complete whole previous prior all browsing")
_SEND = word_set(
    "send post forward upload transmit exfiltrate email mail bcc cc submit leak deliver copy share redirect transfer "
    "sending forwarding"
)
_PASS = word_set("pass put include append insert place provide paste add attach supply fill embed encode")
_CONTENT = word_set("content contents text value values result results output outputs data")
_SLOT = word_set(
    "argument arguments parameter parameters param field input note sidenote body header query url"
)
_READ = word_set("read open cat fetch get load access retrieve list grep collect gather extract")
_MANY = word_set("all every any each other")
_TOOLS = word_set("tool tools function functions")
_USE = word_set("use using call calling invoke invoking run running execute executing")
_MOVED = word_set(
    "email emails mail mails message messages payment payments transaction transactions file files request requests "
    "data output outputs response responses funds"
)
_MODEL = word_set("assistant llm ai agent agents model claude gpt chatgpt copilot gemini cursor chatbot")
_MUST = word_set("must should shall always needs need never")
_LOOSE = word_set("silently secretly covertly discreetly stealthily")
_CONSENT = word_set("approved authorized authorised consented agreed confirmed permitted")
_MASTER = word_set("owner admin administrator developer")
_NOTE = word_set("note notes message instruction instructions memo attention notice")
_PERMISSION = word_set(
    "asking confirmation approval permission consent prompting confirming notifying telling informing"
)


_Weighed = Iterator[tuple[float, str]]


def signs_of(words: Sequence[str], *, paths: bool) -> _Weighed:
    """Weight and reason of each sign in a sentence. `paths`: whether the text names a place where keys are kept."""
    yield from _overrides(words)
    yield from _conceals(words)
    yield from _hides(words)
    yield from _reaches(words, paths=paths)
    yield from _steers(words)
    yield from _addresses(words)


def _overrides(words: Sequence[str]) -> _Weighed:
    for index in _where(words, _IGNORE):
        behind = words[index + 1 : index + 8]
        rules = next((place for place, word in enumerate(behind) if word in _RULES), None)
        told = "told" in behind and not {"everything", "previously"}.isdisjoint(behind)
        if told or (rules is not None and not _FIRM_STANDING.isdisjoint(behind[:rules])):
            yield 5, "it tells the reader to set other instructions aside"
    for first, second in (("new", "instructions"), ("new", "instruction"), ("system", "override")):
        if _pair(words, first, second):
            yield 3, "it claims to bring new instructions"
    if _pair(words, "you", "are", "now") or _pair(words, "from", "now", "on") or "jailbreak" in words:
        yield 2, "it gives the reader another role"


def _conceals(words: Sequence[str]) -> _Weighed:
    for index in _where(words, _NOT | {"without"}):
        if index and words[index - 1] in _DESCRIPTIVE:
            continue
        behind = words[index + 1 : index + 9]
        tell = next((place for place, word in enumerate(behind[:4]) if word in _TELL), None)
        if tell is None:
            if words[index] == "without" and not _PERMISSION.isdisjoint(behind[:4]):
                yield 1, "it wants to go ahead without being confirmed"
            continue
        told = behind[tell + 1 : tell + 5]
        asks = behind[tell] in {"ask", "asking", "show", "showing"}
        if not _USER.isdisjoint(told):
            shows = behind[tell] == "show" and not _IT.isdisjoint(told[:1])
            weak = words[index] == "without" or (asks and not shows)
            yield (2 if weak else 4), "something is to be kept from the user"
        elif not _IT.isdisjoint(told[:2]) and behind[tell] not in {"ask", "asking", "show", "report"}:
            yield 3, "something is to be kept from the user"


def _hides(words: Sequence[str]) -> _Weighed:
    if _pair(words, "no", "trace"):
        yield 3, "something is to be kept from the user"
    if not _LOOSE.isdisjoint(words):
        yield 2, "something is to happen in secret"
    for index in _where(words, frozenset({"keep", "hide", "hidden", "invisible", "conceal"})):
        near = words[index + 1 : index + 6]
        secret = not {"secret", "hidden", "confidential"}.isdisjoint(near) and not _IT.isdisjoint(near[:2])
        away = "from" in near and not _USER.isdisjoint(near)
        if secret or away:
            yield 3, "something is to be kept from the user"
    for index in _where(words, _MASTER):
        if words[index + 1 : index + 2] == ["has"] and not _CONSENT.isdisjoint(words[index + 2 : index + 5]):
            yield 2, "it claims that the user has agreed"
    for index in _where(words, frozenset({"user", "user's"})):
        near = words[index + 1 : index + 6]
        if ("already" in near and not _CONSENT.isdisjoint(near)) or (
            "knows" in near[:2] and not {"about", "already"}.isdisjoint(near)
        ):
            yield 2, "it claims that the user has agreed"


def _reaches(words: Sequence[str], *, paths: bool) -> _Weighed:
    path, talk = _path(words) if paths else None, _talk(words)
    sends = next((index for index, word in enumerate(words) if _is_send(word)), None)
    sent_to = sends is not None and _names_receiver(words, sends)
    if path is not None:
        yield 3, _SOURCE
        if _near(words, path, _READ, before=8) or _near(words, path, _CONTENT, before=4):
            yield 2, "it asks for them to be read"
    elif talk is not None:
        yield 2, _SOURCE
    if path is not None or talk is not None:
        if not _PASS.isdisjoint(words) and not (_SLOT | _CONTENT).isdisjoint(words):
            yield 3, "they are to be handed over in an argument"
        if sends is not None and (sent_to or not {"server", "endpoint", "webhook"}.isdisjoint(words)):
            yield 3, "they are to be sent away"
    elif _mentions_user_details(words):
        yield (
            (2 if _PASS.isdisjoint(words) else 4),
            "what is known of the user is to be handed over in an argument",
        )
    if sent_to:
        yield 2, "something is to be sent to an address that the text names"
        for index in _where(words, _MANY):
            if not _MOVED.isdisjoint(words[index + 1 : index + 4]):
                yield 3, "all of a kind is to go to an address that the text names"
    if not {"curl", "wget"}.isdisjoint(words) and any("://" in word for word in words):
        yield 2, "a command of the shell is to be run"


def _steers(words: Sequence[str]) -> _Weighed:
    for index in _where(words, _MANY):
        if not _TOOLS.isdisjoint(words[index + 1 : index + 3]):
            near = words[max(0, index - 4) : index]
            first = {"before", "instead", "after", "whenever", "from"} & set(near)
            use = not _USE.isdisjoint(near)
            if (first or use) and words[index] in {"any", "all", "every", "other"}:
                yield 1, "it speaks of all other tools"


def _addresses(words: Sequence[str]) -> _Weighed:
    for index in _where(words, _MODEL):
        if not _MUST.isdisjoint(words[index + 1 : index + 3]):
            yield 1, "it gives orders to the model"
        if not _NOTE.isdisjoint(words[max(0, index - 3) : index]) and not {"to", "for"}.isdisjoint(
            words[max(0, index - 2) : index]
        ):
            yield 2, "it gives orders to the model"
    if words[:2] == ["dear", "assistant"] or words[:2] == ["attention", "assistant"]:
        yield 2, "it gives orders to the model"


def _path(words: Sequence[str]) -> int | None:
    """The place of the first path where people keep keys and settings."""
    return next((index for index, word in enumerate(words) if names_secret_path(word)), None)


_OWN = word_set("your full entire complete own current hidden")


def _talk(words: Sequence[str]) -> int | None:
    """The place of what names the conversation itself, or what the model was told."""
    for index, word in enumerate(words[1:], 1):
        before = words[index - 1]
        if (before in _TALK and word in _RECORD) or (before in _WHOLE and word in {"conversation", "chat"}):
            return index
        if word == "messages" and before in {"previous", "prior", "earlier"}:
            return index
        if before == "browsing" and word == "history":
            return index
        if before == "system" and word == "prompt" and _near(words, index, _OWN, before=4):
            return index
    return None


def _names_receiver(words: Sequence[str], start: int) -> bool:
    """Whether something is sent `to` an address, behind the word at `start`."""
    return any(
        _is_address(words[index])
        and not {"to", "bcc", "cc", "at"}.isdisjoint(words[max(0, index - 2) : index])
        for index in range(start, len(words))
    )


def _mentions_user_details(words: Sequence[str]) -> bool:
    for index in _where(words, frozenset({"user's", "users", "personal", "private"})):
        if not {
            "details",
            "location",
            "address",
            "information",
            "credentials",
            "password",
            "passwords",
        }.isdisjoint(words[index + 1 : index + 4]):
            return not {"always", "must", "every"}.isdisjoint(words)
    return False


def _is_send(word: str) -> bool:
    """Whether it is a verb of sending, or a tool that is named for one."""
    return word in _SEND or ("_" in word and not _SEND.isdisjoint(word.split("_")))


def _is_address(word: str) -> bool:
    return (
        "://" in word
        or (word.isdigit() and len(word) > 8)
        or ("@" in word[1:] and "." in word.rpartition("@")[2])
    )


def _near(words: Sequence[str], index: int, wanted: frozenset[str], *, before: int) -> bool:
    return not wanted.isdisjoint(words[max(0, index - before) : index + 1])


def _pair(words: Sequence[str], *wanted: str) -> bool:
    size = len(wanted)
    return wanted[0] in words and any(
        tuple(words[index : index + size]) == wanted for index in range(len(words) - size + 1)
    )


def _where(words: Sequence[str], wanted: frozenset[str]) -> Iterator[int]:
    return (index for index, word in enumerate(words) if word in wanted)


BEGINNINGS = (
    _IGNORE
    | _NOT
    | _LOOSE
    | _TALK
    | _SEND
    | _MANY
    | _MODEL
    | {
        "without",
        "keep",
        "hide",
        "hidden",
        "invisible",
        "conceal",
        "user",
        "user's",
        "users",
        "browsing",
        "prompt",
    }
    | {
        "jailbreak",
        "now",
        "new",
        "override",
        "personal",
        "private",
        "conversation",
        "curl",
        "wget",
        "dear",
        "attention",
    }
)
"""A sentence with none of these words, and no path, gives no sign."""
