"""What `approve` and `choose` return: a decision with its conversation."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from .._forms.content import Content
from .answers import Decided
from .conversation import AsyncConversation


@dataclass(frozen=True)
class AsyncApproval(Decided):
    """What the expert has decided about an approval.

    >>> approval = await relay.approve("Delete the database `test`?", timeout=600)
    >>> if approval.approved:
    ...     print("Deleting it.", approval.comment)
    """

    approved: bool
    """True only if the expert has approved."""
    conversation: AsyncConversation[Content]

    def __bool__(self) -> bool:
        raise TypeError("Write `if approval.approved`: an approval that was declined is an object, too.")


@dataclass(frozen=True)
class AsyncChoice(Decided):
    """What the expert has chosen.

    >>> choice = await relay.choose("Deploy to which region?", ["eu", "us"], timeout=600)
    >>> if choice.value is not None:
    ...     print("Deploying to", choice.value)
    """

    declined: bool
    value: str | None
    """None when it was declined. Type checkers narrow by this member, not by `declined`."""
    conversation: AsyncConversation[Content]

    def __bool__(self) -> bool:
        raise TypeError("Write `if choice.value is not None`: a choice that was declined is an object, too.")


def decided(decision: Decided) -> dict[str, Any]:
    return {field.name: getattr(decision, field.name) for field in fields(Decided)}
