"""What an agent sends automatically after the pick-up, and how much of it the program has received."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from .._crypto.submission import CONFIDENTIAL_QUESTION
from .._errors import RelayError
from .._requests import Follows
from .._thread.follower import Follower
from .._thread.message import Message, describe
from .._thread.shown import first_received
from .._thread.thread import Thread
from .._transport.waiting import timed_out, within
from .expert_side import ExpertSide, without_root


class Arrivals:
    """The messages of one request's agent, as a program gets them without a loop. They stay in the mailbox for a loop."""

    def __init__(
        self, thread: Thread, follower: Follower, side: ExpertSide, pick_up: Callable[[], Awaitable[None]], max_wait: float
    ) -> None:
        self._thread, self._follower, self._side = thread, follower, side
        self._pick_up, self._max_wait = pick_up, max_wait
        self._given: set[str] = set()
        self.received: tuple[Message, ...] = ()
        # When what follows should have come, by a clock that is not set.
        self._due_at: float | None = None

    @property
    def is_confidential(self) -> bool:
        return self._side.question is not None and self._side.question.question == CONFIDENTIAL_QUESTION

    @property
    def missing(self) -> Follows | None:
        """What was announced and has not come."""
        if not self._side.agent_sent_keys or first_received(self._thread.known) is not None:
            return None
        announced = self._thread.head.notes.follows if self._thread.head else None
        files, question = (announced.files, announced.question) if announced else (0, False)
        return Follows(files, question or self.is_confidential) if files or question or self.is_confidential else None

    def note_pick_up(self) -> None:
        if self._due_at is None:
            self._due_at = time.monotonic() + self._max_wait

    async def receive(self) -> tuple[Message, ...]:
        if not await self.wait():
            raise parts_missing(self.missing)
        waiting = self._thread.mailbox.messages
        news = [one for one in waiting if one.role == "consumer" and one.message_id not in self._given]
        self._given.update(one.message_id for one in news)
        self.received = (*self.received, *map(describe, news))
        return self.received

    async def wait(self, *, is_urgent: bool = False) -> bool:
        """Waits for what was announced. Returns whether it has come."""
        announced = self.missing
        if announced is None:
            return True
        if not self._side.has_root:
            raise without_root()
        await self._pick_up()
        # Picked up before, by another process or device: how long ago is not known.
        if self._due_at is None:
            self._due_at = time.monotonic() + (0 if is_urgent else self._max_wait)
        thread, left = self._thread, max(0.0, self._due_at - time.monotonic())
        release = self._follower.follow()
        try:
            await within(left, thread.mailbox.take(lambda _: self.missing is None, peek=True), lambda: timed_out(left))
        except RelayError as error:
            if error.code != "timeout":
                raise
        finally:
            release()
        thread.check_open()
        return self.missing is None

    @property
    def returned(self) -> list[str]:
        """The messages that were returned to the program: their ids, in lower case."""
        read = self._thread.known
        waiting = {one.message_id.lower() for one in self._thread.mailbox.messages if one.message_id not in self._given}
        return [one for one in (*read.others, *read.from_devices) if one not in waiting]


def parts_missing(follows: Follows | None) -> RelayError:
    is_question, files = follows is not None and follows.question, follows.files if follows else 0
    what = "the question" if is_question else f"{files} {'file' if files == 1 else 'files'}"
    or_else = "" if is_question else ", or answer with `without_parts=True`"
    return RelayError(
        "parts_missing",
        f"Not sent: the agent has announced {what}, and nothing has come. Its program may not run now. Try again later{or_else}.",
    )


def unread_question() -> RelayError:
    return RelayError(
        "newer_message",
        "Not sent: the question is confidential, and you were not shown it. Read it first: `receive` returns it.",
    )
