"""The withheld values that are searched for, and the verdict if none can be searched for."""

from collections.abc import Iterable, Mapping

import pytest

from inspector.boundary.bound import bound
from inspector.boundary.bounded import Bounded, Level, Removal, Rule
from inspector.boundary.contract import contract_of
from inspector.boundary.echoes import Echoes
from inspector.boundary.options import DEFAULT_POLICY
from inspector.hosts.leaks import LONG, MAX_APART, MAX_SEARCHED, Finder, Leak, LeakSearch, Secret, secrets_of
from inspector.hosts.projection import project
from inspector.hosts.registry import hosts
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.texts import OVERLAP, STRETCH, stretches
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Result

NOTHING = frozenset[str]()


class Counting:
    """Finds values verbatim, and counts the texts that are searched."""

    def __init__(self) -> None:
        self.searched = 0

    def __call__(self, values: Iterable[Json], names: frozenset[str]) -> Finder:
        del names
        return _Verbatim(self, [str(value) for value in values])


class _Verbatim:
    def __init__(self, counting: Counting, values: list[str]) -> None:
        self._counting = counting
        self._values = values

    def matches(self, texts: Iterable[str]) -> Mapping[str, object]:
        asked = list(texts)
        self._counting.searched += len(asked)
        return {text: None for text in asked if any(value in text for value in self._values)}


def echoes(values: Iterable[Json], names: frozenset[str]) -> Finder:
    return Echoes(values, names=names)


def secrets(*values: Json) -> tuple[Secret, ...]:
    return tuple(Secret(pointer=f"/{index}", values=(value,)) for index, value in enumerate(values))


def withheld(result: Json, schema: Json = None) -> dict[str, tuple[Json, ...]]:
    definition: JsonObject = {"name": "t", "inputSchema": {}}
    if schema is not None:
        definition["outputSchema"] = schema
    contract = contract_of(Tool(name="t", definition=definition))
    declared = bound(Result(value=result), None, Level.DECLARED, declared=contract)
    found = secrets_of(result, declared, contract, DEFAULT_POLICY)
    return {secret.pointer: secret.values for secret in found}


def test_values_are_distinguished_only_in_texts_with_a_match() -> None:
    counting = Counting()
    search = LeakSearch(secrets("CANARY-1", "CANARY-2"), NOTHING, counting)
    assert search.leaked(["clean", "white"], observed=True, hosts_left=1).verdict is Leak.NO
    assert counting.searched == 2
    leaked = search.leaked(["CANARY-2", "clean"], observed=True, hosts_left=1)
    assert (leaked.verdict, leaked.pointers, leaked.unknown) == (Leak.YES, ("/1",), 0)
    assert counting.searched == 2 + 1 + 2


def test_a_long_text_of_two_hosts_is_searched_once() -> None:
    counting = Counting()
    search = LeakSearch(secrets("CANARY-1"), NOTHING, counting)
    for _ in range(2):
        search.leaked(["clean" * 10_000], observed=True, hosts_left=1)
    assert counting.searched == 1


def test_values_beyond_a_limit_are_counted_as_unknown() -> None:
    search = LeakSearch(secrets(*(f"CANARY-{index:04}" for index in range(MAX_APART + 50))), NOTHING, echoes)
    leaked = search.leaked(["CANARY-0001", "CANARY-0240"], observed=True, hosts_left=1)
    assert (leaked.verdict, leaked.pointers, leaked.unknown) == (Leak.YES, ("/1",), 50)


