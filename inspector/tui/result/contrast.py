"""Two model views of one call, and their differences."""

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.boundary.options import Level
from inspector.boundary.reading import raw_of
from inspector.hosts.masks import masks_of, reaching_word
from inspector.hosts.profile import Call, ModelContext
from inspector.hosts.projection import projection_of
from inspector.hosts.registry import host as host_of
from inspector.json.exact import Json
from inspector.json.weight import compact_bytes
from inspector.pins.known_secrets import KnownSecrets
from inspector.session.call_record import CallRecord
from inspector.tui.result.sides import beside
from inspector.tui.result.view import ResultView
from inspector.tui.text import content, count, flowed, path, shortened, size
from inspector.tui.values.outline import Outline, SideDifference


class LeafCount(Struct, frozen=True, kw_only=True):
    """The number of leaves (values without members) that differ between two model views, by kind."""

    left: int = 0
    """The number of leaves that only the left side has."""
    right: int = 0
    changed: int = 0
    """The number of leaves that both sides have, with different values."""

    @property
    def total(self) -> int:
        """The number of all leaves that differ."""
        return self.left + self.right + self.changed


class Lens(Struct, frozen=True, kw_only=True):
    """A boundary level and a host, through which a result is seen."""

    level: Level
    host: str


class Seen(Struct, frozen=True, kw_only=True):
    """A model view at one boundary level, in one host."""

    lens: Lens
    size_bytes: int
    observed: bool
    """False if the profile had to go beyond the observed behaviour of the host."""


class Contrast(Struct, frozen=True, kw_only=True):
    """Two model views of one call, side by side."""

    record: CallRecord
    left: Seen
    right: Seen
    outline: Outline
    leaves: LeafCount
    values: tuple[Json, ...]

    @property
    def size_bytes(self) -> int:
        """The approximate size of both sides in bytes."""
        return self.left.size_bytes + self.right.size_bytes

    @property
    def has_differences(self) -> bool:
        """True if the two model views differ."""
        return bool(self.outline.tops)

    def names(self) -> tuple[str, str]:
        """The names of both sides: their boundary levels if the host is the same, else their hosts."""
        if self.left.lens.host == self.right.lens.host:
            return self.left.lens.level.value, self.right.lens.level.value
        return self.left.lens.host, self.right.lens.host

    @property
    def missing(self) -> SideDifference:
        """The sign of a value that is missing on the right.

        If the boundary levels differ, the sign of a withheld value; otherwise that of a change by the host.
        """
        is_withheld = self.left.lens.level is not self.right.lens.level
        return SideDifference.LEFT if is_withheld else SideDifference.CHANGED


def contrast_title(seen: Seen) -> Content:
    """The title of a side: its boundary level and host."""
    return Content.assemble(
        ("The model at  ", "bold"), content(f"{seen.lens.level}, {shortened(seen.lens.host, 60)}", "bold")
    )


def contrast_strip(view: Contrast, width: int) -> Content:
    """The names of the two model views and the numbers of leaves that differ, in rows of `width` cells."""
    left, right = view.names()
    leaves = view.leaves
    shared = (
        view.left.lens.host if view.left.lens.host == view.right.lens.host else view.left.lens.level.value
    )
    parts = [
        Content.assemble(
            (left, "bold"), " against ", (right, "bold"), content(f" ({shared})", "$foreground 70%")
        ),
        Content.styled(count(leaves.total, "value differs", "values differ"), "bold $text-warning")
        if leaves.total
        else Content.styled("no value differs", "$text-success"),
    ]
    if leaves.left:
        parts.append(
            content(f"{view.missing.value} {leaves.left:,} only in {left}", _style(view.missing.value))
        )
    if leaves.right:
        parts.append(content(f"+ {leaves.right:,} only in {right}", "$text-accent"))
    if leaves.changed:
        parts.append(Content.styled(f"~ {leaves.changed:,} changed", "$text-accent"))
    parts.append(
        Content.styled(f"{size(view.left.size_bytes)} | {size(view.right.size_bytes)}", "$foreground 70%")
    )
    parts += [
        Content.styled(
            f"{shortened(seen.lens.host, 60)} was not observed with such a result", "$text-warning"
        )
        for seen in (view.left, view.right)
        if not seen.observed
    ]
    return flowed(parts, width)


