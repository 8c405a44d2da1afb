"""The secrets screen: a row for each reference and withheld value, all there is to say of one, and the question asked first."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from textual.content import Content

from inspector.boundary.mask import MASK
from inspector.boundary.secret_references import MalformedReference
from inspector.json.document import Document
from inspector.json.exact import Json
from inspector.json.pointer import split
from inspector.secrets.vault import Kept, KeptReference, KeptValue, item_words, left_s
from inspector.tui.text import content, count, shortened
from inspector.tui.timeline.frame import pieces
from inspector.urls.host import Refused
from inspector.urls.origin import Allowed

if TYPE_CHECKING:
    from inspector.secrets.vault import Key

_STATE_WIDTH = 17
_LEFT_WIDTH = 9
_CALL_WIDTH = 26
_LEAST_LABEL = 16
_LABEL = "$foreground 70%"
_STYLES = {
    "not revealed": "$text-primary",
    "revealing": "$text-warning",
    "revealed": "bold $text-warning",
    "expired": "$foreground 60%",
    "forgotten": "$foreground 60%",
    "already used": "$text-warning",
    "rate limited": "$text-warning",
}

NOTHING = Content(
    "Nothing is kept for you yet. Secret references, and values that are withheld from models, appear here when a call returns them."
)


def secrets_title(references: int, values: int) -> Content:
    """How much there is."""
    return Content.assemble(
        ("Secrets  ", "bold"),
        f"{count(references, 'reference')}, {count(values, 'withheld value')}",
        ("  for you alone: no model, log or recording gets them", _LABEL),
    )


def secrets_head(width: int) -> Content:
    """The titles of the columns."""
    cells = (
        "    label or place".ljust(_label_width(width)),
        "state".ljust(_STATE_WIDTH),
        "expires".ljust(_LEFT_WIDTH),
        "from",
    )
    return Content.styled("".join(cells)[: max(width, 1)], "bold $foreground 70%")


def secret_line(
    kept: Kept, request: Allowed | Refused, *, now_s: float, width: int, here: bool, is_peeked: bool
) -> Content:
    """One item in `width` cells. `here`: the cursor is on it."""
    sign = "◇ " if isinstance(kept, KeptReference) else "✗ "
    told = item_words(kept, now_s=now_s, request=request)
    state = "shown below" if is_peeked else told.state
    if isinstance(kept, KeptReference) and kept.has_value and told.state != "revealed":
        state = f"{state} •"
    left = Content.assemble("▸ " if here else "  ", (sign, "bold $accent"), content(label(kept)))
    return Content.assemble(
        left.truncate(_label_width(width) - 1, ellipsis=True, pad=True),
        " ",
        content(
            state[: _STATE_WIDTH - 1].ljust(_STATE_WIDTH),
            _STYLES.get(told.state, "$text-error") if isinstance(kept, KeptReference) else "$foreground 80%",
        ),
        (_countdown(left_s(kept, now_s)) if isinstance(kept, KeptReference) else "").ljust(_LEFT_WIDTH),
        content(shortened(f"#{kept.key.call} {kept.tool}", 120)),
    ).truncate(max(width, _LEAST_LABEL), ellipsis=True)


def label(kept: Kept) -> str:
    """What an item is called. Foreign."""
    if isinstance(kept, KeptValue):
        return shortened(kept.removal.pointer or "the whole result", 200)
    reference = kept.located.reference
    if isinstance(reference, MalformedReference):
        return shortened(reference.label or "malformed reference", 200)
    return shortened(reference.label, 200)


def secret_detail(kept: Kept, request: Allowed | Refused, *, now_s: float) -> Content:
    """All there is to say of one item, but its value."""
    told = item_words(kept, now_s=now_s, request=request)
    lines = [
        content(shortened(_name(kept), 300), "bold"),
        _labelled("state", Content.assemble((told.state, "bold"), "  ", content(shortened(told.why, 600)))),
        _labelled("what to do", content(shortened(told.next, 400))),
        _labelled(
            "from", content(shortened(f"call #{kept.key.call} of {kept.tool}, at {_places(kept)}", 600))
        ),
    ]
    if isinstance(kept, KeptReference):
        lines += _of_reference(kept, request, now_s)
    return Content("\n").join(lines)


def question(request: Allowed) -> Content:
    """What the user is asked before anything is sent: method, origin and path."""
    return Content.assemble(
        (
            "Reveal this secret? One request goes out, and the server may give it only once:\n",
            "bold $text-warning",
        ),
        content(request.shown, "bold"),
        ("\n  y reveals it to you   Esc does not", "$text-warning"),
    )


def value_title(*, shown: bool, left: int, can_peek: bool) -> Content:
    """Above the value. `left`: seconds until it is masked."""
    if shown:
        return Content.assemble(
            ("Value  ", "bold"), (f"masks itself in {left} s; p masks it now", "$text-warning")
        )
    words = (
        "p shows it for 10 s, a mouse button for as long as it is held" if can_peek else "there is none here"
    )
    return Content.assemble(("Value  ", "bold"), (words, _LABEL))


def masked(*, can_peek: bool) -> str:
    """In place of a value: of one length, whatever it stands for."""
    return MASK if can_peek else ""


def _name(kept: Kept) -> str:
    if isinstance(kept, KeptReference):
        return label(kept)
    tokens = split(kept.removal.pointer)
    return kept.removal.name or (tokens[-1] if tokens else "the whole result")


def _places(kept: Kept) -> str:
    pointers = kept.located.pointers if isinstance(kept, KeptReference) else (kept.removal.pointer,)
    return " and ".join(pointer or "the root" for pointer in pointers[:4]) + (
        f" and {len(pointers) - 4} more places" if len(pointers) > 4 else ""
    )


def _of_reference(kept: KeptReference, request: Allowed | Refused, now_s: float) -> list[Content]:
    left = left_s(kept, now_s)
    lines = (
        []
        if left is None
        else [_labelled("expires", Content("over" if not left else f"in {_countdown(left)}"))]
    )
    if isinstance(request, Allowed):
        lines.append(_labelled("redeemed by", content(request.shown)))
    return lines


def _labelled(name: str, words: Content) -> Content:
    return Content.assemble((f"  {name:<12}", _LABEL), words)


def _countdown(left: float | None) -> str:
    """`4:05`, `over`."""
    if left is None:
        return "no end"
    if left <= 0:
        return "over"
    minutes, seconds = divmod(int(left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _label_width(width: int) -> int:
    return max(width - _STATE_WIDTH - _LEFT_WIDTH - _CALL_WIDTH, _LEAST_LABEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekAsked:
    """A secret value, to be shown."""

    key: "Key"
    value: Json = field(repr=False)
    chunk: int
    """Characters after which text breaks."""


Shown: TypeAlias = "tuple[str, ...] | Document"
"""A value as lines of text, foreign, or as a document."""


def peeked(asked: PeekAsked) -> Shown:
    """A secret value: a text without quotes around it, so that it can be read off; anything else as JSON."""
    if isinstance(asked.value, str):
        return pieces(asked.value, asked.chunk)
    return Document(asked.value, chunk=asked.chunk)
