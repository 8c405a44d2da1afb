"""What worker threads make for the screens. The core is imported here, behind the first paint."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from inspector.boundary.bounded import Level
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, equal
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.catalogue import Entry as Item
from inspector.protocol.exchanges import Matched
from inspector.protocol.targets import Target
from inspector.protocol.timeline import Entry
from inspector.session.call_record import CallRecord
from inspector.tui.present.catalogue import Row, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.content import Content

    from inspector.json.document import Document
    from inspector.pins.withheld import Withheld
    from inspector.schema.fields import Form
    from inspector.secrets.holdings import Holdings
    from inspector.secrets.own_credentials import OwnCredentials
    from inspector.secrets.vault import Key
    from inspector.tui.present.command_line import CommandLine
    from inspector.tui.present.definition import DefinitionView
    from inspector.tui.present.form import Draft, Entered
    from inspector.tui.present.frame import FrameView
    from inspector.tui.present.hosts import HostsView, Turn
    from inspector.tui.present.result import ResultView
    from inspector.tui.present.tool import ToolView
    from inspector.tui.widgets.call import Writing


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAsked:
    """An item of the catalogue, with its last call."""

    entry: Item
    record: CallRecord | None
    before: Item | None
    """The item that is shown now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultAsked:
    """A call through two lenses."""

    record: CallRecord
    level: Level
    host: str
    chunk: int
    """Characters after which a text breaks, so that it can be read without moving sideways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsAsked:
    """A call through all hosts."""

    record: CallRecord
    level: Level
    turn: "Turn"


class Learnt:
    """What the results of a session withhold, learnt once of each call, in the thread that makes definitions."""

    def __init__(self) -> None:
        self._withheld: Withheld | None = None
        self._records = dict[int, CallRecord]()

    def masked(self, tool: Tool, records: "Iterable[CallRecord]") -> Tool:
        """The tool without what was withheld from results. Linear in those that are new."""
        from inspector.pins import withheld  # noqa: PLC0415 - behind the first paint
        from inspector.tui.present import views  # noqa: PLC0415 - as above

        for record in records:
            # Of a recording, ids are in place of what was withheld, in the definitions too.
            if id(record) not in self._records and not record.has_ids:
                self._records[id(record)] = record
                self._withheld = self._withheld or withheld.Withheld()
                self._withheld.learn(record.tool, record.outcome, views.withheld(record))
        return self._withheld.masked(tool) if self._withheld else tool


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionAsked:
    """An item of the catalogue, and the lenses through which a model is given it."""

    entry: Item
    level: Level
    host: str
    chunk: int
    """Characters after which a text breaks."""
    learnt: "Learnt"
    records: tuple[CallRecord, ...]
    """Of the calls that have ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAsked:
    """A tool of a page."""

    tool: Tool
    chunk: int
    """Characters after which a text breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSides:
    """What the page declared of a tool, what its browser keeps, and what an agent in it is told."""

    declared: "Document"
    kept: "Document"
    agent: "Document"
    signs: "Mapping[int, str]"
    """What the browser did to lines of `declared`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekAsked:
    """A secret value, to be shown."""

    key: "Key"
    value: Json = field(repr=False)
    chunk: int
    """Characters after which text breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAsked:
    """Arguments as written, and the schema that they must meet."""

    entry: Tool
    writing: "Writing"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameAsked:
    """One frame of an entry."""

    entry: Entry
    frame: Matched
    catalogue: Catalogue
    chunk: int
    """Characters after which text breaks."""
    has_ids: bool = False
    """Whether it is of a recording, where ids stand in place of what is withheld."""
    own: "OwnCredentials | None" = None
    """The user's credentials, which are covered."""


Rows: TypeAlias = tuple[Row, ...]
Shown: TypeAlias = "tuple[str, ...] | Document"
"""A value as lines of text, foreign, or as a document."""

SERVER_NAME = "server"
"""The name under which hosts are taken to know the server."""


def load() -> tuple[str, ...]:
    """Import the core and everything that makes views; the names of the hosts."""
    from inspector.claims.registry import vocabularies  # noqa: PLC0415 - behind the first paint
    from inspector.hosts.registry import hosts  # noqa: PLC0415
    from inspector.tui.present import projecting, views  # noqa: PLC0415

    _ = projecting, views, vocabularies()
    return tuple(host.name for host in hosts())


def load_deciding() -> None:
    """Import what decides on calls, and the screens that ask."""
    from inspector.policy import retry  # noqa: PLC0415 - behind the first paint
    from inspector.policy.gate import oversight  # noqa: PLC0415
    from inspector.tui.present import decision, trust  # noqa: PLC0415
    from inspector.tui.screens import decision as asking  # noqa: PLC0415

    _ = retry, oversight, decision, trust, asking


def catalogue_rows(catalogue: Catalogue) -> Rows:
    """The rows of a catalogue."""
    return rows(catalogue)


def badge_letters(tools: tuple[Tool, ...]) -> "tuple[tuple[Tool, Content], ...]":
    """Each tool with its badges."""
    from inspector.tui.present.badges import letters_of  # noqa: PLC0415 - behind the first paint

    return tuple((tool, letters_of(tool)) for tool in tools)


