"""The trust of the agent session in words, for the header and the Trust screen."""

from msgspec import Struct
from textual.content import Content

from inspector.json.exact import JsonObject, dump_text
from inspector.policy.taint import (
    LabelKind,
    LabelOrigin,
    SessionTrust,
    SourceDetail,
    TrustLabel,
    request_annotations,
)
from inspector.tui.text import content, count, cut_in_the_middle, shortened

_QUIET = "$foreground 70%"
_LEAST_NAME = 20
_STYLES = {
    LabelKind.MALICIOUS: "bold $text-error",
    LabelKind.UNTRUSTED: "bold $text-warning",
    LabelKind.OPEN_WORLD: "bold $text-warning",
    LabelKind.SENSITIVE: "bold $text-accent",
}

_MEANINGS = {
    LabelKind.MALICIOUS: "the server reports an attack in its answer",
    LabelKind.UNTRUSTED: "the answer may contain instructions that are not from you",
    LabelKind.OPEN_WORLD: "the content comes from a place to which anybody can write",
    LabelKind.SENSITIVE: "the server declares the answer, or values in it, sensitive",
    LabelKind.DATA_CLASS: "a kind of data in the answer",
    LabelKind.ATTRIBUTION: "a source of the answer",
    LabelKind.UNNAMED_SOURCES: "the answer names more sources than Sightline keeps",
}

_KINDS = tuple(_MEANINGS)
"""The kinds of labels, the most serious first."""

_SENT = {
    None: "none",
    SourceDetail.NONE: "a hint if untrusted, its own sources",
    SourceDetail.HOSTS: "a hint if untrusted, own sources, hosts of others",
    SourceDetail.FULL: "a hint if untrusted, all sources",
}
"""What each call to a server says about trust, in a few words, by the detail that the user chose."""
_CARRIED = {
    None: "carry no trust labels",
    SourceDetail.NONE: "say so if the session is untrusted, and name the server's own sources",
    SourceDetail.HOSTS: "say so if the session is untrusted, and name the server's own sources and the hosts of others",
    SourceDetail.FULL: "say so if the session is untrusted, and name every source in full",
}
"""What each call to a server says about trust, to end a sentence with, by the detail that the user chose."""

_ORDER: tuple[SourceDetail | None, ...] = (None, SourceDetail.NONE, SourceDetail.HOSTS, SourceDetail.FULL)


class GravestLabel(Struct, frozen=True, kw_only=True):
    """The most serious trust label of a session, as the header shows it."""

    word: str = ""
    """The label and the call that added it, such as `untrusted since #4`; empty if there is no label."""
    is_grave: bool = False
    also: tuple[str, ...] = ()
    """The less serious labels, in the same form as `word`, the most serious first."""


class ServerRow(Struct, frozen=True, kw_only=True):
    """A server, the number of labels that it has sent, and the labels that are sent to it."""

    server: str
    """The server as the user names it."""
    detail: SourceDetail | None
    """The detail of the labels that are sent; None if none are sent."""
    received: int
    sent: JsonObject | None
    """The annotations of the next call to the server; None if there are none."""


class TrustView(Struct, frozen=True, kw_only=True):
    """The content of the trust screen."""

    number: int
    """The number of the agent session, counted from 1; 0 for the calls of a recording."""
    gravest: GravestLabel
    servers: tuple[ServerRow, ...]
    labels: tuple[TrustLabel, ...]
    """The labels, ordered by call."""
    call_width: int
    """The number of characters of the longest call in words, such as `#4 search_web`."""


def gravest_label(trust: SessionTrust) -> GravestLabel:
    """The most serious label, and the less serious ones, each with the first call that added it.

    Takes linear time in the number of labels.
    """
    origins = {
        LabelKind.MALICIOUS: trust.since(LabelKind.MALICIOUS),
        LabelKind.UNTRUSTED: trust.untrusted_since,
        LabelKind.SENSITIVE: trust.since(LabelKind.SENSITIVE),
    }
    found = {kind: f"{kind.value} since #{origin.call}" for kind, origin in origins.items() if origin}
    if not found:
        return GravestLabel()
    word, *also = found.values()
    is_grave = next(iter(found)) is not LabelKind.SENSITIVE
    return GravestLabel(word=word, is_grave=is_grave, also=tuple(also))


def trust_view(
    trust: SessionTrust, number: int, propagation: dict[str, SourceDetail], connected: str
) -> TrustView:
    """The content of the Trust screen. `connected`: the server in use.

    Takes linear time in the number of labels.
    """
    names = dict.fromkeys((connected, *trust.servers, *sorted(propagation)))
    return TrustView(
        number=number,
        gravest=gravest_label(trust),
        servers=tuple(_server(trust, name, propagation.get(name)) for name in names),
        labels=tuple(sorted(trust.labels, key=_by_call)),
        call_width=max((len(_call(label.origin)) for label in trust.labels), default=0),
    )


