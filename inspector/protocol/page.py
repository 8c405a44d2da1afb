"""Facts about a page's tool that are not in its definition, such as its source and its origin."""

from enum import StrEnum

from msgspec import Struct

from inspector.json.exact import Json, JsonObject, Malformed
from inspector.json.members import value_at
from inspector.protocol.outcome import Failure, FailureKind, Outcome, Result, RpcError

_OF_TOOLS = "WebMCP."
_OF_LISTS = frozenset({"WebMCP.enable", "WebMCP.toolsAdded", "WebMCP.toolsRemoved"})
INVOKE = "WebMCP.invokeTool"
"""The browser's request that begins a call. The reply holds only the id of the invocation."""
RESPONDED = "WebMCP.toolResponded"
"""The browser's event that ends a call."""
_OLD_CODE = -31954
"""The code that older recordings have in an error that a page's tool threw. The tool itself gave no code."""

_FEATURE = "tools"
_MAX_GRANTS = 100
"""The maximum number of words that are read from one directive of `allow`."""


def is_about_call(method: str) -> bool:
    """True if a method of the browser is about a call of a page's tool, not about lists of tools or anything else."""
    return method.startswith(_OF_TOOLS) and method not in _OF_LISTS


class ToolKind(StrEnum):
    """The way in which a page declared a tool."""

    SCRIPT = "script"
    """By calling `registerTool`, which is the imperative API of the draft."""
    FORM = "form"
    """By attributes on a form, which are the declarative API of the draft."""


class Forms(StrEnum):
    """What Sightline does with a form that a call has filled in and that does not submit itself."""

    WAIT = "wait"
    """Wait until the user submits the form."""
    LEAVE = "leave"
    """End the call when the form is filled in."""
    SUBMIT = "submit"


class SourcePlace(Struct, frozen=True, kw_only=True):
    """The place in a page's source at which a tool was registered. Lines and columns count from 1."""

    url: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.url}:{self.line}:{self.column}"


class Evidence(StrEnum):
    """How far Sightline saw the declaration of a tool by the page, and whether the browser's report agrees with it."""

    SEEN = "seen"
    """Sightline's hook in the page read the whole declaration.

    The browser has the same name, description and input schema.
    """
    PARTLY = "partly"
    """The hook could not read the whole declaration.

    The declaration is too large, too deep or circular, or part of it is behind an accessor or has a `toJSON`.
    """
    DIFFERS = "differs"
    """The page gave the hook and the browser different names, descriptions or input schemas."""
    MISSED = "missed"
    """A script registered the tool without the hook, which was installed before the page's first script."""
    UNWATCHED = "unwatched"
    """The document was loaded before Sightline installed the hook."""
    FORM = "form"
    """The tool is a form. The browser reads it from the document, without the hook."""


class Reach(StrEnum):
    """The kind of origin that an entry of `exposedTo` names, seen from the document that registered the tool."""

    OWN = "own"
    """The document's own origin, which always has access."""
    OTHER = "other"
    """Another origin, over https or on this machine."""
    INSECURE = "insecure"
    """Another origin over an unencrypted scheme, not on this machine."""
    OPAQUE = "opaque"
    """An address without a comparable origin, such as `data:`, `file:` or `null`."""
    UNREADABLE = "unreadable"
    """Not an address, for example `*`."""


class Exposure(Struct, frozen=True, kw_only=True):
    """One entry of `exposedTo`, as the page gave it."""

    text: str
    """The text as declared. Untrusted text."""
    reach: Reach


class FramePolicy(Struct, frozen=True, kw_only=True):
    """The settings of the permissions-policy feature `tools` for one document.

    They come from the frame's element and from the browser's verdict. A response header is known only if it forbids
    tools. Source: WebMCP draft, section 4.5; https://w3c.github.io/webappsec-permissions-policy/.
    """

    element: str | None
    """The frame's element in lower case, such as `iframe`; None for the page itself, or if it could not be read."""
    allow: str | None = None
    """The element's `allow` attribute as written, untrusted; None if it has none."""
    is_sandboxed: bool = False
    """True if the element has a `sandbox` attribute."""
    blocked_by: str | None = None
    """The reason why tools are not permitted, in the browser's word (`Header`, `IframeAttribute`).

    None if they are permitted, or if the browser gives no reason.
    """

    @property
    def grants(self) -> tuple[str, ...] | None:
        """The origins that `allow` names for `tools`: `*`, `'src'`, `'self'`, `'none'` or addresses.

        None if `allow` does not mention `tools`.
        """
        for directive in (self.allow or "").split(";"):
            feature, *names = directive.split()[:_MAX_GRANTS] or [""]
            if feature == _FEATURE:
                return tuple(names) or ("'src'",)
        return None


