"""Keeps keys, questions and messages out of reports of errors: these may have the local variables of each frame."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar

from ._errors import RelayError

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type[Any])
E = TypeVar("E", bound=BaseException)

_package = "expert_relay"
# What this package calls. The frames of the program stay, such as those of its `on_reply`.
_hidden = {
    *sys.stdlib_module_names,
    *(_package, "httpx", "httpcore", "h11", "h2", "hpack", "socksio", "anyio", "sniffio", "certifi", "idna"),
    *("cryptography", "pydantic", "pydantic_core"),
}
_special = ("__init__", "__aiter__", "__iter__", "__aexit__", "__exit__")


def without_locals(error: E) -> E:
    """The error without the frames of this package and of what it calls, and so are its causes."""
    known: set[int] = set()
    errors: list[BaseException | None] = [error]
    while errors:
        one = errors.pop()
        if one is None or id(one) in known:
            continue
        known.add(id(one))
        entries = _entries_of(one.__traceback__)
        # Another error may be one that the program was handling when it made the call.
        if one is error or any(_module_of(entry) == _package for entry in entries):
            _hide(one, entries)
            errors += (one.__cause__, one.__context__)
    return error


def _entries_of(entry: TracebackType | None) -> list[TracebackType]:
    entries: list[TracebackType] = []
    while entry:
        entries.append(entry)
        entry = entry.tb_next
    return entries


def _module_of(entry: TracebackType) -> str:
    return str(entry.tb_frame.f_globals.get("__name__")).partition(".")[0]


def _hide(error: BaseException, entries: list[TracebackType]) -> None:
    hidden = [entry for entry in entries if _module_of(entry) in _hidden]
    kept: TracebackType | None = None
    for entry in reversed(entries):
        if entry not in hidden:
            entry.tb_next, kept = kept, entry
    error.__traceback__ = kept
    # The message of a `RelayError` says what to do. Of another one it matters where it was raised. Python 3.10 has no notes.
    add_note: Callable[[str], None] | None = getattr(error, "add_note", None)
    if hidden and add_note and isinstance(error, Exception) and not isinstance(error, RelayError):
        codes = [(entry.tb_frame.f_code, entry.tb_lineno) for entry in hidden]
        add_note("\n".join(f"{code.co_filename}:{line} in {code.co_name}" for code, line in codes))


def hides_locals(made: C) -> C:
    """For a class: its public methods raise errors without locals."""
    for name, member in [*vars(made).items()]:
        if name.startswith("_") and name not in _special:
            continue
        if isinstance(member, classmethod):
            method: Any = vars(made)[name]
            setattr(made, name, classmethod(call_without_locals(method.__func__)))
        elif inspect.isfunction(member):
            setattr(made, name, call_without_locals(member))
    return made


def call_without_locals(function: F) -> F:
    """For a function: it raises errors without locals. The arguments are deleted before that."""

    @wraps(function)
    async def call_async(*args: Any, **options: Any) -> Any:
        work = function(*args, **options)
        del args, options
        try:
            return await work
        except BaseException as error:
            raise without_locals(error)

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            result = function(*args, **options)
        except BaseException as error:
            del args, options
            raise without_locals(error)
        if inspect.isasyncgen(result):
            return _AsyncLoop(result)
        return _Loop(result) if inspect.isgenerator(result) else result

    return call_async if inspect.iscoroutinefunction(function) else call  # type: ignore[return-value]


class _AsyncLoop:
    """A generator whose errors are without its locals, such as what it yielded last."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._generator.__anext__()
        except BaseException as error:
            raise without_locals(error)

    async def aclose(self) -> None:
        await self._generator.aclose()


class _Loop:
    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._generator)
        except BaseException as error:
            raise without_locals(error)

    def close(self) -> None:
        self._generator.close()
