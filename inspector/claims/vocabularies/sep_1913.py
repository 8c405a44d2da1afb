"""`sep-1913`: the trust and sensitivity annotations of the umbrella proposal."""

from inspector.claims.claim import Standing, Subject, TraitName, flag, table, verbatim
from inspector.claims.data_flow import INPUT_METADATA_WITH_OUTCOMES, RETURN_METADATA
from inspector.claims.layout import BOOLEAN, TEXTS, Branch, Leaf, VocabularyLayout

_ON_TOOLS: dict[str, Leaf | Branch] = {
    "maliciousActivityHint": Leaf(
        form=BOOLEAN,
        meaning="an attack was detected or is suspected; withdrawn from the proposal, but still in use",
        implications=(
            flag(TraitName.MALICIOUS),
            # The absence of an attack does not make the source trusted.
            table(TraitName.UNTRUSTED, {True: True}, malformed=True),
        ),
        standing=Standing.WITHDRAWN,
    ),
    "attribution": Leaf(
        form=TEXTS,
        meaning="the sources of the data, as URIs",
        implications=(verbatim(TraitName.ATTRIBUTION, malformed=None),),
    ),
    "inputMetadata": INPUT_METADATA_WITH_OUTCOMES,
    "returnMetadata": RETURN_METADATA,
}

_ON_DATA = _ON_TOOLS | {
    "openWorldHint": Leaf(
        form=BOOLEAN,
        meaning="the result, or the context of the request, contains data from untrusted sources",
        implications=(flag(TraitName.OPEN_WORLD), flag(TraitName.UNTRUSTED)),
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

_LAYOUT = VocabularyLayout(
    name="sep-1913",
    standing=Standing.PROPOSAL,
    roots={
        Subject.TOOL: _IN_TOOL,
        Subject.RESOLUTION: Branch(members={**_IN_TOOL.members, "tool": _IN_TOOL}),
        Subject.RESULT: _IN_META,
        Subject.REQUEST: _IN_META,
    },
)

VOCABULARY = _LAYOUT.vocabulary(
    title="Trust and sensitivity annotations",
    source="github.com/modelcontextprotocol/modelcontextprotocol/pull/1913",
    as_of="2026-11",
    where="`tool.annotations`, `result._meta.annotations`, `request.params._meta.annotations`",
    remark="umbrella of the extensions",
)