def _call(origin: LabelOrigin) -> str:
    return f"#{origin.call} {origin.tool}"


def _by_call(label: TrustLabel) -> tuple[int, int, str]:
    return label.origin.call, _KINDS.index(label.kind), label.value


def _server(trust: SessionTrust, name: str, detail: SourceDetail | None) -> ServerRow:
    sent = request_annotations(trust, name, detail=detail) if detail is not None else None
    received = sum(label.origin.server == name for label in trust.labels)
    return ServerRow(server=name, detail=detail, received=received, sent=sent)


def next_detail(detail: SourceDetail | None) -> SourceDetail | None:
    """The detail after `detail` in the cycle that the user goes through with `l`. None: no trust labels are sent."""
    return _ORDER[(_ORDER.index(detail) + 1) % len(_ORDER)]


def session_line(view: TrustView) -> Content:
    """The number of the agent session and its most serious labels, for the title line.

    Each label is named with the first call that added it.
    """
    gravest = view.gravest
    return Content.assemble(
        f"agent session {view.number}  " if view.number else "recorded calls  ",
        (
            ", ".join((gravest.word, *gravest.also)) or "nothing untrusted so far",
            "bold $text-error" if gravest.is_grave else "$text-success",
        ),
    )


def trust_row(row: ServerRow, width: int, *, here: bool) -> Content:
    """The row of a server: its name, the number of labels received from it, and what Sightline sends it.

    `width`: the cells of the row. `here`: true if the cursor is on it.
    """
    labels = Content.assemble(
        (f"  {count(row.received, 'label')} from it, sent to it: ", _QUIET),
        (_SENT[row.detail], "$text-warning" if row.detail is not None else ""),
    )
    room = max(width - 2 - labels.cell_length, _LEAST_NAME)
    return Content.assemble(
        "▸ " if here else "  ", content(cut_in_the_middle(row.server, room), "bold"), labels
    )


def carried_line(server: str, detail: SourceDetail | None) -> str:
    """A sentence about the trust labels that calls to a server carry. It quotes `server`: untrusted text."""
    return f"Calls to {cut_in_the_middle(server, 60)} {_CARRIED[detail]}."


def sent_line(row: ServerRow) -> Content:
    """A line about the annotations that the next call to a server carries."""
    carried = carried_line("this server", row.detail)
    if row.detail is None:
        return Content.styled(f"{carried} l changes that.", _QUIET)
    if row.sent is None:
        return Content.styled(
            f"{carried} The next call carries no annotations, because the session is not untrusted and has no sources to name.",
            _QUIET,
        )
    return Content.assemble(
        (f"{carried} The next call: _meta.annotations = ", _QUIET),
        content(shortened(dump_text(row.sent), 400)),
    )


def label_line(label: TrustLabel, call_width: int, *, here: bool, is_first: bool) -> Content:
    """The row of a label. `call_width`: the width of the column of calls.

    `is_first`: true for the first label of a call; only this row names the call.
    """
    origin = label.origin
    call = _call(origin) if is_first else ""
    value = Content.assemble("  ", content(shortened(label.value, 200))) if label.value else Content("")
    return Content.assemble(
        "▸ " if here else "  ",
        content(cut_in_the_middle(call, call_width).ljust(call_width), "bold"),
        "  ",
        (label.kind.value, _STYLES.get(label.kind, "")),
        value,
        content(shortened(f"  by {label.declaration}", 200)) if label.declaration else "",
        content(shortened(f"  ({origin.server})", 80), "$foreground 70%") if is_first else "",
        (f"  {_MEANINGS[label.kind]}", "$foreground 70%"),
    )


def label_text(label: TrustLabel) -> Content:
    """A trust label with its call, tool, server, kind and value, and what the kind means."""
    origin = label.origin
    return Content.assemble(
        content(shortened(_call(origin), 200), "bold"),
        content(shortened(f" ({origin.server}): ", 200), _QUIET),
        (label.kind.value, _STYLES.get(label.kind, "")),
        content(shortened(f" {label.value}" if label.value else "", 600)),
        (f": {_MEANINGS[label.kind]}", _QUIET),
        content(shortened(f" (by {label.declaration})", 400), _QUIET) if label.declaration else "",
    )


def since_line(kind: str, origin: LabelOrigin) -> Content:
    """A text such as `untrusted since #4 search_web (demo)`."""
    return Content.assemble(
        (kind, "bold $text-warning"),
        f" since #{origin.call} ",
        content(cut_in_the_middle(origin.tool, 60), "bold"),
        content(shortened(f" ({origin.server})", 60), _QUIET),
    )
