"""`ifc`: information-flow labels in `_meta.ifc`, as some servers send them."""

from inspector.claims.bearing import TraitName, table
from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.forms import one_of
from inspector.claims.reading import Branch, Layout, Leaf

_LABEL = Branch(
    own=True,
    members={
        "integrity": Leaf(
            form=one_of("trusted", "untrusted"),
            meaning="whether only trusted parties had a hand in the data",
            bearings=(table(TraitName.UNTRUSTED, {"trusted": False, "untrusted": True}, malformed=True),),
        ),
        "confidentiality": Leaf(
            form=one_of("public", "private"),
            meaning="who may read the data",
            bearings=(table(TraitName.SENSITIVE, {"public": False, "private": True}, malformed=True),),
        ),
    },
)

_IN_META = Branch(members={"_meta": Branch(members={"ifc": _LABEL})})

_LAYOUT = Layout(
    vocabulary="ifc",
    standing=Standing.VENDOR,
    roots={Subject.TOOL: _IN_META, Subject.RESULT: _IN_META, Subject.BLOCK: _IN_META},
)

VOCABULARY = Vocabulary(
    name="ifc",
    title="Information-flow labels",
    source="github.com/github/github-mcp-server",
    standing=Standing.VENDOR,
    as_of="2026-11",
    where="`_meta.ifc` of a tool, a result or a content block",
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
)
