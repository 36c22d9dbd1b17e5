"""What the blocking classes compute of values that the event loop changes."""

from __future__ import annotations

import threading
from typing import Any, cast

from expert_relay import ExpertRequest
from expert_relay._expert.request import AsyncExpertRequest
from expert_relay._sync.portal import Portal


class Recorded:
    """Says in which thread each of its properties is read."""

    def __getattr__(self, name: str) -> Any:
        return threading.current_thread().name


def test_what_is_computed_of_several_values_is_read_in_the_event_loop() -> None:
    """In another thread, a message that arrived meanwhile raised "dictionary changed size during iteration"."""
    request = ExpertRequest(Portal(), cast(AsyncExpertRequest, Recorded()))
    read: list[Any] = [request.form, request.decision, request.pending]
    assert read == ["expert-relay"] * 3
