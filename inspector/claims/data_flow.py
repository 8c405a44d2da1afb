"""The keys on where data goes and comes from: two vocabularies define them, with one meaning.

Source: SEP-1913, Action Security Metadata; the action-metadata extension took them over.
"""

from inspector.claims.bearing import OUTCOMES, Bearing, TraitName, Word, table, verbatim
from inspector.claims.forms import BOOLEAN, DATA_CLASS, possible
from inspector.claims.reading import Branch, Leaf

_CLASSES = ("user", "pii", "financial", "credentials", "regulated")
_IS_SENSITIVE: dict[Word, Word] = {"none": False, **dict.fromkeys(_CLASSES, True)}
_CHANGES: dict[Word, Word] = {"consequential": "write", "irreversible": "write"}

RETURNED: tuple[Bearing, ...] = (
    table(TraitName.SENSITIVE, _IS_SENSITIVE, malformed=True),
    verbatim(TraitName.DATA_CLASSES, malformed="credentials"),
)
ORIGIN: tuple[Bearing, ...] = (
    verbatim(TraitName.SOURCES, malformed="untrustedPublic"),
    table(
        TraitName.UNTRUSTED,
        {"untrustedPublic": True, "trustedPublic": False, "internal": False, "system": False},
        malformed=True,
    ),
    table(TraitName.OPEN_WORLD, {"untrustedPublic": True, "trustedPublic": True}, malformed=True),
)
DESTINED: tuple[Bearing, ...] = (
    verbatim(TraitName.DESTINATIONS, malformed="public"),
    table(TraitName.EFFECT, {"public": "external"}, malformed="external"),
    table(TraitName.OPEN_WORLD, {"public": True}, malformed=True),
)

OUTCOME = Leaf(
    form=possible(*OUTCOMES),
    meaning="what a call does in the world, at the worst",
    bearings=(
        verbatim(TraitName.OUTCOME, malformed="irreversible"),
        table(TraitName.EFFECT, _CHANGES, malformed="write"),
    ),
)
DESTINATION = Leaf(
    form=possible("ephemeral", "system", "user", "internal", "public"),
    meaning="where the arguments may be kept or sent",
    bearings=DESTINED,
)
ACCEPTED = Leaf(
    form=DATA_CLASS,
    meaning="the classes of data that the arguments may hold",
    effect="none; compared with the destination",
)
SOURCE = Leaf(
    form=possible("untrustedPublic", "trustedPublic", "internal", "user", "system"),
    meaning="where the returned data come from",
    bearings=ORIGIN,
)
SENSITIVITY = Leaf(
    form=DATA_CLASS,
    meaning="the classes of data that a result may hold",
    bearings=RETURNED,
)
REVIEW = Leaf(
    form=BOOLEAN,
    meaning="somebody must look at the call before it is made",
    bearings=(table(TraitName.CONFIRM, {True: True, False: False}, malformed=True),),
)

RETURN_METADATA = Branch(own=True, dotted=True, members={"source": SOURCE, "sensitivity": SENSITIVITY})
INPUT_METADATA = Branch(own=True, dotted=True, members={"destination": DESTINATION, "sensitivity": ACCEPTED})
INPUT_METADATA_WITH_OUTCOMES = Branch(
    own=True, dotted=True, members={**INPUT_METADATA.members, "outcomes": OUTCOME}
)
