"""`policy-hints`: advisory hints for gateways, in a tool's `_meta`."""

from inspector.claims.claim import LEVELS, Standing, Subject, TraitName, flag, table, verbatim
from inspector.claims.layout import BOOLEAN, Branch, Leaf, VocabularyLayout, one_of

_HINTS = {
    "mcp.dev/effect": Leaf(
        form=one_of("read", "write", "delete", "external"),
        meaning="the main effect of a call",
        implications=(
            verbatim(TraitName.EFFECT, malformed="delete"),
            table(TraitName.DESTRUCTIVE, {"read": False, "delete": True}, malformed=True),
            table(TraitName.OPEN_WORLD, {"external": True}, malformed=True),
        ),
    ),
    "mcp.dev/idempotent": Leaf(
        form=BOOLEAN,
        meaning="a second call with the same arguments has the same result",
        implications=(flag(TraitName.IDEMPOTENT, malformed=False),),
    ),
    "mcp.dev/requiresConfirmation": Leaf(
        form=BOOLEAN,
        meaning="the user should confirm a call",
        implications=(flag(TraitName.CONFIRM),),
    ),
    "mcp.dev/resultSensitivity": Leaf(
        form=one_of(*LEVELS),
        meaning="how widely a result may be shared",
        implications=(
            verbatim(TraitName.SENSITIVITY_LEVEL, malformed="restricted"),
            table(
                TraitName.SENSITIVE,
                {"public": False, "confidential": True, "restricted": True},
                malformed=True,
            ),
        ),
    ),
}

_LAYOUT = VocabularyLayout(
    name="policy-hints",
    standing=Standing.PROPOSAL,
    roots={Subject.TOOL: Branch(members={"_meta": Branch(members=_HINTS)})},
)

VOCABULARY = _LAYOUT.vocabulary(
    title="Advisory policy hints",
    source="modelcontextprotocol, proposal on advisory policy hints for tools",
    as_of="2026-11",
    where='`tool._meta["mcp.dev/…"]`',
    remark="closed",
)
