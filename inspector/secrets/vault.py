"""The vault keeps the secrets of one session: no other object has redeemed secrets or their state.

Source: docs/secrets.md. The vault reads no clock and sends nothing.
"""

import dataclasses
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.counted import COUNTED
from inspector.boundary.secret_references import MalformedReference, SecretReference
from inspector.json.exact import Json
from inspector.json.pointer import resolve
from inspector.secrets.holdings import Holdings, LocatedReference
from inspector.secrets.outcomes import Expired, ExpiredBy, Outcome, OutcomeWords, Revealed, words
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import Allowed


class VaultKey(NamedTuple):
    """The key of an item (a secret reference or a withheld value), valid as long as the vault exists."""

    call: int
    place: int
    """The index among the items of the call; secret references come before withheld values."""


class KeptReference(Struct, frozen=True, kw_only=True):
    """A secret reference and the state of its redemption."""

    key: VaultKey
    tool: str
    located: LocatedReference
    received_s: float
    outcome: Outcome | None
    """The outcome of the last try to redeem the reference; None before the first try."""
    has_value: bool
    """True if the vault has the value, from the last try or an earlier one."""
    is_busy: bool
    is_forgotten: bool


class KeptValue(Struct, frozen=True, kw_only=True):
    """A value withheld from models. The value itself stays in the vault."""

    key: VaultKey
    tool: str
    removal: Removal
    is_forgotten: bool


Kept: TypeAlias = KeptReference | KeptValue


class ForgottenError(LookupError):
    """Raised if the vault does not have the value, or no longer has it."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Call:
    number: int
    tool: str
    received_s: float
    raw: Json = field(repr=False)
    holdings: Holdings
    outcomes: dict[int, Outcome] = field(default_factory=dict[int, Outcome], repr=False)
    """The outcome of the last try to redeem each reference, by the index of the reference in the call."""
    values: dict[int, str] = field(default_factory=dict[int, str], repr=False)
    forgotten: set[int] = field(default_factory=set[int])


class Vault:
    """Every secret of the session, the newest call first. Not safe for use in several threads."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._stops: tuple[int, ...] = ()
        self._busy: VaultKey | None = None
        self._had: set[tuple[str, str]] = set()
        """The id and URL of every reference whose secret this session has had."""

    def __repr__(self) -> str:
        return f"<Vault of {len(self)}>"

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    def at(self, index: int) -> Kept:
        """The item at `index` in the list of all items, over all calls in order. Raises IndexError."""
        place = bisect_right(self._stops, index)
        if index < 0 or place == len(self._stops):
            raise IndexError(index)
        return self._kept(self._calls[place], index - (self._stops[place - 1] if place else 0))

    def place_of(self, key: VaultKey) -> int:
        """The index of an item in the list of all items, over all calls in order. Raises ForgottenError."""
        before = self._calls.index(self._call(key))
        return key.place + (self._stops[before - 1] if before else 0)

    @property
    def references(self) -> int:
        return sum(len(call.holdings.references) for call in self._calls)

    @property
    def is_busy(self) -> bool:
        return self._busy is not None

    @property
    def holds_revealed(self) -> bool:
        return any(call.values for call in self._calls)

    def has_call(self, number: int) -> bool:
        return any(call.number == number for call in self._calls)

    def keep(self, number: int, tool: str, received_s: float, raw: Json, holdings: Holdings) -> None:
        """Add the secrets of call `number`.

        `received_s`: when the result arrived, in seconds on the clock that the other methods use.
        """
        if not len(holdings) or self.has_call(number):
            return
        self._calls.append(_Call(number=number, tool=tool, received_s=received_s, raw=raw, holdings=holdings))
        self._calls.sort(key=lambda call: -call.number)
        self._stops = tuple(accumulate(len(call.holdings) for call in self._calls))

    def of(self, key: VaultKey) -> Kept:
        return self._kept(self._call(key), key.place)

    def value(self, key: VaultKey) -> Json:
        """The secret value of an item, to be shown to the user. Raises ForgottenError."""
        call = self._call(key)
        if key.place in call.forgotten:
            raise ForgottenError
        references = len(call.holdings.references)
        if key.place >= references:
            try:
                return resolve(call.raw, call.holdings.withheld[key.place - references].pointer)
            except LookupError as error:
                raise ForgottenError from error
        if key.place not in call.values:
            raise ForgottenError
        return call.values[key.place]

    def has_value(self, key: VaultKey) -> bool:
        try:
            self.value(key)
        except ForgottenError:
            return False
        return True

    def begin(self, key: VaultKey) -> bool:
        """Note that the secret is being fetched. Returns whether the session already had it.

        Raises ForgottenError.
        """
        is_known = _identity(self._call(key), key) in self._had
        self._busy = key
        return is_known

    def end(self, key: VaultKey, outcome: Outcome | None) -> None:
        """Store the outcome of fetching a secret. `outcome`: None if the fetch was cancelled.

        The value of an earlier redemption is kept unless the outcome has a new value.
        """
        self._busy = None
        call = next((call for call in self._calls if call.number == key.call), None)
        # The vault may have been emptied meanwhile.
        if call is None or outcome is None:
            return
        if isinstance(outcome, Revealed):
            call.values[key.place] = outcome.value
            call.forgotten.discard(key.place)
            self._had.add(_identity(call, key))
            outcome = dataclasses.replace(outcome, value="")
        call.outcomes[key.place] = outcome

    def forget(self, key: VaultKey) -> None:
        """Remove the value of an item.

        A reference is kept, and may be redeemed again if the server allows that.
        """
        call = self._call(key)
        call.values.pop(key.place, None)
        call.outcomes.pop(key.place, None)
        call.forgotten.add(key.place)

    def forget_all(self) -> None:
        self._calls.clear()
        self._stops = ()
        self._busy = None
        self._had.clear()

    def expire(self, now_s: float) -> None:
        """Remove the redeemed values whose references have expired."""
        for call in self._calls:
            for place in [place for place in call.values if _is_over(call, place, now_s)]:
                del call.values[place]
                call.outcomes[place] = Expired(by=ExpiredBy.TTL)

    def _call(self, key: VaultKey) -> _Call:
        for call in self._calls:
            if call.number == key.call and 0 <= key.place < len(call.holdings):
                return call
        raise ForgottenError

    def _kept(self, call: _Call, place: int) -> Kept:
        key = VaultKey(call.number, place)
        references = call.holdings.references
        if place >= len(references):
            return KeptValue(
                key=key,
                tool=call.tool,
                removal=call.holdings.withheld[place - len(references)],
                is_forgotten=place in call.forgotten,
            )
        return KeptReference(
            key=key,
            tool=call.tool,
            located=references[place],
            received_s=call.received_s,
            outcome=call.outcomes.get(place),
            has_value=place in call.values,
            is_busy=self._busy == key,
            is_forgotten=place in call.forgotten,
        )


