"""The data of a form: its lines, their labels, and the arguments that its entries produce."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.pointer import resolve, split
from inspector.schema.arguments import may_be_text, splits_at_commas
from inspector.schema.fields import Field, FieldKind, Form
from inspector.schema.validation import Violation
from inspector.tui.text import content, cut_in_the_middle, shortened

MAX_LINES = 120
"""The maximum number of lines of a form. Each is a widget. Further fields are left to the JSON editor."""

MAX_ROWS = 10
"""The maximum number of objects of a list that have lines in a form.

Longer lists are left to the JSON editor.
"""

_NOTE_LENGTH = 400


class FormLine(Struct, frozen=True, kw_only=True):
    """A line of a form: an input, or the heading of a nested object."""

    field: Field
    depth: int
    is_in_row: bool = False
    """True if the line belongs to an object in a list."""

    @property
    def is_heading(self) -> bool:
        """True if the line is a heading without an input."""
        return self.field.kind is FieldKind.OBJECT and bool(self.field.fields)

    @property
    def has_rows(self) -> bool:
        """True if the field is a list of objects with lines of their own.

        The input of such a field is the number of objects.
        """
        item = self.field.item
        return (
            self.field.kind is FieldKind.LIST
            and not self.field.sensitive
            and item is not None
            and item.kind is FieldKind.OBJECT
            and bool(item.fields)
        )

    @property
    def has_checks(self) -> bool:
        """True if the field is a list of values from a closed set.

        The input of such a field picks some of these values.
        """
        item = self.field.item
        return (
            self.field.kind is FieldKind.LIST
            and not self.field.sensitive
            and item is not None
            and item.kind is FieldKind.CHOICE
            and bool(item.choices)
        )


class Entered(Struct, frozen=True, kw_only=True):
    """What the user has entered in one input: a text, a choice, or several picked values."""

    text: str = ""
    chosen: int | None = None
    """The index of the chosen value of a closed set, or the count of objects in a list; None if empty."""
    picked: tuple[int, ...] | None = None
    """The indexes of the picked values of a closed set; None to leave the argument out."""


class Writing(Struct, frozen=True, kw_only=True):
    """The user's entries so far, in the form or as JSON."""

    lines: tuple[FormLine, ...]
    entered: Mapping[str, Entered]
    text: str | None
    """The arguments as JSON text; None while the form is used."""


class Problem(Struct, frozen=True, kw_only=True):
    """A problem with the value at one pointer of the arguments."""

    pointer: str
    message: str
    """The problem in words. May quote untrusted text."""
    missing: bool = False
    """True if the problem is only that something has not been entered yet."""


class ArgumentDraft(Struct, frozen=True, kw_only=True):
    """The arguments as they would be sent, and the problems with them."""

    arguments: JsonObject | None
    """The arguments; None if the text is not a JSON object, so that nothing can be sent."""
    problems: tuple[Problem, ...] = ()


Coerce = Callable[[str, Field], Json]


def form_lines(form: Form) -> tuple[FormLine, ...]:
    """The first `MAX_LINES` lines of a form. The lines of a nested object follow its heading."""
    return tuple(islice(_unfolded(FormLine(field=field, depth=0) for field in form.fields), MAX_LINES))


def with_rows(lines: tuple[FormLine, ...], entered: Mapping[str, Entered]) -> tuple[FormLine, ...]:
    """The lines of a form. Each list of objects has lines for as many objects as the user has entered.

    At most `MAX_LINES` lines.
    """

    def grown(found: Iterable[FormLine]) -> Iterator[FormLine]:
        for line in found:
            yield line
            if line.has_rows:
                yield from grown(_rows(line, entered.get(line.field.pointer, Entered()).chosen or 0))

    return tuple(islice(grown(line for line in lines if not line.is_in_row), MAX_LINES))


def _unfolded(lines: Iterable[FormLine]) -> Iterator[FormLine]:
    """Yield the lines, and after each heading the lines for the members of its object."""
    for line in lines:
        yield line
        if line.is_heading:
            yield from _unfolded(
                FormLine(field=field, depth=line.depth + 1, is_in_row=line.is_in_row)
                for field in line.field.fields
            )


def _rows(line: FormLine, count: int) -> Iterator[FormLine]:
    """Yield the lines of the first `count` objects of a list, each below a heading such as `1`."""
    item = line.field.item
    if item is not None:
        for index in range(count):
            row = replace(_moved(item, item.pointer, f"{line.field.pointer}/{index}"), name=str(index + 1))
            yield from _unfolded([FormLine(field=row, depth=line.depth + 1, is_in_row=True)])


