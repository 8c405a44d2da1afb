"""The traits that follow from claims: truth tables, and the one direction in which claims are combined."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.claims.claim import Claim, Subject, TraitName, Word
from inspector.claims.registry import claims_of_result, claims_of_tool, vocabularies
from inspector.claims.traits import Badge, Override, Trait, Traits, TraitValue, badges, overridden, traits
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.catalogue import Tool

TRUST = "io.modelcontextprotocol/trust-annotations"
ACTION = "io.modelcontextprotocol/action-metadata"

DEFAULTS: dict[TraitName, TraitValue] = {
    TraitName.EFFECT: "unknown",
    TraitName.DESTRUCTIVE: True,
    TraitName.IDEMPOTENT: False,
    TraitName.OPEN_WORLD: True,
    TraitName.SENSITIVE: False,
    TraitName.DATA_CLASSES: (),
    TraitName.SENSITIVITY_LEVEL: None,
    TraitName.SENSITIVE_POSITIONS: (),
    TraitName.UNTRUSTED: False,
    TraitName.MALICIOUS: False,
    TraitName.CONFIRM: False,
    TraitName.OUTCOME: None,
    TraitName.DESTINATIONS: (),
    TraitName.SOURCES: (),
    TraitName.ATTRIBUTION: (),
    TraitName.RESOLVABLE: False,
    TraitName.DEBUGGING: False,
}

# From the least cautious value to the most; a trait that is not listed here is a set.
CAUTION: dict[TraitName, tuple[Word, ...]] = {
    TraitName.EFFECT: ("read", "write", "external", "delete"),
    TraitName.DESTRUCTIVE: (False, True),
    TraitName.IDEMPOTENT: (True, False),
    TraitName.OPEN_WORLD: (False, True),
    TraitName.SENSITIVE: (False, True),
    TraitName.SENSITIVITY_LEVEL: ("public", "internal", "confidential", "restricted"),
    TraitName.UNTRUSTED: (False, True),
    TraitName.MALICIOUS: (False, True),
    TraitName.CONFIRM: (False, True),
    TraitName.OUTCOME: ("benign", "consequential", "irreversible"),
    TraitName.RESOLVABLE: (True, False),
    TraitName.DEBUGGING: (False, True),
}


def of_tool(annotations: JsonObject | None = None, meta: JsonObject | None = None) -> tuple[Claim, ...]:
    return claims_of_tool(Tool(name="a", definition={"annotations": annotations or {}, "_meta": meta or {}}))


def said(found: Traits) -> dict[TraitName, TraitValue]:
    """The traits that are not defaults."""
    return {name: found.trait(name).value for name in TraitName if found.trait(name).value != DEFAULTS[name]}


def test_without_claims_every_trait_is_a_default() -> None:
    found = traits(())
    for name in TraitName:
        assert found.trait(name) == Trait(value=DEFAULTS[name], defaulted=True), name


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({"readOnlyHint": True}, {TraitName.EFFECT: "read", TraitName.DESTRUCTIVE: False}),
        ({"readOnlyHint": False}, {TraitName.EFFECT: "write"}),
        ({"readOnly": True}, {TraitName.EFFECT: "read", TraitName.DESTRUCTIVE: False}),
        ({"readOnlyHint": "maybe"}, {TraitName.EFFECT: "write"}),
        ({"destructiveHint": False}, {TraitName.DESTRUCTIVE: False}),
        ({"destructiveHint": True}, {TraitName.EFFECT: "write"}),
        ({"destructiveHint": 0}, {TraitName.EFFECT: "write"}),
        ({"readOnlyHint": True, "destructiveHint": True}, {TraitName.EFFECT: "write"}),
        ({"idempotentHint": True}, {TraitName.IDEMPOTENT: True}),
        ({"idempotentHint": "true"}, {}),
        ({"openWorldHint": False}, {TraitName.OPEN_WORLD: False}),
        ({"openWorldHint": None}, {}),
        ({"sensitiveHint": True}, {TraitName.SENSITIVE: True}),
        ({"sensitiveHint": "false"}, {TraitName.SENSITIVE: True}),
        ({"sensitiveHint": False, "secretHint": True}, {TraitName.SENSITIVE: True}),
        ({"untrustedContentHint": True}, {TraitName.UNTRUSTED: True}),
        ({"untrustedContent": {}}, {TraitName.UNTRUSTED: True}),
        ({"unsafeOutputHint": True}, {TraitName.UNTRUSTED: True}),
        ({"trustedHint": False}, {TraitName.UNTRUSTED: True}),
        ({"trustedHint": True}, {}),
        ({"consequentialHint": True}, {TraitName.CONFIRM: True, TraitName.EFFECT: "write"}),
        ({"debugging": True}, {TraitName.DEBUGGING: True}),
        ({"maliciousActivityHint": True}, {TraitName.MALICIOUS: True, TraitName.UNTRUSTED: True}),
        ({"maliciousActivityHint": False}, {}),
        ({"attribution": ["b:", "a:", "b:", "none"]}, {TraitName.ATTRIBUTION: ("a:", "b:", "none")}),
        ({"attribution": "a:"}, {}),
        (
            {"inputMetadata": {"destination": ["user", "public"], "outcomes": ["benign", "irreversible"]}},
            {
                TraitName.DESTINATIONS: ("public", "user"),
                TraitName.EFFECT: "external",
                TraitName.OUTCOME: "irreversible",
            },
        ),
        (
            {"inputMetadata": {"destination": "everywhere"}},
            {TraitName.DESTINATIONS: ("public",), TraitName.EFFECT: "external"},
        ),
        ({"inputMetadata": {"outcomes": "benign"}}, {TraitName.OUTCOME: "benign"}),
        ({"inputMetadata": {"sensitivity": "credentials"}}, {}),
        ({"inputMetadata": {"retention": "none"}}, {}),
        (
            {"returnMetadata": {"source": "untrustedPublic", "sensitivity": "none"}},
            {TraitName.SOURCES: ("untrustedPublic",), TraitName.UNTRUSTED: True},
        ),
        (
            {"returnMetadata": {"sensitivity": ["none", {"regulated": {"scopes": ["GDPR"]}}]}},
            {TraitName.SENSITIVE: True, TraitName.DATA_CLASSES: ("regulated", "regulated:GDPR")},
        ),
        (
            {"returnMetadata": {"sensitivity": "normal"}},
            {TraitName.SENSITIVE: True, TraitName.DATA_CLASSES: ("credentials",)},
        ),
        (
            {ACTION: {"requiresReview": True, "outcome": "consequential"}},
            {TraitName.CONFIRM: True, TraitName.OUTCOME: "consequential", TraitName.EFFECT: "write"},
        ),
        ({"title": "a", "hue": True}, {}),
    ],
)
def test_traits_follow_from_the_annotations_of_a_tool(
    annotations: JsonObject, expected: dict[TraitName, TraitValue]
) -> None:
    assert said(traits(of_tool(annotations))) == expected


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"mcp.dev/effect": "read"}, {TraitName.EFFECT: "read", TraitName.DESTRUCTIVE: False}),
        ({"mcp.dev/effect": "delete"}, {TraitName.EFFECT: "delete"}),
        ({"mcp.dev/effect": "external"}, {TraitName.EFFECT: "external"}),
        ({"mcp.dev/effect": "destroy"}, {TraitName.EFFECT: "delete"}),
        ({"mcp.dev/idempotent": True}, {TraitName.IDEMPOTENT: True}),
        ({"mcp.dev/requiresConfirmation": "yes"}, {TraitName.CONFIRM: True}),
        ({"mcp.dev/resultSensitivity": "internal"}, {TraitName.SENSITIVITY_LEVEL: "internal"}),
        (
            {"mcp.dev/resultSensitivity": "confidential"},
            {TraitName.SENSITIVITY_LEVEL: "confidential", TraitName.SENSITIVE: True},
        ),
        (
            {"mcp.dev/resultSensitivity": "secret"},
            {TraitName.SENSITIVITY_LEVEL: "restricted", TraitName.SENSITIVE: True},
        ),
        ({"io.modelcontextprotocol/tool-resolution": {"resolvable": True}}, {TraitName.RESOLVABLE: True}),
        ({"io.modelcontextprotocol/tool-resolution": {"resolvable": 1}}, {}),
        ({"ifc": {"integrity": "untrusted"}}, {TraitName.UNTRUSTED: True}),
        ({"ifc": {"confidentiality": "private"}}, {TraitName.SENSITIVE: True}),
        ({"ifc": {"confidentiality": ["public"]}}, {TraitName.SENSITIVE: True}),
        ({"ifc": {"integrity": "trusted", "confidentiality": "public"}}, {}),
    ],
)
def test_traits_follow_from_the_meta_of_a_tool(
    meta: JsonObject, expected: dict[TraitName, TraitValue]
) -> None:
    assert said(traits(of_tool(meta=meta))) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"_meta": {"annotations": {"openWorldHint": True}}}, {TraitName.UNTRUSTED: True}),
        ({"_meta": {TRUST: {"sensitive": True}}}, {TraitName.SENSITIVE: True}),
        ({"_meta": {TRUST: "sensitive"}}, {TraitName.SENSITIVE: True, TraitName.UNTRUSTED: True}),
        (
            {"_meta": {TRUST: {"untrusted": False}}, "content": [{"_meta": {TRUST: {"untrusted": True}}}]},
            {TraitName.UNTRUSTED: True},
        ),
        (
            {"_meta": {TRUST: {"sensitive": True}}, "content": [{"_meta": {TRUST: {"sensitive": False}}}]},
            {TraitName.SENSITIVE: True},
        ),
        ({"content": [{"type": "secret_reference"}]}, {}),
    ],
)
def test_traits_follow_from_a_result(result: Json, expected: dict[TraitName, TraitValue]) -> None:
    assert said(traits(claims_of_result(result))) == expected


@pytest.mark.parametrize("nothing", [None, [], ""])
def test_an_empty_container_of_a_wrong_type_adds_no_trait(nothing: Json) -> None:
    definition: JsonObject = {"annotations": nothing, "_meta": nothing}
    assert said(traits(claims_of_tool(Tool(name="a", definition=definition)))) == {}


def test_a_container_of_a_wrong_type_is_read_as_the_worst_claim() -> None:
    claims = claims_of_tool(Tool(name="a", definition={"annotations": ["readOnlyHint"]}))
    found = traits(claims)
    assert said(found) == {
        TraitName.EFFECT: "external",
        TraitName.SENSITIVE: True,
        TraitName.DATA_CLASSES: ("credentials",),
        TraitName.UNTRUSTED: True,
        TraitName.MALICIOUS: True,
        TraitName.CONFIRM: True,
        TraitName.OUTCOME: "irreversible",
        TraitName.DESTINATIONS: ("public",),
        TraitName.SOURCES: ("untrustedPublic",),
        TraitName.DEBUGGING: True,
    }
    assert found.effect.claims_for == claims
    found = traits(claims_of_tool(Tool(name="a", definition={"annotations": {"returnMetadata": "pii"}})))
    assert set(said(found)) == {
        TraitName.SENSITIVE,
        TraitName.DATA_CLASSES,
        TraitName.SOURCES,
        TraitName.UNTRUSTED,
    }


def test_a_trait_names_the_claims_for_and_against_it() -> None:
    claims = of_tool({"readOnlyHint": True, "destructiveHint": False}, {"mcp.dev/effect": "delete"})
    found = traits(claims)
    assert [claim.key for claim in found.effect.claims_for] == ["mcp.dev/effect"]
    assert [claim.key for claim in found.effect.claims_against] == ["readOnlyHint"]
    assert [claim.key for claim in found.destructive.claims_for] == ["mcp.dev/effect"]
    assert [claim.key for claim in found.destructive.claims_against] == ["destructiveHint"]
    assert not found.effect.defaulted
    only_false = traits(of_tool({"sensitiveHint": False})).sensitive
    assert (only_false.value, only_false.defaulted) == (False, False)
    assert (len(only_false.claims_for), only_false.claims_against) == (1, ())
    none = traits(of_tool({"returnMetadata": {"sensitivity": "none"}})).data_classes
    assert (len(none.claims_for), none.claims_against) == (1, ())
    harmless = traits(of_tool({"readOnlyHint": True, "destructiveHint": False})).destructive
    assert (harmless.value, harmless.defaulted, len(harmless.claims_for)) == (False, False, 1)


def test_several_grades_of_one_effect_do_not_contradict_each_other() -> None:
    found = traits(of_tool({"readOnlyHint": False}, {"mcp.dev/effect": "delete"})).effect
    assert [claim.key for claim in found.claims_for] == ["readOnlyHint", "mcp.dev/effect"]
    assert found.claims_against == ()


def test_a_claim_of_no_data_classes_is_against_claims_that_name_some() -> None:
    claims = of_tool(
        {"returnMetadata": {"sensitivity": "none"}, ACTION: {"returnMetadata": {"sensitivity": "pii"}}}
    )
    found = traits(claims).data_classes
    assert [claim.vocabulary for claim in found.claims_for] == ["action-metadata"]
    assert [claim.vocabulary for claim in found.claims_against] == ["sep-1913"]


@pytest.mark.parametrize("value", ["shred", [], True, ["read", "shred"]])
def test_an_unknown_value_of_a_trait_counts_as_the_most_cautious_one(value: Json) -> None:
    (claim,) = of_tool(meta={"mcp.dev/effect": "read"})
    assert traits([replace(claim, value=value)]).effect.value == "delete"


def test_an_override_wins_over_all_claims_and_is_shown_as_an_override() -> None:
    found = traits(of_tool({"sensitiveHint": True}))
    changed = overridden(found, [Override(trait=TraitName.SENSITIVE, value=False)])
    assert (changed.sensitive.value, changed.sensitive.overridden) == (False, True)
    assert changed.sensitive.claims_for == found.sensitive.claims_for
    assert changed.untrusted == found.untrusted


def test_the_json_of_traits_has_value_default_and_claims() -> None:
    found = traits(of_tool({"sensitiveHint": True, "attribution": ["a:"]})).as_json()
    assert list(found) == [name.value for name in TraitName]
    assert found["sensitive"] == {
        "value": True,
        "defaulted": False,
        "for": [
            {
                "subject": "tool",
                "vocabulary": "webmcp-110",
                "key": "sensitiveHint",
                "pointer": "/annotations/sensitiveHint",
            }
        ],
        "against": [],
    }
    assert found["openWorld"] == {"value": True, "defaulted": True, "for": [], "against": []}
    changed = overridden(traits(()), [Override(trait=TraitName.DATA_CLASSES, value=("pii",))]).as_json()
    assert changed["dataClasses"] == {
        "value": ["pii"],
        "defaulted": False,
        "for": [],
        "against": [],
        "overridden": True,
    }
    assert dump(found)


@pytest.mark.parametrize(
    ("annotations", "meta", "words"),
    [
        ({}, {}, ""),
        ({"readOnlyHint": True}, {}, "read"),
        ({"readOnlyHint": True, "openWorldHint": True}, {}, "ext read"),
        ({"readOnlyHint": False}, {}, "write"),
        ({"destructiveHint": True}, {}, "destr write"),
        ({}, {"mcp.dev/effect": "delete"}, "destr"),
        ({}, {"mcp.dev/effect": "external"}, "ext"),
        ({"readOnlyHint": True, "destructiveHint": True}, {}, "destr write"),
        (
            {"sensitiveHint": True, "untrustedContentHint": True, "consequential": True},
            {},
            "untr sens asks write",
        ),
        ({"maliciousActivityHint": True}, {}, "malic untr"),
        ({"sensitiveHint": False}, {"mcp.dev/requiresConfirmation": False}, ""),
    ],
)
def test_badges_show_the_claimed_traits(annotations: JsonObject, meta: JsonObject, words: str) -> None:
    assert " ".join(badges(traits(of_tool(annotations, meta)))) == words


def test_a_marked_schema_gives_the_badge_for_sensitive() -> None:
    tool = Tool(name="a", definition={"outputSchema": {"properties": {"a": {"x-sensitive": True}}}})
    found = traits(claims_of_tool(tool))
    assert badges(found) == (Badge.SENSITIVE,)
    assert found.sensitive.value is False
    assert [badge.word for badge in Badge] == [
        "malicious",
        "untrusted",
        "sensitive",
        "destructive",
        "external",
        "asks first",
        "write",
        "read",
    ]


KEYS = [(found, key) for found in vocabularies() for key in found.keys]
CONTAINERS = sorted({name for _, key in KEYS for name in key.within})
MEANT: list[Json] = [
    word for _, key in KEYS for implication in key.implications for word in implication.meanings
]
STEPS: list[Json] = [step for steps in CAUTION.values() for step in steps]
ODD: list[Json] = [
    ["user", "public"],
    ["none", "pii"],
    {"regulated": {"scopes": ["a"]}},
    [],
    {},
    None,
    1,
    "x",
]


@st.composite
def each_claim(draw: st.DrawFn) -> Claim:
    """A claim with any key, and one of its allowed values or another value, or a claim of any container."""
    vocabulary, key = draw(st.sampled_from(KEYS))
    container = draw(st.booleans())
    return Claim(
        subject=draw(st.sampled_from(Subject)),
        pointer="/outputSchema/properties/a/x-sensitive",
        vocabulary=vocabulary.name,
        key=draw(st.sampled_from(CONTAINERS)) if container else key.name,
        value=draw(st.sampled_from(MEANT + STEPS + ODD)),
        standing=vocabulary.standing,
        well_formed=draw(st.booleans()),
        container=container,
    )


def as_safe(name: TraitName, before: Trait, after: Trait) -> bool:
    if name in CAUTION:
        steps = CAUTION[name]
        return (
            before.value in steps
            and after.value in steps
            and steps.index(after.value) >= steps.index(before.value)
        )
    assert isinstance(before.value, tuple)
    assert isinstance(after.value, tuple)
    return set(before.value) <= set(after.value)


claims_lists = st.lists(each_claim(), max_size=6)


@given(claims_lists, each_claim())
def test_one_more_claim_makes_no_claimed_trait_less_safe(claims: list[Claim], another: Claim) -> None:
    before, after = traits(claims), traits([*claims, another])
    for name in TraitName:
        if not before.trait(name).defaulted:
            assert as_safe(name, before.trait(name), after.trait(name)), name
            assert not after.trait(name).defaulted


@given(st.lists(each_claim(), max_size=4))
def test_the_order_of_claims_does_not_matter(claims: list[Claim]) -> None:
    found = traits(claims)
    for order in permutations(claims):
        other = traits(order)
        for name in TraitName:
            assert other.trait(name).value == found.trait(name).value
            assert other.trait(name).defaulted == found.trait(name).defaulted
            assert {id(claim) for claim in other.trait(name).claims_for} == {
                id(claim) for claim in found.trait(name).claims_for
            }
            assert {id(claim) for claim in other.trait(name).claims_against} == {
                id(claim) for claim in found.trait(name).claims_against
            }


@given(each_claim())
def test_a_malformed_claim_is_never_read_as_the_safer_value(claim: Claim) -> None:
    if not claim.well_formed:
        found = traits([claim])
        for name, steps in CAUTION.items():
            assert found.trait(name).defaulted or found.trait(name).value != steps[0], name
