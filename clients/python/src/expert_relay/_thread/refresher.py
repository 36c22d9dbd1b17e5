"""Runs a task whenever there may be news."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from .._errors import RelayError
from .._transport.api import is_outage


class Refresher:
    """Runs a task whenever there may be news, one run at a time. A run that fails is repeated, however long it takes."""

    def __init__(
        self,
        run: Callable[[], Coroutine[Any, Any, None]],
        *,
        report: Callable[[RelayError], None],
        backoff: Callable[[int], float],
    ) -> None:
        self._run, self._report, self._backoff = run, report, backoff
        self._is_stale = False
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False

    def refresh(self) -> None:
        self._is_stale = True
        if self._is_stopped or (self._task and not self._task.done()):
            return
        self._task = asyncio.ensure_future(self._run_until_fresh())

    def stop(self) -> None:
        self._is_stopped = True
        if self._task:
            self._task.cancel()

    async def _run_until_fresh(self) -> None:
        failures = 0
        while self._is_stale and not self._is_stopped:
            self._is_stale = False
            try:
                await self._run()
                failures = 0
            except Exception as error:
                if not is_outage(error):
                    self._report(error if isinstance(error, RelayError) else _unknown(error))
                self._is_stale = True
                failures += 1
                await asyncio.sleep(self._backoff(failures))


def _unknown(cause: Exception) -> RelayError:
    error = RelayError("unexpected_answer", str(cause))
    error.__cause__ = cause
    return error