def _moved(field: Field, before: str, after: str) -> Field:
    """A copy of a field and everything inside it, moved to another pointer."""
    return replace(
        field,
        pointer=after + field.pointer.removeprefix(before),
        fields=tuple(_moved(each, before, after) for each in field.fields),
        item=_moved(field.item, before, after) if field.item else None,
    )


def draft(lines: tuple[FormLine, ...], entered: Mapping[str, Entered], coerce: Coerce) -> ArgumentDraft:
    """The arguments that the entries produce. An empty entry leaves its argument out.

    `entered`: the entries by the pointer of their field. An entry that does not fit its field is kept as
    text, with a problem.
    """
    arguments: JsonObject = {}
    problems: list[Problem] = []
    lines = with_rows(lines, entered)
    for line in lines:
        field = line.field
        entry = entered.get(field.pointer, Entered())
        if line.is_heading:
            if field.required:
                _place(arguments, field.pointer, {})
        elif line.has_rows:
            if entry.chosen is not None:
                _place(arguments, field.pointer, [{} for _ in range(entry.chosen)])
        elif entry.picked is not None and field.item is not None:
            _place(arguments, field.pointer, [choice_values(field.item)[index] for index in entry.picked])
        elif entry.chosen is not None:
            _place(arguments, field.pointer, choice_values(field)[entry.chosen])
        elif entry.text:
            try:
                value = coerce(entry.text, field)
            except UsageError as error:
                problems.append(Problem(pointer=field.pointer, message=error.message))
                value = entry.text
            _place(arguments, field.pointer, value)
    problems += [
        Problem(pointer=line.field.pointer, message="is required", missing=True)
        for line in lines
        if line.field.required and _is_missing(arguments, line.field.pointer)
    ]
    return ArgumentDraft(arguments=arguments, problems=tuple(problems))


def sensitive_entries(lines: tuple[FormLine, ...], entered: Mapping[str, Entered]) -> dict[str, Entered]:
    """The entries of sensitive fields, by pointer, without empty entries."""
    return {
        line.field.pointer: entry
        for line in lines
        if line.field.sensitive
        and not line.is_heading
        and (entry := entered.get(line.field.pointer, Entered())) != Entered()
    }


def entries(lines: tuple[FormLine, ...], arguments: JsonObject) -> dict[str, Entered] | None:
    """The entries that produce `arguments`, by pointer; None if the form cannot express them."""
    found: dict[str, Entered] = {}
    waiting = [line for line in lines if not line.is_in_row]
    while waiting:
        line = waiting.pop()
        if line.is_heading:
            continue
        try:
            value = resolve(arguments, line.field.pointer)
        except LookupError:
            continue
        if line.has_rows:
            if not isinstance(value, list) or len(value) > MAX_ROWS:
                return None
            waiting += _rows(line, len(value))
            entry = Entered(chosen=len(value))
        elif line.has_checks and line.field.item is not None:
            entry = _picked(line.field.item, value)
        else:
            entry = entry_of(line.field, value)
        if entry is None:
            return None
        found[line.field.pointer] = entry
    return found


def _picked(item: Field, value: Json) -> Entered | None:
    """The entry in which the values of a list are picked.

    None if a value is not among the choices or occurs twice, or if the values are not in the order of the choices.
    """
    found = [entry_of(item, each) for each in value] if isinstance(value, list) else [None]
    picked = tuple(entry.chosen for entry in found if entry is not None and entry.chosen is not None)
    return (
        Entered(picked=picked) if len(picked) == len(found) and list(picked) == sorted(set(picked)) else None
    )


def choice_values(field: Field) -> tuple[Json, ...]:
    """The values among which a field lets the user choose; for a boolean, true and false."""
    return (True, False) if field.kind is FieldKind.BOOLEAN else field.choices


def choice_words(field: Field) -> tuple[str, ...]:
    """The values among which a field lets the user choose, with their titles if any. Untrusted text."""
    values = [value if isinstance(value, str) else dump_text(value) for value in choice_values(field)]
    titles = field.choice_titles
    return tuple(
        shortened(f"{value}: {titles[index]}" if index < len(titles) and titles[index] else value, 200)
        for index, value in enumerate(values)
    )


def label(line: FormLine, *, is_default: bool = False, room: int = 80) -> Content:
    """The name of the argument as it is sent, with a star if it is required.

    `room`: the width of the column in cells. A longer name is cut in the middle.
    """
    field, indent = line.field, "  " * line.depth
    name = cut_in_the_middle(field.name, max(min(room - len(indent) - field.required, 60), 6))
    return Content.assemble(
        indent,
        content(name, "bold" if line.is_heading else ""),
        ("*", "bold $text-warning") if field.required else "",
        ("  default", "$foreground 70%") if is_default else "",
    )


