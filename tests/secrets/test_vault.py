import pytest

from inspector.json.exact import Json
from inspector.secrets.outcomes import (
    AlreadyUsed,
    Cause,
    Denied,
    Expired,
    ExpiredBy,
    Failed,
    NotFound,
    Outcome,
    RateLimited,
    Revealed,
)
from inspector.secrets.vault import ForgottenError, KeptReference, KeptValue, Vault, VaultKey
from tests.secrets.keeping import keep, left, reference

VALUE = "sk-live-1f9c"
FIRST = VaultKey(1, 0)
FAILURES: list[Outcome] = [
    Expired(by=ExpiredBy.SERVER),
    AlreadyUsed(),
    Denied(status=403),
    NotFound(),
    RateLimited(),
    Failed(cause=Cause.TIMEOUT),
]


def vault_with(ttl_s: float | None = 60) -> Vault:
    vault = Vault()
    keep(vault, 1, [reference(ttl_s=ttl_s), {"key": "planted"}], "/1/key")
    return vault


def revealed(vault: Vault, key: VaultKey = FIRST, value: str = VALUE) -> None:
    vault.begin(key)
    vault.end(key, Revealed(value=value))


def of(vault: Vault, key: VaultKey = FIRST) -> KeptReference:
    kept = vault.of(key)
    assert isinstance(kept, KeptReference)
    return kept


def has(vault: Vault, key: VaultKey) -> Json:
    """The value; raises an exception if there is none."""
    return vault.value(key) if vault.has_value(key) else None


def test_a_vault_begins_empty() -> None:
    vault = Vault()
    assert (len(vault), vault.references, vault.holds_revealed, vault.is_busy) == (0, 0, False, False)
    for index in (0, -1):
        with pytest.raises(IndexError):
            vault.at(index)
    with pytest.raises(ForgottenError):
        vault.value(FIRST)


def test_a_call_without_secrets_is_not_kept_and_no_call_is_kept_twice() -> None:
    vault = Vault()
    keep(vault, 1, {"content": []})
    assert not vault.has_call(1)
    keep(vault, 2, [reference("a")])
    keep(vault, 2, [reference("b"), reference("c")])
    assert len(vault) == 1
    assert of(vault, VaultKey(2, 0)).located.pointers == ("/0",)


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_the_newest_call_is_first_and_references_before_values(
    order: tuple[int, ...],
) -> None:
    vault = Vault()
    for number in order:
        keep(vault, number, [reference(f"r{number}"), "v"], "/1")
    keys = [vault.at(index).key for index in range(len(vault))]
    assert keys == [
        VaultKey(3, 0),
        VaultKey(3, 1),
        VaultKey(2, 0),
        VaultKey(2, 1),
        VaultKey(1, 0),
        VaultKey(1, 1),
    ]
    assert [vault.place_of(key) for key in keys] == list(range(6))
    assert [isinstance(vault.at(index), KeptReference) for index in range(6)] == [True, False] * 3
    assert vault.references == 3
    for index in (6, -1):
        with pytest.raises(IndexError):
            vault.at(index)


@pytest.mark.parametrize("key", [VaultKey(9, 0), VaultKey(1, 2), VaultKey(1, -1)])
def test_an_unknown_key_raises_an_error(key: VaultKey) -> None:
    vault = vault_with()
    assert not vault.has_value(key)
    for asked in (vault.of, vault.place_of, vault.value, vault.forget, vault.begin):
        with pytest.raises(ForgottenError):
            asked(key)
    assert not vault.is_busy


def test_a_reference_has_no_value_until_it_is_redeemed() -> None:
    vault = vault_with()
    assert has(vault, FIRST) is None
    assert vault.begin(FIRST) is False
    assert (of(vault).is_busy, vault.is_busy) == (True, True)
    vault.end(FIRST, Revealed(value=VALUE))
    assert (of(vault).is_busy, vault.is_busy) == (False, False)
    assert has(vault, FIRST) == VALUE
    assert (of(vault).has_value, vault.holds_revealed) == (True, True)


