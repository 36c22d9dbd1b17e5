"""What the blocking classes do in the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, cast

import pytest

from expert_relay import ExpertRequest
from expert_relay._expert.request import AsyncExpertRequest
from expert_relay._sync.portal import Portal, call_in_caller


class Recorded:
    """Says in which thread each of its properties is read."""

    def __getattr__(self, name: str) -> Any:
        return threading.current_thread().name


def test_what_is_computed_of_several_values_is_read_in_the_event_loop() -> None:
    """In another thread, a message that arrived meanwhile raised "dictionary changed size during iteration"."""
    request = ExpertRequest(Portal(), cast(AsyncExpertRequest, Recorded()))
    read: list[Any] = [request.form, request.decision, request.pending]
    assert read == ["expert-relay"] * 3


def test_ctrl_c_waits_for_the_end_of_the_call() -> None:
    ended: list[bool] = []

    def interrupt() -> None:
        raise KeyboardInterrupt

    async def call() -> None:
        try:
            await call_in_caller(interrupt)
        finally:
            await asyncio.sleep(0.1)
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        Portal().run(call)
    assert ended
