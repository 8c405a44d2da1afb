from inspector.boundary.contract import contract_of
from inspector.claims.once import once
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import traits, traits_of_tool
from inspector.protocol.catalogue import Tool


def tool(*, read_only: bool) -> Tool:
    return Tool(name="t", definition={"name": "t", "annotations": {"readOnlyHint": read_only}})


def test_a_tool_is_read_once_and_an_equal_one_separately() -> None:
    asked: list[Tool] = []

    @once
    def work(tool: Tool) -> object:
        asked.append(tool)
        return object()

    first, again, other = tool(read_only=True), tool(read_only=True), tool(read_only=False)
    assert work(first) is work(first)
    assert len({id(work(each)) for each in (first, again, other)}) == 3
    assert [id(each) for each in asked] == [id(first), id(again), id(other)]


def test_a_changed_definition_has_its_own_claims_traits_and_contract() -> None:
    for read_only in (True, False, True):
        now = tool(read_only=read_only)
        assert [claim.value for claim in claims_of_tool(now) if claim.key == "readOnlyHint"] == [read_only]
        assert traits_of_tool(now) == traits(claims_of_tool(now))
        assert (traits_of_tool(now).effect.value == "read") is read_only
        assert contract_of(now).claims == claims_of_tool(now)


def test_a_function_that_raised_is_called_again() -> None:
    asked: list[Tool] = []

    @once
    def work(tool: Tool) -> object:
        asked.append(tool)
        raise ValueError

    one = tool(read_only=True)
    for _ in range(2):
        try:
            work(one)
        except ValueError:
            continue
    assert len(asked) == 2
