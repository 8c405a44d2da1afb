"""How hosts cut what is too long for them."""

from inspector.core.hosts import javascript


def middle_by_bytes(text: str, max_bytes: int) -> str:
    """Both ends of a text in UTF-8, and the count of the characters between: Codex, by a budget of bytes."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= max_bytes:
        return text
    front, back, gone = _ends(raw, max_bytes)
    return f"{front}…{len(gone.decode('utf-8', 'surrogatepass'))} chars truncated…{back}"


def middle_by_tokens(text: str, max_tokens: int) -> str:
    """The same by a budget of tokens, four bytes each."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= max_tokens * 4:
        return text
    front, back, _ = _ends(raw, max_tokens * 4)
    return f"{front}…{tokens(len(raw) - max_tokens * 4)} tokens truncated…{back}"


def tokens(size_bytes: int) -> int:
    """Tokens by the rule of thumb that one is four bytes, rounded up."""
    return -(-size_bytes // 4)


def _ends(raw: bytes, max_bytes: int) -> tuple[str, str, bytes]:
    """The front half and the back half that fit, on character boundaries, and what is between."""
    start = max_bytes // 2
    while start > 0 and raw[start] & 0xC0 == 0x80:
        start -= 1
    stop = len(raw) - (max_bytes - max_bytes // 2)
    while stop < len(raw) and raw[stop] & 0xC0 == 0x80:
        stop += 1
    front, back = raw[:start], raw[stop:]
    return front.decode("utf-8", "surrogatepass"), back.decode("utf-8", "surrogatepass"), raw[start:stop]


def head_and_tail(text: str, head: int, tail: int) -> tuple[str, str, int]:
    """The first and the last UTF-16 units of a text, and how many are between."""
    gone = javascript.length(text) - head - tail
    return javascript.head(text, head), javascript.tail(text, tail), gone