def tool_view(asked: ItemAsked) -> "ToolView":
    """What the tabs of an item show."""
    from inspector.tui.present import views  # noqa: PLC0415 - behind the first paint

    return views.tool_view(asked.entry, asked.record, asked.before)


def result_view(asked: ResultAsked) -> "ResultView":
    """What both panes show."""
    from inspector.tui.present import views  # noqa: PLC0415 - behind the first paint

    return views.result_view(asked.record, asked.level, asked.host, server=SERVER_NAME, chunk=asked.chunk)


def holdings(record: CallRecord) -> "Holdings":
    """What a call leaves in the user's keeping."""
    from inspector.tui.present import views  # noqa: PLC0415 - behind the first paint

    return views.holdings(record)


def peeked(asked: PeekAsked) -> Shown:
    """A secret value: a text without quotes around it, so that it can be read off; anything else as JSON."""
    from inspector.json.document import Document  # noqa: PLC0415 - behind the first paint
    from inspector.tui.present.frame import pieces  # noqa: PLC0415

    if isinstance(asked.value, str):
        return pieces(asked.value, asked.chunk)
    return Document(asked.value, chunk=asked.chunk)


def page_sides(asked: PageAsked) -> PageSides:
    """A page's tool as each knows it. Raises LookupError for one of a server."""
    from inspector.json.document import Document  # noqa: PLC0415 - behind the first paint
    from inspector.tui.present.page import signs_in  # noqa: PLC0415

    facts = asked.tool.page
    if facts is None:
        raise LookupError(asked.tool.name)
    declared = Document(facts.declared, chunk=asked.chunk)
    return PageSides(
        declared=declared,
        kept=Document(facts.kept, chunk=asked.chunk),
        agent=Document(facts.agent, chunk=asked.chunk),
        signs=signs_in(declared, facts),
    )


def hosts_view(asked: HostsAsked) -> "HostsView":
    """What the comparison of hosts shows."""
    from inspector.tui.present import projecting  # noqa: PLC0415 - behind the first paint

    return projecting.hosts_view(asked.record, asked.level, server=SERVER_NAME, turn=asked.turn)


def definition_view(asked: DefinitionAsked) -> "DefinitionView | None":
    """What the Definition tab shows of a tool; None for what no model is given."""
    from inspector.tui.present import projecting  # noqa: PLC0415 - behind the first paint

    if not isinstance(asked.entry, Tool):
        return None
    tool = asked.learnt.masked(asked.entry, asked.records)
    view = projecting.definition_view(tool, asked.level, asked.host, chunk=asked.chunk)
    return view if tool is asked.entry else replace(view, tool=asked.entry)


def frame_view(asked: FrameAsked) -> "FrameView":
    """What the frame screen shows."""
    from inspector.tui.present import views  # noqa: PLC0415 - behind the first paint

    return views.frame_view(
        asked.frame, asked.catalogue, chunk=asked.chunk, has_ids=asked.has_ids, own=asked.own
    )


def check(asked: CheckAsked) -> "Draft":
    """The arguments that were written, and all that is wrong with them."""
    from inspector.schema.arguments import coerce, from_json  # noqa: PLC0415 - behind the first paint
    from inspector.tui.present import views  # noqa: PLC0415
    from inspector.tui.present.form import Draft, Problem, draft  # noqa: PLC0415

    schema: Json = asked.entry.input_schema
    if asked.writing.text is None:
        return views.checked(draft(asked.writing.lines, asked.writing.entered, coerce), schema)
    try:
        arguments = from_json(asked.writing.text)
    except UsageError as error:
        return Draft(arguments=None, problems=(Problem(pointer="", message=error.message),))
    return views.checked(Draft(arguments=arguments), schema)


def as_arguments(writing: "Writing") -> "Draft":
    """What a form says, unchecked."""
    from inspector.schema.arguments import coerce  # noqa: PLC0415 - behind the first paint
    from inspector.tui.present.form import draft  # noqa: PLC0415

    return draft(writing.lines, writing.entered, coerce)


def as_entries(writing: "Writing") -> "dict[str, Entered] | None":
    """What a form would hold to say what was written as JSON; None where it cannot say just that."""
    from inspector.schema.arguments import coerce, from_json  # noqa: PLC0415 - behind the first paint
    from inspector.tui.present.form import draft, entries  # noqa: PLC0415

    try:
        arguments = from_json(writing.text or "")
    except UsageError:
        return None
    entered = entries(writing.lines, arguments)
    if entered is None or not equal(draft(writing.lines, entered, coerce).arguments, arguments):
        return None
    return entered


def example(form: "Form") -> JsonObject:
    """Arguments to begin with."""
    from inspector.schema.fields import example_arguments  # noqa: PLC0415 - behind the first paint

    return example_arguments(form)


def copied(target: Target, tool: Tool | str, arguments: JsonObject) -> "CommandLine | str":
    """A call as a command, or why there is none. A tool known by name only has no schema to say what is sensitive."""
    from inspector.tui.present import views  # noqa: PLC0415 - behind the first paint
    from inspector.tui.present.command_line import call_command  # noqa: PLC0415

    if isinstance(tool, str):
        return call_command(target, tool, arguments, ())
    return call_command(target, tool.name, arguments, views.sensitive_pointers(tool))
