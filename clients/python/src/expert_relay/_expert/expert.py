"""An expert's connection to the relay, far enough for programs that answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx

from .._crypto.fingerprint import format_fingerprint
from .._crypto.keys import ExpertKeys
from .._environment import EXPERT_VARIABLES, ExpertOptions, options_from_env
from .._errors import RelayError, unexpected
from .._json_text import Members
from .._requests import (
    RequestStatus,
    WhoAmI,
    is_request_id,
    list_requests,
    read_request_id,
    read_who_am_i,
)
from .._store import ContinuedValues, MemoryStore, PartOfStore, Store, values_of_key
from .._thread.follower import Follower
from .._thread.sender import Sender
from .._thread.thread import Thread
from .._timing import Timing
from .._tracebacks import hides_locals
from .._transport.api import Api, OnOutage, client_stopped, is_outage
from .._transport.hub import Hub
from .._transport.shape import members
from .due_requests import DueRequests, Filter
from .expert_side import ExpertSide
from .inbox import Inbox
from .list_questions import ListedQuestion, check_row, read_row
from .request import AsyncExpertRequest
from .request_memory import RequestMemory, normalize_code

if TYPE_CHECKING:
    from typing_extensions import Unpack

# A placeholder for the topic of all events of this expert. The real name contains the user's id.
_topic = "activity"


@hides_locals
class AsyncExpert:
    """Connects an expert to the relay. It makes no calls and opens no connection before one of its methods is called.

    >>> async with AsyncExpert.from_env(root=root) as expert:
    ...     async for request in expert.requests():
    ...         await request.answer(f"You asked: {request.question}")
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        root: bytes | None = None,
        store: Store | None = None,
        hub_url: str | None = None,
        on_outage: OnOutage | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        timing: Timing | None = None,
    ) -> None:
        """`root`: the 32 bytes from which all of the expert's keys are derived; without it only plain text can be read and sent.
        `store` keeps of each request the agent's keys, the question, its code and its last messages, so that the relay cannot
        show others later: use one that outlives the process, such as `FileStore`."""
        if not api_key.startswith("hs_prov_"):
            empty = "" if api_key else ", and this one is empty"
            raise RelayError("invalid_key", f"An expert's `api_key` begins with hs_prov_{empty}.")
        self._timing = timing or Timing()
        self._api = Api(url, api_key, timing=self._timing, on_outage=on_outage, transport=transport)
        self._keys = None if root is None else ExpertKeys(root)
        self.fingerprint = format_fingerprint(self._keys.identity) if self._keys else None
        """The fingerprint of the expert's identity, which agents compare. None without a root."""
        whole = store or MemoryStore()
        key_values = values_of_key(whole, api_key)
        # What was shown before the root was there counts as well.
        own = ContinuedValues(PartOfStore(whole, self.fingerprint), key_values) if self.fingerprint else key_values
        self._request_memory = RequestMemory(own)
        self._hub = Hub(self._api, hub_url, topics_of=self._topics_of, on_event=self._on_event)
        self._listeners: list[Callable[[Members | None], None]] = []
        # What ends with the client.
        self._stops: list[Callable[[RelayError], None]] = []
        self._is_stopped = False
        # The requests with a loop over their messages: one entry for each loop that has not ended.
        self._looped: list[str] = []

    @classmethod
    def from_env(
        cls, *, url: str | None = None, api_key: str | None = None, **options: Unpack[ExpertOptions]
    ) -> AsyncExpert:
        """Reads `RELAY_URL`, `RELAY_API_KEY`, and, where it is set, `RELAY_HUB_URL`. What is given as an option comes first.

        >>> expert = AsyncExpert.from_env(root=root, store=FileStore(".expert"))
        """
        return cls(**options_from_env(EXPERT_VARIABLES, {"url": url, "api_key": api_key, **options}))

    async def _topics_of(self, _names: Sequence[str]) -> Sequence[str]:
        # The id is read before each connection, since an answer may be wrong: then the stream does not open, and the client polls.
        return [f"/svc/providers/{(await self.whoami()).user_id}/activity"]

    def _on_event(self, event: Members, _topics: frozenset[str]) -> None:
        if is_request_id(event.get("requestId")):
            for listener in [*self._listeners]:
                listener(event)

    def _listen(self, listener: Callable[[Members | None], None]) -> Callable[[], None]:
        """Calls back with each event, and with None when events may be missing. Returns a function that stops it."""
        self._listeners.append(listener)
        unfollow = self._hub.follow(_topic, lambda: listener(None))

        def stop() -> None:
            unfollow()
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def _listen_to(
        self, request_id: str, fail: Callable[[RelayError], None], refresh: Callable[[], None]
    ) -> Callable[[], None]:
        """Calls `refresh` when there may be news of a request, and `fail` when the client stops. Returns a function that stops it."""
        if self._is_stopped:
            fail(client_stopped())
            return lambda: None

        def on_event(event: Members | None) -> None:
            if event is None or event["requestId"] == request_id:
                refresh()

        self._stops.append(fail)
        unlisten = self._listen(on_event)
        refresh()

        def stop() -> None:
            unlisten()
            if fail in self._stops:
                self._stops.remove(fail)

        return stop

    async def requests(self, *, filter: Filter | None = None) -> AsyncIterator[AsyncExpertRequest]:
        """Open requests: first those that exist already, oldest first, then new ones as they come. Each was read and compared with what
        was shown first: see `refused`. One whose agent has announced files, or is confidential, is picked up, and comes when that has
        come: `received` has it. One comes again when its agent has written something that your newest answer had not seen, so that the
        agent does not count it (`is_reopened`), unless a loop over its messages gets that. `filter` is called once for each
        request before it is picked up: with False it is left to a person.

        >>> async for request in expert.requests(filter=lambda request: request.question.startswith("Restart ")):
        ...     await request.answer("Not before 18:00.")
        """
        inbox, due = Inbox(self._api), DueRequests(filter, self._looped)
        mailbox = inbox.mailbox

        def on_event(event: Members | None) -> None:
            if event is None:
                inbox.list()
            elif event.get("type") == "new_request":
                inbox.add(event["requestId"])
            elif event.get("type") == "new_message":
                inbox.note_message(event["requestId"], "consumer" if event.get("role") == "consumer" else "provider")

        if self._is_stopped:
            raise client_stopped()
        self._stops.append(mailbox.end)
        unlisten = self._listen(on_event)
        inbox.list()
        try:
            while (request_id := await mailbox.take()) is not None:
                request = None if due.is_skipped(request_id) else await self._load_due(request_id, inbox, due)
                if request:
                    yield request
        finally:
            unlisten()
            inbox.stop()
            if mailbox.end in self._stops:
                self._stops.remove(mailbox.end)

    async def _load_due(self, request_id: str, inbox: Inbox, due: DueRequests) -> AsyncExpertRequest | None:
        """None for a request that has ended, does not exist, is not due, or is to be tried again later."""
        try:
            request = await self._load(request_id)
            return request if await due.is_due(request) else None
        except RelayError as error:
            if is_outage(error):
                asyncio.get_running_loop().call_later(self._api.backoff(5), inbox.push, request_id)
            elif error.code != "not_found":
                raise
            return None

    async def list(self, status: RequestStatus | None = None, limit: int | None = None) -> list[ListedQuestion]:
        """The requests of this expert, those with the newest activity first; with `limit` at most so many. Their messages are not read.
        Each question is compared with what was shown first and remembered, so that it can be shown to a person, who may answer it later
        by its code. Of more than 200, one that changes meanwhile may be missing.

        >>> for listed in await expert.list("pending"):
        ...     print(listed.ref_code, listed.refused or listed.question)
        """
        heads = await list_requests(self._api, read_row, status=status, limit=limit, content=True)
        return [check_row(self._request_memory, head, self._keys) for head in heads]

    async def request(self, request_id_or_ref_code: str) -> AsyncExpertRequest:
        """One request, by its id or its reference code.

        >>> request = await expert.request("HS-7KQ2M9XD")
        """
        if is_request_id(request_id_or_ref_code):
            return await self._load(request_id_or_ref_code)
        path = f"/api/v1/requests/by-ref/{quote(request_id_or_ref_code, safe='')}"
        request_id = await self._api.get(path, lambda answer: read_request_id(members(answer)))
        request = await self._load(request_id)
        if normalize_code(request.ref_code) != normalize_code(request_id_or_ref_code):
            raise unexpected("the request that was asked for")
        return request

    async def whoami(self) -> WhoAmI:
        """To whom the API key belongs."""
        return await self._api.get("/api/v1/whoami", read_who_am_i)

    async def stop(self) -> None:
        """Ends all waiting and all streams."""
        self._is_stopped = True
        for stop in [*self._stops]:
            stop(client_stopped())
        await self._hub.stop()
        await self._api.close()

    async def __aenter__(self) -> AsyncExpert:
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _load(self, request_id: str) -> AsyncExpertRequest:
        """Reads a request with its messages."""
        side = ExpertSide(request_id, self._keys, self._request_memory)
        thread = Thread(self._api, request_id, side, has_drafts=lambda: sender.has_drafts)

        async def prepare() -> None:
            if side.is_encrypted and not side.is_picked_up:
                await request.pick_up()
            # New messages of other devices are read before this one is sent.
            await thread.read(if_stale=not side.has_unread(thread.channel))

        async def save() -> None:
            if not sender.has_outgoing:
                side.remember_ends(thread.channel)

        sender = Sender(
            thread,
            is_plain=lambda: not side.is_encrypted,
            prepare=prepare,
            save=save,
            decision_lasts=self._timing.decision,
        )
        follower = Follower(thread, sender, lambda refresh: self._listen_to(request_id, follower.stop, refresh))
        try:
            await thread.read()
        except RelayError:
            # A request whose messages are refused can still be shown, but no question that was not compared.
            if side.question is None and thread.refusal is None:
                raise
        assert thread.head
        request = AsyncExpertRequest(
            thread=thread,
            sender=sender,
            follower=follower,
            side=side,
            head=thread.head,
            max_wait=self._timing.parts,
            looped=self._looped,
        )
        return request
