from collections.abc import Sequence
from typing import overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import SHOWN
from inspector.boundary.secret_references import references_in
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.secrets.holdings import WithheldPlaces, holdings_in
from inspector.secrets.vault import KeptValue, Vault, VaultKey

REFERENCE: JsonObject = {
    "type": "secret_reference",
    "id": "s1",
    "label": "API key",
    "redeemUrl": "/secrets/s1",
    "ttl": 60,
}
MANY = 300_000


def removal(pointer: str, rule: str = Rule.X_SENSITIVE) -> Removal:
    return Removal(pointer=pointer, rule=rule, detail="it is declared sensitive")


class Counted(Sequence[Removal]):
    """Removals that are created on access, as the boundary's are, and counted."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.made: list[int] = []

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, index: int) -> Removal: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Removal]: ...
    def __getitem__(self, index: int | slice) -> Removal | Sequence[Removal]:
        assert isinstance(index, int)
        if not 0 <= index < self._number:
            raise IndexError(index)
        self.made.append(index)
        return removal(f"/rows/{index}")


def test_a_repeated_reference_is_one_item_with_all_its_places() -> None:
    raw: Json = {"content": [REFERENCE], "structuredContent": {"key": REFERENCE, "again": dict(REFERENCE)}}
    (found,) = holdings_in(raw, ()).references
    assert found.reference.pointer == "/content/0"
    assert found.pointers == ("/content/0", "/structuredContent/key", "/structuredContent/again")


@pytest.mark.parametrize("changed", ["id", "label", "redeemUrl"])
def test_references_that_differ_in_any_member_are_separate_items(changed: str) -> None:
    other: JsonObject = {**REFERENCE, changed: "/other"}
    found = holdings_in([REFERENCE, other], ()).references
    assert [one.pointers for one in found] == [("/0",), ("/1",)]


def test_references_with_different_ttls_are_separate_items() -> None:
    found = holdings_in([REFERENCE, {**REFERENCE, "ttl": 61}, {**REFERENCE, "ttl": 60.0}], ()).references
    assert [one.pointers for one in found] == [("/0", "/2"), ("/1",)]


def test_every_malformed_reference_is_a_separate_item() -> None:
    malformed: JsonObject = {"type": "secret_reference", "label": "API key"}
    found = holdings_in([malformed, dict(malformed), REFERENCE], ()).references
    assert [one.pointers for one in found] == [("/0",), ("/1",), ("/2",)]


@pytest.mark.parametrize("rule", list(Rule))
def test_the_withheld_values_are_those_masked_in_the_raw_pane(rule: Rule) -> None:
    kept = holdings_in({}, [removal("/a", rule)]).withheld
    assert len(kept) == (0 if rule in SHOWN or rule is Rule.SECRET_REFERENCE else 1)


def test_withheld_values_are_in_the_order_of_the_removals() -> None:
    removals = [
        removal("/b"),
        removal("/c", Rule.AUDIENCE),
        removal("/a", Rule.ECHO),
        removal("/d", Rule.SECRET_REFERENCE),
        removal("/e", Rule.DETECT),
    ]
    kept = WithheldPlaces(removals)
    assert [kept[place].pointer for place in range(len(kept))] == ["/b", "/a", "/e"]


def test_withheld_values_are_created_only_on_access() -> None:
    removals = Counted(MANY)
    found = holdings_in({}, removals)
    vault = Vault()
    removals.made.clear()
    vault.keep(1, "rows", 0.0, {}, found)
    assert (len(found), len(vault), vault.references) == (MANY, MANY, 0)
    assert vault.place_of(VaultKey(1, MANY - 1)) == MANY - 1
    vault.forget(VaultKey(1, 7))
    vault.expire(1e9)
    assert removals.made == []
    kept = vault.at(123_456)
    assert isinstance(kept, KeptValue)
    assert kept.removal.pointer == "/rows/123456"
    assert removals.made == [123_456]
    assert repr(vault) == f"<Vault of {MANY}>"
    assert removals.made == [123_456]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.just(REFERENCE),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        | st.lists(st.tuples(st.text(max_size=4), inner), min_size=2, max_size=3).map(
            lambda pairs: DuplicateKeys(tuple(pairs))
        )
    ),
    max_leaves=12,
)


@given(json_values, st.lists(st.sampled_from(list(Rule)), max_size=8))
def test_every_place_of_a_reference_and_every_secret_removal_is_listed_once(
    raw: Json, rules: list[Rule]
) -> None:
    removals = [removal(f"/{place}", rule) for place, rule in enumerate(rules)]
    found = holdings_in(raw, removals)
    pointers = [pointer for one in found.references for pointer in one.pointers]
    assert sorted(pointers) == sorted(reference.pointer for reference in references_in(raw))
    assert len(found) == len(found.references) + sum(
        rule not in SHOWN and rule is not Rule.SECRET_REFERENCE for rule in rules
    )
