"""A result ready to be drawn: what the server sent, what the model sees, how they differ, and why."""

import dataclasses
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
from msgspec import Struct

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.counted import Counted, counted, is_delimited
from inspector.boundary.mask import MASK
from inspector.boundary.output_check import NOT_ASKED, OutputCheck, OutputViolation
from inspector.boundary.undeclared import Undeclared
from inspector.hosts.apps import AppView
from inspector.hosts.masks import is_reaching
from inspector.hosts.profile import NO_ERROR, PROTOCOL_MEMBERS, Call, HostChange
from inspector.hosts.projection import Projection, projection_of, refusal_of
from inspector.hosts.registry import host as host_of
from inspector.json.exact import Json, JsonText, equal, parse
from inspector.json.members import text_at
from inspector.json.pointer import join, split
from inspector.json.walk import places
from inspector.pins.known_secrets import KnownSecrets
from inspector.policy.taint import LabelKind, LabelOrigin, trust_of
from inspector.protocol.outcome import Unfinished
from inspector.review.texts import first_of, texts_of
from inspector.session.call_record import CallRecord
from inspector.tui.result.places import (
    NOISE,
    broken_nodes,
    is_metadata,
    is_within_text,
    nearest,
    pointers_around,
    removal_around,
    worst_first,
)
from inspector.tui.result.reasons import (
    MAX_LISTED,
    MAX_REMARKS,
    METADATA,
    ReasonCollector,
    ReasonKey,
    ResultReason,
    added_words,
    broken_key,
    change_key,
    has_notice,
    reaching_key,
    removal_key,
    undescribed_key,
)
from inspector.tui.result.sides import (
    FIRST,
    beside,
    in_order,
    in_order_of,
    is_moved,
    sides_of,
)
from inspector.tui.values.alignment import GAP
from inspector.tui.values.blocks import BlockPairs, paired_content
from inspector.tui.values.outline import ABSENT, Outline, OutlineStyle, SideDifference

_JSON_START = re.compile(r"[{\[]")

SERVER_NAME = "server"
"""The name under which hosts are assumed to know the server."""


