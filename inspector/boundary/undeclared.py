"""How far `declared` fails open: what passes there and would not pass `closed`."""

from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.construct import Gate, construct
from inspector.boundary.contract import Contract
from inspector.boundary.ledger import Ledger, UnjudgeableError
from inspector.boundary.notice import MEMBER, notice_in_block
from inspector.boundary.own_words import is_own
from inspector.boundary.walking import WITHHELD
from inspector.json.exact import DuplicateKeys, Json, JsonObject


def undeclared(declared: Bounded, contract: Contract) -> int:
    """How many leaves reach a model at `declared` that no schema names. A content block is one leaf.

    `declared`: what that boundary gave. Of a failure, `closed` lets nothing pass but a code of its own.
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


_NO_LEAVES = frozenset({"content", "structuredContent", "isError", "resultType", "_meta"})


def _unnamed(declared: Bounded, result: JsonObject, contract: Contract) -> int:
    """The leaves of structured content that no typed position names."""
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
    """How many scalars a value has, without what a boundary put there."""
    count = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, DuplicateKeys):
            stack.extend(inner for _, inner in item.pairs)
        elif item != WITHHELD:
            count += 1
    return count