def test_fewer_values_are_distinguished_in_large_texts() -> None:
    search = LeakSearch(secrets(*(f"CANARY-{index:04}" for index in range(MAX_APART))), NOTHING, Counting())
    texts: list[Json] = [
        f"CANARY-0000 {index}".ljust(STRETCH) for index in range(MAX_SEARCHED // 5 // STRETCH)
    ]
    leaked = search.leaked(texts, observed=True, hosts_left=2)
    assert (leaked.pointers, leaked.unknown) == (("/0",), MAX_APART - 2)


def test_only_stretches_with_a_match_are_searched_again() -> None:
    counting = Counting()
    search = LeakSearch(secrets("CANARY-1", "CANARY-2"), NOTHING, counting)
    filling = "".join(f"{number:10}" for number in range(STRETCH // 5))
    text = f"{filling}CANARY-2{filling[::-1]}"
    leaked = search.leaked(text, observed=True, hosts_left=1)
    assert (leaked.pointers, leaked.unknown) == (("/1",), 0)
    assert counting.searched == len(list(stretches(text))) + 2


@pytest.mark.parametrize("before", range(-12, 12))
def test_a_value_across_two_stretches_is_found(before: int) -> None:
    for edge in (STRETCH, STRETCH - OVERLAP):
        text = (" " * (edge + before)).replace(" ", ". ", 1) + "CANARY-1" + "." * STRETCH
        search = LeakSearch(secrets("CANARY-1"), NOTHING, Counting())
        assert search.leaked(text, observed=True, hosts_left=1).verdict is Leak.YES


def test_a_long_list_of_two_hosts_is_searched_once() -> None:
    counting = Counting()
    search = LeakSearch(secrets("CANARY-1"), NOTHING, counting)
    rows: list[Json] = [{"key of all": f"clean {index}"} for index in range(1_000)]
    models: list[Json] = [{"a": rows}, [[rows]], {"a": ["CANARY-1", rows]}, ["CANARY-1", {"b": rows}]]
    for model in models:
        verdict = search.leaked(model, observed=True, hosts_left=1).verdict
        assert verdict is (Leak.YES if "CANARY-1" in str(model) else Leak.NO)
    # Keys `a`, `b` and `key of all`, the texts of the rows, and the search for the single value, once for both hosts.
    assert counting.searched == 3 + 1_000 + 1 + 1
    rows.append("CANARY-1")
    assert search.leaked(rows.copy(), observed=True, hosts_left=1).verdict is Leak.YES


def test_a_known_key_is_not_searched_in_short_or_long_objects() -> None:
    for count in (1, 1_000):
        search = LeakSearch(secrets("CANARY-1"), frozenset({"CANARY-1"}), Counting())
        model: JsonObject = {**{str(index): index for index in range(count)}, "CANARY-1": 1}
        assert search.leaked(model, observed=True, hosts_left=1).verdict is Leak.NO
        model["other CANARY-1"] = 1
        fresh = LeakSearch(secrets("CANARY-1"), frozenset({"CANARY-1"}), Counting())
        assert fresh.leaked(model, observed=True, hosts_left=1).verdict is Leak.YES


def test_a_value_too_common_to_search_for_gives_the_verdict_unknown() -> None:
    common: list[Json] = [True, None, 7, "", "x", {"pin": 7}, [[False]]]
    for value in common:
        search = LeakSearch(secrets(value), frozenset({"pin"}), echoes)
        leaked = search.leaked("clean", observed=True, hosts_left=1)
        assert (leaked.verdict, leaked.unknown) == (Leak.UNKNOWN, 1)


def test_a_host_that_was_not_observed_has_the_verdict_unknown() -> None:
    search = LeakSearch(secrets("CANARY-1"), NOTHING, echoes)
    assert search.leaked(None, observed=False, hosts_left=1).verdict is Leak.UNKNOWN
    assert search.leaked(None, observed=True, hosts_left=1).verdict is Leak.NO


def test_nothing_leaks_if_nothing_is_withheld() -> None:
    assert LeakSearch((), NOTHING, echoes).leaked(None, observed=False, hosts_left=1).verdict is Leak.NO


def test_protocol_words_are_not_searched_for() -> None:
    user: JsonObject = {"audience": ["user"]}
    found = withheld(
        {
            "content": [
                {"type": "text", "text": "for you", "annotations": user},
                {"type": "hologram", "mimeType": "text/plain", "beam": "CANARY"},
                {
                    "type": "resource",
                    "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "t"},
                    "annotations": user,
                },
            ]
        }
    )
    assert found == {
        "/content/0": (["for you"],),
        "/content/1": (["CANARY"],),
        "/content/2": ([["a:b", "t"]],),
    }


def test_protocol_words_of_an_entirely_withheld_result_are_not_searched_for() -> None:
    result: JsonObject = {
        "content": [{"type": "text", "text": "words"}],
        "structuredContent": {"s": "CANARY"},
        "isError": True,
    }
    whole = Removal(pointer="", rule=Rule.INTERNAL, detail="")
    declared = Bounded(level=Level.DECLARED, result={"content": []}, removals=(whole,))
    found = secrets_of(result, declared, contract_of(None), DEFAULT_POLICY)
    assert found == (Secret(pointer="", values=([["words"], {"s": "CANARY"}],)),)


def test_only_the_withheld_part_of_a_repeating_text_is_searched_for() -> None:
    schema: JsonObject = {"properties": {"s": {"x-sensitive": True}}}
    structured: JsonObject = {"id": "an identifier", "s": "CANARY-1"}
    text: JsonObject = {"type": "text", "text": dump_text(structured)}
    assert withheld({"content": [text], "structuredContent": structured}, schema) == {
        "/structuredContent/s": ("CANARY-1",)
    }
    assert list(withheld({"content": [text]}, schema).values()) == [("CANARY-1",)]


def test_only_the_missing_members_of_an_object_are_searched_for() -> None:
    schema: JsonObject = {"patternProperties": {"^s": {"x-sensitive": True}}}
    assert withheld({"id": "an identifier", "secret-7": "CANARY"}, schema) == {"": ({"secret-7": "CANARY"},)}
    result: JsonObject = {"structuredContent": {"id": "an identifier", "secret-7": "CANARY"}}
    assert withheld(result, schema) == {"/structuredContent": ({"secret-7": "CANARY"},)}


def test_a_long_text_is_also_searched_for_by_its_beginning_and_end() -> None:
    text = "begin " + "m" * LONG + " finish"
    found = withheld({"s": text}, {"properties": {"s": {"x-sensitive": True}}})
    assert [len(str(value)) for value in found["/s"]] == [len(text), 120, 120]
    search = LeakSearch((Secret(pointer="/s", values=found["/s"]),), NOTHING, echoes)
    assert search.leaked(text[:200] + " … cut", observed=True, hosts_left=1).verdict is Leak.YES


def test_metadata_of_the_protocol_is_not_searched_for_but_other_metadata_is() -> None:
    value: JsonObject = {
        "content": [{"type": "text", "text": "made"}],
        "_meta": {
            "io.modelcontextprotocol/serverInfo": {"name": "orders", "version": "1.2.3"},
            "example.com/token": "planted-4711",
        },
    }
    bounded = bound(Result(value=value), None, Level.DECLARED)
    found = secrets_of(value, bounded, contract_of(None), DEFAULT_POLICY)
    assert [secret.pointer for secret in found] == ["/_meta/example.com~1token"]


def test_metadata_leaks_if_it_is_found_but_does_not_count_as_withheld() -> None:
    cases: list[tuple[Json, Leak]] = [(True, Leak.NO), ("planted-4711", Leak.YES)]
    for value, verdict in cases:
        result: JsonObject = {"content": [], "_meta": {"fastmcp": {"wrap_result": value}}}
        bounded = bound(Result(value=result), None, Level.DECLARED)
        search = LeakSearch(secrets_of(result, bounded, contract_of(None), DEFAULT_POLICY), NOTHING, echoes)
        assert search.count == 0
        found = search.leaked({"seen": value}, observed=True, hosts_left=1)
        assert (found.verdict, found.unknown) == (verdict, 0)


def test_every_host_gets_the_value_of_a_page_as_structured_content_at_every_level() -> None:
    secret = "planted-4711-key"
    schema: JsonObject = {"type": "object", "properties": {"key": {"type": "string", "x-sensitive": True}}}
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {}, "outputSchema": schema})
    outcome = Result(value={"key": secret}, of_page=True)
    for host in hosts():
        seen = {level: dump_text(project(outcome, tool, level, host).context.model) for level in Level}
        of_server = Result(value={"content": [], "structuredContent": {"key": secret}, "isError": False})
        as_server = dump_text(project(of_server, tool, Level.OPEN, host).context.model)
        assert seen[Level.OPEN] == as_server, host.name
        assert secret not in seen[Level.DECLARED] + seen[Level.CLOSED], host.name
