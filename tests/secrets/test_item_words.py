import pytest
from msgspec.structs import replace

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
    RedemptionFault,
    Revealed,
)
from inspector.secrets.vault import (
    STILL_HERE,
    Kept,
    KeptReference,
    KeptValue,
    Vault,
    VaultKey,
    item_words,
    left_s,
)
from inspector.urls.host import RefusedUrl
from inspector.urls.origin import resolve
from tests.secrets.keeping import BASE, allowed, keep, reference

RECEIVED_S = 100.0
NEW_REFERENCE = "Call the tool again for a new reference."
CREDENTIALS = "Check the credentials of this connection and their permissions."
TRY_AGAIN = "Try again; if this try used up the reference, call the tool again."
SERVERS_FAULT = "The server has to be fixed; this try may have used up a one-time reference."


def kept(ttl_s: float | None = 60) -> KeptReference:
    vault = Vault()
    keep(vault, 1, [reference(ttl_s=ttl_s)], received_s=RECEIVED_S)
    found = vault.of(VaultKey(1, 0))
    assert isinstance(found, KeptReference)
    return found


def value() -> KeptValue:
    vault = Vault()
    keep(vault, 1, {"key": "planted"}, "/key")
    found = vault.of(VaultKey(1, 0))
    assert isinstance(found, KeptValue)
    return found


def told(one: Kept, now_s: float = RECEIVED_S, redeem_url: str = "/secrets/s1") -> tuple[str, str, str]:
    request = allowed() if redeem_url == "/secrets/s1" else resolve(redeem_url, BASE)
    words = item_words(one, now_s=now_s, request=request)
    return words.state, words.why, words.next


@pytest.mark.parametrize(
    ("outcome", "state", "why", "after"),
    [
        (None, "not fetched", "Nothing has been sent.", "Fetch it: you are asked before anything is sent."),
        (Revealed(value=""), "fetched", "The server returned it.", "Show it for 10 s, or forget it."),
        (
            Revealed(value="", faults=(RedemptionFault.MAY_BE_STORED,)),
            "fetched",
            "The answer lacks Cache-Control: no-store, so caches on the way may keep the secret.",
            "Show it for 10 s, or forget it.",
        ),
        (Expired(by=ExpiredBy.TTL), "expired", "Its time has run out.", NEW_REFERENCE),
        (
            Expired(by=ExpiredBy.SERVER),
            "expired",
            "The server says that it is gone: used, perhaps by someone else, or revoked.",
            "Call the tool again for a new reference; if no one else should have used this one, revoke the secret.",
        ),
        (
            AlreadyUsed(),
            "already used",
            "It can be fetched only once, and this session has fetched it.",
            NEW_REFERENCE,
        ),
        (Denied(status=401), "denied", "The server rejects the credentials (status 401).", CREDENTIALS),
        (Denied(status=403), "denied", "The server rejects the credentials (status 403).", CREDENTIALS),
        (NotFound(), "not found", "The server does not know this secret.", NEW_REFERENCE),
        (
            RateLimited(retry_after_s=1200),
            "rate limited",
            "The server limits the number of tries.",
            "Try again in 1,200 s.",
        ),
        (RateLimited(), "rate limited", "The server limits the number of tries.", "Try again later."),
        (
            RefusedUrl(reason="another redemption is running", hint="Wait for it to end."),
            "refused",
            "Another redemption is running.",
            "Wait for it to end.",
        ),
        (Failed(cause=Cause.TIMEOUT), "failed", "The server did not answer in time.", TRY_AGAIN),
        (
            Failed(cause=Cause.REDIRECT, status=302),
            "failed",
            "The server answered with a redirect, which is not followed (status 302).",
            SERVERS_FAULT,
        ),
        (Failed(cause=Cause.TOO_LARGE), "failed", "The answer is larger than 64 KiB.", SERVERS_FAULT),
    ],
)
def test_every_state_is_explained_with_what_the_user_can_do(
    outcome: Outcome | None, state: str, why: str, after: str
) -> None:
    one = replace(kept(), outcome=outcome, has_value=isinstance(outcome, Revealed))
    assert told(one) == (state, why, after)


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_of_a_failure_is_explained_with_advice(cause: Cause) -> None:
    state, why, after = told(replace(kept(), outcome=Failed(cause=cause)))
    assert (state, why.casefold()) == ("failed", f"{cause}.".casefold())
    assert after.endswith(".")


