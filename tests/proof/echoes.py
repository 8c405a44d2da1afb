"""Words that occur again: in texts, names, addresses, titles, labels, keys and `_meta`, in nine encodings."""

from inspector.json.exact import Json
from tests.proof.blocks import TRUST, text
from tests.proof.schemas import Making
from tests.proof.templates import AsText, Echo, Encoding, Kind, Members, Say, Template, blanks, members

PLACES = (
    "text",
    "link",
    "address",
    "title",
    "resource",
    "claim",
    "source",
    "label",
    "wrapped",
    "member",
    "more",
)


def echo(making: Making) -> Echo:
    """Any word again, mostly a withheld one."""
    choices = making.choices
    among = sorted(making.guarded - making.partial)
    if not among or choices.one_in(12):
        among = list(range(len(making.kinds)))
    index = choices.pick(among) if among else making.word(guarded=False).index
    by_words = making.kinds[index] in {Kind.NUMBER, Kind.SHORT}
    encoding = Encoding.VERBATIM if by_words else choices.pick(tuple(Encoding))
    return Echo(index, encoding, choices.between(0, 59))


def with_note(making: Making, schema: Json, value: Template) -> Template:
    """A structured value with an echo in one more member, in its value or in its key.

    If the schema describes an object, it declares the member.
    """
    said = Say((echo(making),))
    if not isinstance(value, Members):
        # The marks of the schema do not apply to a list of values.
        making.guarded.difference_update(blank.index for blank in blanks(value))
        return [value, said]
    if making.choices.one_in(5):
        return value | Members(((Say(("note ", echo(making))), 5),))
    named = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(named, dict):
        named["note"] = {"type": "string"}
    return value | members(note=said)


def with_echo(making: Making, structured: Template) -> tuple[list[Template], Members]:
    """Blocks and other members of a result, with an echo in one of them."""
    place = making.choices.pick(PLACES)
    said = Say(("of ", echo(making)))
    link = members(type="resource_link", uri="file:///a", name="report")
    match place:
        case "text":
            return [members(type="text", text=said)], members()
        case "link":
            return [Members((*link.pairs[:2], ("name", said)))], members()
        case "address":
            return [members(type="resource_link", uri=said, name="report")], members()
        case "title":
            return [link | members(title=said)], members()
        case "resource":
            held = members(uri=said, text="words")
            return [members(type="resource", resource=held)], members()
        case "claim":
            evidence = members(type="t", digest=said, canonicalization="c")
            trust = Members(((TRUST, members(untrusted=True, evidenceRef=evidence)),))
            return [text("words", _meta=trust)], members()
        case "source":
            return [], members(_meta=members(annotations=members(attribution=[said])))
        case "label":
            reference = members(
                type="secret_reference", id="none", label=said, redeemUrl="https://a.example/"
            )
            return [reference], members()
        case "wrapped":
            whole = members(result=structured)
            return [members(type="text", text=AsText(whole, making.choices.between(0, 2)))], members()
        case "member":
            return [text("words", annotations=members(lastModified=said))], members()
        case _:
            return [], members(more=said)