def lens_change(before: ResultView, after: ResultView) -> Content:
    """The effect of another level or host on a call, such as `declared → closed: 2 more parts withheld`."""
    names = [
        view.host
        if before.level is after.level
        else view.level.value
        if before.host == after.host
        else f"{view.level}, {view.host}"
        for view in (before, after)
    ]
    lead = content(" → ".join(shortened(name, 40) for name in names), "bold")
    if before.host != after.host:
        gets, got = size(after.model_bytes), size(before.model_bytes)
        return Content.assemble(
            lead,
            f": model gets {gets}, as before" if gets == got else f": model gets {gets} instead of {got}",
        )
    then, now = before.counted, after.counted
    more, marked = now.total - then.total, now.delimited - then.delimited
    order = list(Level)
    is_stricter = order.index(after.level) > order.index(before.level)
    if more and (more < 0) is is_stricter:
        # A stricter level can withhold fewer parts, because a part that is withheld as a whole, such as
        # protocol metadata or a block, counts once.
        words = "nothing more passes" if is_stricter else "nothing more is withheld"
        return Content.assemble(lead, f": {words}")
    if not more and marked:
        how = "more between" if marked > 0 else "no longer between"
        return Content.assemble(lead, f": {count(abs(marked), 'untrusted text')} {how} Sightline's markers")
    if not more:
        return Content.assemble(lead, ": the same number of parts withheld")
    words = f"{more:,} more {'part' if more == 1 else 'parts'} withheld"
    if more < 0:
        words = f"{count(-more, 'part')} no longer withheld"
    return Content.assemble(lead, ": ", Content.styled(words, "$text-error" if more < 0 else "$text-success"))


def contrast_reason(view: Contrast, node: int | None) -> Content:
    """The difference between the two sides of a node; if there is no difference, which keys to use."""
    left, right = view.names()
    difference = view.outline.difference(node) if node is not None else SideDifference.NONE
    if node is None or difference is SideDifference.NONE:
        words = "n and N go to differences, b changes the boundaries, h the host; Esc goes back to the result"
        return Content.styled(words, "$foreground 70%")
    match difference:
        case SideDifference.LEFT:
            sign, words = view.missing.value, f"only in {left}"
        case SideDifference.CHANGED:
            sign, words = "~", f"differs between {left} and {right}"
        case _:
            sign, words = "+", f"only in {right}"
    style = _style(sign)
    return Content.assemble(
        (f"{sign} ", f"bold {style}"),
        content(words, style),
        "  ",
        content(path(view.outline.pointer(node), 300), "bold"),
    )


def _style(sign: str) -> str:
    return "$text-error" if sign == SideDifference.LEFT.value else "$text-accent"


def contrast(
    record: CallRecord, left: Lens, right: Lens, *, server: str, known: KnownSecrets | None = None
) -> Contrast:
    """Compare two model views of a call. Raises LookupError if a host is unknown.

    `server`: the name that hosts know the server by. `known`: values that were withheld from other calls; they
    are masked.
    """
    contexts = [_context(record, lens, server) for lens in (left, right)]
    raw = raw_of(record.outcome)
    sides = [beside(raw, context.model) for context in contexts]
    if known is not None and not record.has_ids:
        sides = [known.masked(side, reaching_word, record.number)[0] for side in sides]
    outline = Outline(*sides)
    seen = [
        Seen(lens=lens, size_bytes=compact_bytes(context.model), observed=context.observed)
        for lens, context in zip((left, right), contexts, strict=True)
    ]
    return Contrast(
        record=record,
        left=seen[0],
        right=seen[1],
        outline=outline,
        leaves=leaf_count(outline),
        values=tuple(sides),
    )


def leaf_count(outline: Outline) -> LeafCount:
    """The number of leaves that differ between the two values that `outline` compares."""
    counts = dict.fromkeys(SideDifference, 0)
    for node in range(len(outline)):
        if outline.end(node) == node + 1:
            counts[outline.difference(node)] += 1
    return LeafCount(
        left=counts[SideDifference.LEFT],
        right=counts[SideDifference.RIGHT],
        changed=counts[SideDifference.CHANGED],
    )


def _context(record: CallRecord, lens: Lens, server: str) -> ModelContext:
    profile = host_of(lens.host)
    if profile is None:
        raise LookupError(lens.host)
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    context = projection_of(record.judgement, lens.level, profile, call, record.policy).context
    if lens.level is Level.OPEN and not record.has_ids:
        return replace(context, model=masks_of(record.judgement, record.policy).model(context.model))
    return context
