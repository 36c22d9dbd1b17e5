"""Keeps a conversation up to date while at least one caller waits for it."""

from __future__ import annotations

from collections.abc import Callable

from .._errors import RelayError
from .refresher import Refresher
from .sender import Sender
from .thread import Thread

Stop = Callable[[], None]


class Follower:
    """Keeps a conversation up to date while at least one caller waits for it. While no caller waits, the follower keeps no connection
    open. `listen` calls back when there may be news, and once soon after the start."""

    def __init__(
        self, thread: Thread, sender: Sender, listen: Callable[[Callable[[], None]], Stop]
    ) -> None:
        self._thread, self._sender, self._listen = thread, sender, listen
        self._waiting = 0
        self._end: Stop | None = None

    def follow(self) -> Stop:
        """Starts to wait. Returns a function that stops it."""
        self._waiting += 1
        if self._end is None and not self._thread.mailbox.has_ended:
            self._start_reading()
        is_waiting = True

        def release() -> None:
            nonlocal is_waiting
            if is_waiting:
                is_waiting = False
                self._waiting -= 1
                if self._waiting == 0:
                    self._finish()

        return release

    def stop(self, error: RelayError) -> None:
        """Fails waiting and later calls with this error."""
        self._finish()
        self._thread.mailbox.stop(error)

    def _start_reading(self) -> None:
        thread, sender = self._thread, self._sender

        async def run() -> None:
            await thread.read()
            if sender.is_due and not thread.mailbox.has_ended:
                await sender.flush()
            if thread.mailbox.has_ended:
                end()

        def report(error: RelayError) -> None:
            if thread.mailbox.has_ended:
                end()
            else:
                thread.mailbox.interrupt(error)

        refresher = Refresher(run, report=report, backoff=thread.api.backoff)

        def end() -> None:
            unlisten()
            refresher.stop()

        self._end = end
        # `listen` may call `stop` at once.
        unlisten: Stop = lambda: None
        unlisten = self._listen(refresher.refresh)

    def _finish(self) -> None:
        if self._end:
            self._end()
        self._end = None
