"""Runs the asynchronous code for callers that block: ADR 29."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

from .._errors import invalid_input
from .._transport.waiting import Tasks

T = TypeVar("T")

# A wait without a limit cannot be interrupted by Ctrl-C on Windows.
_tick = 1.0


class _Caller:
    """A thread that waits for a call, and meanwhile runs the functions of its program that this call needs."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_waiting = True

    def post(self, work: Callable[[], None]) -> bool:
        """False when the call has returned."""
        with self._lock:
            if self._is_waiting:
                self._queue.put(work)
            return self._is_waiting

    def finish(self) -> None:
        with self._lock:
            self._is_waiting = False
            self._queue.put(None)

    def serve(self) -> None:
        while True:
            try:
                work = self._queue.get(timeout=_tick)
            except queue.Empty:
                continue
            if work is None:
                return
            work()


_caller: ContextVar[_Caller | None] = ContextVar("caller", default=None)


class _Loop:
    """One event loop for all clients of a process, in a thread that does not keep the process alive."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="expert-relay", daemon=True).start()
            return self._loop

    def forget(self) -> None:
        """In a forked process there is no such thread."""
        self._lock = threading.Lock()
        self._loop = None


_loop = _Loop()
_closing = Tasks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_loop.forget)


class Portal:
    """Passes the calls of one client to its event loop."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    def run(self, work: Callable[[], Awaitable[T]], give_back: Callable[[T], None] | None = None) -> T:
        """`give_back` gets a result that does not reach the caller because of Ctrl-C."""
        if os.getpid() != self._pid:
            raise invalid_input("This client was made before this process was forked: make a new one.")
        caller, loop = _Caller(), _loop.get()
        tasks: list[asyncio.Task[T]] = []

        async def work_for_caller() -> T:
            _caller.set(caller)
            return await work()

        def start() -> None:
            tasks.append(loop.create_task(work_for_caller()))
            tasks[0].add_done_callback(lambda _: caller.finish())

        async def undo() -> None:
            if give_back and not tasks[0].cancelled() and not tasks[0].exception():
                give_back(tasks[0].result())

        loop.call_soon_threadsafe(start)
        try:
            caller.serve()
        except BaseException:
            # Ctrl-C: what the call has begun is ended in order.
            loop.call_soon_threadsafe(lambda: tasks[0].cancel())
            caller.serve()
            # In the event loop, as all that changes a client.
            asyncio.run_coroutine_threadsafe(undo(), loop).result()
            raise
        return tasks[0].result()

    def read(self, read: Callable[[], T]) -> T:
        """For what is computed of several values, which the event loop changes meanwhile."""

        async def read_in_loop() -> T:
            return read()

        return self.run(read_in_loop)

    def iterate(
        self, begin: Callable[[], AsyncIterator[T]], give_back: Callable[[T], None] = lambda _: None
    ) -> Iterator[T]:
        iterator = begin()

        async def take() -> tuple[T] | None:
            try:
                return (await iterator.__anext__(),)
            except StopAsyncIteration:
                return None

        try:
            while taken := self.run(take, lambda one: give_back(one[0]) if one else None):
                yield taken[0]
        finally:
            close: Callable[[], Coroutine[Any, Any, None]] | None = getattr(iterator, "aclose", None)
            if close:
                self._end(close)

    def _end(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        # An abandoned loop may be collected in the thread of the event loop, which must not wait for itself.
        if _running_loop() is _loop.get():
            _closing.start(close())
        else:
            self.run(close)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def call_in_caller(function: Callable[..., T], *arguments: Any) -> T:
    """Runs a function of the program in the thread that waits, where it may call this client again. When no thread waits, it runs
    in one of its own."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if error:
            done.set_exception(error)
        else:
            done.set_result(result)

    def work() -> None:
        try:
            result = function(*arguments)
        except Exception as error:
            loop.call_soon_threadsafe(settle, None, error)
        else:
            loop.call_soon_threadsafe(settle, result, None)

    caller = _caller.get()
    if caller is None or not caller.post(work):
        return await asyncio.to_thread(function, *arguments)
    return await done
