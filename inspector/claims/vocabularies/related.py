"""`related`: hints of single proposals that came before the umbrella one."""

from inspector.claims.bearing import TraitName, flag, table
from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN
from inspector.claims.reading import Branch, Layout, Leaf

_HINTS = {
    "secretHint": Leaf(
        form=BOOLEAN,
        meaning="a result may hold secrets (SEP-1560)",
        bearings=(flag(TraitName.SENSITIVE),),
    ),
    "unsafeOutputHint": Leaf(
        form=BOOLEAN,
        meaning="a result may carry text that steers a model (SEP-1561)",
        bearings=(flag(TraitName.UNTRUSTED),),
    ),
    "trustedHint": Leaf(
        form=BOOLEAN,
        default="false",
        meaning="the tool itself is to be trusted (SEP-1487)",
        bearings=(table(TraitName.UNTRUSTED, {True: False, False: True}, malformed=True),),
    ),
}

_LAYOUT = Layout(
    vocabulary="related",
    standing=Standing.PROPOSAL,
    roots={Subject.TOOL: Branch(members={"annotations": Branch(members=_HINTS)})},
)

VOCABULARY = Vocabulary(
    name="related",
    title="Single tool hints",
    source="github.com/modelcontextprotocol/modelcontextprotocol/issues, 1487, 1560, 1561",
    standing=Standing.PROPOSAL,
    as_of="2026-11",
    where="`tool.annotations`",
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="closed",
)