# Without slots, so that properties such as `json` can be cached.
@dataclass(frozen=True, kw_only=True)
class ResultView:
    """The result of one call at one boundary level and for one host, ready to be drawn."""

    record: CallRecord
    level: Level
    host: str
    outline: Outline
    """The raw result on the left, what the model sees on the right.

    Secrets are masked, unless the user has unmasked them. Then the field `masked` has the masked view.
    """
    removals: Sequence[Removal]
    """The removals by the boundary. There may be hundreds of thousands; each is made on access."""
    removals_at: Mapping[str, tuple[int, ...]]
    """The indexes of removals, by pointer."""
    dropped_copies: int
    """The number of texts that the boundary rewrote, and that the host does not pass on anyway."""
    changes: tuple[HostChange, ...]
    """The changes by the host, apart from what the boundary withheld."""
    changes_at: Mapping[str, tuple[HostChange, ...]]
    kept: Json
    """The part of the result that the boundary let through, before the host has changed it."""
    order: tuple[int, ...]
    """The nodes that the user can move to, the worst first.

    At each node, a difference begins, or the value breaks the output schema, is described by no schema, looks
    like a credential, addresses the model, or replaces a withheld copy in a recording.
    """
    reasons: tuple[ResultReason, ...]
    """Each reason once, the worst first."""
    observed: bool
    remarks: tuple[str, ...]
    raw_bytes: int
    model_bytes: int
    undeclared: Undeclared
    """The leaves that pass although no schema describes them.

    There are none if the tool has no output schema, or if the boundary level is not `declared`.
    """
    values: tuple[Json, ...]
    """The raw result and the model view, like the outline, but with members in their original order."""
    blocks: BlockPairs | None = None
    """The pairs of content blocks of both sides that share a row; None if a side has no blocks."""
    masks: int = 0
    """The number of masked values in what the server sent; if there are none, in what the model gets."""
    masked: "ResultView | None" = None
    """The masked view, if this view shows secrets at the user's request; otherwise None."""
    reaching: Mapping[str, Removal] = field(default_factory=dict[str, Removal])
    """The secrets that this model gets, by pointer, each as a removal with the reason why it is a secret.

    Secrets are the `known` values and, at level `open`, the values that level `declared` withholds.
    """
    undescribed: frozenset[str] = frozenset()
    """The pointers to the first values that pass although no schema describes them."""
    credentials: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why values that reach the model look like credentials, by pointer."""
    reached: int = 0
    """The number of places in this model view that hold a secret, or a copy of one.

    Secrets are the `known` values and, at level `open`, the values that level `declared` withholds.
    """
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why values in this model view are secret, by pointer: texts such as `withheld from #1`.

    Contains only values that were withheld from other calls.
    """
    output: OutputCheck = NOT_ASKED
    """The result compared with the output schema of its tool."""
    unfinished: Unfinished | None = None
    """The reason why the answer does not end the call; None if it ends the call."""
    failure: str | None = None
    """Sightline's words about a call without an answer; None if the server answered."""
    holder: str = ""
    """The pointer to the text of the model's side that holds the structured content as JSON; empty if none does."""
    sensitive: str = ""
    """The declaration that makes the result sensitive although nothing is withheld; empty if there is none."""

    to_model: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why values address the model according to the review, in words, by pointer."""
    refused: bool = False
    """True if the host refuses, as a whole, what the boundary lets through."""
    is_reordered: bool = False
    """True if the members of the result are drawn in another order than that of the wire."""
    refused_as_sent: bool = False
    """True if the host refuses, as a whole, the result as the server sent it, and the boundary withholds some of it."""
    app: AppView | None = None
    """The role of an MCP App in this result; None if no app is involved."""
    search_limit: str = ""
    """A sentence that says how much of the result the review searches for instructions; empty if all of it."""
    recorded: frozenset[str] = frozenset()
    """The pointers to the texts that replace withheld copies of values in a recording."""

    @property
    def sender(self) -> str:
        """The sender of the result: `server`, `page` or `app`."""
        contract = self.record.judgement.contract
        return "app" if contract.is_of_app else "page" if contract.is_of_page else "server"

    @cached_property
    def is_same(self) -> bool:
        """True if the model sees all that was sent, except for protocol metadata."""
        if self.failure is not None or self.unfinished or self.recorded:
            return False
        return all(self.is_quiet(self.outline, node) for node in self.outline.tops)

    @property
    def is_moved(self) -> bool:
        """True if the model gets the result, or its members, as structured content that was not sent as such."""
        return self.failure is None and is_moved(*self.values)

    @cached_property
    def counted(self) -> Counted:
        """The removals by rule, without texts that the host drops anyway."""
        return counted(self.removals).without(Rule.MIRROR, self.dropped_copies)

    @property
    def size_bytes(self) -> int:
        """The approximate size of both sides in bytes."""
        return self.raw_bytes + self.model_bytes

    @property
    def has_differences(self) -> bool:
        """True if anything was withheld or changed."""
        return bool(self.order or self.removals or self.changes)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The nodes of `order`, from top to bottom.

        Those of protocol metadata and of Sightline's notice are included only if nothing else differs.
        """
        return self._loud(self.outline, sorted(self.order))

    @cached_property
    def json_places(self) -> tuple[int, ...]:
        """The nodes of `json` at which differences begin, from top to bottom, as in `places`."""
        return self._loud(self.json, list(self.json.tops))

    @cached_property
    def _broken(self) -> dict[int, str]:
        return broken_nodes(self.outline, self.output)

    @cached_property
    def _broken_in_json(self) -> dict[int, str]:
        return broken_nodes(self.json, self.output)

    def violation_on(self, outline: Outline, node: int) -> str | None:
        """The message about how a node breaks the output schema; None if it does not."""
        return (self._broken if outline is self.outline else self._broken_in_json).get(node)

    def broken_on(self, outline: Outline, node: int) -> OutputViolation | None:
        """The violation of the output schema at a node; None if there is none.

        The pointer of a missing member is the place where it should be.
        """
        if self.violation_on(outline, node) is None:
            return None
        pointer = outline.pointer(node)
        near = (one for one in self.output.violations if one.pointer.rpartition("/")[0] == pointer)
        return next((one for one in self.output.violations if one.pointer == pointer), None) or next(
            near, None
        )

    def reaching_on(self, outline: Outline, node: int) -> Removal | None:
        """The secret in `reaching` at a node or around it; None if no secret reaches the model there.

        At level `open`, it is the removal that the level `declared` would make.
        """
        if self.sign(outline, node) is not SideDifference.REACHES:
            return None
        return removal_around(outline, node, self.reaching)

    def credential_on(self, outline: Outline, node: int) -> str | None:
        """Why the value of a node looks like a credential that reaches the model; None if it does not.

        A text block without other members and its text are one node, so a credential in either counts.
        """
        if not self.credentials or outline.value(node, 0) is ABSENT or outline.value(node, 1) is ABSENT:
            return None
        if is_within_text(outline, node):
            return None
        pointer = outline.pointer(node)
        return self.credentials.get(pointer) or self.credentials.get(pointer.removesuffix("/text"))

    def to_model_on(self, outline: Outline, node: int) -> str | None:
        """How the value of a node addresses the model, in words; None if it does not, or if the model does not get it."""
        if not self.to_model or outline.value(node, 0) is ABSENT or outline.value(node, 1) is ABSENT:
            return None
        if is_within_text(outline, node):
            return None
        pointer = outline.pointer(node)
        why = self.to_model.get(pointer)
        return None if why is None or self.is_withheld(pointer) else why

    def is_withheld(self, pointer: str) -> bool:
        """True if the boundary withholds the value at a pointer, or a value around it.

        The boundary level is that of this view.
        """
        while pointer not in self.removals_at:
            if not pointer:
                return False
            pointer = pointer.rpartition("/")[0]
        return not all(is_delimited(self.removals[index]) for index in self.removals_at[pointer])

    def is_undescribed(self, outline: Outline, node: int) -> bool:
        """True if a value passes although the output schema does not describe it; only for the first such values.

        A text block without other members and its text are one node, so the pointer of either counts.
        """
        if not self.undescribed or is_within_text(outline, node):
            return False
        pointer = outline.pointer(node)
        return pointer in self.undescribed or pointer.removesuffix("/text") in self.undescribed

    @property
    def is_json_ready(self) -> bool:
        """True if the layout of `json` exists. The layout of a large result takes seconds."""
        return "json" in self.__dict__

    @cached_property
    def json(self) -> Outline:
        """An outline of both sides as JSON, with each member in its original place."""
        masked, model = self.values
        sent = masked if self.failure is None else ABSENT
        return Outline(sent, model, style=OutlineStyle.JSON, blocks=self.blocks)

    def removals_on(self, outline: Outline, node: int) -> tuple[Removal, ...]:
        """The first removals at a node, or else of the nearest value around it."""
        return tuple(self.removals[index] for index in self._indexes(outline, node)[:MAX_LISTED])

    def more_on(self, outline: Outline, node: int) -> int:
        """The number of removals at a node beyond those of `removals_on`."""
        return max(len(self._indexes(outline, node)) - MAX_LISTED, 0)

    def changes_on(self, outline: Outline, node: int) -> tuple[HostChange, ...]:
        """The changes by the host at a node or around it.

        If a node differs for no other reason, these are the changes of the whole result.
        """
        if outline.difference(node) is SideDifference.RIGHT:
            return ()
        for pointer in pointers_around(outline, node):
            if pointer in self.changes_at:
                return self.changes_at[pointer][:MAX_LISTED]
        if outline.difference(node) is SideDifference.NONE:
            return ()
        return tuple(change for change in self.changes if not change.pointer)

    def sign(self, outline: Outline, node: int) -> SideDifference:
        """The sign of a node: ✗ only if the boundary withheld it."""
        difference = outline.difference(node)
        if self.reached and self._reaches(outline, node):
            return SideDifference.REACHES
        if self.credential_on(outline, node):
            return SideDifference.REACHES
        if self.to_model_on(outline, node):
            return SideDifference.TO_MODEL
        if difference is SideDifference.NONE:
            if self.violation_on(outline, node) is not None:
                return SideDifference.BROKEN
            if self.recorded and outline.pointer(node).removesuffix("/text") in self.recorded:
                return SideDifference.LEFT
            is_free = self.is_undescribed(outline, node)
            return SideDifference.UNDESCRIBED if is_free else SideDifference.NONE
        if difference is SideDifference.RIGHT:
            return difference
        if self.is_quiet(outline, node):
            return SideDifference.QUIET
        removals = self.removals_on(outline, node)
        return SideDifference.CHANGED if all(map(is_delimited, removals)) else SideDifference.LEFT

    def is_quiet(self, outline: Outline, node: int) -> bool:
        """True if a node that the model lacks is protocol metadata, and no other rule withholds anything in it."""
        pointer = outline.pointer(node)
        if outline.difference(node) is not SideDifference.LEFT or not is_metadata(outline, node):
            return False
        first = bisect_left(self._pointers, f"{pointer}/")
        # "0" is the character after "/".
        last = bisect_left(self._pointers, f"{pointer}0")
        if last - first > MAX_REMARKS:
            return False
        indexes = [*self._indexes(outline, node)]
        for at in self._pointers[first:last]:
            indexes += self.removals_at[at]
        return all(self.removals[index].rule in NOISE for index in indexes)

    def _loud(self, outline: Outline, nodes: list[int]) -> tuple[int, ...]:
        """Sorted nodes without those of protocol metadata and notices; all of them if there are no others."""
        found = [node for node in nodes if not self._is_notice(outline, node)]
        for child in outline.children(0) if isinstance(outline.value(0, 0), dict) else ():
            if is_metadata(outline, child):
                first, last = bisect_left(found, child), bisect_left(found, outline.end(child))
                others = [node for node in found[first:last] if not self.is_quiet(outline, node)]
                found = [*found[:first], *others, *found[last:]]
        return tuple(found or nodes)

    @staticmethod
    def _is_notice(outline: Outline, node: int) -> bool:
        return outline.difference(node) is SideDifference.RIGHT and has_notice(outline, node)

    def _reaches(self, outline: Outline, node: int) -> bool:
        shown = outline.value(node, 1)
        if is_reaching(shown):
            return True
        is_place = self.masked is not None and outline is self.outline and node in self.order
        return is_place and outline.pointer(node) in self.reaching and shown is not ABSENT

    def _indexes(self, outline: Outline, node: int) -> tuple[int, ...]:
        if outline.difference(node) is SideDifference.RIGHT:
            # The pointer of such a node points into the model's side.
            return ()
        return nearest(outline, node, self.removals_at, self._pointers, self.kept)

    @cached_property
    def _pointers(self) -> list[str]:
        return sorted(self.removals_at)


