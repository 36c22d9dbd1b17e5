"""Which requests are returned to a program that answers."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Union

from .._errors import RelayError
from .._requests import has_ended
from .._transport.api import is_outage
from .request import AsyncExpertRequest

Filter = Callable[[AsyncExpertRequest], Union[bool, Awaitable[bool]]]


class DueRequests:
    """Each request once it is complete, and again when its agent has reopened it."""

    def __init__(self, filter: Filter | None, looped: Sequence[str]) -> None:
        self._filter, self._looped = filter, looped
        # What the filter has returned.
        self._wanted: dict[str, bool] = {}
        # The newest message of the agent when a request was returned; empty without one.
        self._returned: dict[str, str] = {}

    def is_skipped(self, request_id: str) -> bool:
        """Whether it need not be read: the program does not want it, or gets its messages in a loop."""
        return self._wanted.get(request_id) is False or request_id in self._looped

    async def is_due(self, request: AsyncExpertRequest) -> bool:
        """Picks a request up if its agent has announced more."""
        id = request.request_id
        if has_ended(request.status):
            return False
        if id not in self._wanted:
            self._wanted[id] = await self._is_wanted(request)
        if not self._wanted[id] or not await _is_complete(request):
            return False
        if request.missing_parts is None and request.refused is None:
            await request.receive()
        before, newest = self._returned.get(id), request.received[-1].message_id if request.received else ""
        if before is not None and (before == newest or not request.is_reopened):
            return False
        self._returned[id] = newest
        return True

    async def _is_wanted(self, request: AsyncExpertRequest) -> bool:
        if self._filter is None:
            return True
        result = self._filter(request)
        return bool(await result) if inspect.isawaitable(result) else bool(result)


async def _is_complete(request: AsyncExpertRequest) -> bool:
    announced = request.missing_parts
    if announced is None:
        return True
    try:
        await request.pick_up()
    except RelayError as error:
        if is_outage(error):
            raise
        # Without a root, or with the keys of another expert: the program learns why when it answers.
        return True
    return request.missing_parts is None
