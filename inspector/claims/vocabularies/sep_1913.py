"""`sep-1913`: trust and sensitivity annotations, as the umbrella proposal has them."""

from inspector.claims.bearing import TraitName, flag, table, verbatim
from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.data_flow import INPUT_METADATA_WITH_OUTCOMES, RETURN_METADATA
from inspector.claims.forms import BOOLEAN, TEXTS
from inspector.claims.reading import Branch, Layout, Leaf

_ON_TOOLS: dict[str, Leaf | Branch] = {
    "maliciousActivityHint": Leaf(
        form=BOOLEAN,
        meaning="an attack was detected or is suspected; withdrawn from the proposal since, still seen",
        bearings=(
            flag(TraitName.MALICIOUS),
            # That no attack was seen is no word for the source.
            table(TraitName.UNTRUSTED, {True: True}, malformed=True),
        ),
        standing=Standing.WITHDRAWN,
    ),
    "attribution": Leaf(
        form=TEXTS,
        meaning="the sources that the data come from, as URIs",
        bearings=(verbatim(TraitName.ATTRIBUTION, malformed=None),),
    ),
    "inputMetadata": INPUT_METADATA_WITH_OUTCOMES,
    "returnMetadata": RETURN_METADATA,
}

_ON_DATA = _ON_TOOLS | {
    "openWorldHint": Leaf(
        form=BOOLEAN,
        meaning="on a result: it holds data from untrusted sources; on a request: the context does",
        bearings=(flag(TraitName.OPEN_WORLD), flag(TraitName.UNTRUSTED)),
    )
}

_IN_TOOL = Branch(members={"annotations": Branch(members=_ON_TOOLS)})
_IN_META = Branch(
    members={
        "_meta": Branch(
            members={"annotations": Branch(members=_ON_DATA, reported=True, key="_meta.annotations")}
        )
    }
)

_LAYOUT = Layout(
    vocabulary="sep-1913",
    standing=Standing.PROPOSAL,
    roots={
        Subject.TOOL: _IN_TOOL,
        Subject.RESOLUTION: Branch(members={**_IN_TOOL.members, "tool": _IN_TOOL}),
        Subject.RESULT: _IN_META,
        Subject.REQUEST: _IN_META,
    },
)

VOCABULARY = Vocabulary(
    name="sep-1913",
    title="Trust and sensitivity annotations",
    source="github.com/modelcontextprotocol/modelcontextprotocol/pull/1913",
    standing=Standing.PROPOSAL,
    as_of="2026-11",
    where="`tool.annotations`, `result._meta.annotations`, `request.params._meta.annotations`",
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="umbrella of the extensions",
)
