import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.secrets.outcomes import (
    MAX_BODY_BYTES,
    AlreadyUsed,
    Cause,
    Denied,
    Expired,
    ExpiredBy,
    Failed,
    Head,
    NotFound,
    Outcome,
    RateLimited,
    RedemptionFault,
    Revealed,
    of_body,
    of_head,
    of_status,
    words,
)
from inspector.urls.host import RefusedUrl

GOOD = Head(status=200, content_type="application/json", cache_control="no-store")
GONE = Expired(by=ExpiredBy.SERVER)
MALFORMED = Failed(cause=Cause.MALFORMED)


@pytest.mark.parametrize(
    ("status", "outcome", "again"),
    [
        (200, None, None),
        (401, Denied(status=401), Denied(status=401)),
        (403, Denied(status=403), Denied(status=403)),
        (404, NotFound(), AlreadyUsed()),
        (409, Failed(cause=Cause.STATUS, status=409), AlreadyUsed()),
        (410, GONE, AlreadyUsed()),
        (429, RateLimited(), RateLimited()),
    ],
)
def test_each_status_of_the_contract_has_its_state(
    status: int, outcome: Outcome | None, again: Outcome | None
) -> None:
    assert of_status(status) == outcome
    assert of_status(status, revealed_before=True) == again


def test_every_other_status_is_a_failure(subtests: pytest.Subtests) -> None:
    for status in (*range(100, 200), *range(201, 600)):
        with subtests.test(status=status):
            if status in {401, 403, 404, 410, 429}:
                assert not isinstance(of_status(status), Failed | Revealed | None)
            else:
                cause = Cause.REDIRECT if status // 100 == 3 else Cause.STATUS
                assert of_status(status) == Failed(cause=cause, status=status)


@pytest.mark.parametrize(
    ("field", "outcome"),
    [
        (None, RateLimited()),
        ("0", RateLimited(retry_after_s=0)),
        (" 120 ", RateLimited(retry_after_s=120)),
        ("99999999999", RateLimited()),
        ("99999999", RateLimited()),
        ("-1", RateLimited()),
        ("1.5", RateLimited()),
        ("٣", RateLimited()),
        ("1, 2", RateLimited()),
        ("Sat, 21 Nov 2026 01:15:00 GMT", RateLimited(retry_at="Sat, 21 Nov 2026 01:15:00 GMT")),
        ("tomorrow \x1b]0;x\x07", RateLimited()),
        ("Sat, 21 Nov 2026 01:15:00 GMT<b>", RateLimited()),
    ],
)
def test_retry_after_is_shown_only_in_a_standard_form(field: str | None, outcome: RateLimited) -> None:
    assert of_status(429, retry_after=field) == outcome


OUTCOMES: list[tuple[Outcome, str, str]] = [
    (Revealed(value="v4lue"), "fetched", "Show"),
    (Expired(by=ExpiredBy.TTL), "expired", "new reference"),
    (GONE, "expired", "revoke"),
    (AlreadyUsed(), "already used", "new reference"),
    (Denied(status=403), "denied", "credentials"),
    (NotFound(), "not found", "new reference"),
    (RateLimited(), "rate limited", "Try again later."),
    (RateLimited(retry_after_s=1500), "rate limited", "Try again in 1,500 s."),
    (
        RateLimited(retry_at="Sat, 21 Nov 2026 01:15:00 GMT"),
        "rate limited",
        "Try again after Sat, 21 Nov 2026 01:15:00 GMT.",
    ),
    (RefusedUrl(reason="other origin: x is not y"), "refused", "nothing was sent"),
    (RefusedUrl(reason="r", hint="Pin one."), "refused", "Pin one."),
    *((Failed(cause=cause), "failed", "") for cause in Cause),
]


