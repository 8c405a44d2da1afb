"""Checks of possible credentials that a regular expression cannot make: randomness, and decoded content.

The argument of each check is the match of a rule's pattern. The cost of a check is limited, because the
patterns limit the length of a match.
"""

import json
import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error as BinasciiError
from json import JSONDecodeError
from math import log2
from urllib.parse import unquote

ENOUGH_ENTROPY = 3.0
"""The minimum entropy of a secret in an assignment, in bits per character. A value with less counts as a word."""
_TAIL = 16
_FEWEST_DISTINCT = 6
_SIGNATURE_BYTES = 32

_PLACEHOLDER = re.compile(
    "|".join(
        map(
            re.escape,
            (
                "example",
                "changeme",
                "change_me",
                "change-me",
                "placeholder",
                "redacted",
                "withheld",
                "dummy",
                "your_",
                "your-",
                "xxxx",
                "****",
                "....",
                "insert_",
                "replace_",
                "process.env",
                "os.environ",
                "getenv",
            ),
        )
    )
)
_USUAL_WORDS = frozenset(
    {"pass", "passwd", "password", "pwd", "secret", "token", "key", "user", "username", "xxx", "***", "..."}
)
_TEMPLATE = re.compile(r"[$%@]?\{|[<\[]|\$[A-Z_a-z]|%[A-Z_a-z]{1,64}%\Z")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{40}")
_DIGIT_OR_SIGN = re.compile(r"[0-9!@#$%^*+~]")


def entropy(value: str) -> float:
    """The Shannon entropy in bits per character; 0 for an empty string."""
    if not value:
        return 0.0
    counts = map(value.count, set(value))
    weights = map(_WEIGHTS.__getitem__ if len(value) < len(_WEIGHTS) else _weight, counts)
    return log2(len(value)) - sum(weights) / len(value)


def _weight(count: int) -> float:
    return count * log2(count)


_WEIGHTS = (0.0, *map(_weight, range(1, 512)))


def is_placeholder(value: str) -> bool:
    """True if `value` is a placeholder for a secret in documentation, configuration or code."""
    if _TEMPLATE.match(value):
        return True
    folded = value.lower()
    return folded in _USUAL_WORDS or _PLACEHOLDER.search(folded) is not None


def is_varied(value: str) -> bool:
    """True if the end of a token looks random: not `xxxx…`, not a documented example."""
    return len(set(value[-_TAIL:])) >= _FEWEST_DISTINCT and not is_placeholder(value)


def is_mixed(value: str) -> bool:
    """True if the value of an assignment looks random.

    Such a value has letters, has digits or punctuation, and has at least `ENOUGH_ENTROPY`.
    """
    bare = value.rstrip("=")
    if bare.upper() == bare.lower() or not _DIGIT_OR_SIGN.search(bare):
        return False
    # An upper bound of the entropy, which is cheaper to compute.
    if log2(len(set(bare))) < ENOUGH_ENTROPY or entropy(bare) < ENOUGH_ENTROPY:
        return False
    return "://" not in bare and not is_placeholder(bare)


def is_json_web_token(value: str) -> bool:
    """True if the part of `value` before its first dot is a JOSE header.

    Source: RFC 7515, section 4. Raises RecursionError if the header is nested too deeply to be read.
    """
    try:
        header: object = json.loads(_base64url(value.partition(".")[0]))
    except (JSONDecodeError, UnicodeDecodeError, BinasciiError):
        return False
    return isinstance(header, dict) and "alg" in header


def is_basic_pair(value: str) -> bool:
    """True if the value of a Basic authorization decodes to a name and a password.

    Source: RFC 7617, section 2.
    """
    try:
        pair = b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return ":" in pair and pair.isprintable()


def is_signature(value: str) -> bool:
    """True if the value, in base64 and possibly percent-encoded, has the length of an HMAC-SHA256."""
    try:
        return len(b64decode(unquote(value), validate=True)) == _SIGNATURE_BYTES
    except ValueError:
        return False


def is_key_block(value: str) -> bool:
    """True if a PEM block contains a line of a key, not only the markers."""
    found = _KEY_LINE.search(value)
    return found is not None and is_varied(found[0])


def is_bot_token(value: str) -> bool:
    """True if the part of a Discord token before its first dot decodes to an account number."""
    try:
        number = _base64url(value.partition(".")[0])
    except ValueError:
        return False
    return number.isdigit()


def is_url_password(value: str) -> bool:
    """True if the password in a URL is not a placeholder."""
    return not is_placeholder(value) and len(set(value)) > 1


def _base64url(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))
