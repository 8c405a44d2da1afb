"""How hosts cut what is too long for them."""

from inspector.hosts import javascript


def size_bytes(text: str) -> int:
    """Of a text in UTF-8."""
    if text.isascii():
        return len(text)
    stretches = (text[start : start + _STRIDE] for start in range(0, len(text), _STRIDE))
    return sum(len(_encoded(stretch)) for stretch in stretches)


def middle_by_bytes(text: str, max_bytes: int) -> str:
    """Both ends of a text in UTF-8, and the count of the characters between: Codex, by a budget of bytes."""
    if size_bytes(text) <= max_bytes:
        return text
    front, back = _ends(text, max_bytes)
    return f"{front}…{len(text) - len(front) - len(back)} chars truncated…{back}"


def middle_by_tokens(text: str, max_tokens: int) -> str:
    """The same by a budget of tokens, four bytes each."""
    size = size_bytes(text)
    if size <= max_tokens * 4:
        return text
    front, back = _ends(text, max_tokens * 4)
    return f"{front}…{tokens(size - max_tokens * 4)} tokens truncated…{back}"


def tokens(count: int) -> int:
    """Tokens of so many bytes, by the rule of thumb that one is four bytes, rounded up."""
    return -(-count // 4)


def _ends(text: str, max_bytes: int) -> tuple[str, str]:
    """The front half and the back half that fit, on character boundaries. The text is longer."""
    # A character takes a byte at least, so that no more characters than bytes are needed.
    first, last = _encoded(text[:max_bytes]), _encoded(text[max(len(text) - max_bytes, 0) :])
    start = max_bytes // 2
    while start > 0 and first[start] & 0xC0 == 0x80:
        start -= 1
    stop = len(last) - (max_bytes - max_bytes // 2)
    while stop < len(last) and last[stop] & 0xC0 == 0x80:
        stop += 1
    return _decoded(first[:start]), _decoded(last[stop:])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def head_and_tail(text: str, head: int, tail: int) -> tuple[str, str, int]:
    """The first and the last UTF-16 units of a text, and how many are between."""
    gone = javascript.length(text) - head - tail
    return javascript.head(text, head), javascript.tail(text, tail), gone


_STRIDE = 1_000_000
"""Characters that are written in one go, with the interpreter's lock held."""
