"""Checks the expectations of a saved call. Reports failures in sentences that quote nothing withheld."""

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.echoes import Echoes
from inspector.boundary.error_code import error_code
from inspector.boundary.judgement import Judgement
from inspector.boundary.options import BoundaryPolicy, Level
from inspector.boundary.output_check import OutputCheck
from inspector.credentials.names import names_secret, words_of
from inspector.hosts.definitions.projection import tokens
from inspector.hosts.leaks import Secret, secrets_of
from inspector.hosts.profile import Call, Host
from inspector.hosts.projection import Projection, model_view_of, projection_of
from inspector.hosts.registry import hosts
from inspector.json.exact import Json, JsonObject, dump_text, equal
from inspector.json.members import text_at, value_at
from inspector.json.opened import opened, opened_texts, resolve_opened
from inspector.json.pointer import join, resolve, split
from inspector.json.texts import texts_in
from inspector.protocol.outcome import unfinished
from inspector.saved.call import ALL_HOSTS, Expectations, schemas_by_pointer
from inspector.saved.stable import first_words, shape_of
from inspector.schema.validation import violations
from inspector.secrets.own_credentials import OwnCredentials

_MOST_QUOTED = 200
"""The maximum number of characters of a value quoted in a sentence."""
_WHOLE = frozenset({"content", "structuredContent", "isError", "_meta", "error", "resultType"})
_STRUCTURED = "/structuredContent"


class Made(Struct, frozen=True, kw_only=True):
    """A call that was made, with the boundary level and host for the model's view."""

    judgement: Judgement
    duration_s: float
    level: Level
    policy: BoundaryPolicy
    host: Host
    call: Call
    own: OwnCredentials = OwnCredentials(())
    """The user's own credentials. Sentences about the call quote them neither plain nor encoded."""


def failures(expect: Expectations, made: Made) -> Iterator[str]:
    """A sentence for each expectation that is not met. Never raises. Takes seconds for large results."""
    shown = _projected(made)
    reason = unfinished(made.judgement.outcome)
    if reason is not None:
        yield f"the call did not end: {reason.sentence}"
        return
    code = error_code(made.judgement.outcome, is_listed=made.judgement.contract.is_listed)
    if expect.error and code != expect.error:
        yield f"error: {code or 'none'}, expected {expect.error}"
    elif code and not expect.error:
        yield f"error: {code}, expected a result"
    if expect.fits_schema:
        yield from _misfits(shown, made.own)
    for pointer, value in expect.equals.items():
        yield from _unequal(shown, pointer, value, made.own)
    if expect.contains:
        found = set[str]()
        for value in (shown.raw, *(inside for _, inside in opened_texts(shown.raw))):
            texts_in(value, found, set())
        yield from (
            f"contains: no value contains {_quoted(text)}"
            for text in expect.contains
            if not any(text in each for each in found)
        )
    if expect.matches is not None:
        yield from _mismatches(shown, expect.matches, made.own)
    yield from _passing(shown, expect.withheld)
    if expect.absent_for:
        yield from _seen(shown, made, expect)
    used = tokens(shown.model_bytes)
    if expect.at_most_tokens is not None and used > expect.at_most_tokens:
        yield f"at_most_tokens: about {used:,} for {made.host.name}, expected at most {expect.at_most_tokens:,}"
    took = made.duration_s * 1000
    if expect.at_most_ms is not None and took > expect.at_most_ms:
        yield f"at_most_ms: {took:,.0f} ms, expected at most {expect.at_most_ms:,g} ms"


def proposed(made: Made) -> Expectations:
    """Expectations that the answer to `made` meets and that a wrong answer probably does not meet.

    They are about the output schema, withheld values and the error code. If the tool has no schema, if the
    schema accepts an empty object, or if the result does not fit it, they are also about the keys and types
    in the JSON, the first words of the text, or the types of the content blocks. They contain no other values
    of the result.
    """
    shown = _projected(made)
    code = error_code(made.judgement.outcome, is_listed=made.judgement.contract.is_listed)
    fits = not [*_misfits(shown, made.own)]
    withheld = tuple(
        pointer.removeprefix(_STRUCTURED)
        for pointer in dict.fromkeys(removal.pointer for removal in shown.sensitive)
        if pointer.startswith(f"{_STRUCTURED}/")
    )
    expect = Expectations(fits_schema=fits, withheld=withheld, error=code or "")
    tool = made.judgement.tool
    if code or (fits and tool is not None and violations({}, tool.output_schema)):
        return expect
    more = replace(_by_shape(shown, made), fits_schema=fits, withheld=withheld)
    return expect if any(failures(more, made)) else more


