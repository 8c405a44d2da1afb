"""`ifc`: information-flow labels in `_meta.ifc`, as some servers send them."""

from inspector.claims.claim import Standing, Subject, TraitName, table
from inspector.claims.layout import Branch, Leaf, VocabularyLayout, one_of

_LABEL = Branch(
    own=True,
    members={
        "integrity": Leaf(
            form=one_of("trusted", "untrusted"),
            meaning="whether all contributors to the data are trusted",
            implications=(table(TraitName.UNTRUSTED, {"trusted": False, "untrusted": True}, malformed=True),),
        ),
        "confidentiality": Leaf(
            form=one_of("public", "private"),
            meaning="who may read the data",
            implications=(table(TraitName.SENSITIVE, {"public": False, "private": True}, malformed=True),),
        ),
    },
)

_IN_META = Branch(members={"_meta": Branch(members={"ifc": _LABEL})})

_LAYOUT = VocabularyLayout(
    name="ifc",
    standing=Standing.VENDOR,
    roots={Subject.TOOL: _IN_META, Subject.RESULT: _IN_META, Subject.BLOCK: _IN_META},
)

VOCABULARY = _LAYOUT.vocabulary(
    title="Information-flow labels",
    source="github.com/github/github-mcp-server",
    as_of="2026-11",
    where="`_meta.ifc` of a tool, a result or a content block",
)
