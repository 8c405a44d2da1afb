"""The comparison: one outcome through every host, and what would have leaked in each at `open`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.echoes import Echoes
from inspector.boundary.error_code import error_code
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.hosts.leaks import Finder, Leak, Leaked, Search, secrets_of
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.hosts.projection import handed_over
from inspector.hosts.registry import hosts
from inspector.hosts.sharing import sharing
from inspector.json.exact import Json
from inspector.json.weight import compact_bytes
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, unfinished


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """What one host makes of the outcome."""

    host: Host
    context: ModelContext
    """At the comparison's level."""
    size_bytes: int
    """Of what the model gets, as compact JSON."""
    leaked: Leaked
    """What would have reached the model at `open` of that which `declared` withholds."""
    observed_open: bool
    """Whether the host was observed to do with the raw result what `leaked` is taken from."""

    @property
    def observed(self) -> bool:
        """Whether the host was observed to do what `context` says."""
        return self.context.observed

    @property
    def change_count(self) -> int:
        """How many things the host adds, drops or rewrites."""
        return len(self.context.changes)

    @property
    def leak(self) -> Leak:
        """Whether a withheld value would have reached the model."""
        return self.leaked.verdict

    @property
    def leaks(self) -> tuple[str, ...]:
        """The withheld values that would have, as pointers into the raw result."""
        return self.leaked.pointers


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One outcome through every host."""

    level: Level
    raw: Json
    """What the pointers of removals and leaks point into; for an error, `{"error": …}`."""
    raw_bytes: int
    bounded: Bounded
    """What each host was given; the changes of their contexts point into its result."""
    sensitive: Sequence[Removal]
    """What `declared` withholds, whatever the level: the leaks are among these."""
    rows: tuple[HostRow, ...]
    """One for each host; `spec` comes first."""

    @property
    def unfinished(self) -> str:
        """Why the outcome does not end its call, in a sentence that quotes nothing of it; empty where it does."""
        return self.bounded.unfinished

    @property
    def leaking(self) -> tuple[str, ...]:
        """The names of the hosts in which something would have leaked."""
        return tuple(row.host.name for row in self.rows if row.leak is Leak.YES)

    def row(self, name: str) -> HostRow | None:
        """The row of the host of that name."""
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
    """`outcome` through all hosts, or `among` some. Never raises; takes seconds for large results.

    `contract`: of `tool`, where it is known already.
    A host whose profile fails hands over nothing and says so; what leaks there is not known.
    """
    known = contract or contract_of(tool)
    asked = call or Call(tool=tool.name if tool else "tool")
    compared = hosts() if among is None else among
    raw = raw_of(outcome)
    # What would leak is asked of what the declarations withhold, not of what a rule does beyond them.
    usual = replace(policy, withheld="")
    declared = bound(outcome, tool, Level.DECLARED, policy=usual, declared=known)
    is_same = level is declared.level and usual == policy
    bounded = declared if is_same else bound(outcome, tool, level, policy=policy, declared=known)
    is_open = level is Level.OPEN and usual == policy
    sent = bounded if is_open else _as_sent(outcome, known)
    search = _search(raw, declared, known, policy)
    rows: list[HostRow] = []
    with sharing():
        for left, host in zip(range(len(compared), 0, -1), compared, strict=True):
            unbounded = handed_over(host, sent, asked)
            context = unbounded if is_open else handed_over(host, bounded, asked)
            rows.append(
                HostRow(
                    host=host,
                    context=context,
                    size_bytes=0 if bounded.unfinished else compact_bytes(context.model),
                    leaked=_leaked(search, host, unbounded, left),
                    observed_open=unbounded.observed,
                )
            )
    return Comparison(
        level=level,
        raw=raw,
        raw_bytes=compact_bytes(raw),
        bounded=bounded,
        sensitive=declared.removals,
        rows=tuple(rows),
    )


def _as_sent(outcome: Outcome, contract: Contract) -> Bounded:
    """What `open` lets through, without the search for credentials: nobody is shown its findings."""
    code = error_code(outcome, is_listed=contract.is_listed)
    ended = unfinished(outcome)
    return Bounded(
        level=Level.OPEN, result=raw_of(outcome), error=code, unfinished=ended.sentence if ended else ""
    )


_UNKNOWN = Leaked(verdict=Leak.UNKNOWN)


def _search(raw: Json, declared: Bounded, contract: Contract, policy: BoundaryPolicy) -> Search | None:
    """The search for what is withheld; None where it cannot be made."""
    try:
        return Search(secrets_of(raw, declared, contract, policy), contract.names, _echoes)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - what cannot be searched for is not known to be absent; a panic is no Exception
        return None


def _leaked(search: Search | None, host: Host, unbounded: ModelContext, hosts_left: int) -> Leaked:
    if search is None:
        return _UNKNOWN
    try:
        model = _sent(host, unbounded.model)
        return search.leaked(model, observed=unbounded.observed, hosts_left=hosts_left)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - as in `_search`
        return _UNKNOWN


def _sent(host: Host, model: Json) -> Json:
    """What the model reads, without what the host keeps with the message."""
    # Only where the profile says that it writes such a member: from any other host, it is the server's.
    if _KEPT not in host.notes or not isinstance(model, dict):
        return model
    return {key: value for key, value in model.items() if key != _KEPT}


_KEPT = "$not_sent"


def _echoes(values: Iterable[Json], names: frozenset[str]) -> Finder:
    return Echoes(values, names=names)
