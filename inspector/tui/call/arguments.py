"""Arguments: from the form or JSON, checked against the input schema."""

from dataclasses import dataclass, replace

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, equal
from inspector.protocol.catalogue import Tool
from inspector.schema.arguments import coerce, from_json
from inspector.schema.fields import Field, Form, example_arguments, form_of
from inspector.schema.validation import violations
from inspector.tui.call.entries import Draft, Entered, Problem, draft, entries, merged
from inspector.tui.call.pane import Writing


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAsked:
    """Arguments as written, and the schema that they must meet."""

    entry: Tool
    writing: Writing


def check(asked: CheckAsked) -> Draft:
    """The arguments that were written, and all that is wrong with them."""
    schema: Json = asked.entry.input_schema
    if asked.writing.text is None:
        return checked(draft(asked.writing.lines, asked.writing.entered, coerce), schema)
    try:
        arguments = from_json(asked.writing.text)
    except UsageError as error:
        return Draft(arguments=None, problems=(Problem(pointer="", message=error.message),))
    return checked(Draft(arguments=arguments), schema)


def as_arguments(writing: Writing) -> Draft:
    """What a form says, unchecked."""
    return draft(writing.lines, writing.entered, coerce)


def as_entries(writing: Writing) -> dict[str, Entered] | None:
    """What a form would hold to say what was written as JSON; None where it cannot say just that."""
    try:
        arguments = from_json(writing.text or "")
    except UsageError:
        return None
    entered = entries(writing.lines, arguments)
    if entered is None or not equal(draft(writing.lines, entered, coerce).arguments, arguments):
        return None
    return entered


def example(form: Form) -> JsonObject:
    """Arguments to begin with."""
    return example_arguments(form)


def checked(draft: Draft, schema: Json) -> Draft:
    """A draft with what its schema finds wrong."""
    found = violations(draft.arguments, schema) if draft.arguments is not None else ()
    return replace(draft, problems=merged(draft, found))


def sensitive_pointers(tool: Tool) -> tuple[str, ...]:
    """The arguments that the input schema marks, as pointers into the arguments."""
    found: list[str] = []
    waiting: list[Field] = list(form_of(tool.input_schema).fields)
    while waiting:
        field = waiting.pop()
        if field.sensitive:
            found.append(field.pointer)
        waiting.extend(field.fields)
    return tuple(found)
