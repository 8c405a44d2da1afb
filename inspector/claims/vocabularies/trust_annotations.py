"""`trust-annotations`: the extension that labels results and content blocks."""

from inspector.claims.bearing import TraitName, flag
from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN, TEXT
from inspector.claims.reading import Branch, Layout, Leaf

IDENTIFIER = "io.modelcontextprotocol/trust-annotations"

_EVIDENCE = Branch(
    own=True,
    dotted=True,
    required=("type", "digest", "canonicalization"),
    members={
        "type": Leaf(form=TEXT, meaning="the scheme of the record; an open set"),
        "digest": Leaf(form=TEXT, meaning="the hash of the record"),
        "canonicalization": Leaf(form=TEXT, meaning="how the record was turned into bytes before hashing"),
        "schema": Leaf(form=TEXT, meaning="where the record's schema is"),
        "ref": Leaf(form=TEXT, meaning="where the record is"),
    },
)

_LABELS = Branch(
    own=True,
    members={
        "sensitive": Leaf(
            form=BOOLEAN,
            meaning="the content must not spread",
            bearings=(flag(TraitName.SENSITIVE),),
        ),
        "untrusted": Leaf(
            form=BOOLEAN,
            meaning="somebody whom the server does not vouch for had a hand in the content",
            bearings=(flag(TraitName.UNTRUSTED),),
        ),
        "evidenceRef": _EVIDENCE,
    },
)

_IN_META = Branch(members={"_meta": Branch(members={IDENTIFIER: _LABELS})})

_LAYOUT = Layout(
    vocabulary="trust-annotations",
    standing=Standing.EXTENSION,
    roots={Subject.RESULT: _IN_META, Subject.BLOCK: _IN_META},
)

VOCABULARY = Vocabulary(
    name="trust-annotations",
    title="Trust annotations extension",
    source="github.com/modelcontextprotocol/experimental-ext-tool-annotations, trust-annotations",
    standing=Standing.EXTENSION,
    as_of="2026-11",
    where=f'`_meta["{IDENTIFIER}"]` of a result or a content block',
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="experimental",
)
