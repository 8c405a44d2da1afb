"""The keys for origin and destination of data, shared by two vocabularies.

Source: SEP-1913, Action Security Metadata; the action-metadata extension adopted them.
"""

from inspector.claims.claim import OUTCOMES, Implication, TraitName, Word, table, verbatim
from inspector.claims.layout import BOOLEAN, DATA_CLASS, Branch, Leaf, possible

_CLASSES = ("user", "pii", "financial", "credentials", "regulated")
_IS_SENSITIVE: dict[Word, Word] = {"none": False, **dict.fromkeys(_CLASSES, True)}
_CHANGES: dict[Word, Word] = {"consequential": "write", "irreversible": "write"}

RETURNED: tuple[Implication, ...] = (
    table(TraitName.SENSITIVE, _IS_SENSITIVE, malformed=True),
    verbatim(TraitName.DATA_CLASSES, malformed="credentials"),
)
ORIGIN: tuple[Implication, ...] = (
    verbatim(TraitName.SOURCES, malformed="untrustedPublic"),
    table(
        TraitName.UNTRUSTED,
        {"untrustedPublic": True, "trustedPublic": False, "internal": False, "system": False},
        malformed=True,
    ),
    table(TraitName.OPEN_WORLD, {"untrustedPublic": True, "trustedPublic": True}, malformed=True),
)
DESTINED: tuple[Implication, ...] = (
    verbatim(TraitName.DESTINATIONS, malformed="public"),
    table(TraitName.EFFECT, {"public": "external"}, malformed="external"),
    table(TraitName.OPEN_WORLD, {"public": True}, malformed=True),
)

OUTCOME = Leaf(
    form=possible(*OUTCOMES),
    meaning="the worst outcome of a call",
    implications=(
        verbatim(TraitName.OUTCOME, malformed="irreversible"),
        table(TraitName.EFFECT, _CHANGES, malformed="write"),
    ),
)
DESTINATION = Leaf(
    form=possible("ephemeral", "system", "user", "internal", "public"),
    meaning="where the arguments may be stored or sent",
    implications=DESTINED,
)
ACCEPTED = Leaf(
    form=DATA_CLASS,
    meaning="the classes of data in the arguments",
    effect="none; compared with the destination",
)
SOURCE = Leaf(
    form=possible("untrustedPublic", "trustedPublic", "internal", "user", "system"),
    meaning="where the returned data comes from",
    implications=ORIGIN,
)
SENSITIVITY = Leaf(
    form=DATA_CLASS,
    meaning="the classes of data in a result",
    implications=RETURNED,
)
REVIEW = Leaf(
    form=BOOLEAN,
    meaning="a person must review the call first",
    implications=(table(TraitName.CONFIRM, {True: True, False: False}, malformed=True),),
)

RETURN_METADATA = Branch(own=True, dotted=True, members={"source": SOURCE, "sensitivity": SENSITIVITY})
INPUT_METADATA = Branch(own=True, dotted=True, members={"destination": DESTINATION, "sensitivity": ACCEPTED})
INPUT_METADATA_WITH_OUTCOMES = Branch(
    own=True, dotted=True, members={**INPUT_METADATA.members, "outcomes": OUTCOME}
)
