"""A store that passes on each state of a conversation before it is stored."""

from __future__ import annotations

import json
from collections.abc import Callable

from expert_relay import ConversationState, MemoryStore


class WatchingStore(MemoryStore):
    def __init__(self, on_state: Callable[[ConversationState], None]) -> None:
        super().__init__()
        self._on_state = on_state

    def set(self, name: str, value: str) -> None:
        if name.startswith("conversation:"):
            self._on_state(json.loads(value))
        super().set(name, value)
