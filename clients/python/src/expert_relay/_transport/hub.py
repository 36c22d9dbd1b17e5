"""Reports that something may have happened. Events are only hints: what happened is read from the gateway."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from .._errors import unexpected
from .api import Api, invalid_url, is_http_url
from .hub_stream import HubStream, OnEvent, TopicBeginning
from .shape import members, text
from .waiting import Tasks

TopicsOf = Callable[[Sequence[str]], Coroutine[Any, Any, Sequence[str]]]


@dataclass(frozen=True, eq=False)
class _Follower:
    topic: str
    call: Callable[[], None]


class Hub:
    def __init__(self, api: Api, hub_url: str | None, *, topics_of: TopicsOf, on_event: OnEvent) -> None:
        if hub_url is not None and not is_http_url(hub_url):
            raise invalid_url("hub_url")
        self._api, self._hub_url = api, hub_url
        self._topics_of, self._on_event = topics_of, on_event
        self._followers: list[_Follower] = []
        self._streams: list[HubStream] = []
        self._last_recheck = time.monotonic()
        self._ticking: asyncio.Task[Any] | None = None
        self._tasks = Tasks()

    @property
    def position(self) -> str | None:
        """The position of the stream that the next topic will use."""
        stream = next((one for one in self._streams if not one.is_full), None)
        return stream.position if stream else None

    def follow(
        self, topic: str, on_stale: Callable[[], None], beginning: TopicBeginning | None = None
    ) -> Callable[[], None]:
        """Calls back when events of the topic were missed, and now and then (`recheck`) in any case. Returns a function that stops it."""
        one = _Follower(topic, on_stale)
        self._followers.append(one)
        self._stream_for(topic).add(topic, beginning or TopicBeginning())
        if self._ticking is None:
            self._ticking = self._tasks.start(self._tick())

        def unfollow() -> None:
            if one not in self._followers:
                return
            self._followers.remove(one)
            if any(other.topic == topic for other in self._followers):
                return
            for stream in self._streams:
                stream.remove(topic)
            if not self._followers:
                self._stop_ticking()

        return unfollow

    async def stop(self) -> None:
        self._followers.clear()
        self._stop_ticking()
        for stream in self._streams:
            await stream.stop()

    def _stop_ticking(self) -> None:
        if self._ticking:
            self._ticking.cancel()
        self._ticking = None

    def _stream_for(self, topic: str) -> HubStream:
        stream = next((one for one in self._streams if topic in one), None)
        stream = stream or next((one for one in self._streams if not one.is_full), None)
        if stream is None:
            stream = HubStream(
                self._open,
                timing=self._api.timing,
                backoff=self._api.backoff,
                on_event=self._on_event,
                on_stale=self._call,
            )
            self._streams.append(stream)
        return stream

    def _call(self, topic: str) -> None:
        for one in [*self._followers]:
            if one.topic == topic:
                one.call()

    async def _tick(self) -> None:
        """Polls the topics of streams that cannot connect. When all are connected, all topics are checked now and then."""
        timing = self._api.timing
        while True:
            await asyncio.sleep(max(timing.poll, self._api.polling_wait))
            blocked = [topic for stream in self._streams if stream.is_blocked for topic in stream.topics]
            for topic in blocked:
                self._call(topic)
            now = time.monotonic()
            if not blocked and now - self._last_recheck >= timing.recheck:
                self._last_recheck = now
                for topic in [topic for stream in self._streams for topic in stream.topics]:
                    self._call(topic)

    async def _open(self, names: Sequence[str], last_event_id: str | None) -> httpx.Response:
        topics = await self._topics_of(names)
        if self._hub_url is None and self._api.hub_url is not None:
            self._hub_url = self._read_hub_url({"hubUrl": self._api.hub_url})
        if self._hub_url is None:
            self._hub_url = await self._api.get("/.well-known/expert-relay", self._read_hub_url)
        query = [("topic", topic) for topic in topics]
        if last_event_id is not None:
            query.append(("lastEventId", last_event_id))
        joint = "&" if "?" in self._hub_url else "?"
        client = self._api.client
        headers = {"accept": "text/event-stream"}
        request = client.build_request("GET", f"{self._hub_url}{joint}{urlencode(query)}", headers=headers)
        response = await client.send(request, stream=True)
        is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        if response.is_success and is_stream and response.headers.get("content-encoding") is None:
            return response
        await response.aclose()
        raise unexpected("a stream")

    def _read_hub_url(self, body: Any) -> str:
        url = text(members(body), "hubUrl")
        # The key is sent to the hub too, so an https gateway needs an https hub.
        is_safe = url.startswith("https:") or self._api.url.startswith("http:")
        if not is_http_url(url) or not is_safe:
            raise unexpected("a safe address as `hubUrl`")
        return url