def test_an_empty_secret_is_a_value() -> None:
    vault = vault_with()
    revealed(vault, value="")
    assert vault.has_value(FIRST)
    assert vault.holds_revealed


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_value_is_kept_if_a_second_attempt_fails(outcome: Outcome) -> None:
    vault = vault_with()
    revealed(vault)
    assert vault.begin(FIRST) is True
    vault.end(FIRST, outcome)
    assert has(vault, FIRST) == VALUE
    assert of(vault).outcome == outcome


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_failed_attempt_leaves_no_value_and_its_outcome_is_kept(outcome: Outcome) -> None:
    vault = vault_with()
    vault.begin(FIRST)
    vault.end(FIRST, outcome)
    assert (of(vault).outcome, of(vault).has_value, vault.holds_revealed) == (outcome, False, False)
    assert vault.begin(FIRST) is False


def test_an_abandoned_attempt_changes_nothing() -> None:
    vault = vault_with()
    revealed(vault)
    vault.begin(FIRST)
    vault.end(FIRST, None)
    assert (has(vault, FIRST), vault.is_busy) == (VALUE, False)
    assert of(vault).outcome == Revealed(value="")


def test_the_kept_outcome_does_not_contain_the_value() -> None:
    vault = vault_with()
    revealed(vault)
    outcome = of(vault).outcome
    assert isinstance(outcome, Revealed)
    assert outcome.value == ""


def test_a_secret_revealed_once_is_known_in_every_later_call() -> None:
    vault = vault_with()
    keep(vault, 2, [reference("s1"), reference("s2")])
    revealed(vault)
    vault.forget(FIRST)
    assert vault.begin(VaultKey(2, 0)) is True
    vault.end(VaultKey(2, 0), None)
    assert vault.begin(VaultKey(2, 1)) is False


def test_a_forgotten_reference_can_be_redeemed_again() -> None:
    vault = vault_with()
    revealed(vault)
    vault.forget(FIRST)
    assert (vault.has_value(FIRST), vault.holds_revealed) == (False, False)
    assert (of(vault).outcome, of(vault).is_forgotten) == (None, True)
    revealed(vault, value="another")
    assert (has(vault, FIRST), of(vault).is_forgotten) == ("another", False)


def test_a_withheld_value_is_read_from_the_result_until_it_is_forgotten() -> None:
    vault = vault_with()
    key = VaultKey(1, 1)
    assert has(vault, key) == "planted"
    assert not vault.holds_revealed
    vault.forget(key)
    kept = vault.of(key)
    assert isinstance(kept, KeptValue)
    assert kept.is_forgotten
    with pytest.raises(ForgottenError):
        vault.value(key)


def test_a_withheld_value_at_a_missing_place_raises_an_error() -> None:
    vault = Vault()
    vault.keep(1, "mint", 0.0, {"a": 1}, left({"a": 1}, "/b"))
    with pytest.raises(ForgottenError):
        vault.value(FIRST)


@pytest.mark.parametrize("value", [None, False, 0, "", [1, {"a": None}], {"a": "b"}])
def test_a_withheld_value_may_be_any_json(value: Json) -> None:
    vault = Vault()
    keep(vault, 1, {"key": value}, "/key")
    assert vault.value(FIRST) == value


@pytest.mark.parametrize(("now_s", "stays"), [(159.9, True), (160.0, False), (1e9, False)])
def test_a_redeemed_value_is_removed_when_it_expires(now_s: float, stays: bool) -> None:  # noqa: FBT001 - a table
    vault = Vault()
    keep(vault, 1, [reference(ttl_s=60)], received_s=100)
    revealed(vault)
    vault.expire(now_s)
    assert vault.has_value(FIRST) is stays
    if not stays:
        assert (of(vault).outcome, vault.holds_revealed) == (Expired(by=ExpiredBy.TTL), False)


def test_items_without_a_ttl_or_a_value_do_not_expire() -> None:
    vault = vault_with(ttl_s=None)
    keep(vault, 2, [reference("s2", ttl_s=1)])
    revealed(vault)
    vault.expire(1e12)
    assert has(vault, FIRST) == VALUE
    assert of(vault, VaultKey(2, 0)).outcome is None


def test_after_forgetting_all_a_late_redemption_is_not_kept() -> None:
    vault = vault_with()
    revealed(vault)
    vault.begin(FIRST)
    vault.forget_all()
    assert (len(vault), vault.references, vault.holds_revealed, vault.is_busy) == (0, 0, False, False)
    vault.end(FIRST, Revealed(value=VALUE))
    assert not vault.has_value(FIRST)
    keep(vault, 1, [reference()])
    assert vault.begin(FIRST) is False