def result_view(
    record: CallRecord,
    level: Level,
    host: str,
    *,
    server: str,
    unmasked: bool = False,
    known: KnownSecrets | None = None,
) -> ResultView:
    """The view of a call at a boundary level and for a host.

    `server`: the name that hosts know the server by. `unmasked`: shows secrets. `known`: the values that
    were withheld from calls of the session, which are masked too. Raises LookupError for an unknown host.
    """
    profile = host_of(host)
    if profile is None:
        raise LookupError(host)
    call = Call(server=server, tool=record.name, nonce=record.nonce)
    shown = projection_of(record.judgement, level, profile, call, record.policy)
    is_failure = not record.is_answered
    sides = sides_of(record, shown, known)
    masked, model = sides.sent, sides.model
    sent = ABSENT if is_failure else in_order(masked, sides.beside)
    outline = Outline(sent, in_order_of(masked, model, sides.beside), blocks=sides.blocks)
    found = ReasonCollector()
    # Without an answer there is nothing to withhold but Sightline's own words.
    recorded = () if is_failure else _recorded_copies(record, shown, outline)
    removals = () if is_failure else shown.bounded.removals
    removals = (*removals, *recorded) if recorded else removals
    changes = () if is_failure else _in_sent(shown, masked)
    removals_at = found.add_removals(removals, outline, shown.bounded.result)
    changes_at: dict[str, list[HostChange]] = {}
    for change in changes:
        found.add(change_key(change), change.pointer, 4 if change.pointer in PROTOCOL_MEMBERS else 2)
        if change.pointer:
            changes_at.setdefault(change.pointer, []).append(change)
    for note in shown.app.notes if shown.app else ():
        found.add((SideDifference.CHANGED, "", f"app: {note}"), "", 4)
    reached = _reached_nodes(outline) if sides.reaching else ()
    reaching: dict[str, Removal] = {}
    for node in reached:
        removal = removal_around(outline, node, sides.reaching)
        if removal is not None:
            reaching[removal.pointer] = removal
        found.add(reaching_key(removal), outline.pointer(node), 0)
    passing = () if is_failure else shown.bounded.credentials
    holder = _holder(shown) if changes else ""
    credentials = _passed_on(
        outline, {credential.pointer: credential.detail for credential in passing}, holder
    )
    in_reasons = {shown.output.sentence, *(credential.remark for credential in passing)}
    for pointer, why in credentials.items():
        found.add((SideDifference.REACHES, "", why), pointer, 0)
    for violation in (output := _output(shown, known)).violations:
        found.add(broken_key(violation.message), violation.pointer, 1)
    gone = frozenset(removal.pointer for removal in recorded)
    free = _without_copies(shown, gone) if shown.output.is_asked else Undeclared()
    found.add_undescribed(free)
    for node in outline.tops:
        if outline.pointer(node) == NO_ERROR and is_metadata(outline, node):
            found.add(METADATA, NO_ERROR, 4)
        if outline.difference(node) is SideDifference.RIGHT:
            added = added_words(outline, node, is_failure=is_failure)
            # A value of another type in place of the whole result has no label.
            place = outline.pointer(node) if outline.label(node).strip() else ""
            found.add((SideDifference.RIGHT, "", added), place, 3)
    view = ResultView(
        record=record,
        level=level,
        host=host,
        outline=outline,
        removals=removals,
        removals_at={pointer: tuple(found) for pointer, found in removals_at.items()},
        dropped_copies=found.dropped_copies,
        changes=changes,
        changes_at={pointer: tuple(found) for pointer, found in changes_at.items()},
        kept=shown.bounded.result,
        order=worst_first(outline, shown, removals, removals_at, credentials, free.places, gone),
        reasons=found.reasons,
        masks=sides.masks,
        reaching=reaching,
        undescribed=frozenset(free.places),
        credentials=credentials,
        reached=len(reached),
        known=sides.known,
        observed=shown.context.observed,
        remarks=tuple(remark for remark in shown.remarks if remark not in in_reasons),
        raw_bytes=shown.raw_bytes,
        model_bytes=shown.model_bytes,
        undeclared=free,
        recorded=gone,
        output=output,
        unfinished=shown.unfinished,
        failure=_own_words(masked) if is_failure else None,
        holder=holder,
        sensitive="" if shown.bounded.removals or level is not Level.DECLARED else _sensitive(record),
        values=(masked, model),
        is_reordered=isinstance(sent, dict) and isinstance(masked, dict) and [*sent] != [*masked],
        blocks=sides.blocks,
        refused=bool(shown.context.refused) and not lacks_values(record),
        refused_as_sent=bool(shown.bounded.removals)
        and not lacks_values(record)
        and bool(refusal_of(record.judgement, profile, call)),
        app=shown.app,
        search_limit="" if is_failure or shown.unfinished else first_of(texts_of(shown.raw)).limit,
    )
    view = _unmasked(view, shown) if unmasked and view.masks else view
    # Computed here, in the thread: there may be hundreds of thousands of places.
    _ = view.places, view.is_same
    return view


