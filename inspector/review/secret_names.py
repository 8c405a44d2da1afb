"""Names that say that a value is a credential."""

from collections.abc import Sequence

from inspector.review.word_set import word_set

_ALONE = word_set(
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
_ENDS = word_set("value values hash plain plaintext text string")
_OTHER_TOKENS = word_set(
    "page next previous prev continuation continue sync cursor max min num number total count prompt completion input "
    "output cancel progress per token pagination start stop end special design csrf xsrf resume skip"
)


def names_secret(words: Sequence[str]) -> bool:
    """Whether a name of these words is that of a credential: by its last words, since `password_policy` is none."""
    end = len(words)
    while end > 1 and words[end - 1] in _ENDS:
        end -= 1
    if not end:
        return False
    last, before = words[end - 1], words[end - 2] if end > 1 else ""
    if last in _ALONE or (before, last) in _PAIRS:
        return not {"has", "is", "no", "without"}.intersection(words[:1])
    # `token` alone, or of what it is a token for; not the ones that pages and counters have.
    return last == "token" and before not in _OTHER_TOKENS
