"""What `approve` and `choose` return in programs that block: a decision with its conversation."""

from __future__ import annotations

from dataclasses import dataclass

from .._agent.answers import Decided
from .._forms.content import Content
from .conversation import Conversation


@dataclass(frozen=True)
class Approval(Decided):
    approved: bool
    """True only if the expert has approved."""
    conversation: Conversation[Content]

    def __bool__(self) -> bool:
        raise TypeError("Write `if approval.approved`: an approval that was declined is an object, too.")


@dataclass(frozen=True)
class Choice(Decided):
    declined: bool
    value: str | None
    """None when it was declined."""
    conversation: Conversation[Content]