def _by_shape(shown: Projection, made: Made) -> Expectations:
    """Expectations about the keys and types in a result, its first words, or the types of its content blocks.

    They contain nothing that is withheld, and none of the user's own credentials.
    """
    hidden = {removal.pointer for removal in (*shown.bounded.removals, *shown.sensitive)}
    result = _quotable(shown, made.own)

    def is_shown(pointer: str) -> bool:
        tokens = split(pointer)
        return not any(join(tokens[:length]) in hidden for length in range(len(tokens) + 1))

    structured = value_at(result, "structuredContent")
    if structured is not None:
        return Expectations(matches=shape_of(structured, is_shown, _STRUCTURED) or None)
    shapes = {
        pointer: shape_of(inside, is_shown, pointer)
        for pointer, inside in opened_texts(result)
        if is_shown(pointer)
    }
    if any(shapes.values()):
        return Expectations(matches={pointer: shape for pointer, shape in shapes.items() if shape})
    content = value_at(result, "content")
    if not isinstance(content, list):
        return Expectations()
    if not content:
        return Expectations(equals={"/content": []})
    texts = [
        text_at(block, "text") for index, block in enumerate(content) if is_shown(f"/content/{index}/text")
    ]
    # If a tool returns secrets, the words of its result may be one of them.
    for text in () if names_secret(words_of(made.call.tool)) else texts:
        words = first_words(text or "")
        if words:
            return Expectations(contains=(words,))
    kinds = list[Json](sorted({text_at(block, "type") or "" for block in content}))
    blocks: JsonObject = {"items": {"properties": {"type": {"enum": kinds}}}, "minItems": 1}
    return Expectations(matches={"properties": {"content": blocks}})


def output_of(made: Made) -> OutputCheck:
    """The comparison of the result with its tool's output schema.

    Quotes nothing that is withheld, and none of the user's own credentials.
    """
    return _output(_projected(made), made.own)


def _projected(made: Made) -> Projection:
    return projection_of(made.judgement, made.level, made.host, made.call, made.policy)


def _quotable(shown: Projection, own: OwnCredentials) -> Json:
    """The result as sentences may quote it, with withheld values and the user's own credentials masked."""
    return own.masked(shown.masked)[0]


def _output(shown: Projection, own: OwnCredentials) -> OutputCheck:
    """The comparison of the result with its output schema. No message in it quotes the user's own credentials."""
    compared = shown.output
    if own.is_empty or not compared.violations:
        return compared
    return replace(
        compared,
        violations=tuple(
            replace(each, message="does not fit the schema") if _repeats(shown, each.pointer, own) else each
            for each in compared.violations
        ),
    )


def _repeats(shown: Projection, pointer: str, own: OwnCredentials) -> bool:
    try:
        return own.masked(resolve(shown.raw, pointer))[1] > 0
    except (LookupError, ValueError):
        # No value is at the pointer, so the message repeats none.
        return False


def _misfits(shown: Projection, own: OwnCredentials) -> Iterator[str]:
    compared = _output(shown, own)
    if not compared.is_asked:
        yield "fits_schema: the tool declares no output schema, or the call failed"
    yield from (f"fits_schema: {sentence}" for sentence in compared.sentences)


def _unequal(shown: Projection, pointer: str, value: Json, own: OwnCredentials) -> Iterator[str]:
    name = f"equals: {pointer or '(the whole result)'}"
    place = _into_opened(shown, pointer)
    try:
        is_equal = equal(_as(value, resolve_opened(shown.raw, place)), value)
    except (LookupError, ValueError):
        yield f"{name} is missing"
        return
    if not is_equal:
        yield f"{name} is {_masked_at(shown, place, own)}, expected {_quoted(value)}"


def _as(expected: Json, found: Json) -> Json:
    """`found` in the form in which it can be compared with `expected`.

    If `expected` is an object or a list, and `found` is a text that contains JSON, this is the parsed JSON;
    otherwise it is `found`.
    """
    if isinstance(expected, (dict, list)) and isinstance(found, str):
        inside = opened(found)
        return found if inside is None else inside
    return found


def _masked_at(shown: Projection, pointer: str, own: OwnCredentials) -> str:
    try:
        return _quoted(resolve_opened(_quotable(shown, own), pointer))
    except (LookupError, ValueError):
        return "another value"


def _mismatches(shown: Projection, expected: Json, own: OwnCredentials) -> Iterator[str]:
    schemas = schemas_by_pointer(expected)
    if schemas is None:
        masked = _structured(_quotable(shown, own))
        yield from _breaches(_structured(shown.raw), expected, masked, "")
        return
    quotable = _quotable(shown, own)
    for pointer, schema in schemas.items():
        place = _into_opened(shown, pointer)
        try:
            value = _inside(resolve_opened(shown.raw, place))
        except (LookupError, ValueError):
            yield f"matches: {pointer} is missing"
            continue
        try:
            masked = _inside(resolve_opened(quotable, place))
        except (LookupError, ValueError):
            masked = None
        yield from _breaches(value, schema, masked, pointer)


