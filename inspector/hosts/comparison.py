"""Compares all hosts on one outcome, and finds the values that each would leak at level `open`."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.counted import Counted, counted
from inspector.boundary.echoes import Echoes
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.hosts.leaks import Finder, Leak, Leaked, LeakPlace, LeakSearch, secrets_of
from inspector.hosts.profile import PROTOCOL_MEMBERS, Call, Host, HostChange, ModelContext
from inspector.hosts.projection import as_sent, model_view_of
from inspector.hosts.registry import hosts
from inspector.hosts.sharing import sharing
from inspector.json.exact import Json
from inspector.json.weight import compact_bytes
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome


class HostRow(Struct, frozen=True, kw_only=True):
    """One host in a comparison: its model's view, and the values that it leaks."""

    host: Host
    context: ModelContext
    """The model's view at the boundary level of the comparison."""
    size_bytes: int
    """The size of the model's view as compact JSON."""
    leaked: Leaked
    """The values withheld at level `declared` that reach the model at level `open`."""
    observed_open: bool
    """True if the host's handling of the raw result was observed."""
    refused_open: str = ""
    """How the host refuses the raw result as a whole, as a sentence; empty if it does not."""

    @property
    def observed(self) -> bool:
        """True if the host's handling at the boundary level of the comparison was observed."""
        return self.context.observed

    @property
    def changes(self) -> tuple[HostChange, ...]:
        """The changes by the host, except for protocol metadata, which no host passes to models."""
        return tuple(each for each in self.context.changes if each.pointer not in PROTOCOL_MEMBERS)

    @property
    def change_count(self) -> int:
        return len(self.changes)

    @property
    def leak(self) -> Leak:
        """Whether a value that level `declared` withholds would reach the model at level `open`."""
        return self.leaked.verdict

    @property
    def leaks(self) -> tuple[str, ...]:
        """For each distinct value that leaks, the pointer to where it is withheld in the raw result."""
        return self.leaked.pointers

    @property
    def leak_places(self) -> tuple[tuple[LeakPlace, ...], ...]:
        """For each of `leaks`, the places in the raw result from which the model gets the value.

        If they are not known, the place where the value is withheld.
        """
        places = self.leaked.places or ((),) * len(self.leaks)
        return tuple(
            found or (LeakPlace(pointer=pointer, is_within=False),)
            for pointer, found in zip(self.leaks, places, strict=True)
        )


class Comparison(Struct, frozen=True, kw_only=True):
    """One outcome of a call as the models of several hosts see it."""

    level: Level
    raw: Json
    """The document that removals and leaks point into; for an error, `{"error": …}`."""
    raw_bytes: int
    bounded: Bounded
    """The bounded result that each host gets. The pointers of changes lead into its `result`."""
    sensitive: Sequence[Removal]
    """The removals of level `declared`, whatever the level of the comparison is. Only values in them can leak."""
    secret_count: int
    """The number of values that level `declared` withholds, without copies and protocol metadata."""
    rows: tuple[HostRow, ...]
    """One row per host. If all hosts are compared, the row of the host profile `spec` is first."""

    @property
    def unfinished(self) -> str:
        """Why the call goes on after this outcome, for example because the server asks for input.

        Empty if the call has ended. Quotes nothing of the outcome.
        """
        return self.bounded.unfinished

    @property
    def withheld(self) -> Counted:
        """The removals of level `declared`, counted by rule."""
        return counted(self.sensitive)

    @property
    def leaking(self) -> tuple[str, ...]:
        """The names of the hosts that leak a value."""
        return tuple(row.host.name for row in self.rows if row.leak is Leak.YES)

    def row(self, name: str) -> HostRow | None:
        return next((row for row in self.rows if row.host.name == name), None)


def compare(
    outcome: Outcome,
    tool: Tool | None,
    level: Level,
    *,
    call: Call | None = None,
    policy: BoundaryPolicy = DEFAULT_POLICY,
    contract: Contract | None = None,
    among: tuple[Host, ...] | None = None,
) -> Comparison:
    """Compare the hosts in `among`, or all hosts, on an outcome. Never raises. Takes seconds for large results.

    `contract`: the contract of `tool`, if already computed. If the profile of a host raises an error, the
    host's view is empty with a note about it, and its leaks are unknown.
    """
    known = contract or contract_of(tool)
    asked = call or Call(tool=tool.name if tool else "tool")
    compared = hosts() if among is None else among
    raw = raw_of(outcome)
    # Leaks are values that the declarations withhold; a policy rule may withhold more.
    usual = replace(policy, withheld="")
    declared = bound(outcome, tool, Level.DECLARED, policy=usual, declared=known)
    # Without the nonce, no text is put between markers, so all removals of `declared` are withheld values.
    is_same = level is declared.level and usual == policy and not asked.nonce
    bounded = (
        declared if is_same else bound(outcome, tool, level, policy=policy, declared=known, nonce=asked.nonce)
    )
    is_open = level is Level.OPEN and usual == policy
    sent = bounded if is_open else as_sent(outcome, known)
    search = _search(raw, declared, known, policy)
    rows: list[HostRow] = []
    with sharing():
        for left, host in zip(range(len(compared), 0, -1), compared, strict=True):
            unbounded = model_view_of(host, sent, asked)
            context = unbounded if is_open else model_view_of(host, bounded, asked)
            rows.append(
                HostRow(
                    host=host,
                    context=context,
                    size_bytes=0 if bounded.unfinished else compact_bytes(context.model),
                    leaked=_leaked(search, host, unbounded, left, raw),
                    observed_open=unbounded.observed,
                    refused_open=unbounded.refused,
                )
            )
    return Comparison(
        level=level,
        raw=raw,
        raw_bytes=compact_bytes(raw),
        bounded=bounded,
        sensitive=declared.removals,
        secret_count=len(declared.removals) if search is None else search.count,
        rows=tuple(rows),
    )


_UNKNOWN = Leaked(verdict=Leak.UNKNOWN, why="the search failed: a defect of Sightline")


def _search(raw: Json, declared: Bounded, contract: Contract, policy: BoundaryPolicy) -> LeakSearch | None:
    """The search for withheld values; None if it fails."""
    try:
        return LeakSearch(secrets_of(raw, declared, contract, policy), contract.names, _echoes)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - a failed search means unknown, not absent; a panic is not an Exception
        return None


def _leaked(
    search: LeakSearch | None, host: Host, unbounded: ModelContext, hosts_left: int, raw: Json
) -> Leaked:
    if search is None:
        return _UNKNOWN
    try:
        model = _sent(host, unbounded.model)
        return search.leaked(model, observed=unbounded.observed, hosts_left=hosts_left, raw=raw)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - as in `_search`
        return _UNKNOWN


def _sent(host: Host, model: Json) -> Json:
    """The view without the member for data that the host does not send."""
    # Only profiles whose notes mention the member add it. In views of other hosts, the server sent it.
    if _NOT_SENT not in host.notes or not isinstance(model, dict):
        return model
    return {key: value for key, value in model.items() if key != _NOT_SENT}


_NOT_SENT = "$not_sent"


def _echoes(values: Iterable[Json], names: frozenset[str]) -> Finder:
    return Echoes(values, names=names)
