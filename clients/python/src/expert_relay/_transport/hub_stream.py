"""One connection to the hub for up to a hundred topics, kept open while there are any."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from .._json_text import Members, is_object, parse_json
from .._timing import Timing
from .event_stream import Block, BlockReader
from .waiting import Tasks, within

OpenStream = Callable[[Sequence[str], str | None], Coroutine[Any, Any, httpx.Response]]
OnEvent = Callable[[Members, frozenset[str]], None]

# The hub's limit for one stream.
_max_topics = 100
# A longer wait that a hub asks for is shortened to this.
_max_retry = 120.0
# How long a stream without topics stays open for the next one.
_idle = 0.1
# The wait for further topics grows with the number of topics, up to this number.
_gather_at_most = 25


@dataclass(frozen=True)
class TopicBeginning:
    """Positions before the first event of a topic."""

    since: str | None = None
    """That of the stream before the topic existed. While it is the newest one, no event of the topic was missed."""
    start: str | None = None
    """Where a stream begins that has no position yet."""


class HubStream:
    def __init__(
        self,
        open_stream: OpenStream,
        *,
        timing: Timing,
        backoff: Callable[[int], float],
        on_event: OnEvent,
        on_stale: Callable[[str], None],
    ) -> None:
        self._open_stream, self._timing, self._backoff = open_stream, timing, backoff
        self._on_event, self._on_stale = on_event, on_stale
        # In the order in which they were added.
        self._topics: dict[str, None] = {}
        # Topics whose events are known up to the position.
        self._covered: frozenset[str] = frozenset()
        # Topics that were added after the position was received: no event of them can have been missed.
        self._fresh: set[str] = set()
        # Where the first connection begins for a topic.
        self._starts: dict[str, str] = {}
        # Topics whose events are all after the position that the connection was asked for.
        self._from_start: set[str] = set()
        self.position: str | None = None
        """The id of the last block: a new connection resumes after it."""
        self._failures = 0
        self._is_running = self._is_open = self._is_gathering = False
        self._closed_at = 0.0
        # The connection, or the pause before the next one.
        self._current: asyncio.Task[float] | None = None
        self._tasks = Tasks()

    def __contains__(self, topic: str) -> bool:
        return topic in self._topics

    @property
    def topics(self) -> list[str]:
        return list(self._topics)

    @property
    def is_full(self) -> bool:
        return len(self._topics) >= _max_topics

    @property
    def is_blocked(self) -> bool:
        """Whether the stream has been closed for longer than a reconnect takes."""
        return not self._is_open and time.monotonic() - self._closed_at > self._timing.poll

    def add(self, topic: str, beginning: TopicBeginning) -> None:
        self._topics[topic] = None
        if beginning.since is not None and beginning.since == self.position:
            self._fresh.add(topic)
        if beginning.start is not None:
            self._starts[topic] = beginning.start
        if self._is_open:
            self._gather()
        if not self._is_running:
            self._is_running = True
            self._closed_at = time.monotonic()
            self._tasks.start(self._run())

    def remove(self, topic: str) -> None:
        self._topics.pop(topic, None)
        self._starts.pop(topic, None)
        if not self._topics:
            asyncio.get_running_loop().call_later(_idle, self._end_if_idle)

    async def stop(self) -> None:
        self._topics.clear()
        await self._tasks.end()

    def _end_if_idle(self) -> None:
        if not self._topics:
            self._abort()

    def _abort(self) -> None:
        if self._current:
            self._current.cancel()

    def _gather(self) -> None:
        """Reconnects for topics that the connection does not have yet, after a short wait for more of them. A connection without
        topics in use reconnects at once."""
        carried = sum(topic in self._covered for topic in self._topics)
        if self._is_gathering or carried == len(self._topics):
            return
        self._is_gathering = True
        wait = self._timing.gather * min(len(self._topics), _gather_at_most) if carried else 0.0

        def reconnect() -> None:
            self._is_gathering = False
            if self._is_open:
                self._abort()

        asyncio.get_running_loop().call_later(wait, reconnect)

    async def _run(self) -> None:
        # Topics that are added in this turn of the event loop become part of the first connection.
        await asyncio.sleep(0.001)
        while self._topics:
            self._current = self._tasks.start(self._connect(list(self._topics)))
            await asyncio.wait({self._current})
            wait = 0.0 if self._current.cancelled() else self._current.result()
            if wait and self._topics:
                self._current = self._tasks.start(asyncio.sleep(wait, 0.0))
                await asyncio.wait({self._current})
        self._current = None
        self._covered, self.position, self._failures = frozenset(), None, 0
        self._fresh.clear()
        self._starts.clear()
        self._is_running = False

    async def _connect(self, names: Sequence[str]) -> float:
        """Reads until the connection ends. Returns the seconds to wait before the next one."""
        retry = 0.0
        last_event_id = self.position or self._starts.get(names[0])
        # With several topics, the start of the first one is known to be before the events of those with the same start only.
        self._from_start = {name for name in names if last_event_id and self._starts.get(name) == last_event_id}
        try:
            late = TimeoutError
            response = await within(self._timing.opening, self._open_stream(names, last_event_id), late)
            try:
                reader, pieces = BlockReader(), response.aiter_raw()
                limit = self._timing.opening
                while True:
                    piece = await within(limit, _next(pieces), late)
                    if piece is None:
                        break
                    limit = self._timing.silence
                    for block in reader.feed(piece):
                        if block.retry is not None:
                            retry = min(block.retry, _max_retry)
                        self._take(block, names)
            finally:
                await response.aclose()
        except Exception:
            # After any error, the stream is opened again.
            pass
        finally:
            was_open, self._is_open = self._is_open, False
            if was_open:
                self._closed_at = time.monotonic()
        # When the hub did not name a wait: its default.
        if was_open:
            return retry or 1.0 + self._backoff(3)
        self._failures += 1
        return max(retry, self._backoff(self._failures))

    def _take(self, block: Block, names: Sequence[str]) -> None:
        if block.data is not None and block.event != "hub.end":
            self._opened(names)
            if block.event == "hub.reset":
                for topic in names:
                    self._on_stale(topic)
            elif block.event in (None, "", "message"):
                event = parse_json(block.data)
                self._on_event(event if is_object(event) else {}, frozenset(names))
        if block.id:
            self._opened(names)
            self.position = block.id
            self._fresh.clear()

    def _opened(self, names: Sequence[str]) -> None:
        if self._is_open:
            return
        self._is_open, self._failures = True, 0
        before, self._covered = self._covered, frozenset(names)
        for topic in names:
            if not (topic in before or topic in self._fresh or topic in self._from_start):
                self._on_stale(topic)
        self._gather()


async def _next(pieces: Any) -> bytes | None:
    try:
        piece: bytes = await pieces.__anext__()
    except StopAsyncIteration:
        return None
    return piece
