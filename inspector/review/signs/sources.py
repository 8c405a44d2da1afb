"""What is not a tool's business: files with keys, credentials, the conversation, what the model was told."""

from inspector.review.properties import words_of
from inspector.review.prose import QUOTED
from inspector.review.secret_names import names_secret
from inspector.review.signs.matching import Said, ends_of
from inspector.review.word_set import word_set

_TALK = word_set("conversation chat message messages session dialogue thread")
_RECORD = word_set("history log logs transcript transcripts messages context")
_WHOLE = word_set("full entire complete whole previous prior all browsing last ten earlier")
_FORMER = word_set("previous prior earlier last")
_OWN = word_set("your full entire complete own current hidden its")
_SECRETS = word_set(
    "password passwords passphrase passcode pin cvv credentials credential secrets cookies cookie keychain wallet mnemonic "
    "otp clipboard iban env .env"
)
_SECRET_PAIRS = (
    ("api", "key|keys"), ("private", "key|keys|ssh"), ("ssh", "key|keys"), ("access", "token|tokens"),
    ("session", "token|tokens|cookie|cookies"), ("environment", "variable|variables"), ("seed", "phrase"),
    ("one-time", "code|codes"), ("reset", "code|codes"), ("card", "number|numbers|data"), ("bank", "account|details"),
    ("authorization", "header|headers"), ("maiden", "name"), ("home", "address"), ("phone", "number"),
    ("security", "code|codes"), ("user", "name"), ("from", "the", "environment"), ("stored", "network"),
)  # fmt: skip
_PRYING = (
    ("you", "can", "reach|see|access"), ("unrelated", "files|documents|data"), ("other", "documents|files|tabs|windows", "open"),
    ("shell|bash|zsh|command", "history"), ("user", "message|messages|prompt"), ("visible|present|available", "in", "context"),
    ("opened|open", "local", "file|files"), ("credential|credentials|password", "store|stores"), ("login", "data"),
    ("each|every|all", "user", "prompts"), ("each|every|all", "tool", "result|results|call|calls|output|outputs"),
    ("system", "prompt", "you"), ("user", "has|have", "mentioned|said|typed|told|written"), ("descriptions", "of", "all"),
    ("environment", "variables", "of", "the", "user's|shell|host"), ("user's", "machine|computer|laptop|shell|device"), ("last", "used", "with"),
    ("every|all", "file|files", "in|under|below"), ("passport", "number|numbers"), ("cloud", "profile|profiles|credentials"),
)  # fmt: skip
_PRIVATE = word_set(
    "file files document documents data token tokens environment history home last recent user's conversation names name "
    "everything anything url-encoded content gather verbatim session whichever values value real word personal data far "
    "authorization header variables every descriptions message messages upload"
)
_HARD = word_set("keychain mnemonic wallet")
_HARD_PAIRS = (("private", "key|keys|ssh"), ("seed|recovery", "phrase"), ("chain", "of", "thought"))
_INNER_PAIRS = (
    ("developer", "message"), ("hidden", "instructions"), ("chain", "of", "thought"), ("tool", "results"),
    ("open", "file|document|documents"), ("other", "open"), ("user", "said"), ("user", "typed"),
    ("what|everything|all|anything|whatever", "you", "know"), ("told", "you"), ("everything", "said"), ("was", "said"),
    ("previous", "message"), ("complete|full|whole|entire", "dump"), ("user's", "contacts"), ("user's", "coordinates"),
    ("direct", "messages"),
)  # fmt: skip
_SECRET_ENDS, _HARD_ENDS, _INNER_ENDS, _PRYING_ENDS = map(
    ends_of, (_SECRET_PAIRS, _HARD_PAIRS, _INNER_PAIRS, _PRYING)
)
_VARIABLE_ENDS = ("_key", "_token", "_secret", "_password", "_credentials", "database_url")


def is_hard(said: Said) -> bool:
    """Whether it names a credential that no tool has a use for."""
    return said.has(_HARD) or (said.has(_HARD_ENDS) and any(said.phrase(*pair) for pair in _HARD_PAIRS))


def is_secret(said: Said) -> bool:
    """Whether it names a credential or private data of a person."""
    return (
        is_hard(said)
        or said.has(_SECRETS)
        or (said.has(_SECRET_ENDS) and any(said.phrase(*pair) for pair in _SECRET_PAIRS))
        # A variable as environments have them, such as the one for a key.
        or any(said.words[place].endswith(_VARIABLE_ENDS) for place in said.tools)
    )


def is_prying(said: Said) -> bool:
    """Whether it names at once several things around the call that no tool has a use for."""
    return (
        said.has(_PRYING_ENDS)
        and any(said.phrase(*words) for words in _PRYING)
        and len(_PRIVATE & said.kinds) > 1
    )


def is_inner(said: Said) -> bool:
    """Whether it names the conversation itself, what the model was told, or what it sees beside the call."""
    return (said.has(_INNER_ENDS) and any(said.phrase(*pair) for pair in _INNER_PAIRS)) or any(
        _names_talk(said, index) for index in said.where(_RECORD | _TALK | frozenset({"prompt"})) if index
    )


def _names_talk(said: Said, index: int) -> bool:
    word, before = said.words[index], said.words[index - 1]
    if word == "messages" and (
        said.near(index, _FORMER, before=3) or "chat" in said.words[index : index + 5]
    ):
        return True
    return (
        (before in _TALK and word in _RECORD)
        or (before in _WHOLE and word in {"conversation", "chat", "dialogue"})
        or (before == "browsing" and word == "history")
        or (before == "system" and word == "prompt" and said.near(index, _OWN, before=4))
    )


def own_slot(said: Said) -> bool:
    """Whether a credential is to go where credentials go: into an argument that is named for it."""
    if said.phrase("authorization", "header"):
        return True
    return any(
        names_secret(words_of(said.words[index + 1])) or said.words[index + 1] in _SECRETS
        for index in said.where(frozenset({QUOTED}))
        if index + 1 < len(said.words)
    )


def calls_with(said: Said) -> bool:
    """Whether a tool is to be called with something."""
    return bool(said.tools) and any(
        said.near(index, frozenset({"with"}), behind=5) for index in said.asked(word_set("call use invoke"))
    )
