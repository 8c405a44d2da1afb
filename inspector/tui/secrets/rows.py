"""The content of the Secrets screen: rows, one item in full, its value, and a question before redemption."""

from dataclasses import dataclass, field
from typing import TypeAlias

from textual.content import Content

from inspector.boundary.mask import MASK
from inspector.boundary.secret_references import MalformedReference
from inspector.json.document import Document
from inspector.json.exact import Json
from inspector.json.pointer import split
from inspector.secrets.vault import Kept, KeptReference, KeptValue, VaultKey, item_words, left_s
from inspector.tui.text import content, count, cut_in_the_middle, path, shortened
from inspector.tui.timeline.frame import pieces
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed

_WIDE = 100
_WIDE_STATE_WIDTH = 30
_STATE_WIDTH = 20
_LEFT_WIDTH = 9
_CALL_WIDTH = 21
_LEAST_QUIET = 16
_QUIET = "$foreground 70%"
_STYLES = {
    "not fetched": "$text-primary",
    "fetching": "$text-warning",
    "fetched": "bold $text-warning",
    "expired": "$foreground 70%",
    "forgotten": "$foreground 70%",
    "already used": "$text-warning",
    "rate limited": "$text-warning",
}

NOTHING = Content(
    "No secrets yet. Secret references, and values that are withheld from models, appear here when a call returns them."
)


def secrets_count(references: int, values: int) -> Content:
    """The numbers of references and withheld values, for the title line."""
    return Content.assemble(
        f"{count(references, 'reference')}, {count(values, 'withheld value')}",
        ("  shown only here", _QUIET),
    )


def secrets_head(width: int) -> Content:
    """The titles of the columns."""
    cells = (
        "    label or place".ljust(_label_width(width)),
        "state".ljust(_state_width(width)),
        "expires".ljust(_LEFT_WIDTH),
        "from",
    )
    return Content.styled("".join(cells)[: max(width, 1)], "bold $foreground 70%")


def secret_line(
    kept: Kept, request: Allowed | RefusedUrl, *, now_s: float, width: int, here: bool, is_peeked: bool
) -> Content:
    """The row of an item in `width` cells. `here`: whether the cursor is on it.

    `is_peeked`: whether its value is shown.
    """
    is_held = isinstance(kept, KeptReference) and kept.has_value
    sign = "✗ " if isinstance(kept, KeptValue) else "◈ " if is_held else "◇ "
    here_now = item_words(kept, now_s=now_s, request=request)
    state = "shown below" if is_peeked else here_now.state
    # Pointers differ at their ends.
    named = cut_in_the_middle(label(kept), _label_width(width) - len(sign) - 3)
    left = Content.assemble("▸ " if here else "  ", (sign, "bold $text-accent"), content(named))
    return Content.assemble(
        left.truncate(_label_width(width) - 1, ellipsis=True, pad=True),
        " ",
        content(
            shortened(state, _state_width(width) - 1).ljust(_state_width(width)),
            _STYLES.get(here_now.state, "$text-error")
            if isinstance(kept, KeptReference)
            else "$foreground 80%",
        ),
        (_countdown(left_s(kept, now_s)) if isinstance(kept, KeptReference) else "").ljust(_LEFT_WIDTH),
        content(shortened(f"#{kept.key.call} {kept.tool}", 120)),
    ).truncate(max(width, _LEAST_QUIET), ellipsis=True)


def label(kept: Kept) -> str:
    """The name of an item. Untrusted text."""
    if isinstance(kept, KeptValue):
        return path(kept.removal.pointer, 200)
    reference = kept.located.reference
    if isinstance(reference, MalformedReference):
        return shortened(reference.label or "malformed reference", 200)
    return shortened(reference.label, 200)


