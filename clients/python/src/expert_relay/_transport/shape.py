"""Checks the relay's responses member by member: a hostile relay may send anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from .._errors import unexpected
from .._json_text import MAX_SAFE_INTEGER, Members, is_list, is_object

T = TypeVar("T")


def members(value: object) -> Members:
    if not is_object(value):
        raise unexpected("an object")
    return value


def text(body: Members, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise unexpected(f"a text as `{name}`")
    return value


def matching(body: Members, name: str, pattern: re.Pattern[str]) -> str:
    value = text(body, name)
    if not pattern.fullmatch(value):
        raise unexpected(f"another text as `{name}`")
    return value


def optional_text(body: Members, name: str) -> str | None:
    """A missing member and `null` mean the same."""
    return None if body.get(name) is None else text(body, name)


def count(body: Members, name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_SAFE_INTEGER:
        raise unexpected(f"a number as `{name}`")
    return value


def list_of(body: Members, name: str, read: Callable[[Members], T]) -> list[T]:
    value: Any = body.get(name)
    if not is_list(value):
        raise unexpected(f"a list as `{name}`")
    return [read(members(one)) for one in value]
