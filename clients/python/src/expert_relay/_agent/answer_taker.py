"""Takes answers out of the mailbox, for the program."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from .._thread.mailbox import Mailbox
from .._thread.message import ReadMessage
from .._thread.sender import Sender

Fits = Callable[[ReadMessage], bool]


class AnswerTaker:
    """An answer counts as processed when the program asks for the next one. Until then each state that is saved has it. It leaves the
    mailbox in the step in which it is returned, since the call may be cancelled, or the process killed, before that."""

    def __init__(
        self, mailbox: Mailbox[ReadMessage], sender: Sender, save: Callable[[], Awaitable[None]]
    ) -> None:
        self._mailbox, self._sender, self._save = mailbox, sender, save

    async def mark_processed(self) -> None:
        """What the program was given is processed: it is not returned again, also after a restart."""
        self._mailbox.mark_processed()
        await self._save()

    async def wait(self, fits: Fits) -> ReadMessage | None:
        """The next answer, which stays in the mailbox. None after the end."""
        if self._mailbox.unprocessed:
            await self.mark_processed()
        message = await self._mailbox.take(fits, peek=True)
        # Texts that waited for keys are sent now: the caller may not wait for another answer.
        if message and self._sender.is_due:
            with suppress(Exception):
                await self._sender.flush()
        return message

    def take_now(self, fits: Fits) -> ReadMessage | None:
        """An answer that has arrived."""
        return self._mailbox.give(fits)

    async def take(self, fits: Fits) -> ReadMessage | None:
        """The next answer. None after the end."""
        while await self.wait(fits):
            # Another taker may have it.
            message = self.take_now(fits)
            if message:
                return message
        return None

    async def take_arrived(self, message_id: str) -> ReadMessage | None:
        """A message that has arrived, unless another taker has it."""

        def fits(message: ReadMessage) -> bool:
            return message.message_id == message_id

        return await self.take(fits) if any(map(fits, self._mailbox.messages)) else None