def lacks_values(record: CallRecord) -> bool:
    """True for a recorded result without its withheld values: what a host does with the original is not known."""
    return any(rule != Rule.META for _, rule in record.left_out)


def with_findings(view: ResultView, to_model: Mapping[str, str]) -> ResultView:
    """A copy of a view with signs at the values that address the model, and with the reasons in the list.

    `to_model`: the reasons in words, by pointer.
    """
    found = ReasonCollector()
    for pointer, why in to_model.items():
        # The review judges the result as sent. The boundary may withhold the value at the level shown.
        if not view.is_withheld(pointer):
            found.add((SideDifference.TO_MODEL, "", why), pointer, 1)
    # It takes a search to find a node, so only the first ones are places to move to.
    nodes = [view.outline.node_at(pointer) for pointer in list(to_model)[:MAX_REMARKS]]
    signed = dataclasses.replace(view, to_model=to_model)
    places = (node for node in nodes if node is not None and signed.to_model_on(view.outline, node))
    made = dataclasses.replace(
        signed,
        order=tuple(dict.fromkeys((*places, *view.order))),
        reasons=tuple(sorted((*found.reasons, *view.reasons), key=lambda reason: reason.weight)),
    )
    # Computed here, in the thread.
    _ = made.places, made.is_same
    return made


