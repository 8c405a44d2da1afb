"""Arguments from the form or from JSON, checked against the input schema."""

from msgspec import Struct
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, dump_text, equal
from inspector.json.pointer import split
from inspector.protocol.catalogue import Tool
from inspector.safe_text import inspect, safe_line
from inspector.schema.arguments import coerce, from_json
from inspector.schema.fields import Field, FieldKind, Form, example_arguments, form_of
from inspector.schema.validation import violations
from inspector.tui.call.entries import (
    ArgumentDraft,
    Entered,
    FormLine,
    Problem,
    Writing,
    draft,
    entries,
    entry_of,
    form_lines,
    merged,
)
from inspector.tui.text import count, shortened

_MOST_SHOWN = 8


class CheckAsked(Struct, frozen=True, kw_only=True):
    """A request to check arguments, as written, against the schema of a tool."""

    entry: Tool
    writing: Writing


def check(asked: CheckAsked) -> ArgumentDraft:
    """The arguments that the user wrote, and every problem with them."""
    schema: Json = asked.entry.input_schema
    if asked.writing.text is None:
        return checked(draft(asked.writing.lines, asked.writing.entered, coerce), schema)
    try:
        arguments = from_json(asked.writing.text)
    except UsageError as error:
        return ArgumentDraft(arguments=None, problems=(Problem(pointer="", message=error.message),))
    return checked(ArgumentDraft(arguments=arguments), schema)


def as_arguments(writing: Writing) -> ArgumentDraft:
    """The arguments that a form produces, without checking them against the schema."""
    return draft(writing.lines, writing.entered, coerce)


def as_entries(writing: Writing) -> dict[str, Entered] | None:
    """The entries of a form for arguments written as JSON; None if no entries produce exactly these."""
    try:
        arguments = from_json(writing.text or "")
    except UsageError:
        return None
    entered = entries(writing.lines, arguments)
    if entered is None or not equal(draft(writing.lines, entered, coerce).arguments, arguments):
        return None
    return entered


def unreadable(text: str) -> str:
    """The reason why arguments written as JSON cannot be read; empty if they can."""
    try:
        from_json(text)
    except UsageError as error:
        return error.message
    return ""


def example(form: Form) -> JsonObject:
    """Arguments for the user to edit: the defaults, and the plainest value for each other required argument."""
    return example_arguments(form)


def checked(draft: ArgumentDraft, schema: Json) -> ArgumentDraft:
    """`draft`, to which the problems are added that a check against `schema` finds."""
    found = violations(draft.arguments, schema) if draft.arguments is not None else ()
    return replace(draft, problems=merged(draft, found))


def default_entries(form: Form) -> dict[str, Entered]:
    """The entries that produce the defaults of a schema.

    The members of an optional object have no default entries.
    """
    found: dict[str, Entered] = {}
    optional: list[str] = []
    for line in form_lines(form):
        field = line.field
        if line.is_heading:
            if not field.required:
                optional.append(f"{field.pointer}/")
        elif field.has_default and not field.sensitive and not field.pointer.startswith(tuple(optional)):
            found |= _default_of(line)
    return found


def _default_of(line: FormLine) -> dict[str, Entered]:
    """The entries that produce the default of one line; empty if no entries do.

    For a list of objects, they include the entries of its rows; for a list of values from a closed set, they
    are the picked values.
    """
    field = line.field
    if field.default is None and field.kind is not FieldKind.CHOICE:
        # An argument that is left out has this default too, and an input would show the text `null`.
        return {}
    if not line.has_rows and not line.has_checks:
        entered = entry_of(field, field.default)
        if entered is None or not _is_typable(entered.text) or not _says(entered, field):
            return {}
        return {field.pointer: entered}
    value: Json = field.default
    for token in reversed(split(field.pointer)):
        value = {token: value}
    arguments = value if isinstance(value, dict) else {}
    found = entries((line,), arguments)
    if found is None or not all(_is_typable(entered.text) for entered in found.values()):
        return {}
    return found if equal(draft((line,), found, coerce).arguments, arguments) else {}


def _is_typable(text: str) -> bool:
    """True if an input can show a text unchanged. Defaults are untrusted text."""
    return not inspect(text).replaced and safe_line(text) == text


def _says(entered: Entered, field: Field) -> bool:
    """True if an entry produces the default itself, not another value that looks alike."""
    if entered.chosen is not None:
        return True
    try:
        return equal(coerce(entered.text, field), field.default)
    except UsageError:
        return False


def in_short(arguments: JsonObject, form: Form | None) -> str:
    """Arguments on one line, such as `name="production", days=3, filter={…}`, with sensitive values masked.

    The line is untrusted text.
    """
    sensitive = {field.name for field in form.fields if field.sensitive} if form else set[str]()
    words: list[str] = []
    for name, value in list(arguments.items())[:_MOST_SHOWN]:
        match value:
            case _ if name in sensitive:
                shown = "•••"
            case dict():
                shown = "{…}"
            case list():
                shown = f"[{count(len(value), 'item')}]"
            case str():
                shown = dump_text(shortened(value, 40))
            case _:
                shown = shortened(dump_text(value), 40)
        words.append(f"{shortened(name, 40)}={shown}")
    if len(arguments) > _MOST_SHOWN:
        words.append("…")
    return ", ".join(words)


def sensitive_pointers(tool: Tool) -> tuple[str, ...]:
    """Pointers to the arguments that the input schema marks as sensitive."""
    found: list[str] = []
    waiting: list[Field] = list(form_of(tool.input_schema).fields)
    while waiting:
        field = waiting.pop()
        if field.sensitive:
            found.append(field.pointer)
        waiting.extend(field.fields)
    return tuple(found)