def secret_detail(kept: Kept, request: Allowed | RefusedUrl, *, now_s: float) -> Content:
    """An item in full, but without its value."""
    now = item_words(kept, now_s=now_s, request=request)
    lines = [
        content(shortened(_name(kept), 300), "bold"),
        _labelled("state", Content.assemble((now.state, "bold"), "  ", content(shortened(now.why, 600)))),
        _labelled("what to do", content(shortened(now.next, 400))),
        _labelled(
            "from", content(shortened(f"call #{kept.key.call} of {kept.tool}, at {_places(kept)}", 600))
        ),
    ]
    if isinstance(kept, KeptReference):
        lines += _of_reference(kept, request, now_s)
    return Content("\n").join(lines)


def question(request: Allowed) -> Content:
    """The question before a reference is redeemed, with method, origin and path of the request."""
    return Content.assemble(
        (
            "Fetch this secret? Sightline sends this request, and the server may answer it only once:\n",
            "bold $text-warning",
        ),
        content(request.shown, "bold"),
    )


def value_title(*, shown: bool, left: int, can_peek: bool) -> Content:
    """The title above the value. `left`: the seconds until it is masked."""
    if shown:
        return Content.assemble(
            ("Value  ", "bold"), (f"masks itself in {left} s; u masks it now", "$text-warning")
        )
    words = "Enter or u shows it for 10 s, a mouse button while you hold it" if can_peek else "no value yet"
    return Content.assemble(("Value  ", "bold"), (words, _QUIET))


def masked(*, can_peek: bool) -> str:
    """The mask of a value, which always has the same length; empty if there is no value."""
    return MASK if can_peek else ""


def _name(kept: Kept) -> str:
    if isinstance(kept, KeptReference):
        return label(kept)
    tokens = split(kept.removal.pointer)
    if kept.removal.name or not tokens:
        return kept.removal.name or "the whole result"
    # An index alone does not say of which list.
    return label(kept) if tokens[-1].isdigit() else tokens[-1]


def _places(kept: Kept) -> str:
    pointers = kept.located.pointers if isinstance(kept, KeptReference) else (kept.removal.pointer,)
    return " and ".join(path(pointer, 400) for pointer in pointers[:4]) + (
        f" and {len(pointers) - 4} more places" if len(pointers) > 4 else ""
    )


def _of_reference(kept: KeptReference, request: Allowed | RefusedUrl, now_s: float) -> list[Content]:
    left = left_s(kept, now_s)
    lines = (
        []
        if left is None
        else [_labelled("expires", Content("expired" if not left else f"in {_countdown(left)}"))]
    )
    if isinstance(request, Allowed):
        # Who has the whole address may be able to fetch the secret.
        words = f"{request.method} {request.origin}/…  v shows the path, and asks before it sends anything"
        lines.append(_labelled("fetched by", content(words)))
    return lines


def _labelled(name: str, words: Content) -> Content:
    return Content.assemble((f"  {name:<12}", _QUIET), words)


def _countdown(left: float | None) -> str:
    """The time until a reference expires: `4:05`, `expired` or `never`."""
    if left is None:
        return "never"
    if left <= 0:
        return "expired"
    minutes, seconds = divmod(int(left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _state_width(width: int) -> int:
    return _WIDE_STATE_WIDTH if width >= _WIDE else _STATE_WIDTH


def _label_width(width: int) -> int:
    return max(width - _state_width(width) - _LEFT_WIDTH - _CALL_WIDTH, _LEAST_QUIET)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekAsked:
    """A request to lay out a secret value."""

    key: VaultKey
    value: Json = field(repr=False)
    chunk: int
    """The number of characters after which text is wrapped."""


Shown: TypeAlias = tuple[str, ...] | Document
"""A value as lines of untrusted text, or as a document."""


def peeked(asked: PeekAsked) -> Shown:
    """The lines of a text, without quotes, or a document for any other value.

    Without quotes, the user can copy a text by hand.
    """
    if isinstance(asked.value, str):
        return pieces(asked.value, asked.chunk)
    document = Document(asked.value, chunk=asked.chunk)
    beside = document.width - asked.chunk
    # Indentation and keys are beside the text. Each line should fit, for a value is shown only for seconds.
    return (
        Document(asked.value, chunk=max(asked.chunk - beside, asked.chunk // 2)) if beside > 0 else document
    )
