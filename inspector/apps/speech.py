"""The messages of an MCP Apps interface to the model, treated like tool results.

They count as untrusted, and values that are withheld from the model are removed from them.
"""

from collections.abc import Iterable

from inspector.boundary.bounded import Level, Rule
from inspector.boundary.contract import Contract
from inspector.boundary.judgement import Judgement
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.reading import raw_of
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import resolve
from inspector.json.weight import compact_bytes
from inspector.protocol.outcome import Result
from inspector.session.call_record import CallRecord

_PASSES = frozenset({Rule.MIRROR, Rule.ECHO, Rule.UNTRUSTED})
"""Rules whose removals `kept_back` leaves out.

Such a removal is a copy of a value that another rule withholds, or content that a model gets between markers.
"""


def kept_back(records: Iterable[CallRecord]) -> tuple[Json, ...]:
    """The values that an interface received and that the boundary level `declared` withholds from a model.

    `records`: the calls whose results or errors the interface has received. Takes linear time.
    """
    values: list[Json] = []
    for record in records:
        raw = raw_of(record.outcome)
        if record.policy.withheld:
            values.append(raw)
        bounded = record.judgement.bounded(Level.DECLARED, record.policy.about_secrets)
        values.extend(resolve(raw, each.pointer) for each in bounded.removals if each.rule not in _PASSES)
    return tuple(values)


def speech_record(
    method: str,
    value: JsonObject,
    given: Iterable[CallRecord],
    *,
    number: int,
    nonce: str,
    at_s: float,
    policy: BoundaryPolicy,
) -> CallRecord:
    """A call record in which the result is a message of an MCP Apps interface to the model.

    `value`: from `spoken_in`. `given`: the calls whose results or errors the interface has received. Linear
    in their size.
    """
    contract = Contract(is_of_app=True, kept_back=kept_back(given))
    return CallRecord(
        number=number,
        name=method,
        arguments={},
        judgement=Judgement(Result(value=value), None, nonce=nonce, contract=contract),
        at_s=at_s,
        duration_s=0.0,
        size_bytes=compact_bytes(value),
        received_s=at_s,
        policy=policy,
    )
