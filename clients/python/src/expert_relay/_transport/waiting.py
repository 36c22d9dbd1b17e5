"""Waiting with limits of time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from .._errors import RelayError

T = TypeVar("T")


def timed_out(seconds: float | None) -> RelayError:
    return RelayError("timeout", "No answer came within the time." if seconds is None else f"No answer came within {seconds:g} s: wait or ask again.")


async def within(seconds: float | None, work: Coroutine[Any, Any, T], late: Callable[[], Exception]) -> T:
    """Runs something, and cancels it after a time. Not by `asyncio.wait_for`: before Python 3.12 it can lose a cancellation."""
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done:
            raise late()
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            # What it opened is closed before this returns.
            await asyncio.wait({task})
        # An error that no one gets would be logged, with the local variables of each frame.
        if not task.cancelled():
            task.exception()


async def all_or_error(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results, or the first error: then the others are cancelled."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def raise_if_late(started_at: float, timeout: float | None) -> None:
    """A timer stands still while the machine sleeps: without the clock, a decision could be acted on hours after its time."""
    if timeout and time.time() - started_at > timeout:
        raise timed_out(timeout)


class Tasks:
    """Tasks that run in the background. The event loop itself would not keep them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        if self._tasks:
            await asyncio.wait([*self._tasks])

    async def end(self) -> None:
        """Cancels all of them, and waits until they have closed what they opened."""
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
