"""Numbers compared as they are spelt, not as floats; and JSON equality that can be looked up in a set."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from inspector.json.exact import MAX_INTEGER_DIGITS, DuplicateKeys, Json, Number, scalar_text


def exact(number: float) -> Decimal | None:
    """The number as spelt; None where it is not finite or longer than is worth comparing."""
    if isinstance(number, int):
        return Decimal(number)
    text = number.text if isinstance(number, Number) else repr(number)
    if len(text) > MAX_INTEGER_DIGITS:
        return None
    try:
        decimal = Decimal(text)
    except InvalidOperation:
        return None
    return decimal if decimal.is_finite() else None


def is_integral(number: float) -> bool:
    """Whether the number has no fraction: `1.0` and `1e400` have none."""
    if isinstance(number, int) or (isinstance(number, Number) and number.text.lstrip("-").isdecimal()):
        return True
    decimal = exact(number)
    return decimal is not None and _parts(decimal).exponent >= 0


def is_multiple(number: Decimal, step: Decimal) -> bool:
    """Whether `number` is a whole multiple of `step`, which is not zero. Exponents of any size cost nothing."""
    above, below = _parts(number), _parts(step)
    shift = above.exponent - below.exponent
    if not above.digits:
        return True
    # Digits without a trailing zero are no multiple of ten.
    return shift >= 0 and above.digits * pow(10, shift, below.digits) % below.digits == 0


def canonical(value: Json) -> str:
    """A text that two values share exactly where they are equal as JSON: `1` and `1.0`, keys in any order."""
    written: list[str] = []
    stack: list[Json | _Text] = [value]
    while stack:
        item = stack.pop()
        match item:
            case _Text():
                written.append(item.text)
            case dict():
                written.append("{")
                stack.append(_Text("}"))
                for key in sorted(item, reverse=True):
                    stack += (item[key], _Text(f"{scalar_text(key)}:"))
            case DuplicateKeys():
                written.append("<")
                stack.append(_Text(">"))
                for key, member in reversed(item.pairs):
                    stack += (member, _Text(f"{scalar_text(key)}:"))
            case list():
                written.append("[")
                stack.append(_Text("]"))
                for member in reversed(item):
                    stack += (_Text(","), member)
            case bool() | str() | None:
                written.append(scalar_text(item))
            case _:
                written.append(_canonical_number(item))
        written.append(" ")
    return "".join(written)


def _canonical_number(number: float) -> str:
    if isinstance(number, int) and -_SHORT < number < _SHORT:
        return str(number)
    decimal = exact(number)
    if decimal is None:
        return number.text if isinstance(number, Number) else repr(number)
    parts = _parts(decimal)
    if 0 <= parts.exponent < 15 and parts.digits < _SHORT:
        whole = parts.digits * 10**parts.exponent
        if whole < _SHORT:
            return f"{parts.sign}{whole}"
    return f"{parts.sign}{Decimal(parts.digits)}e{parts.exponent}"


_SHORT = 10**15


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """A number as digits times a power of ten, the digits without trailing zeros; zero is 0 times 1."""

    sign: str
    digits: int
    exponent: int


def _parts(number: Decimal) -> _Parts:
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        raise TypeError("not finite")
    kept = len(digits)
    while kept and digits[kept - 1] == 0:
        kept -= 1
    if not kept:
        return _Parts(sign="", digits=0, exponent=0)
    whole = int(Decimal((0, digits[:kept], 0)))
    return _Parts(sign="-" if sign else "", digits=whole, exponent=exponent + len(digits) - kept)


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