def placeholder(field: Field) -> str:
    """The text of an empty input: the type of the field and its default. Untrusted text."""
    words = [f"{'sensitive ' if field.sensitive else ''}{field.format or _kind_in_words(field)}"]
    words.append("required" if field.required else "optional")
    if field.has_default:
        words.append(f"default {shortened(dump_text(field.default), 80)}")
    elif field.examples:
        words.append(f"for example {shortened(dump_text(field.examples[0]), 80)}")
    return ", ".join(words)


def _kind_in_words(field: Field) -> str:
    item = field.item
    if field.kind is FieldKind.LIST and item is not None and item.fields and not field.sensitive:
        return "list of objects"
    if item is not None and splits_at_commas(field):
        return "values separated by commas"
    return "text or JSON" if may_be_text(field) else _KINDS[field.kind]


def note(field: Field) -> Content:
    """A field's title, description and constraints, as the server states them.

    A title that only repeats the name is left out, such as `Max Rows` for `max_rows`.
    """
    title = field.title or ""
    if title.replace(" ", "_").casefold() == field.name.casefold():
        title = ""
    said = " ".join(words for words in (title, field.description) if words)
    return content(shortened(" · ".join(words for words in (said, field.constraints) if words), _NOTE_LENGTH))


def place_problems(
    lines: tuple[FormLine, ...], problems: tuple[Problem, ...]
) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """The messages of problems, by the pointer of their field, and the problems that belong to no field.

    A problem belongs to the field at its pointer, or else to the nearest field that contains the pointer.
    """
    known = {line.field.pointer for line in lines}
    placed: dict[str, str] = {}
    rest: list[Problem] = []
    for problem in problems:
        pointer = problem.pointer
        while pointer and pointer not in known:
            pointer = pointer.rpartition("/")[0]
        if pointer:
            where = problem.pointer.removeprefix(pointer)
            missing = f"{problem.pointer.rpartition('/')[2]} {problem.message}"
            words = (
                f"{where}: {problem.message}" if where else missing if problem.missing else problem.message
            )
            placed[pointer] = f"{placed[pointer]}; {words}" if pointer in placed else words
        else:
            rest.append(problem)
    return placed, tuple(rest)


def merged(found: ArgumentDraft, violations: tuple[Violation, ...]) -> tuple[Problem, ...]:
    """The problems of a draft, and violations of the schema for fields that have no problem yet."""
    own = {problem.pointer for problem in found.problems}
    missing = {pointer.rpartition("/")[0] for pointer in own}
    return (
        *found.problems,
        *(
            Problem(pointer=violation.pointer, message=violation.message)
            for violation in violations
            if violation.pointer not in own
            and not (violation.keyword == "required" and violation.pointer in missing)
        ),
    )


_KINDS = {
    FieldKind.STRING: "text",
    FieldKind.INTEGER: "integer",
    FieldKind.NUMBER: "number",
    FieldKind.BOOLEAN: "true or false",
    FieldKind.CHOICE: "choose one",
    FieldKind.LIST: "list",
    FieldKind.OBJECT: "object as JSON",
    FieldKind.JSON: "JSON",
}


def _place(arguments: JsonObject, pointer: str, value: Json) -> None:
    *above, last = split(pointer)
    target: JsonObject | list[Json] = arguments
    for token in above:
        inner = target.setdefault(token, {}) if isinstance(target, dict) else target[int(token)]
        if not isinstance(inner, (dict, list)):
            return
        target = inner
    if isinstance(target, dict):
        target.setdefault(last, value)


def _is_missing(arguments: JsonObject, pointer: str) -> bool:
    """True if the member at `pointer` is missing from its object. False if the object itself is left out."""
    above, _, _ = pointer.rpartition("/")
    try:
        around = resolve(arguments, above)
    except LookupError:
        return False
    return isinstance(around, dict) and split(pointer)[-1] not in around


def entry_of(field: Field, value: Json) -> Entered | None:
    """The entry that produces `value` in a field; None if there is none."""
    if field.kind in {FieldKind.BOOLEAN, FieldKind.CHOICE}:
        for index, choice in enumerate(choice_values(field)):
            if type(choice) is type(value) and choice == value:
                return Entered(chosen=index)
        return None
    if isinstance(value, str) and field.kind is FieldKind.STRING:
        return Entered(text=value) if value else None
    if isinstance(value, str) and field.kind in {FieldKind.INTEGER, FieldKind.NUMBER} and value:
        # A text that is no number is kept as it was typed.
        return Entered(text=value)
    return Entered(text=dump_text(value))