def _identity(call: _Call, key: VaultKey) -> tuple[str, str]:
    reference = call.holdings.references[key.place].reference
    return (reference.id, reference.redeem_url) if isinstance(reference, SecretReference) else ("", "")


def _is_over(call: _Call, place: int, now_s: float) -> bool:
    reference = call.holdings.references[place].reference
    return isinstance(reference, SecretReference) and reference.is_over(
        received_s=call.received_s, now_s=now_s
    )


FORGOTTEN = OutcomeWords(
    state="forgotten",
    why="You removed it from memory.",
    next="Fetch it again, if the server allows that; otherwise call the tool again.",
)
FORGOTTEN_VALUE = OutcomeWords(
    state="forgotten", why="You removed it from memory.", next="Call the tool again for a new one."
)
WAITING = OutcomeWords(
    state="not fetched", why="Nothing has been sent.", next="Fetch it: you are asked before anything is sent."
)
REVEALING = OutcomeWords(state="fetching", why="Waiting for the server.", next="This takes at most 10 s.")
STILL_HERE = " The value that was fetched earlier is still in memory."


def item_words(kept: Kept, *, now_s: float, request: Allowed | RefusedUrl) -> OutcomeWords:
    """What the screen says about an item. `request`: the request that redeeming the item would send.

    `now_s`: the current time, on the clock of `received_s`. The reason for a withheld value comes from
    the removal, and may quote untrusted text; all other texts are safe.
    """
    if isinstance(kept, KeptValue):
        if kept.is_forgotten:
            return FORGOTTEN_VALUE
        why = kept.removal.detail
        return OutcomeWords(
            state=COUNTED[Rule(kept.removal.rule)],
            why=f"{why[:1].upper()}{why[1:]}.",
            next="Show it for 10 s, or forget it.",
        )
    reference = kept.located.reference
    if isinstance(reference, MalformedReference):
        why = f"{reference.reason[:1].upper()}{reference.reason[1:]}."
        return OutcomeWords(
            state="malformed", why=why, next="It cannot be redeemed; the author of the server has to fix it."
        )
    return _reference_words(kept, reference, now_s, request)


def left_s(kept: Kept, now_s: float) -> float | None:
    """Seconds until a reference expires, 0 afterwards; None without expiry."""
    reference = kept.located.reference if isinstance(kept, KeptReference) else None
    if not isinstance(kept, KeptReference) or not isinstance(reference, SecretReference):
        return None
    return None if reference.ttl_s is None else max(reference.ttl_s - (now_s - kept.received_s), 0.0)


def _reference_words(
    kept: KeptReference, reference: SecretReference, now_s: float, request: Allowed | RefusedUrl
) -> OutcomeWords:
    if kept.is_busy:
        return REVEALING
    if isinstance(kept.outcome, Revealed):
        return words(kept.outcome)
    if kept.outcome is not None:
        last = words(kept.outcome)
        return (
            OutcomeWords(state=last.state, why=last.why + STILL_HERE, next=last.next)
            if kept.has_value
            else last
        )
    if isinstance(request, RefusedUrl):
        return words(request)
    if reference.is_over(received_s=kept.received_s, now_s=now_s):
        return words(Expired(by=ExpiredBy.TTL))
    return FORGOTTEN if kept.is_forgotten else WAITING
