"""Arguments from the form or from JSON, checked against the input schema."""

from collections.abc import Mapping

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
    choice_values,
    draft,
    entries,
    entry_of,
    form_lines,
    merged,
    sensitive_entries,
    with_rows,
)
from inspector.tui.text import count, shortened

_MOST_SHOWN = 8


class CheckAsked(Struct, frozen=True, kw_only=True):
    """A request to check the arguments that the user has written against the input schema of a tool."""

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
    """The entries of a form, by pointer, that produce exactly the arguments in `writing.text`.

    None if the text is not a JSON object, or if no entries produce these arguments.
    """
    try:
        arguments = from_json(writing.text or "")
    except UsageError:
        return None
    return _as_exact_entries(writing.lines, arguments)


def not_in_form(writing: Writing) -> str:
    """The reason why the form cannot show the arguments that are written as JSON. Untrusted text.

    The reason names the first argument that has no field, or whose field cannot hold its value.
    """
    why = unreadable(writing.text or "")
    if why:
        return why
    arguments = from_json(writing.text or "")
    named = {split(line.field.pointer)[0] for line in writing.lines}
    for name, value in arguments.items():
        if name not in named:
            return f"{name} has no field"
        lines = tuple(line for line in writing.lines if split(line.field.pointer)[0] == name)
        if _as_exact_entries(lines, {name: value}) is None:
            return f"its field cannot hold the value of {name}"
    return "some do not fit their fields"


def _as_exact_entries(lines: tuple[FormLine, ...], arguments: JsonObject) -> dict[str, Entered] | None:
    entered = entries(lines, arguments)
    if entered is None or not equal(draft(lines, entered, coerce).arguments, arguments):
        return None
    return entered


class CarriedEntries(Struct, frozen=True, kw_only=True):
    """The entries that were carried over to the form of a changed definition."""

    entered: Mapping[str, Entered]
    arguments: JsonObject | None = None
    """The arguments to show as JSON, without sensitive values; None if the new form holds all entries."""


def carried(written: Writing, form: Form) -> CarriedEntries:
    """Carry the entries of one form over to the form of a changed definition.

    The entries are kept if every line with an entry is of the same kind in both forms. Otherwise, the new
    form gets entries that produce the same arguments. If no entries of the new form do, the arguments are
    returned as JSON. Sensitive values always stay entries. An entry that only repeats the default of the old
    schema is dropped if the new form has no line of the same kind for it.
    """
    now = with_rows(form_lines(form), written.entered)
    if now == written.lines:
        return CarriedEntries(entered=written.entered)
    places = {line.field.pointer: line for line in now}
    kept: dict[str, Entered] = {}
    defaults: dict[str, Entered] = {}
    is_lost = False
    for line in with_rows(written.lines, written.entered):
        pointer = line.field.pointer
        entry, place = written.entered.get(pointer, Entered()), places.get(pointer)
        if entry == Entered():
            continue
        if place is not None and _kind_of_line(place) == _kind_of_line(line):
            kept[pointer] = entry
        elif line.field.has_default and _default_of(line).get(pointer) == entry:
            defaults[pointer] = entry
        else:
            is_lost = True
    if not is_lost:
        return CarriedEntries(entered=kept)
    hidden = sensitive_entries((*written.lines, *now), written.entered)
    sent = {pointer: entry for pointer, entry in written.entered.items() if pointer not in hidden | defaults}
    arguments = draft(written.lines, sent, coerce).arguments or {}
    found = _as_exact_entries(now, arguments)
    if found is None:
        return CarriedEntries(entered=hidden, arguments=arguments)
    return CarriedEntries(entered={**found, **hidden})


def _kind_of_line(line: FormLine) -> tuple[Json, ...]:
    """The properties of a form line that determine which value an entry in the line produces."""
    item = line.field.item
    choices = list(choice_values(item)) if line.has_checks and item else list(choice_values(line.field))
    return line.is_heading, line.has_rows, line.has_checks, line.field.kind is FieldKind.BOOLEAN, choices


def unreadable(text: str) -> str:
    """The reason why arguments written as JSON cannot be read; empty if they can."""
    try:
        from_json(text)
    except UsageError as error:
        return error.message
    return ""


def example(form: Form) -> JsonObject:
    """Arguments for the user to edit: all defaults, and a simple value for each other required argument."""
    return example_arguments(form)


def checked(draft: ArgumentDraft, schema: Json) -> ArgumentDraft:
    """A copy of `draft` that also has the problems found by a check against `schema`."""
    found = violations(draft.arguments, schema) if draft.arguments is not None else ()
    return replace(draft, problems=merged(draft, found))


def misfit(arguments: JsonObject, schema: Json) -> str:
    """The first reason why arguments do not fit a schema, such as `owner is missing`; empty if they fit.

    The reason quotes names of arguments, which are untrusted text. It quotes no values.
    """
    found = violations(arguments, schema)
    if not found:
        return ""
    first = found[0]
    name = shortened("/".join(split(first.pointer)) or "the arguments", 40)
    words = "is missing" if first.keyword == "required" else shortened(first.plain, 80)
    return f"{name} {words}" + (f" and {len(found) - 1:,} more" if len(found) > 1 else "")


def default_entries(form: Form) -> dict[str, Entered]:
    """The entries of a form that produce the defaults of a schema, by pointer.

    Sensitive arguments and the members of optional objects have no default entries.
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
    """The entries, by pointer, that produce the default of the field of one line; empty if no entries do.

    For a list of objects, they include the entries in the lines of the objects. For a list of values from a
    closed set, the entry has the picked values.
    """
    field = line.field
    if field.default is None and field.kind is not FieldKind.CHOICE:
        # An argument that is left out has the default null as well. An input would show the text `null`.
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
    """True if an entry produces exactly the default of its field, not another value with the same text."""
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