def _inside(value: Json) -> Json:
    inside = opened(value)
    return value if inside is None else inside


def _breaches(value: Json, schema: Json, masked: Json, above: str) -> Iterator[str]:
    found = violations(value, schema)
    if not found:
        return
    # A message may quote a value, so it is used only if the masked value produces it too.
    known = {(each.pointer, each.message) for each in violations(masked, schema)}
    for each in found:
        message = each.message if (each.pointer, each.message) in known else "does not match"
        yield f"matches: {above + each.pointer or '(the whole result)'} {message}"


def _structured(result: Json) -> Json:
    return result.get("structuredContent", result) if isinstance(result, dict) else result


def _passing(shown: Projection, pointers: tuple[str, ...]) -> Iterator[str]:
    removed = [removal.pointer for removal in shown.bounded.removals]
    for written in pointers:
        pointer = _into_result(shown, written)
        try:
            resolve(shown.raw, pointer)
        except (LookupError, ValueError):
            # A missing value cannot leak, but that says nothing about later results.
            yield f"withheld: {written} is missing"
            continue
        if not any(_masks(each, pointer) for each in removed):
            yield f"withheld: {written} reaches the model at the boundary {shown.bounded.level}"


def _seen(shown: Projection, made: Made, expect: Expectations) -> Iterator[str]:
    """A sentence for each host whose model gets a copy of a withheld value.

    Also finds encoded copies, in every encoding that the boundary knows.
    """
    contract = made.judgement.contract
    if expect.withheld:
        secrets = [*_at(shown, expect.withheld)]
    else:
        declared = made.judgement.bounded(Level.DECLARED, made.policy)
        try:
            secrets = [*secrets_of(shown.raw, declared, contract, made.policy)]
        except LookupError:
            yield "absent_for: cannot be checked, because the result cannot be judged"
            return
    if not secrets:
        yield "absent_for: nothing of the result is withheld, so there is nothing to look for"
        return
    names = contract.names
    yield from (
        f"absent_for: cannot be checked for {secret.pointer or '(the whole result)'}, whose value is too common to search for"
        for secret in secrets
        if secret.is_common(names)
    )
    echoes = Echoes([value for secret in secrets for value in secret.values], names=names)
    for host in hosts():
        if ALL_HOSTS not in expect.absent_for and host.name not in expect.absent_for:
            continue
        context = model_view_of(host, shown.bounded, made.call)
        if context.model is None and not context.observed:
            yield f"absent_for: what {host.name}'s model gets is not known"
            continue
        found, keys = set[str](), set[str]()
        texts_in(context.model, found, keys)
        if echoes.matches(found | (keys - names)):
            yield f"absent_for: {host.name}'s model gets a copy of what is withheld"


def _at(shown: Projection, pointers: tuple[str, ...]) -> Iterator[Secret]:
    for written in pointers:
        pointer = _into_result(shown, written)
        try:
            yield Secret(pointer=pointer, values=(resolve(shown.raw, pointer),))
        except (LookupError, ValueError):
            continue


def _into_result(shown: Projection, pointer: str) -> str:
    """Convert an expectation's pointer into a pointer into the whole result."""
    raw = shown.raw
    if not pointer:
        return pointer
    first = (*split(pointer), "")[0]
    is_structured = isinstance(raw, dict) and "structuredContent" in raw and first not in _WHOLE
    return f"{_STRUCTURED}{pointer}" if is_structured else pointer


def _into_opened(shown: Projection, pointer: str) -> str:
    """Convert an expectation's pointer into one into the whole result, or into JSON in one of its texts.

    If there is no structured content and only one text is JSON, the returned pointer leads into that text,
    unless the first key of `pointer` is a member of the result or is in `_WHOLE`.
    """
    raw = shown.raw
    place = _into_result(shown, pointer)
    first = (*split(pointer), "")[0]
    if not pointer or place != pointer or first in _WHOLE or not isinstance(raw, dict) or first in raw:
        return place
    texts = [text for text, _ in islice(opened_texts(raw), 2)]
    return f"{texts[0]}{pointer}" if len(texts) == 1 else place


def _masks(removed: str, pointer: str) -> bool:
    return pointer == removed or pointer.startswith(f"{removed}/") or removed == ""


def _quoted(value: Json) -> str:
    text = dump_text(value)
    return text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}…"
