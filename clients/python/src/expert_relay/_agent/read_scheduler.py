"""Decides which conversations are read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from .._errors import RelayError
from .._json_text import Members
from .._requests import list_open, list_requests, read_listed
from .._thread.follower import Follower
from .._thread.refresher import Refresher
from .._thread.sender import Sender
from .._thread.thread import Thread
from .._transport.api import Api, is_outage
from .agent_side import AgentSide

# A text that waits for the keys is sent this time after them: an answer of a program is read together with them.
_keys_to_answer = 0.05
# Conversations are collected for this time before it is decided which ones are read.
_gather = 0.001
# Reading this number of conversations costs less than a call that says which ones have news.
_read_all_up_to = 3


@dataclass(frozen=True, eq=False)
class Followed:
    """A conversation that a caller waits for."""

    topic: str
    ref_code: str
    thread: Thread
    sender: Sender
    side: AgentSide
    follower: Follower
    refresh: Callable[[], None]


class ReadScheduler:
    """Decides which conversations are read. When many may have news, the list of requests shows by the number of answers which ones do.
    That is one call instead of one for each conversation."""

    def __init__(self, api: Api) -> None:
        self._api = api
        # In the order in which they were added.
        self.followed: dict[Followed, None] = {}
        # Conversations that may have missed events.
        self._unsure: dict[Followed, None] = {}
        # Whether one of the followed conversations was answered.
        self._is_answered = False
        self._refresher: Refresher | None = None

    def check(self, one: Followed) -> None:
        """Reads a conversation, unless the list shows that it has no new answers."""
        self._unsure[one] = None
        self._start()

    def on_event(self, event: Members, topics: frozenset[str]) -> None:
        """Only `key_exchange` and `request_closed` have a `refCode`. A `new_message` may be about any topic of the stream."""
        # A message of this side, maybe from another process with this key. It is read together with the next answer.
        if event.get("role") == "consumer":
            return
        candidates = [one for one in self.followed if one.topic in topics]
        named = [one for one in candidates if one.ref_code == event.get("refCode")]
        if named or len(candidates) <= _read_all_up_to:
            for one in named or candidates:
                if event.get("type") == "key_exchange":
                    _note_pick_up(one)
                else:
                    one.refresh()
            return
        self._is_answered = True
        self._start()

    def stop(self) -> None:
        if self._refresher:
            self._refresher.stop()
        self._refresher = None

    def _start(self) -> None:
        if self._refresher is None:
            self._refresher = Refresher(self._schedule, report=_ignore, backoff=self._api.backoff)
        self._refresher.refresh()

    async def _schedule(self) -> None:
        await asyncio.sleep(_gather)
        checked, is_event = self._unsure, self._is_answered
        self._unsure, self._is_answered = {}, False
        candidates = [*(self.followed if is_event else checked)]
        if len(candidates) <= _read_all_up_to:
            for one in candidates:
                one.refresh()
            return
        counts: dict[str, int] | None = None
        try:
            counts = await self._count_answers(bool(checked))
        except RelayError as error:
            if is_outage(error):
                self._unsure = {**checked, **self._unsure}
                self._is_answered = self._is_answered or is_event
                raise
        for one in candidates:
            is_checked = one in checked
            # One that is in no list has ended. The list does not show keys, for which unsent texts wait.
            count = (counts or {}).get(one.thread.request_id, -1 if is_checked else 0)
            has_news = count != one.thread.answers_read or (is_checked and one.sender.unsent)
            # Without a list, any of them may have news.
            if counts is None or has_news:
                one.refresh()

    async def _count_answers(self, all_open: bool) -> dict[str, int]:
        # After an event only answers matter: the event of an end names its conversation.
        listed = (
            await list_open(self._api) if all_open else await list_requests(self._api, read_listed, status="responded")
        )
        return {one.request_id: one.response_count for one in listed}


def _note_pick_up(one: Followed) -> None:
    """Keys for which no text waits are read, and checked, together with the answer."""
    one.side.note_pick_up()
    if one.sender.unsent:
        asyncio.get_running_loop().call_later(_keys_to_answer, _refresh_unless_read, one)


def _refresh_unless_read(one: Followed) -> None:
    """A read since the pick-up has the keys."""
    if one.thread.head is None or one.thread.head.provider_keys is None:
        one.refresh()


def _ignore(_error: RelayError) -> None:
    """The conversations themselves report what is wrong."""
