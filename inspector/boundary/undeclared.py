"""Counts the values that pass the level `declared` but would not pass the level `closed`."""

from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.construct import Gate, construct
from inspector.boundary.contract import Contract
from inspector.boundary.notice import MEMBER, is_own, notice_in_block
from inspector.boundary.removals import Ledger, UnjudgeableError
from inspector.boundary.walking import WITHHELD
from inspector.json.exact import Json, JsonObject
from inspector.json.walk import CONTAINERS, below


def undeclared(declared: Bounded, contract: Contract) -> int:
    """The number of leaves that reach a model at level `declared` although no schema describes them.

    A content block is one leaf. An error counts without its code. `declared`: the bounded result at that
    level.
    """
    result = declared.result if isinstance(declared.result, dict) else {}
    if "error" in result:
        error = result["error"] if isinstance(result["error"], dict) else {}
        return sum(_leaves(value) for key, value in error.items() if key != "code")
    names = contract.names
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    free = sum(not (notice_in_block(block, names) or is_own(block, Level.DECLARED)) for block in blocks)
    repeated = 0 if declared.error else declared.repetitions
    others = (value for key, value in result.items() if key not in _NO_LEAVES)
    return free - repeated + sum(map(_leaves, others)) + _unnamed(declared, result, contract)


def undescribed_words(number: int) -> str:
    """The sentence that says how many values pass at level `declared` although no schema describes them."""
    values, them = ("1 value is", "it") if number == 1 else (f"{number:,} values are", "them")
    return f"{values} not in the output schema, so `declared` lets {them} through"


_NO_LEAVES = frozenset({"content", "structuredContent", "isError", "resultType", "_meta"})


def _unnamed(declared: Bounded, result: JsonObject, contract: Contract) -> int:
    """The leaves of structured content to which the output schema gives no type."""
    if "structuredContent" not in result:
        return 0
    structured = result["structuredContent"]
    if isinstance(structured, dict):
        structured = {key: value for key, value in structured.items() if key != MEMBER}
    whole = _leaves(structured)
    if contract.positions is None or declared.error:
        return whole
    try:
        gate = Gate(declared=True, hint=None)
        named = construct(structured, contract.positions.start(), Ledger(contract, ""), gate)
    except UnjudgeableError:
        return whole
    return whole if named.gone else whole - _leaves(named.value)


def _leaves(value: Json) -> int:
    """The number of scalars, without the boundary's placeholders."""
    count = 0
    pieces = iter([[value]])
    while True:
        inner: list[Json] = []
        for piece in pieces:
            containers = [member for member in piece if type(member) in CONTAINERS]
            count += len(piece) - len(containers) - piece.count(WITHHELD)
            inner += containers
        if not inner:
            return count
        pieces = below(inner)
