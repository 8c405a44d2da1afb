from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from inspector.secrets.outcomes import (
    AlreadyUsed,
    Cause,
    Denied,
    Expired,
    ExpiredBy,
    Failed,
    Outcome,
    Revealed,
)
from inspector.secrets.vault import ForgottenError, KeptReference, Vault, VaultKey, item_words
from tests.secrets.keeping import allowed, keep, reference

if TYPE_CHECKING:
    from inspector.json.exact import Json

REDEEMED = "redeemed-canary-"
WITHHELD = "withheld-canary-"
TTL_S = 30.0
PLACES = st.integers(0, 11)
FAILURES: list[Outcome | None] = [
    None,
    Expired(by=ExpiredBy.SERVER),
    AlreadyUsed(),
    Denied(status=401),
    Failed(cause=Cause.TIMEOUT),
]


@dataclass
class Expected:
    """The expected state of one item."""

    received_s: float
    value: str | None
    is_reference: bool
    had: bool = False


class Vaults(RuleBasedStateMachine):
    """A vault, and a table of its expected content."""

    @initialize()
    def begin_with_a_value(self) -> None:
        self.vault = Vault()
        self.now_s = 0.0
        self.calls = 0
        self.given = 0
        self.busy: VaultKey | None = None
        self.expected: dict[VaultKey, Expected] = {}
        # Sequences are short, and most would end before any value is revealed.
        self.keep(2, 1)
        self.begin_and_reveal(0)

    def key(self, place: int, *, references: bool = False) -> VaultKey | None:
        keys = [key for key, item in self.expected.items() if item.is_reference or not references]
        return keys[place % len(keys)] if keys else None

    @rule(references=st.integers(1, 2), values=st.integers(0, 2))
    def keep(self, references: int, values: int) -> None:
        self.calls += 1
        raw: list[Json] = [
            *(reference(f"{self.calls}-{place}", TTL_S) for place in range(references)),
            *(f"{WITHHELD}{self.calls}-{place}" for place in range(values)),
        ]
        pointers = [f"/{place}" for place in range(references, references + values)]
        keep(self.vault, self.calls, raw, *pointers, received_s=self.now_s)
        for place, written in enumerate(raw):
            is_reference = place < references
            self.expected[VaultKey(self.calls, place)] = Expected(
                received_s=self.now_s,
                value=None if is_reference else str(written),
                is_reference=is_reference,
            )

    @rule(place=PLACES)
    def begin(self, place: int) -> None:
        key = self.key(place, references=True)
        if key is not None and self.busy is None:
            self.busy = key
            assert self.vault.begin(key) is self.expected[key].had

    @rule()
    def reveal(self) -> None:
        key, self.busy = self.busy, None
        if key is not None:
            self.given += 1
            value = f"{REDEEMED}{self.given}"
            self.vault.end(key, Revealed(value=value))
            # A vault that was emptied in the meantime keeps nothing.
            if key in self.expected:
                self.expected[key].value = value
                self.expected[key].had = True

    @rule(place=PLACES)
    def begin_and_reveal(self, place: int) -> None:
        self.begin(place)
        self.reveal()

    @rule(outcome=st.sampled_from(FAILURES))
    def fail(self, outcome: Outcome | None) -> None:
        key, self.busy = self.busy, None
        if key is not None:
            self.vault.end(key, outcome)

    @rule(place=PLACES)
    def forget(self, place: int) -> None:
        key = self.key(place)
        if key is not None:
            self.vault.forget(key)
            self.expected[key].value = None

    @rule(seconds=st.floats(0, 20))
    def expire(self, seconds: float) -> None:
        self.now_s += seconds
        self.vault.expire(self.now_s)
        for item in self.expected.values():
            if item.is_reference and self.now_s - item.received_s >= TTL_S:
                item.value = None

    @rule(sure=st.integers(0, 3))
    def forget_all(self, sure: int) -> None:
        if sure == 3:
            self.vault.forget_all()
            self.expected.clear()

    @invariant()
    def a_value_is_the_one_that_was_given_or_there_is_none(self) -> None:
        for key, item in self.expected.items():
            try:
                found = self.vault.value(key)
            except ForgottenError:
                found = None
            assert found == item.value
            assert self.vault.has_value(key) is (item.value is not None)
        redeemed = [item for item in self.expected.values() if item.is_reference and item.value is not None]
        assert self.vault.holds_revealed is bool(redeemed)

    @invariant()
    def the_newest_stands_first_and_everything_stands_somewhere(self) -> None:
        kept = [self.vault.at(index) for index in range(len(self.vault))]
        keys = [one.key for one in kept]
        assert set(keys) == set(self.expected)
        assert keys == sorted(keys, key=lambda key: (-key.call, key.place))
        assert [self.vault.place_of(key) for key in keys] == list(range(len(keys)))
        busy = {one.key for one in kept if isinstance(one, KeptReference) and one.is_busy}
        assert busy == {self.busy} & set(keys)

    @invariant()
    def nothing_that_is_printed_holds_a_value(self) -> None:
        kept = [self.vault.at(index) for index in range(len(self.vault))]
        outcomes = [one.outcome for one in kept if isinstance(one, KeptReference)]
        told = [item_words(one, now_s=self.now_s, request=allowed()) for one in kept]
        shown = "".join(
            f"{thing!r} {thing!s}" for thing in (self.vault, vars(self.vault), *kept, *outcomes, *told)
        )
        assert REDEEMED not in shown
        assert WITHHELD not in shown


Vaults.TestCase.settings = settings(max_examples=100, stateful_step_count=20, deadline=None)
TestVaults = Vaults.TestCase