def _recorded_copies(record: CallRecord, shown: Projection, outline: Outline) -> tuple[Removal, ...]:
    """Removals for the copies of withheld values that are not in a recording.

    Copies in a place where the boundary withholds something itself are left out.
    """
    if not record.has_ids or shown.bounded.level is Level.OPEN:
        return ()
    found: list[Removal] = []
    for pointer, rule in record.left_out:
        # The text of a content block is drawn in the row of its block.
        at = pointer.removesuffix("/text") if pointer.startswith("/content/") else pointer
        node = outline.node_at(at) if rule == Rule.ECHO else None
        if node and outline.difference(node) is SideDifference.NONE:
            found.append(Removal(pointer=at, rule=Rule.ECHO, detail=_RECORDED_COPY))
    return tuple(found)


_RECORDED_COPY = "withheld when it was recorded (a copy of a withheld value)"


def _without_copies(shown: Projection, copies: frozenset[str]) -> Undeclared:
    """The values that pass although no schema describes them, without the texts that replace `copies`."""
    free = shown.undeclared
    if not copies:
        return free
    listed = {*free.places, *shown.bounded.free_blocks}
    around = (
        {"/".join(parts[:length]) for length in range(1, len(parts) + 1)}
        for parts in (pointer.split("/") for pointer in copies)
    )
    number = sum(not listed.isdisjoint(each) for each in around)
    places = tuple(place for place in free.places if place not in copies)
    return Undeclared(number=max(free.number - number, 0), places=places)


