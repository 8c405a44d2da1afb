"""`tool-resolution`: the extension by which a server says what one call, with its arguments, would do."""

from collections.abc import Iterator

from inspector.claims.bearing import TraitName, flag, table
from inspector.claims.claim import Claim, Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN, TEXT, Form, one_of
from inspector.claims.reading import Branch, Layout, Leaf, members
from inspector.json.exact import DuplicateKeys, JsonObject

IDENTIFIER = "io.modelcontextprotocol/tool-resolution"

_HINTS = Branch(
    reported=True,
    members={
        "readOnlyHint": Leaf(
            form=BOOLEAN,
            meaning="this call changes nothing; true for a tool stays true",
            bearings=(table(TraitName.EFFECT, {True: "read", False: "write"}, malformed="write"),),
        ),
        "destructiveHint": Leaf(
            form=BOOLEAN,
            meaning="this call may overwrite or delete; false for a tool that writes stays false",
            bearings=(flag(TraitName.DESTRUCTIVE),),
        ),
        "idempotentHint": Leaf(
            form=BOOLEAN,
            meaning="repeating this call adds nothing; true for a tool stays true",
            bearings=(flag(TraitName.IDEMPOTENT, malformed=False),),
        ),
        "openWorldHint": Leaf(
            form=BOOLEAN,
            meaning="this call deals with things outside a closed domain; false for a tool stays false",
            bearings=(flag(TraitName.OPEN_WORLD),),
        ),
    },
)

_MARK = Branch(
    own=True,
    members={
        "resolvable": Leaf(
            form=BOOLEAN,
            meaning="the server answers tools/resolve for this tool",
            bearings=(flag(TraitName.RESOLVABLE, malformed=False),),
        )
    },
)

_OLDER = Leaf(
    form=Form(words="object", problem=lambda _: "is the older shape of SEP-1862, which repeats the tool"),
    meaning="SEP-1862's older answer: the whole tool, with the hints among its annotations",
)

_LAYOUT = Layout(
    vocabulary="tool-resolution",
    standing=Standing.EXTENSION,
    roots={
        Subject.TOOL: Branch(members={"_meta": Branch(members={IDENTIFIER: _MARK})}),
        Subject.RESOLUTION: Branch(
            members={
                "resultType": Leaf(form=one_of("complete"), meaning="that this is the whole answer"),
                "name": Leaf(form=TEXT, meaning="the tool that was asked about; must be the one named"),
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


VOCABULARY = Vocabulary(
    name="tool-resolution",
    title="Tool resolution extension",
    source="github.com/modelcontextprotocol/experimental-ext-tool-annotations, tool-resolution; SEP-1862",
    standing=Standing.EXTENSION,
    as_of="2026-11",
    where=f'`tool._meta["{IDENTIFIER}"]`; the result of `tools/resolve`',
    keys=_LAYOUT.keys,
    read=_read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="experimental",
)
