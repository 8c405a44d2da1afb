"""`trust-annotations`: the extension with labels for results and content blocks."""

from inspector.claims.claim import Standing, Subject, TraitName, flag
from inspector.claims.layout import BOOLEAN, TEXT, Branch, Leaf, VocabularyLayout

IDENTIFIER = "io.modelcontextprotocol/trust-annotations"

_EVIDENCE = Branch(
    own=True,
    dotted=True,
    required=("type", "digest", "canonicalization"),
    members={
        "type": Leaf(form=TEXT, meaning="the scheme of the record (an open set)"),
        "digest": Leaf(form=TEXT, meaning="the hash of the record"),
        "canonicalization": Leaf(form=TEXT, meaning="the serialization of the record before hashing"),
        "schema": Leaf(form=TEXT, meaning="the location of the schema of the record"),
        "ref": Leaf(form=TEXT, meaning="the location of the record"),
    },
)

_LABELS = Branch(
    own=True,
    members={
        "sensitive": Leaf(
            form=BOOLEAN,
            meaning="the content must not be shared",
            implications=(flag(TraitName.SENSITIVE),),
        ),
        "untrusted": Leaf(
            form=BOOLEAN,
            meaning="the content comes in part from sources that the server does not vouch for",
            implications=(flag(TraitName.UNTRUSTED),),
        ),
        "evidenceRef": _EVIDENCE,
    },
)

_IN_META = Branch(members={"_meta": Branch(members={IDENTIFIER: _LABELS})})

_LAYOUT = VocabularyLayout(
    name="trust-annotations",
    standing=Standing.EXTENSION,
    roots={Subject.RESULT: _IN_META, Subject.BLOCK: _IN_META},
)

VOCABULARY = _LAYOUT.vocabulary(
    title="Trust annotations extension",
    source="github.com/modelcontextprotocol/experimental-ext-tool-annotations, trust-annotations",
    as_of="2026-11",
    where=f'`_meta["{IDENTIFIER}"]` of a result or a content block',
    remark="experimental",
)