def _unmasked(view: ResultView, shown: Projection) -> ResultView:
    """A copy of a masked view that shows the values unmasked."""
    raw, model = shown.raw, shown.context.model
    there = beside(raw, model)
    sent = ABSENT if view.failure is not None else in_order(raw, there)
    there = in_order_of(raw, model, there)
    outline = Outline(sent, there, blocks=view.blocks)
    return dataclasses.replace(
        view, masked=view, outline=outline, values=(raw, model), order=_same_places(view, outline)
    )


def _in_sent(shown: Projection, sent: Json) -> tuple[HostChange, ...]:
    """The changes by the host, with the indexes of content blocks in what was sent.

    A change points into what the boundary let through. There, blocks that the boundary dropped have no index.
    """
    changes = shown.context.changes
    pairs = paired_content(sent, shown.bounded.result) if shown.bounded.level is not Level.OPEN else None
    moved = {str(b): str(a) for a, b in pairs or () if GAP not in {a, b} and a != b}
    if not moved:
        return changes
    found: list[HostChange] = []
    for change in changes:
        tokens = split(change.pointer)
        if tokens[:1] == ("content",) and len(tokens) > 1:
            pointer = join((tokens[0], moved.get(tokens[1], tokens[1]), *tokens[2:]))
            found.append(msgspec.structs.replace(change, pointer=pointer))
        else:
            found.append(change)
    return tuple(found)


def _same_places(view: ResultView, outline: Outline) -> tuple[int, ...]:
    """The nodes of another outline at the pointers of `view.order`.

    Only the first of them are found, since each takes a search.
    """
    nodes = (outline.node_at(view.outline.pointer(node)) for node in view.order[:MAX_REMARKS])
    return tuple(dict.fromkeys(node for node in nodes if node is not None))


