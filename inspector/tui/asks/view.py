"""A request by a server, ready to be drawn."""

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.asks.ask import Ask, AskKind, sampling_lines
from inspector.asks.link import Link, link_of
from inspector.asks.private import asks_for_secret
from inspector.json.exact import dump_text
from inspector.pins.known_secrets import KnownSecrets
from inspector.schema.fields import Field, FieldKind, Form, form_of
from inspector.tui.call.arguments import default_entries
from inspector.tui.call.entries import MAX_LINES, Entered, form_lines
from inspector.tui.text import content, shortened

_MOST_LINES = 400
_LONGEST = 2_000
"""The maximum length of one text of a server, in characters."""
_TITLES = {
    AskKind.FORM: "The server asks you to fill in a form",
    AskKind.URL: "The server asks you to visit an address",
    AskKind.SAMPLING: "The server asks for an answer from a model",
    AskKind.ROOTS: "The server asks for folders",
}


class AskView(Struct, frozen=True, kw_only=True):
    """A request, with the form or link for its answer."""

    ask: Ask
    title: Content
    lines: tuple[Content, ...]
    form: Form | None = None
    defaults: Mapping[str, Entered] | None = None
    """The initial content of the fields, by pointer, from the defaults in the schema; None without a form."""
    link: Link | None = None


def ask_view(ask: Ask, own_url: str | None, withheld: KnownSecrets) -> AskView:
    """The view of a request. `own_url`: the address of the server. `withheld`: values that are masked in it.

    Takes seconds for a long form: call it in a thread.
    """
    name = shortened(withheld.masked_text(ask.title), 120)
    title = Content.assemble(_TITLES[ask.kind], "  ", content(name, "$foreground 70%"))
    asked = form_of(ask.schema) if ask.kind is AskKind.FORM else None
    form = _masked(asked, withheld) if asked else None
    link = _masked_link(link_of(ask.url, own_url), withheld) if ask.kind is AskKind.URL else None
    return AskView(
        ask=ask,
        title=title,
        lines=_bounded(_lines(ask, asked, link, withheld)),
        form=form,
        defaults=default_entries(form) if form else None,
        link=link,
    )


def _masked(form: Form, withheld: KnownSecrets) -> Form:
    """The form without withheld values, and with masked fields for credentials.

    Fields for credentials are masked even if the schema does not mark them.
    """
    return replace(form, fields=tuple(_masked_field(field, withheld) for field in form.fields))


def _masked_field(field: Field, withheld: KnownSecrets) -> Field:
    """The field without withheld values, and masked if it is for a credential.

    A default or an example that repeats a withheld value is left out. If a choice or an inner field repeats
    one, the user types JSON instead.
    """
    if withheld.repeats(dump_text(field.default)):
        field = replace(field, default=None, has_default=False)
    field = replace(
        field,
        title=withheld.masked_text(field.title) if field.title else None,
        description=withheld.masked_text(field.description) if field.description else None,
        examples=tuple(each for each in field.examples if not withheld.repeats(dump_text(each))),
        sensitive=asks_for_secret(field),
    )
    if not withheld.repeats("\n".join(_offered(field))):
        return field
    # A list of choices or a group of fields would show the withheld value.
    return replace(field, kind=FieldKind.JSON, choices=(), item=None, fields=(), sensitive=True)


def _offered(field: Field) -> Iterator[str]:
    """The texts in the choices of a field and in the fields inside it."""
    yield from (*map(dump_text, field.choices), *field.choice_titles)
    for inner in (*field.fields, *filter(None, [field.item])):
        yield from filter(None, [inner.name, inner.title, inner.description, dump_text(inner.default)])
        yield from _offered(inner)


def _masked_link(link: Link, withheld: KnownSecrets) -> Link:
    """The link without withheld values before and after its host. The user must see the host, so it stays."""
    before, after = map(withheld.masked_text, (link.before, link.after))
    return replace(link, before=before, after=after)


def _bounded(lines: Iterator[Content]) -> tuple[Content, ...]:
    shown = tuple(islice(lines, _MOST_LINES))
    more = Content.styled("… and more: see the timeline", "$text-warning")
    return (*shown, more) if next(lines, None) is not None else shown


def _lines(ask: Ask, form: Form | None, link: Link | None, withheld: KnownSecrets) -> Iterator[Content]:
    # Sightline's own words come first, so that a long message does not push them off the screen.
    if form is not None:
        yield from _about_form(form)
    if link is not None:
        yield from _about_link(link)
    if ask.kind is AskKind.SAMPLING:
        yield Content.styled("No model is called: your text is the answer.", "$foreground 70%")
    texts = sampling_lines(ask) if ask.kind is AskKind.SAMPLING else filter(None, [ask.message])
    for number, text in enumerate(texts):
        if number == 0:
            yield Content.styled("The server says:", "$foreground 70%")
        yield from _text(withheld.masked_text(text))


def _about_form(form: Form) -> Iterator[Content]:
    secret = ", ".join(shortened(field.name, 60) for field in form.fields if asks_for_secret(field))
    if secret:
        warning = f"The form asks for a credential ({secret}), which the protocol forbids. Your answer goes to the server."
        yield content(warning, "bold $text-error")
    if form.problem:
        yield content(shortened(form.problem, _LONGEST), "$text-warning")
    if len(form_lines(form)) >= MAX_LINES:
        words = f"Only {MAX_LINES} fields are shown. sightline call --answer @FILE can answer all of them."
        yield Content.styled(words, "$text-warning")


def _about_link(link: Link) -> Iterator[Content]:
    yield Content.assemble(
        (link.before, "$foreground 70%"), (link.host, "bold reverse"), (link.after, "$foreground 70%")
    )
    if link.refusal:
        yield content(f"Sightline does not open it: {link.refusal}.", "bold $text-error")
    if link.ending:
        yield content(link.ending, "bold $text-accent")
    for warning in link.warnings:
        yield content(warning, "$text-warning")
    if link.origin:
        yield Content.assemble("Origin: ", content(link.origin, "bold"))


def _text(text: str) -> Iterator[Content]:
    for line in shortened(text, _LONGEST).splitlines() or [""]:
        yield Content.assemble("  ", content(line))
