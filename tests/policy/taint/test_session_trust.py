"""The trust of an agent session: an algebra that only grows, and the contribution of each answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.json.exact import Json, JsonObject
from inspector.policy.taint import (
    MAX_SOURCES,
    LabelKind,
    LabelOrigin,
    SessionTrust,
    TrustLabel,
    trust_of,
)
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError

TRUST = "io.modelcontextprotocol/trust-annotations"

origins = st.builds(
    LabelOrigin,
    call=st.integers(1, 4),
    server=st.sampled_from(["web", "mail"]),
    tool=st.sampled_from(["a", "b"]),
)
labels = st.builds(
    TrustLabel,
    kind=st.sampled_from(LabelKind),
    origin=origins,
    value=st.sampled_from(["", "pii", "https://a.example/x"]),
)
states = st.frozensets(labels, max_size=6).map(lambda found: SessionTrust(labels=found))


@given(states, states, states)
def test_the_join_is_associative_commutative_and_idempotent(
    a: SessionTrust, b: SessionTrust, c: SessionTrust
) -> None:
    assert a.join(b).join(c) == a.join(b.join(c))
    assert a.join(b) == b.join(a)
    assert a.join(a) == a
    assert a.join(SessionTrust()) == a


@given(states, states)
def test_a_join_keeps_everything_of_both_sides(a: SessionTrust, b: SessionTrust) -> None:
    both = a.join(b)
    assert a.labels | b.labels == both.labels
    for flag in ("open_world", "untrusted", "malicious", "sensitive"):
        assert getattr(both, flag) is (getattr(a, flag) or getattr(b, flag))
    for names in ("data_classes", "attribution", "servers"):
        assert set(getattr(both, names)) == {*getattr(a, names), *getattr(b, names)}


def tool(annotations: JsonObject | None = None, meta: JsonObject | None = None) -> Tool:
    return Tool(name="t", definition={"name": "t", "annotations": annotations or {}, "_meta": meta or {}})


def answer(annotations: Json, *, content: Json = None) -> Result:
    return Result(value={"content": content or [], "_meta": {"annotations": annotations}})


def brought(outcome: Outcome, by: Tool | None = None, call: int = 1) -> SessionTrust:
    return trust_of(outcome, by, LabelOrigin(call=call, server="web", tool="t"))


def test_an_answer_adds_its_own_annotations_to_the_trust() -> None:
    found = brought(
        answer(
            {
                "openWorldHint": True,
                "maliciousActivityHint": True,
                "attribution": ["https://b.example", "https://a.example"],
                "returnMetadata": {"source": "internal", "sensitivity": "financial"},
            }
        )
    )
    assert (found.open_world, found.untrusted, found.malicious, found.sensitive) == (True, True, True, True)
    assert found.attribution == ("https://a.example", "https://b.example")
    assert found.data_classes == ("financial",)


@pytest.mark.parametrize(
    "annotations", [{"openWorldHint": "no"}, "all of it", 7, {"returnMetadata": {"source": "nowhere"}}]
)
def test_an_answer_with_unreadable_annotations_is_untrusted(annotations: Json) -> None:
    assert brought(answer(annotations)).untrusted


def test_an_untrusted_block_makes_the_session_untrusted() -> None:
    block: Json = {"type": "text", "text": "x", "_meta": {TRUST: {"untrusted": True}}}
    assert brought(Result(value={"content": [block]})).untrusted
    assert not brought(Result(value={"content": [{"type": "text", "text": "x"}]})).labels


def test_an_answer_of_an_untrusted_tool_is_always_untrusted() -> None:
    declared = tool({"untrustedContentHint": True})
    assert brought(answer({"openWorldHint": False}), declared).untrusted
    assert brought(RpcError(value={"code": 1, "message": "x"}), declared).untrusted


def test_each_label_names_the_declaration_that_caused_it() -> None:
    declared = tool(
        {"untrustedContentHint": True, "returnMetadata": {"source": "user", "sensitivity": ["pii", "user"]}}
    )
    said: JsonObject = {
        "openWorldHint": True,
        "attribution": ["https://a.example"],
        "returnMetadata": {"source": "user", "sensitivity": ["pii", "financial"]},
    }
    found = {(label.kind, label.value): label.declaration for label in brought(answer(said), declared).labels}
    assert found == {
        (
            LabelKind.UNTRUSTED,
            "",
        ): "webmcp untrustedContentHint of the tool at /annotations/untrustedContentHint",
        (
            LabelKind.OPEN_WORLD,
            "",
        ): "sep-1913 openWorldHint of the answer at /_meta/annotations/openWorldHint",
        (
            LabelKind.SENSITIVE,
            "",
        ): "sep-1913 returnMetadata.sensitivity of the tool at /annotations/returnMetadata/sensitivity",
        (
            LabelKind.DATA_CLASS,
            "pii",
        ): "sep-1913 returnMetadata.sensitivity of the tool at /annotations/returnMetadata/sensitivity",
        (
            LabelKind.DATA_CLASS,
            "user",
        ): "sep-1913 returnMetadata.sensitivity of the tool at /annotations/returnMetadata/sensitivity",
        (
            LabelKind.DATA_CLASS,
            "financial",
        ): "sep-1913 returnMetadata.sensitivity of the answer at /_meta/annotations/returnMetadata/sensitivity",
        (
            LabelKind.ATTRIBUTION,
            "https://a.example",
        ): "sep-1913 attribution of the answer at /_meta/annotations/attribution",
    }


def test_a_possibility_declared_by_the_tool_adds_nothing_by_itself() -> None:
    declared = tool({"openWorldHint": True, "maliciousActivityHint": True})
    found = brought(answer({"attribution": []}), declared)
    assert (found.open_world, found.malicious) == (False, False)


def test_a_failed_call_adds_nothing() -> None:
    failure = Failure(kind=FailureKind.TIMEOUT, detail="late")
    assert brought(failure, tool({"untrustedContentHint": True})) == SessionTrust()


def test_a_single_declared_class_in_an_answer_replaces_the_declared_ones() -> None:
    declared = tool({"returnMetadata": {"source": "user", "sensitivity": ["pii", "credentials"]}})
    said: JsonObject = {"returnMetadata": {"source": "user", "sensitivity": "pii"}}
    assert brought(answer(said), declared).data_classes == ("pii",)
    assert brought(answer({}), declared).data_classes == ("credentials", "pii")
    several: JsonObject = {"returnMetadata": {"source": "user", "sensitivity": ["pii", "user"]}}
    wide = tool({"returnMetadata": {"source": "user", "sensitivity": ["pii", "user", "credentials"]}})
    assert brought(answer(several), wide).data_classes == ("credentials", "pii", "user")
    other: JsonObject = {"returnMetadata": {"source": "user", "sensitivity": "financial"}}
    assert brought(answer(other), declared).data_classes == ("credentials", "financial", "pii")


def test_sources_are_kept_up_to_a_limit_and_the_rest_is_marked() -> None:
    many = brought(answer({"attribution": [f"https://{n}.example" for n in range(MAX_SOURCES + 1)]}))
    assert len(many.attribution) == MAX_SOURCES
    assert many.has(LabelKind.UNNAMED_SOURCES)
    assert brought(answer({"attribution": ["x" * 5000]})).has(LabelKind.UNNAMED_SOURCES)
    assert brought(answer({"attribution": "https://a.example"})).has(LabelKind.UNNAMED_SOURCES)
    assert not brought(answer({"attribution": ["https://a.example"]})).has(LabelKind.UNNAMED_SOURCES)


def test_a_mark_names_the_call_that_caused_it() -> None:
    first, second = (
        brought(answer({"openWorldHint": True}), call=2),
        brought(answer({"openWorldHint": True}), call=5),
    )
    both = second.join(first)
    assert both.since(LabelKind.OPEN_WORLD) == LabelOrigin(call=2, server="web", tool="t")
    assert both.since(LabelKind.MALICIOUS) is None
    assert {label.kind for label in both.labels if label.origin.call == 5} == {
        LabelKind.OPEN_WORLD,
        LabelKind.UNTRUSTED,
    }