def _passed_on(outline: Outline, credentials: Mapping[str, str], holder: str) -> dict[str, str]:
    """Why values look like credentials, by the pointer at which the host passes each value on.

    If the host passes on no such value, `credentials` is returned unchanged.
    """
    found: dict[str, str] = {}
    for pointer, why in credentials.items():
        node = outline.node_at(pointer)
        if node is None or outline.value(node, 1) is not ABSENT:
            found[pointer] = why
        elif holder and is_structured(pointer):
            found.setdefault(holder, why)
    return found or dict(credentials)


def is_structured(pointer: str) -> bool:
    """True for a pointer to structured content, or into it."""
    return split(pointer)[:1] == ("structuredContent",)


def _holder(shown: Projection) -> str:
    """The pointer to the first text of the model's side that holds the structured content as JSON; empty if none does."""
    result, model = shown.bounded.result, shown.context.model
    structured = result.get("structuredContent") if isinstance(result, dict) else None
    if not isinstance(structured, (dict, list)) or (isinstance(model, dict) and "structuredContent" in model):
        return ""

    def holds(leaf: Json) -> bool:
        start = _JSON_START.search(leaf) if isinstance(leaf, str) else None
        found = parse(leaf[start.start() :]) if isinstance(leaf, str) and start else None
        return isinstance(found, JsonText) and equal(found.value, structured)

    found = next(places(model, holds), None)
    if found is None:
        return ""
    # A text that is all that the model gets is drawn as a content block.
    return join(map(str, found or ("content", 0, "text")))


def _sensitive(record: CallRecord) -> str:
    """The declaration that makes the answer sensitive; empty if none does."""
    origin = LabelOrigin(call=record.number, server="", tool="")
    labels = trust_of(record.outcome, record.tool, origin).labels
    return next((label.declaration for label in labels if label.kind is LabelKind.SENSITIVE), "")


def _own_words(masked: Json) -> str:
    """The error of a call without an answer. It may quote the server, so it is masked like a result."""
    words = text_at(masked, "error", "message")
    return MASK if words is None else words


def folded_at_first(outline: Outline) -> frozenset[int]:
    """The nodes to fold at first: members of the protocol that no model sees."""
    return frozenset(
        node
        for node in outline.children(0)
        if outline.pointer(node)[1:] not in {*FIRST, "error"}
        and outline.difference(node) is SideDifference.LEFT
        and outline.is_foldable(node)
    )


def _reached_nodes(outline: Outline) -> Sequence[int]:
    return [node for node in range(len(outline)) if is_reaching(outline.value(node, 1))]


def _output(shown: Projection, known: KnownSecrets | None) -> OutputCheck:
    """The result compared with the output schema of its tool.

    The messages quote nothing that was withheld from another call.
    """
    return shown.output if known is None else shown.output.masked(known.masked_text)


def keys_of(view: ResultView, outline: Outline, node: int) -> tuple[ReasonKey, ...]:
    """The keys of the reasons about a node, in the order of the list of reasons."""
    removal, credential = view.reaching_on(outline, node), view.credential_on(outline, node)
    if removal or credential:
        declared = (reaching_key(removal),) if removal else ()
        return (*declared, (SideDifference.REACHES, "", credential)) if credential else declared
    key = _key_of(view, outline, node)
    return (key,) if key else ()


def _key_of(view: ResultView, outline: Outline, node: int) -> ReasonKey | None:
    if view.sign(outline, node) is SideDifference.REACHES:
        return reaching_key(None)
    if why := view.to_model_on(outline, node):
        return SideDifference.TO_MODEL, "", why
    for removal in view.removals_on(outline, node)[:1]:
        return removal_key(removal)
    for change in view.changes_on(outline, node)[:1]:
        return change_key(change)
    if outline.difference(node) is SideDifference.RIGHT:
        return SideDifference.RIGHT, "", added_words(outline, node, is_failure=view.failure is not None)
    found = view.broken_on(outline, node)
    if found is not None:
        return broken_key(found.message)
    return undescribed_key(outline.pointer(node)) if view.is_undescribed(outline, node) else None


class ResultAsked(Struct, frozen=True, kw_only=True):
    """A request for the view of a call at a boundary level and for a host."""

    record: CallRecord
    level: Level
    host: str
    unmasked: bool = False
