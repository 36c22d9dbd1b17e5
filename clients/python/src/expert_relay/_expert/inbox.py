"""The open requests of an expert."""

from __future__ import annotations

from .._crypto.key_exchange import Role
from .._requests import list_open
from .._thread.mailbox import Mailbox
from .._thread.refresher import Refresher
from .._transport.api import Api


class Inbox:
    """The ids of open requests: first those that exist already, oldest first, then new ones, and each again when its agent may have
    written since."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.mailbox: Mailbox[str] = Mailbox()
        # The messages of each request that was added, as last listed.
        self._counts: dict[str, int] = {}
        self._refresher = Refresher(self._list_all, report=self.mailbox.interrupt, backoff=api.backoff)

    async def _list_all(self) -> None:
        for one in await list_open(self._api):
            before = self._counts.get(one.request_id)
            self._counts[one.request_id] = one.message_count
            if before is None or (before < one.message_count and one.response_count < one.message_count):
                self.push(one.request_id)

    def push(self, request_id: str) -> None:
        if request_id not in self.mailbox.messages:
            self.mailbox.push([request_id])

    def add(self, request_id: str) -> None:
        if request_id not in self._counts:
            self._counts[request_id] = 0
            self.push(request_id)

    def note_message(self, request_id: str, role: Role) -> None:
        """Adds a request, also one that was added before, if its agent has written."""
        # Not counted: a list may have it already. The message may also have moved the request to the front of a list whose first page was
        # read before, so that no later page has it.
        if role == "consumer":
            self.push(request_id)

    def list(self) -> None:
        """Lists all open requests and adds those that are new, or have new messages."""
        self._refresher.refresh()

    def stop(self) -> None:
        self._refresher.stop()
