"""Messages that have arrived and were not taken yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from .._errors import RelayError

T = TypeVar("T")


@dataclass(eq=False)
class _Taker(Generic[T]):
    fits: Callable[[T], bool]
    peek: bool
    result: asyncio.Future[T | None]


class Mailbox(Generic[T]):
    """Messages that have arrived and were not taken yet. Each goes to one taker, in order, if the taker accepts it."""

    def __init__(self, given: Iterable[T] = ()) -> None:
        self.messages: list[T] = list(given)
        self.unprocessed: list[T] = []
        """Messages that the program was given by `give` and may not have processed yet."""
        self._takers: list[_Taker[T]] = []
        self.has_ended = False
        self._error: RelayError | None = None
        self._interruption: RelayError | None = None
        self._stopped: RelayError | None = None

    def is_ready(self, fits: Callable[[T], bool]) -> bool:
        """Whether `take` would return at once."""
        is_over = self.has_ended or self._interruption is not None or self._stopped is not None
        return is_over or any(fits(one) for one in self.messages)

    def push(self, messages: Iterable[T]) -> None:
        self.messages += messages
        self._serve()

    def end(self, error: RelayError | None = None) -> None:
        """No more messages come. After the remaining ones, takers get None or the error."""
        if not self.has_ended:
            self.has_ended, self._error = True, error
        self._serve()

    def interrupt(self, error: RelayError) -> None:
        """Fails the waiting takers, or else the next one, with an error that may pass."""
        if not self._takers:
            self._interruption = error
        self._fail(error)

    def stop(self, error: RelayError) -> None:
        """Fails all takers from now on, after the remaining messages."""
        self._stopped = error
        self._fail(error)

    async def take(self, fits: Callable[[T], bool] = lambda _: True, *, peek: bool = False) -> T | None:
        """`peek` leaves the message there."""
        before = self._stopped or self._interruption
        self._interruption = None
        if before and not any(fits(one) for one in self.messages):
            raise before
        taker = _Taker(fits, peek, asyncio.get_running_loop().create_future())
        self._takers.append(taker)
        self._serve()
        try:
            return await taker.result
        except asyncio.CancelledError:
            # A message that it was given at the same moment goes to the next taker.
            given = taker.result
            if given.done() and not given.cancelled() and not given.exception() and not peek:
                message = given.result()
                if message is not None:
                    self.messages.insert(0, message)
                    self._serve()
            raise
        finally:
            if taker in self._takers:
                self._takers.remove(taker)

    def give(self, fits: Callable[[T], bool]) -> T | None:
        """Gives the program the first message that fits. It may not have processed it until `mark_processed`."""
        message = next((one for one in self.messages if fits(one)), None)
        if message is not None:
            self.messages.remove(message)
            self.unprocessed.append(message)
        return message

    def give_back(self, fits: Callable[[T], bool]) -> None:
        """Messages that were given, but have not reached the program."""
        self.messages = [*filter(fits, self.unprocessed), *self.messages]
        self.unprocessed = [one for one in self.unprocessed if not fits(one)]
        self._serve()

    def update(self, change: Callable[[T], T]) -> None:
        """Changes all messages that the program may not have processed yet."""
        self.messages = [*map(change, self.messages)]
        self.unprocessed = [*map(change, self.unprocessed)]

    def mark_processed(self) -> None:
        """The program has processed all that it was given."""
        self.unprocessed = []

    def _serve(self) -> None:
        # Those that leave the message there come first: another one may take it away.
        for taker in sorted(self._takers, key=lambda one: not one.peek):
            at = next((at for at, one in enumerate(self.messages) if taker.fits(one)), None)
            if at is None and not self.has_ended:
                continue
            self._takers.remove(taker)
            if taker.result.done():
                continue
            if at is None and self._error:
                taker.result.set_exception(self._error)
            elif at is None:
                taker.result.set_result(None)
            else:
                taker.result.set_result(self.messages[at] if taker.peek else self.messages.pop(at))

    def _fail(self, error: RelayError) -> None:
        for taker in self._takers:
            if not taker.result.done():
                taker.result.set_exception(error)
        self._takers = []
