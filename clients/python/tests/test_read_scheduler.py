"""Which conversations are read."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from expert_relay import RelayError
from expert_relay._agent.read_scheduler import ReadScheduler


@pytest.mark.parametrize("code", ["unexpected_answer", "answer_too_large", "invalid_key"])
def test_an_event_is_not_lost_when_the_list_of_requests_cannot_be_read(code: Any) -> None:
    async def run() -> list[str]:
        read: list[str] = []
        done = asyncio.Event()

        async def get(*_: object) -> None:
            raise RelayError(code, "The list cannot be read.")

        def refresh(request_id: str) -> None:
            read.append(request_id)
            if len(read) == 4:
                done.set()

        class Followed:
            def __init__(self, request_id: str) -> None:
                self.topic = self.ref_code = request_id
                self.thread = SimpleNamespace(request_id=request_id, answers_read=0)
                self.sender = SimpleNamespace(unsent=[])

            def refresh(self) -> None:
                refresh(self.topic)

        api: Any = SimpleNamespace(get=get, backoff=lambda _: 0.001)
        scheduler = ReadScheduler(api)
        followed: Any = {Followed(one): None for one in "abcd"}
        scheduler.followed = followed
        scheduler.on_event({"type": "new_message", "role": "provider"}, frozenset("abcd"))
        await asyncio.wait_for(done.wait(), 60)
        scheduler.stop()
        return read

    assert asyncio.run(run()) == ["a", "b", "c", "d"]
