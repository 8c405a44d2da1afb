"""`webmcp`: what a page declares about its tools, under the names of the draft and under those of the browser."""

from collections.abc import Iterator

from inspector.claims.bearing import TraitName, Word, flag, table
from inspector.claims.claim import Claim, Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN, TEXT, TEXTS
from inspector.claims.reading import Branch, Layout, Leaf, members
from inspector.json.exact import DuplicateKeys, JsonObject

_TO_READ: dict[Word, Word] = {True: "read", False: "write"}
_UNTRUSTED = Leaf(
    form=BOOLEAN,
    default="false",
    meaning="the output holds data that the page does not vouch for",
    bearings=(flag(TraitName.UNTRUSTED),),
)
_CONSEQUENTIAL = Leaf(
    form=BOOLEAN,
    default="false",
    meaning="a call has consequences that the user should agree to",
    bearings=(flag(TraitName.CONFIRM), table(TraitName.EFFECT, {True: "write"}, malformed="write")),
)

_ANNOTATIONS = Branch(
    members={
        "readOnly": Leaf(
            form=BOOLEAN,
            default="false",
            meaning="readOnlyHint, as the browser gives it",
            bearings=(table(TraitName.EFFECT, _TO_READ, malformed="write"),),
        ),
        "untrustedContentHint": _UNTRUSTED,
        "untrustedContent": _UNTRUSTED,
        "consequentialHint": _CONSEQUENTIAL,
        "consequential": _CONSEQUENTIAL,
        "debugging": Leaf(
            form=BOOLEAN,
            meaning="the tool is there for debugging the page",
            bearings=(flag(TraitName.DEBUGGING),),
        ),
        "autosubmit": Leaf(form=BOOLEAN, meaning="a form tool that submits without the user's press"),
    }
)

_OF_A_PAGE = {
    "exposedTo": Leaf(form=TEXTS, meaning="the origins that may see the tool besides the page's own"),
    "origin": Leaf(form=TEXT, meaning="the origin of the document that registered it"),
    "frame": Leaf(form=TEXT, meaning="the frame of that document"),
    "frameId": Leaf(form=TEXT, meaning="the frame of that document, as the browser numbers it"),
}

_LAYOUT = Layout(
    vocabulary="webmcp",
    standing=Standing.PROPOSAL,
    roots={
        Subject.TOOL: Branch(
            members={
                "title": Leaf(form=TEXT, meaning="a name to show to people; claimed for tools of pages only"),
                "annotations": _ANNOTATIONS,
                **_OF_A_PAGE,
            }
        )
    },
)


def _read(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    of_a_page = any(True for _ in members(root, among=_OF_A_PAGE))
    for claim in _LAYOUT.read(subject, root):
        # MCP's own tools have a title in that place too.
        if of_a_page or claim.pointer != "/title":
            yield claim


VOCABULARY = Vocabulary(
    name="webmcp",
    title="WebMCP tool annotations",
    source="webmachinelearning.github.io/webmcp, ToolAnnotations; Chrome DevTools Protocol, WebMCP.Annotation",
    standing=Standing.PROPOSAL,
    as_of="2026-11",
    where="`registerTool` annotations and options; CDP `WebMCP.Tool` (names without `Hint`)",
    keys=_LAYOUT.keys,
    read=_read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="community group draft; Chromium 156",
)
