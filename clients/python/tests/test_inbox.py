"""Which requests an expert's program gets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from expert_relay._expert.inbox import Inbox


def test_a_request_that_its_message_moved_to_the_front_of_a_list_past_the_pages_that_were_still_read_is_returned() -> None:
    async def run() -> str | None:
        listed = asyncio.Event()

        async def get(_: str, read: Callable[[object], object]) -> object:
            listed.set()
            return read({"requests": []})

        api: Any = SimpleNamespace(get=get, backoff=lambda _: 0.001)
        inbox = Inbox(api)
        inbox.list()
        await listed.wait()
        inbox.note_message("moved", "consumer")
        taken = await asyncio.wait_for(inbox.mailbox.take(), 60)
        inbox.stop()
        return taken

    assert asyncio.run(run()) == "moved"
