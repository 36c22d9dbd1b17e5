"""JSON of other parties: read so that programs in other languages read the same."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, TypeGuard

Members = dict[str, Any]
MAX_SAFE_INTEGER: Final = 2**53 - 1


class _NotJson:
    """What `parse_json` returns for a text that is not JSON: `None` would be `null`."""

    def __bool__(self) -> bool:
        return False


NOT_JSON: Final = _NotJson()


def parse_json(text: str) -> Any:
    """Numbers are IEEE 754 doubles; those without a fraction are `int`. `NOT_JSON` when the text is not JSON."""
    try:
        return json.loads(text, parse_float=_number, parse_int=_number, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return NOT_JSON


def _number(text: str) -> int | float:
    value = float(text)
    is_integer = value.is_integer() and abs(value) <= MAX_SAFE_INTEGER
    return int(value) if is_integer else value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def write_json(value: object) -> str:
    """Compact, as `JSON.stringify` of JavaScript writes it."""
    return as_javascript(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def as_javascript(json: str, *, keeps_integers: bool = False) -> str:
    """JSON with the numbers and the lone surrogates as JavaScript writes them, since programs of both languages compare such texts.
    An integer that JavaScript would change, such as 2**53 + 1, stays as it is; with `keeps_integers` all of them, since Python
    would read 1e+21 as a float."""
    numbers = _string_or_float if keeps_integers else _string_or_number
    text = numbers.sub(lambda found: found[1] or _write_number(found[0]), json)
    return _surrogate.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


# Numbers without a fraction, an exponent or many digits are the same in both languages.
_float = r'("[^"\\]*(?:\\.[^"\\]*)*")|-?\d+(?:\.\d+)?(?:e[+-]\d+)|-?\d+\.\d+'
_string_or_float = re.compile(_float)
_string_or_number = re.compile(rf"{_float}|-?\d{{16,}}")
_surrogate = re.compile("[\ud800-\udfff]")


def _write_number(number: str) -> str:
    """`Number::toString` of ECMAScript."""
    if not is_same_decimal(number, repr(float(number))):
        return number
    sign, all_digits, exponent = Decimal(repr(float(number))).as_tuple()
    digits = "".join(map(str, all_digits)).rstrip("0")
    # The number is 0.digits times ten to this power.
    power = len(all_digits) + int(exponent)
    minus = "-" if sign else ""
    if not digits:
        return "0"
    if len(digits) <= power <= 21:
        return minus + digits.ljust(power, "0")
    if 0 < power <= 21:
        return f"{minus}{digits[:power]}.{digits[power:]}"
    if -6 < power <= 0:
        return f"{minus}0.{'0' * -power}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{minus}{digits[0]}{fraction}e{power - 1:+d}"


def is_same_decimal(one: str, other: str) -> bool:
    """Whether two texts are the same decimal number, such as 1e3 and 1000.0."""
    try:
        first, second = Decimal(one), Decimal(other)
        return first.is_finite() and first == second
    except ArithmeticError:
        return False


def is_double(number: float) -> bool:
    """Whether programs that have doubles only write the same number. Not 2**60, which is a double: they write 1152921504606847000."""
    try:
        double = float(number)
    except OverflowError:
        return False
    return is_same_decimal(str(number), repr(double))


def is_object(value: object) -> TypeGuard[Members]:
    return isinstance(value, dict)


def object_of(value: object) -> Members:
    """Empty for anything else."""
    return value if is_object(value) else {}


def list_in(value: object) -> Sequence[Any]:
    """Empty for anything else."""
    return value if is_list(value) else ()


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, (list, tuple))


def is_text(value: object) -> TypeGuard[str]:
    """A text without a lone surrogate, which could not be sent as UTF-8."""
    return isinstance(value, str) and not _surrogate.search(value)


def to_well_formed(text: str) -> str:
    """As `toWellFormed` of JavaScript, so that the text can be sent as UTF-8."""
    return _surrogate.sub("\ufffd", text)


def is_number(value: object) -> TypeGuard[int | float]:
    """A finite number that is the same in programs that have doubles only."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and is_double(value)


def is_integer(value: object) -> TypeGuard[int | float]:
    """An integer within ±(2^53 - 1)."""
    return is_number(value) and value == int(value) and abs(value) <= MAX_SAFE_INTEGER


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None


def utf16_length(text: str) -> int:
    """As the relay counts characters."""
    return len(text) + sum(one > "\uffff" for one in text)
