"""The arguments of a call that its input schema marks: as `x-sensitive`, write-only, or a password."""

from collections.abc import Iterator

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.removals import Ledger, UnjudgeableError
from inspector.boundary.withhold import withhold
from inspector.json.exact import Json
from inspector.json.pointer import child
from inspector.schema.fields import Field, Form, form_of
from inspector.schema.positions import positions_of

ARGUMENT = "argument"


def sensitive_arguments(arguments: Json, schema: Json) -> tuple[Removal, ...]:
    """What of `arguments` is withheld, by pointers into them; all of it where that cannot be judged. Never raises."""
    try:
        ledger = Ledger(Contract(), "")
        withhold(arguments, positions_of(schema).start(), ledger)
        form = form_of(schema)
        marked = [removal.pointer for removal in ledger.removals]
    except (UnjudgeableError, RecursionError):
        return (_removal(""),)
    return tuple(map(_removal, dict.fromkeys((*marked, *_private(arguments, form)))))


def _private(arguments: Json, form: Form) -> Iterator[str]:
    """Where the sensitive fields of a form are filled in."""
    if not isinstance(arguments, dict):
        return
    waiting: list[tuple[Json, str, Field]] = [
        (arguments[field.name], field.pointer, field) for field in form.fields if field.name in arguments
    ]
    while waiting:
        value, pointer, field = waiting.pop()
        item = field.item
        if item is not None and isinstance(value, list):
            waiting.extend((inner, child(pointer, index), item) for index, inner in enumerate(value))
        elif field.fields and isinstance(value, dict) and not _is_private_itself(field):
            waiting.extend(
                (value[below.name], child(pointer, below.name), below)
                for below in field.fields
                if below.name in value
            )
        elif field.sensitive:
            yield pointer


def _is_private_itself(field: Field) -> bool:
    """Whether all that a field holds is sensitive, so that no member of it can be left."""
    return field.sensitive and all(below.sensitive for below in field.fields)


def _removal(pointer: str) -> Removal:
    return Removal(pointer=pointer, rule=ARGUMENT if pointer else Rule.INTERNAL, detail="")
