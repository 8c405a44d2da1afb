"""`policy-hints`: advisory hints for gateways, in a tool's `_meta`."""

from inspector.claims.bearing import LEVELS, TraitName, flag, table, verbatim
from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN, one_of
from inspector.claims.reading import Branch, Layout, Leaf

_HINTS = {
    "mcp.dev/effect": Leaf(
        form=one_of("read", "write", "delete", "external"),
        meaning="the main thing that a call does",
        bearings=(
            verbatim(TraitName.EFFECT, malformed="delete"),
            table(TraitName.DESTRUCTIVE, {"read": False, "delete": True}, malformed=True),
            table(TraitName.OPEN_WORLD, {"external": True}, malformed=True),
        ),
    ),
    "mcp.dev/idempotent": Leaf(
        form=BOOLEAN,
        meaning="a second call with the same arguments gives the same",
        bearings=(flag(TraitName.IDEMPOTENT, malformed=False),),
    ),
    "mcp.dev/requiresConfirmation": Leaf(
        form=BOOLEAN,
        meaning="the server would have the user asked before a call",
        bearings=(flag(TraitName.CONFIRM),),
    ),
    "mcp.dev/resultSensitivity": Leaf(
        form=one_of(*LEVELS),
        meaning="how far a result may spread",
        bearings=(
            verbatim(TraitName.SENSITIVITY_LEVEL, malformed="restricted"),
            table(
                TraitName.SENSITIVE,
                {"public": False, "confidential": True, "restricted": True},
                malformed=True,
            ),
        ),
    ),
}

_LAYOUT = Layout(
    vocabulary="policy-hints",
    standing=Standing.PROPOSAL,
    roots={Subject.TOOL: Branch(members={"_meta": Branch(members=_HINTS)})},
)

VOCABULARY = Vocabulary(
    name="policy-hints",
    title="Advisory policy hints",
    source="modelcontextprotocol, proposal on advisory policy hints for tools",
    standing=Standing.PROPOSAL,
    as_of="2026-11",
    where='`tool._meta["mcp.dev/…"]`',
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="closed",
)
