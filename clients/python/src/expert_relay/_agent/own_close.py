"""The close of a question by its own agent."""

from __future__ import annotations

from contextlib import suppress

from .._thread.sender import Sender
from .._thread.thread import Thread
from .._transport.waiting import within
from .record import Record, withdrawn

# Seconds for the last look at the list, before a question is closed.
_last_read = 2.0


class OwnClose:
    def __init__(self, thread: Thread, sender: Sender, record: Record) -> None:
        self._thread, self._sender, self._record = thread, sender, record

    async def withdraw(self) -> None:
        """A question that this agent closes before it was answered is withdrawn, whatever the relay shows later."""
        if self._is_answered():
            return
        # The answer may be there. When the list cannot be read, the question is withdrawn.
        with suppress(Exception):
            await within(_last_read, self._thread.read(), TimeoutError)
        if not self._is_answered():
            self._record.withdraw()

    def check_asked(self) -> None:
        """Raises `withdrawn`."""
        if self._record.is_withdrawn:
            raise withdrawn()

    def _is_answered(self) -> bool:
        form = self._thread.form_tracker.form
        if form is None:
            return self._thread.answers_read > 0
        standing = None if self._sender.has_drafts else self._thread.standing()
        is_decided = standing is not None and standing.decided is not None and not self._record.is_contradicted(form.of)
        return is_decided or self._record.decision(form.of) is not None
