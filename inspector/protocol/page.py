"""What is known of a page's tool beside its definition."""

from enum import StrEnum

from msgspec import Struct

from inspector.json.exact import Json, Malformed
from inspector.json.members import value_at

_FEATURE = "tools"
_MAX_GRANTS = 100
"""Words of one directive that are read."""


class ToolKind(StrEnum):
    """How a page made a tool."""

    IMPERATIVE = "imperative"
    """By `registerTool`."""
    DECLARATIVE = "declarative"
    """By attributes of a form."""


class Forms(StrEnum):
    """What is done with a form once it is filled in, where the page does not have it submitted by itself."""

    WAIT = "wait"
    """The user submits it."""
    LEAVE = "leave"
    """The call ends there."""
    SUBMIT = "submit"


class SourcePlace(Struct, frozen=True, kw_only=True):
    """Where in a page's source a tool was registered. Lines and columns count from 1."""

    url: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.url}:{self.line}:{self.column}"


class Evidence(StrEnum):
    """The evidence for a page's declaration."""

    SEEN = "seen"
    """The hook in the page read it whole, and the browser keeps the same name, description and input schema."""
    PARTLY = "partly"
    """The hook could not read all of it: too large, too deep, circular, behind an accessor, or with a `toJSON`."""
    DIFFERS = "differs"
    """The browser read another name, description or input schema than the hook: the page answered each differently."""
    MISSED = "missed"
    """A script registered it past the hook, which was there before the page's first script."""
    UNWATCHED = "unwatched"
    """The document was there before us."""
    FORM = "form"
    """A form: the browser reads it from the document, and no hook is asked."""


class Reach(StrEnum):
    """Whom an entry of `exposedTo` names, seen from the document that registered the tool."""

    OWN = "own"
    """The document's own origin, which always has it."""
    OTHER = "other"
    """Another origin, over https or on this machine."""
    INSECURE = "insecure"
    """Another origin over an unencrypted scheme, not on this machine."""
    OPAQUE = "opaque"
    """An address without an origin that could be compared, such as `data:`, `file:` or `null`."""
    UNREADABLE = "unreadable"
    """No address: `*` is one of these."""


class Exposure(Struct, frozen=True, kw_only=True):
    """One entry of `exposedTo`, as the page gave it."""

    text: str
    """As declared. Foreign."""
    reach: Reach


class FramePolicy(Struct, frozen=True, kw_only=True):
    """What was stated of the feature `tools` for one document.

    Read from the frame's element and from the browser's verdict. Response headers are seen only where they forbid.
    Source: WebMCP draft, section 4.5; https://w3c.github.io/webappsec-permissions-policy/.
    """

    element: str | None
    """The frame's element in lower case, such as `iframe`; None for the page itself, and where it could not be read."""
    allow: str | None = None
    """Its `allow` attribute as written. Foreign. None where it has none."""
    is_sandboxed: bool = False
    """Whether it has a `sandbox` attribute."""
    blocked_by: str | None = None
    """Why tools are not permitted, in the browser's word (`Header`, `IframeAttribute`); None where they are, or where it does not say."""

    @property
    def grants(self) -> tuple[str, ...] | None:
        """Whom `allow` names for `tools`: `*`, `'src'`, `'self'`, `'none'` or origins. None where it is not stated."""
        for directive in (self.allow or "").split(";"):
            feature, *names = directive.split()[:_MAX_GRANTS] or [""]
            if feature == _FEATURE:
                return tuple(names) or ("'src'",)
        return None


class PageDocument(Struct, frozen=True, kw_only=True):
    """One document in one frame. All of it is foreign."""

    frame_id: str
    loader_id: str
    """Of this document: a navigation gives the frame another."""
    url: str
    origin: str
    """Serialized; `null` or `://` where it is opaque."""
    parent_id: str | None = None
    is_observed: bool = True
    """Whether it was watched from before its first script. What it declared earlier is not known otherwise."""
    is_permitted: bool | None = None
    """Whether the permissions policy lets it offer tools; None where the browser does not say."""
    policy: FramePolicy | None = None
    """What was stated of that; None where nothing could be read."""
    false_reports: int = 0
    """How many reports came over the hook's voice that the hook did not make: a script of the page found it."""


class RefusedTool(Malformed, frozen=True, kw_only=True):
    """A tool that a page declared and its browser refused. `reason` holds the browser's words: foreign text."""

    document: PageDocument
    place: SourcePlace | None = None


class PageFacts(Struct, frozen=True, kw_only=True):
    """Where a tool of a page comes from, and what the page and the browser each say of it."""

    document: PageDocument
    kind: ToolKind
    tool_id: str | None
    """The browser's own key, where it has one."""
    place: SourcePlace | None
    exposed_to: tuple[str, ...]
    """As declared; empty where that was not seen."""
    kept: Json
    """The tool as the browser keeps it, as sent."""
    declared: Json
    """The tool as the page declared it; None where that was not seen, as for forms."""
    options: Json
    """The second argument of `registerTool`, likewise."""
    agent: Json
    """What `getTools()` tells an agent in the page; None where it gives nothing."""
    dropped: tuple[str, ...] = ()
    """What the page declared and the browser does not keep: pointers into the definition."""
    changed: tuple[str, ...] = ()
    """What the browser keeps with another value, likewise."""
    faults: tuple[str, ...] = ()
    """What the draft does not allow, in Sightline's sentences."""
    evidence: Evidence = Evidence.UNWATCHED
    """What speaks for `declared`."""
    exposures: tuple[Exposure, ...] = ()
    """What `exposed_to` comes to, in its order."""

    @property
    def waits_for_submit(self) -> bool:
        """Whether it is a form that a call only fills in: one without `toolautosubmit`."""
        submits = value_at(self.kept, "annotations", "autosubmit") is True
        return self.kind is ToolKind.DECLARATIVE and not submits

    @property
    def form_node(self) -> int | None:
        """The browser's number of the form; None for what is none, and where a polyfill lists it."""
        node = value_at(self.kept, "backendNodeId")
        return node if isinstance(node, int) else None
