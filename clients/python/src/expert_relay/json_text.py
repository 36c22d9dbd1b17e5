"""JSON of other parties: read so that programs in other languages read the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
    """Compact, without escapes that are not needed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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
    return isinstance(value, str) and not any("\ud800" <= one <= "\udfff" for one in value)


def is_number(value: object) -> TypeGuard[int | float]:
    """A finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _largest


_largest = 1.7976931348623157e308


def is_integer(value: object) -> TypeGuard[int | float]:
    """An integer within ±(2^53 - 1)."""
    return is_number(value) and value == int(value) and abs(value) <= MAX_SAFE_INTEGER


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None


def utf16_length(text: str) -> int:
    """As the relay counts characters."""
    return len(text) + sum(one > "\uffff" for one in text)
