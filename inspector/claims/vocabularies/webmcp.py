"""`webmcp`: the annotations of a page's tools, under the names of the WebMCP draft and of the browser."""

from collections.abc import Iterator

from inspector.claims.claim import Claim, Standing, Subject, TraitName, Word, flag, table
from inspector.claims.layout import BOOLEAN, TEXT, TEXTS, Branch, Leaf, VocabularyLayout, members
from inspector.json.exact import DuplicateKeys, JsonObject

_TO_READ: dict[Word, Word] = {True: "read", False: "write"}
_UNTRUSTED = Leaf(
    form=BOOLEAN,
    default="false",
    meaning="the output contains data that the page does not vouch for",
    implications=(flag(TraitName.UNTRUSTED),),
)
_CONSEQUENTIAL = Leaf(
    form=BOOLEAN,
    default="false",
    meaning="a call has consequences that need the user's consent",
    implications=(flag(TraitName.CONFIRM), table(TraitName.EFFECT, {True: "write"}, malformed="write")),
)

_ANNOTATIONS = Branch(
    members={
        "readOnly": Leaf(
            form=BOOLEAN,
            default="false",
            meaning="readOnlyHint, as named by the browser",
            implications=(table(TraitName.EFFECT, _TO_READ, malformed="write"),),
        ),
        "untrustedContentHint": _UNTRUSTED,
        "untrustedContent": _UNTRUSTED,
        "consequentialHint": _CONSEQUENTIAL,
        "consequential": _CONSEQUENTIAL,
        "debugging": Leaf(
            form=BOOLEAN,
            meaning="the tool is for debugging the page",
            implications=(flag(TraitName.DEBUGGING),),
        ),
        "autosubmit": Leaf(form=BOOLEAN, meaning="a form tool that submits without a click of the user"),
    }
)

_OF_A_PAGE = {
    "exposedTo": Leaf(form=TEXTS, meaning="the other origins that may see the tool"),
    "origin": Leaf(form=TEXT, meaning="the origin of the document that registered the tool"),
    "frame": Leaf(form=TEXT, meaning="the frame of the document that registered the tool"),
    "frameId": Leaf(form=TEXT, meaning="the browser's id of the frame whose document registered the tool"),
}

_LAYOUT = VocabularyLayout(
    name="webmcp",
    standing=Standing.PROPOSAL,
    roots={
        Subject.TOOL: Branch(
            members={
                "title": Leaf(form=TEXT, meaning="a display name; a claim for tools of pages only"),
                "annotations": _ANNOTATIONS,
                **_OF_A_PAGE,
            }
        )
    },
)


def _read(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    of_a_page = any(True for _ in members(root, among=_OF_A_PAGE))
    for claim in _LAYOUT.read(subject, root):
        # MCP tools have a `title` at this place too.
        if of_a_page or claim.pointer != "/title":
            yield claim


VOCABULARY = _LAYOUT.vocabulary(
    title="WebMCP tool annotations",
    source="webmachinelearning.github.io/webmcp, ToolAnnotations; Chrome DevTools Protocol, WebMCP.Annotation",
    as_of="2026-11",
    where="`registerTool` annotations and options; CDP `WebMCP.Tool` (names without `Hint`)",
    read=_read,
    remark="community group draft; Chromium 156",
)
