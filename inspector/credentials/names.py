"""Recognises names that say that a value is a credential, by the words in them."""

import re
from collections.abc import Sequence
from functools import lru_cache

_WORD = re.compile(r"[A-Z]{2,500}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[^\W_a-zA-Z]+")


@lru_cache(maxsize=16_384)
def words_of(name: str) -> tuple[str, ...]:
    """The words in a name, in lower case: `getAPIKey_v2` is get, api, key, v, 2. Reads the first 500 characters."""
    return tuple(word.lower() for word in _WORD.findall(name[:500]))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALONE = _words(
    "password passwd passphrase secret secrets apikey credential credentials cvv cvc ssn otp totp privatekey accesstoken "
    "mnemonic pwd passcode"
)
_PAIRS = frozenset(
    {
        ("api", "key"), ("api", "keys"), ("private", "key"), ("secret", "key"), ("access", "key"), ("signing", "key"),
        ("encryption", "key"), ("access", "token"), ("auth", "token"), ("refresh", "token"), ("bearer", "token"),
        ("id", "token"), ("session", "token"), ("api", "token"), ("oauth", "token"), ("client", "secret"),
        ("seed", "phrase"), ("recovery", "code"), ("recovery", "codes"), ("recovery", "phrase"), ("backup", "codes"),
        ("connection", "string"), ("session", "cookie"), ("insurance", "number"), ("social", "security"),
        ("card", "number"), ("security", "code"), ("pass", "phrase"), ("pin", "code"),
    }
)  # fmt: skip
_ENDS = _words("value values hash plain plaintext text string")
_OTHER_TOKENS = _words(
    "page next previous prev continuation continue sync cursor max min num number total count prompt completion input "
    "output cancel progress per token pagination start stop end special design csrf xsrf resume skip"
)


def names_secret(words: Sequence[str]) -> bool:
    """True if these words name a credential. The last words decide: `password_policy` names no credential."""
    end = len(words)
    while end > 1 and words[end - 1] in _ENDS:
        end -= 1
    if not end:
        return False
    last, before = words[end - 1], words[end - 2] if end > 1 else ""
    if last in _ALONE or (before, last) in _PAIRS:
        return not {"has", "is", "no", "without"}.intersection(words[:1])
    # `token` counts unless the word before it gives it another meaning, as in `page_token` or `max_token`.
    return last == "token" and before not in _OTHER_TOKENS
