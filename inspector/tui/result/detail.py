"""The details of a difference, for which the line about it has no room."""

from collections.abc import Iterator

from textual.content import Content

from inspector.hosts.profile import PROTOCOL_MEMBERS, Host, HostChange
from inspector.hosts.registry import host as host_of
from inspector.tui.result.reasons import MAX_LISTED, has_notice, undescribed_key
from inspector.tui.result.removal import QUIET, labelled, removal_detail, schema_part
from inspector.tui.result.view import ResultView
from inspector.tui.text import content, path, shortened
from inspector.tui.values.outline import Outline, SideDifference


def difference_detail(view: ResultView, outline: Outline, node: int) -> Content | None:
    """The details of the difference at a node.

    Among them are the rule and advice, the change by the host, or the schema keyword that the value violates.

    None if there are no details.
    """
    reaching = view.reaching_on(outline, node)
    removals = (reaching,) if reaching is not None else view.removals_on(outline, node)
    parts: list[Content] = []
    if reaching is not None and view.known.get(reaching.pointer) == reaching.detail:
        parts += _known(reaching.detail, reaching.pointer)
    elif removals:
        more = 0 if reaching is not None else view.more_on(outline, node)
        parts.append(removal_detail(removals, more, tool=view.record.tool, reaches=reaching is not None))
    else:
        parts += _changes(view.host, view.changes_on(outline, node))
    parts += _credential(view, outline, node)
    parts += _to_model(view, outline, node)
    parts += _violation(view, outline, node)
    parts += _addition(view, outline, node)
    if not parts:
        parts += _undescribed(view, outline, node)
    if not parts and view.sign(outline, node) is SideDifference.REACHES:
        parts += _copy(outline, node)
    if not parts and outline.difference(node) in {SideDifference.LEFT, SideDifference.CHANGED}:
        parts += _elsewhere(view, outline, node)
    return Content("\n").join(parts) if parts else None


def _changes(host: str, changes: tuple[HostChange, ...]) -> Iterator[Content]:
    profile = host_of(host)
    for change in changes:
        is_metadata = change.pointer in PROTOCOL_MEMBERS
        sign, style, lead = (
            ("·", QUIET, "not for models") if is_metadata else ("~", "$text-accent", "changed by the host")
        )
        yield _head(sign, style, lead, change.pointer)
        yield labelled("what", content(shortened(change.what, 1000)))
    if changes and profile is not None:
        yield _host_line(profile)
        yield labelled("evidence", content(shortened(f"{profile.how}; as of {profile.as_of}", 200)))
        yield labelled("source", content(shortened(profile.source, 300)))


_NOTICE = (
    "Sightline's notice",
    "It names the fields and content blocks that were withheld, so that the model does not take the result to be complete.",
)
_ADDED = (
    "added for the model",
    "The host added this text, or it replaces what the server sent. The other reasons say why.",
)


def _head(sign: str, style: str, lead: str, pointer: str) -> Content:
    """The first line about a difference: its sign, what it is, and where."""
    return Content.assemble((f"{sign} ", f"bold {style}"), f"{lead}  ", content(path(pointer, 400), "bold"))


def _host_line(host: Host) -> Content:
    return labelled("host", content(shortened(f"{host.title}  {host.version}", 200)))


def _addition(view: ResultView, outline: Outline, node: int) -> Iterator[Content]:
    if outline.difference(node) is not SideDifference.RIGHT:
        return
    lead, why = _NOTICE if has_notice(outline, node) else _ADDED
    yield _head("+", "$text-accent", lead, outline.pointer(node))
    yield labelled("why", Content(why))
    profile = host_of(view.host)
    if profile is not None:
        yield _host_line(profile)


def _credential(view: ResultView, outline: Outline, node: int) -> Iterator[Content]:
    why = view.credential_on(outline, node)
    if why is None:
        return
    yield _head("!", "$text-error", "reaches the model", outline.pointer(node))
    yield labelled("why", content(shortened(f"{why}. No declaration covers it, so it passes.", 1000)))
    yield labelled(
        "to change it",
        Content(
            "Mark it `x-sensitive` in the output schema, or return a secret reference. "
            "Sightline withholds such values if it is started with --withhold-credentials."
        ),
    )


def _known(why: str, pointer: str) -> Iterator[Content]:
    yield _head("!", "$text-error", "reaches the model", pointer)
    yield labelled("why", Content(f"{why}; no declaration covers it here, so it passes."))
    yield labelled(
        "to change it", Content("Leave the value out of this answer, or mark it as sensitive here too.")
    )


def _to_model(view: ResultView, outline: Outline, node: int) -> Iterator[Content]:
    why = view.to_model_on(outline, node)
    if why is None:
        return
    yield _head("@", "$text-error", "addresses the model", outline.pointer(node))
    yield labelled("why", content(shortened(why, 400)))
    yield labelled("more", Content("4 lists the findings, with the text in question and what to do."))


def _violation(view: ResultView, outline: Outline, node: int) -> Iterator[Content]:
    found = view.broken_on(outline, node)
    if found is None:
        return
    yield _head("≠", "$text-error", "breaks the output schema", found.pointer)
    yield labelled("keyword", content(shortened(found.keyword or "none", 120)))
    tool = view.record.tool
    pointer = found.pointer.removeprefix("/structuredContent")
    part = schema_part(tool, _in_schema(pointer)) if tool is not None else ""
    if part:
        yield labelled("schema", content(part))


def _undescribed(view: ResultView, outline: Outline, node: int) -> Iterator[Content]:
    if not view.is_undescribed(outline, node):
        return
    pointer = outline.pointer(node)
    yield _head("?", "$text-warning", "in no schema", pointer)
    yield labelled("why", content(f"{undescribed_key(pointer)[2]}. No mark can apply to it."))
    advice = (
        "Return it in structured content that the output schema describes, or choose `closed`, which withholds it."
        if pointer.startswith("/content/")
        else "Describe it in the output schema, with a mark if it is sensitive, or choose `closed`, which withholds it."
    )
    yield labelled("to change it", Content(advice))


def _copy(outline: Outline, node: int) -> Iterator[Content]:
    yield _head("!", "$text-error", "reaches the model; `declared` withholds it", outline.pointer(node))
    yield labelled("why", Content("It repeats a value that `declared` withholds in another place."))


def _elsewhere(view: ResultView, outline: Outline, node: int) -> Iterator[Content]:
    """The details of a value that the host passes on in another shape, if no change by the host is about the value."""
    yield _head("~", "$text-accent", "passed on in another shape", outline.pointer(node))
    yield labelled("why", Content("The host builds what its model gets; m shows the model's side."))
    yield from _changes(view.host, view.changes[:MAX_LISTED])
    profile = host_of(view.host)
    if profile is not None and not view.changes:
        yield _host_line(profile)


def _in_schema(pointer: str) -> str:
    """The pointer into the output schema for a place in structured content.

    Every number counts as an index, and every other token as a property.
    """
    tokens = pointer.split("/")[1:]
    return "/outputSchema" + "".join(
        "/items" if token.isdecimal() else f"/properties/{token}" for token in tokens
    )