def test_an_item_is_in_the_state_revealing_while_it_is_fetched() -> None:
    one = replace(kept(), is_busy=True, outcome=Denied(status=401), is_forgotten=True)
    assert told(one) == ("fetching", "Waiting for the server.", "This takes at most 10 s.")


@pytest.mark.parametrize("outcome", [AlreadyUsed(), Denied(status=401), Failed(cause=Cause.TIMEOUT)])
def test_a_value_kept_through_a_failed_attempt_is_mentioned(outcome: Outcome) -> None:
    state, why, after = told(replace(kept(), outcome=outcome))
    assert told(replace(kept(), outcome=outcome, has_value=True)) == (state, why + STILL_HERE, after)


@pytest.mark.parametrize(
    ("redeem_url", "why"),
    [
        (
            "https://a.test/s",
            "Other origin: https://a.test is not http://127.0.0.1:8000.",
        ),
        ("http://127.0.0.1:8001/s", "Other origin: http://127.0.0.1:8001 is not http://127.0.0.1:8000."),
        ("http://u@127.0.0.1:8000/s", "It contains user info before the host."),
        ("ftp://127.0.0.1/s", "It is neither http nor https: ftp."),
    ],
)
def test_a_reference_that_may_not_be_redeemed_is_shown_as_refused(redeem_url: str, why: str) -> None:
    assert told(kept(), redeem_url=redeem_url) == (
        "refused",
        why,
        "It cannot be redeemed; nothing was sent.",
    )


def test_a_command_has_no_origin_and_the_hint_names_the_setting() -> None:
    words = item_words(kept(), now_s=RECEIVED_S, request=resolve("/secrets/s1", None))
    assert words.state == "refused"
    assert words.why == "This server has no origin, because it is a command."
    assert words.next == "Set redeem_origin for this server in your own configuration."


@pytest.mark.parametrize(
    ("now_s", "state", "left"),
    [
        (RECEIVED_S, "not fetched", 60.0),
        (RECEIVED_S + 59, "not fetched", 1.0),
        (RECEIVED_S + 60, "expired", 0.0),
        (RECEIVED_S + 1e6, "expired", 0.0),
    ],
)
def test_the_ttl_of_a_reference_counts_down_from_its_receipt(now_s: float, state: str, left: float) -> None:
    assert told(kept(), now_s)[0] == state
    assert left_s(kept(), now_s) == left


def test_a_value_and_a_reference_without_a_ttl_have_no_time_left() -> None:
    assert left_s(kept(ttl_s=None), 1e9) is None
    assert told(kept(ttl_s=None), 1e9)[0] == "not fetched"
    assert left_s(value(), 1e9) is None


def test_a_forgotten_item_is_shown_as_forgotten() -> None:
    assert told(replace(kept(), is_forgotten=True)) == (
        "forgotten",
        "You removed it from memory.",
        "Fetch it again, if the server allows that; otherwise call the tool again.",
    )
    assert told(replace(value(), is_forgotten=True)) == (
        "forgotten",
        "You removed it from memory.",
        "Call the tool again for a new one.",
    )


def test_a_withheld_value_is_shown_with_its_rule_and_reason() -> None:
    assert told(value()) == (
        "marked sensitive",
        "The schema marks `key` sensitive.",
        "Show it for 10 s, or forget it.",
    )


def test_a_malformed_reference_is_shown_with_its_fault() -> None:
    vault = Vault()
    keep(vault, 1, [{"type": "secret_reference", "id": "a", "label": "key"}])
    assert told(vault.at(0)) == (
        "malformed",
        "It has no `redeemUrl`.",
        "It cannot be redeemed; the author of the server has to fix it.",
    )
