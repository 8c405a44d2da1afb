"""How something in the vault stands, for the user: a state in a word or two, why, and what can be done."""

from inspector.boundary.secret_references import MalformedReference, SecretReference
from inspector.secrets.states import Expired, ExpiredBy, Revealed, Words, words
from inspector.secrets.vault import Kept, KeptReference, KeptValue
from inspector.urls.host import Refused
from inspector.urls.origin import Allowed

FORGOTTEN = Words(
    state="forgotten",
    why="You let go of it.",
    next="Reveal it again, if the server gives it twice; otherwise call the tool again.",
)
FORGOTTEN_VALUE = Words(state="forgotten", why="You let go of it.", next="Call the tool again for a new one.")
WAITING = Words(
    state="not revealed", why="Nothing has been sent.", next="Reveal asks you first, then fetches it."
)
REVEALING = Words(state="revealing", why="The server is being asked.", next="Wait, at most 10 s.")
STILL_HERE = " The value from before is still here."


def standing(kept: Kept, *, now_s: float, request: Allowed | Refused) -> Words:
    """An item in words. `request`: what redeeming it would send. `now_s`: on the clock of its receipt.

    The reason of a withheld value is the removal's, and may quote foreign text; all else is safe.
    """
    if isinstance(kept, KeptValue):
        if kept.is_forgotten:
            return FORGOTTEN_VALUE
        why = kept.removal.detail
        return Words(
            state=kept.removal.rule, why=f"{why[:1].upper()}{why[1:]}.", next="Peek at it, or forget it."
        )
    reference = kept.found.reference
    if isinstance(reference, MalformedReference):
        why = f"{reference.reason[:1].upper()}{reference.reason[1:]}."
        return Words(
            state="malformed", why=why, next="It cannot be redeemed; its author has to put it right."
        )
    return _of_reference(kept, reference, now_s, request)


def left_s(kept: Kept, now_s: float) -> float | None:
    """Seconds for which a reference may still be redeemed, 0 where its time is over; None where there is no end."""
    reference = kept.found.reference if isinstance(kept, KeptReference) else None
    if not isinstance(kept, KeptReference) or not isinstance(reference, SecretReference):
        return None
    return None if reference.ttl_s is None else max(reference.ttl_s - (now_s - kept.received_s), 0.0)


def _of_reference(
    kept: KeptReference, reference: SecretReference, now_s: float, request: Allowed | Refused
) -> Words:
    if kept.is_busy:
        return REVEALING
    if isinstance(kept.outcome, Revealed):
        return words(kept.outcome)
    if kept.outcome is not None:
        told = words(kept.outcome)
        return Words(state=told.state, why=told.why + STILL_HERE, next=told.next) if kept.has_value else told
    if isinstance(request, Refused):
        return words(request)
    if reference.is_over(received_s=kept.received_s, now_s=now_s):
        return words(Expired(by=ExpiredBy.TTL))
    return FORGOTTEN if kept.is_forgotten else WAITING
