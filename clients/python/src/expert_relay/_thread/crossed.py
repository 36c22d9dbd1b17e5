"""Which messages were written at the same time."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any


def is_crossed(seen: Sequence[Sequence[Any]], by_agent: Set[str], hash: str) -> bool:
    """Whether the agent has written something at the same time as this message of the expert: neither had seen the other.
    `seen` is that of the state of a channel. Links name messages that come earlier in it."""
    at = next((position for position, (name, *_) in enumerate(seen) if name == hash), -1)
    after = {at}
    for later in range(at + 1, len(seen)):
        if not after.isdisjoint(seen[later][2:]):
            after.add(later)
    before = {at}
    for earlier in range(at, -1, -1):
        if earlier in before:
            before.update(seen[earlier][2:])
    return any(
        name in by_agent and position not in after and position not in before
        for position, (name, *_) in enumerate(seen)
    )