@pytest.mark.parametrize(("outcome", "state", "advice"), OUTCOMES)
def test_every_state_has_an_explanation_and_advice(outcome: Outcome, state: str, advice: str) -> None:
    said = words(outcome)
    assert said.state == state
    assert advice in said.next
    assert said.why.endswith(".")
    assert said.why[0].isupper()
    assert said.next.endswith(".")
    assert "v4lue" not in repr(said) + repr(outcome) + str(outcome)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({}, None),
        ({"content_type": "Application/JSON ; charset=utf-8"}, None),
        ({"content_type": "application/vnd.acme.v1+json"}, None),
        ({"content_encoding": "Identity"}, None),
        ({"content_length": str(MAX_BODY_BYTES)}, None),
        ({"content_length": str(MAX_BODY_BYTES + 1)}, Failed(cause=Cause.TOO_LARGE)),
        ({"content_length": "9" * 30}, Failed(cause=Cause.TOO_LARGE)),
        ({"content_length": "-1"}, Failed(cause=Cause.TOO_LARGE)),
        ({"content_encoding": "gzip"}, Failed(cause=Cause.COMPRESSED)),
        ({"content_encoding": "identity, br"}, Failed(cause=Cause.COMPRESSED)),
        ({"content_encoding": "x-unknown"}, Failed(cause=Cause.COMPRESSED)),
        ({"content_type": None}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"content_type": ""}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"content_type": "text/html"}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"content_type": "text/json"}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"content_type": "application/jsonp"}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"content_type": "application/json, text/html"}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"content_type": "application/json\nx"}, Failed(cause=Cause.CONTENT_TYPE)),
        ({"status": 410, "content_type": "text/html"}, GONE),
    ],
)
def test_the_head_of_an_answer_decides_where_possible(
    change: dict[str, str | None], outcome: Outcome | None
) -> None:
    assert of_head(replace(GOOD, **change)) == outcome  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"value":"s3cret"}', "s3cret"),
        (b' {"more":[{"a":1},null],"value":"","x":"y"} ', ""),
        ('{"value":"gr\\u00fcn 🎉\\n"}'.encode(), "grün 🎉\n"),
        (b'{"value":"' + b"x" * (MAX_BODY_BYTES - 12) + b'"}', "x" * (MAX_BODY_BYTES - 12)),
    ],
)
def test_a_text_value_is_revealed_exactly(body: bytes, value: str) -> None:
    assert of_body(GOOD, body) == Revealed(value=value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"s3cret",
        b'"s3cret"',
        b'["s3cret"]',
        b"null",
        b"{}",
        b'{"Value":"s3cret"}',
        b'{"value":1}',
        b'{"value":null}',
        b'{"value":["s3cret"]}',
        b'{"value":{"value":"s3cret"}}',
        b'{"value":"s3cret","value":"s3cret"}',
        b'{"value":"other","value":"s3cret"}',
        b'{"value":"s3cret","valu\\u0065":"other"}',
        b'{"value":"s3cret","a":1,"a":2}',
        b'{"value":"s3cret","a":[{"b":1,"b":2}]}',
        b'{"value":"s3cret"',
        b'{"value":"s3cret"} {"value":"s3cret"}',
        b'{"value":"s3cret\xff"}',
        b'\xef\xbb\xbf{"value":"s3cret"}',
        b'{"value":"s3cret\\ud800"}',
        '{"value":"s3cret"}'.encode("utf-16"),
        b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    ],
)
def test_a_body_that_is_not_one_object_with_one_text_value_reveals_nothing(body: bytes) -> None:
    outcome = of_body(GOOD, body)
    assert outcome == MALFORMED
    assert "s3cret" not in repr(outcome)


def test_a_body_beyond_the_size_limit_reveals_nothing() -> None:
    body = b'{"value":"' + b"x" * (MAX_BODY_BYTES - 11) + b'"}'
    assert of_body(GOOD, body) == Failed(cause=Cause.TOO_LARGE)


@pytest.mark.parametrize(
    ("field", "is_missing"),
    [
        ("no-store", False),
        ("private, No-Store", False),
        ("max-age=0,no-store", False),
        (None, True),
        ("", True),
        ("no-cache", True),
        ("max-age=3600", True),
        ("no-store-at-all", True),
    ],
)
def test_an_answer_that_caches_may_store_is_a_finding(field: str | None, is_missing: bool) -> None:  # noqa: FBT001
    outcome = of_body(replace(GOOD, cache_control=field), b'{"value":"x"}')
    assert outcome == Revealed(value="x", faults=(RedemptionFault.MAY_BE_STORED,) if is_missing else ())


@given(
    st.binary(max_size=60)
    | st.text(max_size=40).map(lambda text: f'{{"value":"{text}"}}'.encode("utf-8", "replace"))
)
def test_reading_a_body_never_raises_and_no_outcome_shows_it(body: bytes) -> None:
    outcome = of_body(GOOD, body)
    assert repr(outcome) in {"Revealed(faults=())", repr(MALFORMED)}
    if isinstance(outcome, Revealed):
        outcome.value.encode()
