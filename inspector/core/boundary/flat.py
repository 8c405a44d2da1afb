"""The shortcut for containers that hold scalars alone, which large results mostly consist of.

It does nothing that entering them would not do, in a third of the time.
"""

from inspector.core.boundary.ledger import Ledger
from inspector.core.boundary.walking import Step, is_reference
from inspector.core.json_text import Json, JsonObject
from inspector.core.pointer import child
from inspector.core.schema.admission import SCALARS
from inspector.core.schema.positions import Position


def left_of_flat(
    above: Step, token: str | int, position: Position, value: Json, ledger: Ledger, *, declared: bool
) -> Json:
    """What passes of a flat container, `value` itself where all does; None where it has to be entered.

    `position`: its own, not sensitive and, where only typed positions pass (`declared`), one for its kind.
    """
    if isinstance(value, dict):
        return _left_of_object(above, token, position, value, ledger, declared=declared)
    item = position.every_item
    if not isinstance(value, list) or item is None or item.sensitive is not None:
        return None
    passing = item.plain if declared else SCALARS
    return value if passing.issuperset(map(type, value)) else None


def _left_of_object(
    above: Step, token: str | int, position: Position, value: JsonObject, ledger: Ledger, *, declared: bool
) -> JsonObject | None:
    known = position.by_key
    marked: list[str] = []
    for key, inner in value.items():
        below = known.get(key) or position.step(key)
        if below.hides_key:
            return None
        if below.sensitive is not None:
            marked.append(key)
        elif type(inner) not in (below.plain if declared else SCALARS):
            return None
    if position.keys is not None or is_reference(value):
        return None
    if not marked:
        return value
    left = value.copy()
    pointer = child(above.pointer(ledger), token)
    for key in marked:
        source = position.step(key).sensitive
        inner = left.pop(key)
        if source:
            ledger.mark(pointer, key, source, key if key in position.names else None, inner)
    return left
