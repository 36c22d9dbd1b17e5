"""What `approve` and `choose` return in programs that block: a decision with its conversation."""

from __future__ import annotations

from dataclasses import dataclass

from .._agent.answers import Decided
from .._forms.content import Content
from .conversation import Conversation


@dataclass(frozen=True)
class Approval(Decided):
    """What the expert has decided about an approval.

    >>> approval = relay.approve("Delete the database `test`?", timeout=600)
    >>> if approval.approved:
    ...     print("Deleting it.", approval.comment)
    """

    approved: bool
    """True only if the expert has approved."""
    conversation: Conversation[Content]

    def __bool__(self) -> bool:
        raise TypeError("Write `if approval.approved`: an approval that was declined is an object, too.")


@dataclass(frozen=True)
class Choice(Decided):
    """What the expert has chosen.

    >>> choice = relay.choose("Deploy to which region?", ["eu", "us"], timeout=600)
    >>> if choice.value is not None:
    ...     print("Deploying to", choice.value)
    """

    declined: bool
    value: str | None
    """None when it was declined. Type checkers narrow by this member, not by `declined`."""
    conversation: Conversation[Content]

    def __bool__(self) -> bool:
        raise TypeError("Write `if choice.value is not None`: a choice that was declined is an object, too.")
