"""The trust of an agent session: a word for the header, and what each call brought in."""

from dataclasses import dataclass

from textual.content import Content

from inspector.json.exact import JsonObject, dump_text
from inspector.policy.taint.propagation import Detail, request_annotations
from inspector.policy.taint.state import Mark, MarkKind, Origin, SessionTrust
from inspector.tui.text import content, count, shortened

_LABEL = "$foreground 70%"
_STYLES = {
    MarkKind.MALICIOUS: "bold $text-error",
    MarkKind.UNTRUSTED: "bold $text-warning",
    MarkKind.OPEN_WORLD: "bold $text-warning",
    MarkKind.SENSITIVE: "bold $text-accent",
}

_MEANINGS = {
    MarkKind.MALICIOUS: "the server says that it holds an attack: a claim, like all others",
    MarkKind.UNTRUSTED: "it may hold instructions that are not yours",
    MarkKind.OPEN_WORLD: "it comes from where anybody can write",
    MarkKind.SENSITIVE: "it is declared sensitive",
    MarkKind.DATA_CLASS: "the kind of data that it holds",
    MarkKind.ATTRIBUTION: "a source that it names",
    MarkKind.UNNAMED_SOURCES: "there are sources beyond those that are kept",
}

_KINDS = tuple(_MEANINGS)
"""The gravest first."""

_TOLD = {
    None: "is told nothing of the session",
    Detail.NONE: "is told whether it is untrusted, and its own sources",
    Detail.HOSTS: "is told whether it is untrusted, its own sources, and the hosts of others",
    Detail.FULL: "is told whether it is untrusted, and every source as it was named",
}

_ORDER: tuple[Detail | None, ...] = (None, Detail.HOSTS, Detail.NONE, Detail.FULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStanding:
    """How a session stands, in words."""

    word: str = ""
    """For the header: `untrusted since #4`; empty where nothing speaks against it."""
    is_grave: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRow:
    """A server, and what it is told."""

    server: str
    """In the user's words."""
    detail: Detail | None
    """None where it is told nothing."""
    brought: int
    """Marks that it brought in."""
    told: JsonObject | None
    """What its next call would carry; None where that is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustView:
    """What the screen about trust shows."""

    number: int
    standing: SessionStanding
    servers: tuple[ServerRow, ...]
    marks: tuple[Mark, ...]
    """By call."""


def standing(trust: SessionTrust) -> SessionStanding:
    """The gravest that was taken in, and which call brought it first. Takes time in proportion to the marks."""
    malicious, untrusted = trust.since(MarkKind.MALICIOUS), trust.untrusted_since
    sensitive = trust.since(MarkKind.SENSITIVE)
    if malicious:
        return SessionStanding(word=f"malicious since #{malicious.call}", is_grave=True)
    if untrusted:
        return SessionStanding(word=f"untrusted since #{untrusted.call}", is_grave=True)
    return SessionStanding(word=f"sensitive since #{sensitive.call}") if sensitive else SessionStanding()


def trust_view(trust: SessionTrust, number: int, propagation: dict[str, Detail], connected: str) -> TrustView:
    """All there is to show. `connected`: the server in use. Takes time in proportion to the marks."""
    names = dict.fromkeys((connected, *trust.servers, *sorted(propagation)))
    return TrustView(
        number=number,
        standing=standing(trust),
        servers=tuple(_server(trust, name, propagation.get(name)) for name in names),
        marks=tuple(sorted(trust.marks, key=_by_call)),
    )


def next_detail(detail: Detail | None) -> Detail | None:
    """What a server is told after one more press of the key."""
    return _ORDER[(_ORDER.index(detail) + 1) % len(_ORDER)]


def title_line(view: TrustView) -> Content:
    """Which session, and how it stands."""
    word = view.standing.word or "nothing was taken in that speaks against it"
    return Content.assemble(
        (f"Agent session {view.number}  ", "bold"),
        (word, "bold $text-error" if view.standing.is_grave else "$text-success"),
        ("  what one model has seen, over all servers and reconnections", _LABEL),
    )


def server_line(row: ServerRow, *, here: bool) -> Content:
    """A server: what it brought in, and what it is told."""
    return Content.assemble(
        "▸ " if here else "  ",
        content(shortened(row.server, 60), "bold"),
        (f"  brought {count(row.brought, 'mark')}, ", _LABEL),
        (_TOLD[row.detail], "$text-warning" if row.detail is not None else ""),
    )


def told_line(row: ServerRow) -> Content:
    """What the next call to a server would carry."""
    if row.detail is None:
        return Content.styled("Its calls carry nothing of the session. p changes that.", _LABEL)
    if row.told is None:
        return Content.styled("There is nothing yet that its calls would carry.", _LABEL)
    return Content.assemble(
        ("With its next call, _meta.annotations = ", _LABEL), content(shortened(dump_text(row.told), 400))
    )


def mark_line(mark: Mark, *, is_first: bool) -> Content:
    """What a call brought in. `is_first`: whether the line above is of another call."""
    origin = mark.origin
    call = f"#{origin.call} {origin.tool}" if is_first else ""
    value = Content.assemble("  ", content(shortened(mark.value, 200))) if mark.value else Content("")
    return Content.assemble(
        content(shortened(call, 28).ljust(30), "bold"),
        (mark.kind.value, _STYLES.get(mark.kind, "")),
        value,
        (f"  {_MEANINGS[mark.kind]}", "$foreground 60%"),
        content(shortened(f"  ({origin.server})", 80), "$foreground 60%") if is_first else "",
    )


def mark_text(mark: Mark) -> Content:
    """The same in full, over as many lines as it takes."""
    origin = mark.origin
    return Content.assemble(
        content(shortened(f"#{origin.call} {origin.tool}", 200), "bold"),
        content(shortened(f" ({origin.server}): ", 200), _LABEL),
        (mark.kind.value, _STYLES.get(mark.kind, "")),
        content(shortened(f" {mark.value}" if mark.value else "", 600)),
        (f": {_MEANINGS[mark.kind]}", _LABEL),
    )


def since_line(kind: str, origin: Origin) -> Content:
    """`untrusted since #4 search_web (demo)`."""
    return Content.assemble(
        (kind, "bold $text-warning"),
        f" since #{origin.call} ",
        content(shortened(origin.tool, 60), "bold"),
        content(shortened(f" ({origin.server})", 60), _LABEL),
    )


def _by_call(mark: Mark) -> tuple[int, int, str]:
    return mark.origin.call, _KINDS.index(mark.kind), mark.value


def _server(trust: SessionTrust, name: str, detail: Detail | None) -> ServerRow:
    told = request_annotations(trust, name, detail=detail) if detail is not None else None
    brought = sum(mark.origin.server == name for mark in trust.marks)
    return ServerRow(server=name, detail=detail, brought=brought, told=told)