class PageDocument(Struct, frozen=True, kw_only=True):
    """One document in one frame. All of it is untrusted."""

    frame_id: str
    loader_id: str
    """The id of this document. After a navigation, the frame has a document with another id."""
    url: str
    origin: str
    """The serialized origin; `null` or `://` if it is opaque."""
    parent_id: str | None = None
    is_observed: bool = True
    """True if Sightline watched the document from before its first script.

    If not, its earlier declarations are unknown.
    """
    is_permitted: bool | None = None
    """True if the permissions policy lets the document offer tools; None if the browser does not say."""
    policy: FramePolicy | None = None
    """The settings that decide whether the document may offer tools; None if none could be read."""
    false_reports: int = 0
    """The number of forged reports, which a script of the page sent over the hook's channel."""


class RefusedTool(Malformed, frozen=True, kw_only=True):
    """A tool that a page declared and its browser refused. `reason` holds the browser's words, which are untrusted."""

    document: PageDocument
    place: SourcePlace | None = None


class PageFacts(Struct, frozen=True, kw_only=True):
    """The source of a page's tool, and the facts that the page and the browser each report about it."""

    document: PageDocument
    kind: ToolKind
    tool_id: str | None
    """The browser's id of the tool; None if it has none."""
    place: SourcePlace | None
    exposed_to: tuple[str, ...]
    """The entries of `exposedTo` as declared; empty if they were not seen."""
    kept: Json
    """The tool as the browser stores it, unchanged."""
    declared: Json
    """The tool as the page declared it; None if that was not seen, as for forms."""
    options: Json
    """The second argument of `registerTool`; None if it was not seen."""
    agent: Json
    """The value that `getTools()` returns to an agent in the page; None if it returns nothing."""
    dropped: tuple[str, ...] = ()
    """Pointers into the definition to members that the page declared and the browser did not store."""
    changed: tuple[str, ...] = ()
    """Pointers into the definition to members that the browser stored with another value."""
    faults: tuple[str, ...] = ()
    """Violations of the WebMCP draft, in Sightline's words."""
    evidence: Evidence = Evidence.UNWATCHED
    """How far Sightline saw the page declare the tool."""
    exposures: tuple[Exposure, ...] = ()
    """The entries of `exposed_to` with their reach, in the same order."""

    @property
    def waits_for_submit(self) -> bool:
        """True if the tool is a form without `toolautosubmit`, which a call only fills in."""
        submits = value_at(self.kept, "annotations", "autosubmit") is True
        return self.kind is ToolKind.FORM and not submits

    @property
    def form_node(self) -> int | None:
        """The id by which the browser knows the form.

        None if the tool is no form, or if a polyfill lists it.
        """
        node = value_at(self.kept, "backendNodeId")
        return node if isinstance(node, int) else None


_THROWN = ("className", "description", "value", "unserializableValue")


def outcome_of_response(params: JsonObject) -> Outcome:
    """The outcome of a call, from the parameters of the browser's event `RESPONDED`.

    For a thrown error, the outcome has the text and the stack, which the user sees. At the boundary level
    `closed`, a model sees only a code of Sightline instead.
    """
    match params.get("status"):
        case "Completed":
            return Result(value=params.get("output"), of_page=True)
        case "Canceled":
            return Failure(kind=FailureKind.CANCELLED, detail="the browser cancelled the call")
        case _:
            exception, text = params.get("exception"), params.get("errorText")
            thrown = (
                exception.get("description", exception.get("value")) if isinstance(exception, dict) else None
            )
            message = next((words for words in (thrown, text) if isinstance(words, str) and words), "")
            data: JsonObject = {key: params[key] for key in ("errorText", "output") if params.get(key)}
            if isinstance(exception, dict):
                # Its other members, such as `objectId`, are from the debugger, not from the page.
                data["exception"] = {key: exception[key] for key in _THROWN if key in exception}
            first = message.partition("\n")[0] or "the tool failed"
            return RpcError(value={"message": first, "data": data}, of_page=True)


def recorded_error(value: Json) -> RpcError:
    """The error of a recorded call of a page's tool.

    An object that has no code, or `_OLD_CODE`, was thrown by the tool; `_OLD_CODE` is left out. Any other
    error is the browser's.
    """
    if not isinstance(value, dict) or value.get("code", _OLD_CODE) != _OLD_CODE:
        return RpcError(value=value)
    return RpcError(value={key: item for key, item in value.items() if key != "code"}, of_page=True)
