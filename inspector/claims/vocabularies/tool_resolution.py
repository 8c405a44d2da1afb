"""`tool-resolution`: the extension for declarations about one call with its arguments."""

from collections.abc import Iterator

from inspector.claims.claim import Claim, Standing, Subject, TraitName, flag, table
from inspector.claims.layout import BOOLEAN, TEXT, Branch, Leaf, ValueForm, VocabularyLayout, members, one_of
from inspector.json.exact import DuplicateKeys, JsonObject

IDENTIFIER = "io.modelcontextprotocol/tool-resolution"

_HINTS = Branch(
    reported=True,
    members={
        "readOnlyHint": Leaf(
            form=BOOLEAN,
            meaning="this call changes nothing (a tool that declares true allows only true)",
            implications=(table(TraitName.EFFECT, {True: "read", False: "write"}, malformed="write"),),
        ),
        "destructiveHint": Leaf(
            form=BOOLEAN,
            meaning="this call may overwrite or delete (a tool that writes and declares false allows only false)",
            implications=(flag(TraitName.DESTRUCTIVE),),
        ),
        "idempotentHint": Leaf(
            form=BOOLEAN,
            meaning="repeating this call has no further effect (a tool that declares true allows only true)",
            implications=(flag(TraitName.IDEMPOTENT, malformed=False),),
        ),
        "openWorldHint": Leaf(
            form=BOOLEAN,
            meaning="this call interacts with an open domain (a tool that declares false allows only false)",
            implications=(flag(TraitName.OPEN_WORLD),),
        ),
    },
)

_MARK = Branch(
    own=True,
    members={
        "resolvable": Leaf(
            form=BOOLEAN,
            meaning="the server answers tools/resolve for this tool",
            implications=(flag(TraitName.RESOLVABLE, malformed=False),),
        )
    },
)

_OLDER = Leaf(
    form=ValueForm(
        words="object", problem=lambda _: "has the older shape of SEP-1862, which repeats the tool"
    ),
    meaning="the older answer of SEP-1862: the whole tool, with the hints in its annotations",
)

_LAYOUT = VocabularyLayout(
    name="tool-resolution",
    standing=Standing.EXTENSION,
    roots={
        Subject.TOOL: Branch(members={"_meta": Branch(members={IDENTIFIER: _MARK})}),
        Subject.RESOLUTION: Branch(
            members={
                "resultType": Leaf(form=one_of("complete"), meaning="marks the complete answer"),
                "name": Leaf(form=TEXT, meaning="the tool of the request"),
                "annotations": _HINTS,
                "tool": Branch(members={"annotations": _HINTS}),
            }
        ),
    },
)


def _read(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    if subject is Subject.RESOLUTION:
        for member in members(root, among=("tool",)):
            yield _LAYOUT.claim(subject, member, _OLDER)
    yield from _LAYOUT.read(subject, root)


VOCABULARY = _LAYOUT.vocabulary(
    title="Tool resolution extension",
    source="github.com/modelcontextprotocol/experimental-ext-tool-annotations, tool-resolution; SEP-1862",
    as_of="2026-11",
    where=f'`tool._meta["{IDENTIFIER}"]`; the result of `tools/resolve`',
    read=_read,
    remark="experimental",
)
