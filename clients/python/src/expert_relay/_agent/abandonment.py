"""Closes the questions of calls that have ended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from .._transport.api import Api
from .._transport.shape import members
from .._transport.waiting import Tasks, within
from .conversation import AsyncConversation

# Seconds. Closing is optional: its failure must not hide the decision, nor go on for longer.
_closing_limit = 10.0
# Seconds for which the caller waits for it.
_caller_wait = 2.0


async def close_in_time(conversation: AsyncConversation, reason: str | None = None) -> None:
    with suppress(Exception):
        await within(_closing_limit, conversation.close(reason), TimeoutError)


@dataclass(eq=False)
class Abandonment:
    """What is known of a question that is being submitted."""

    is_abandoned: bool = False
    """Whether it must not be submitted any more."""
    request_id: str | None = None
    """Once the relay has the question."""


Asking = asyncio.Task[AsyncConversation]


class Closings:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._tasks = Tasks()

    async def close(self, asking: Asking, abandonment: Abandonment) -> None:
        """Where the call has ended while the question was submitted, the relay may still take it."""
        abandonment.is_abandoned = True
        task = self._tasks.start(self._close(asking, abandonment))
        await asyncio.wait({task}, timeout=_caller_wait)

    async def finish(self) -> None:
        await self._tasks.finish()

    async def _close(self, asking: Asking, abandonment: Abandonment) -> None:
        async def close() -> None:
            await asyncio.wait({asking})
            if not asking.cancelled() and not asking.exception():
                await asking.result().close()
            elif abandonment.request_id is not None:
                await self._api.post(f"/api/v1/close/{abandonment.request_id}", {}, members)

        with suppress(Exception):
            await within(_closing_limit, close(), TimeoutError)
        asking.cancel()
