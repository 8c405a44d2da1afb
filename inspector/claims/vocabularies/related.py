"""`related`: single hint keys from proposals older than SEP-1913."""

from inspector.claims.claim import Standing, Subject, TraitName, flag, table
from inspector.claims.layout import BOOLEAN, Branch, Leaf, VocabularyLayout

_HINTS = {
    "secretHint": Leaf(
        form=BOOLEAN,
        meaning="a result may contain secrets (SEP-1560)",
        implications=(flag(TraitName.SENSITIVE),),
    ),
    "unsafeOutputHint": Leaf(
        form=BOOLEAN,
        meaning="a result may contain text that manipulates a model (SEP-1561)",
        implications=(flag(TraitName.UNTRUSTED),),
    ),
    "trustedHint": Leaf(
        form=BOOLEAN,
        default="false",
        meaning="the tool is trusted (SEP-1487)",
        implications=(table(TraitName.UNTRUSTED, {True: False, False: True}, malformed=True),),
    ),
}

_LAYOUT = VocabularyLayout(
    name="related",
    standing=Standing.PROPOSAL,
    roots={Subject.TOOL: Branch(members={"annotations": Branch(members=_HINTS)})},
)

VOCABULARY = _LAYOUT.vocabulary(
    title="Single tool hints",
    source="github.com/modelcontextprotocol/modelcontextprotocol/issues, 1487, 1560, 1561",
    as_of="2026-11",
    where="`tool.annotations`",
    remark="closed",
)
