"""What an agent gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, Union

from .._crypto.parts import File
from .._forms.answer import FormAnswer
from .._thread.message import Message, Protection

if TYPE_CHECKING:
    # Type checkers bring this module. Python itself has defaults of type variables from 3.13 on.
    from typing_extensions import TypeVar

    C_co = TypeVar("C_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    C_co = TypeVar("C_co", covariant=True)


@dataclass(frozen=True)
class Answer:
    """A message of the expert.

    >>> answer = conversation.wait_for_answer(timeout=600)
    >>> print(answer.text, [file.name for file in answer.files])
    """

    text: str
    """It may be empty if the message carries something else."""
    message_id: str
    created_at: str
    """When the relay received it, ISO 8601, UTC."""
    protection: Protection
    seen_your_last: bool | None = None
    """Whether the expert had seen your last text when writing this. If False, it may answer an earlier text of yours. None when
    that is unknown, which is the case for answers that are not `sequenced`."""
    answer: FormAnswer | None = None
    """The answer to a form. It is read, and nothing more: it may not fit the form, or not count."""
    unreadable_answer: bool = False
    files: tuple[File, ...] = ()
    """Name and type are what the expert's client wrote: make them safe before you use them."""
    has_unknown_part: bool = False
    """True when it has a part that this version cannot show."""
    is_note: bool = False
    """True when it has no text, and only parts that change nothing of what a message means: it is no answer."""


def answer_of(message: Message) -> Answer:
    return Answer(**{one.name: getattr(message, one.name) for one in fields(Answer)})


OnReply = Callable[[Answer], Union[None, Awaitable[None]]]
"""Gets what the expert writes without deciding. In a program that blocks it returns None."""


@dataclass(frozen=True)
class Decided:
    """What every decision has.

    >>> decision = conversation.wait_for_decision(timeout=600)
    >>> print(decision.decided_at, decision.comment)
    """

    comment: str
    """What the expert wrote beside it; may be empty."""
    decided_at: str
    """When the expert decided, by the clock of the expert's device."""
    message_id: str
    created_at: str
    """When the relay received it, ISO 8601, UTC."""
    protection: Protection
    files: tuple[File, ...]
    has_unknown_part: bool = field(default=False, kw_only=True)
    """True when it has a part that this version cannot show. It does not change what the decision means."""


@dataclass(frozen=True)
class Accepted(Decided, Generic[C_co]):
    """The expert has accepted.

    >>> decision = conversation.wait_for_decision(timeout=600)
    >>> if decision.action == "accept":
    ...     print(decision.content)
    """

    content: C_co
    """Checked against the form: a dict, or an instance of the model that the form was made of."""
    action: Literal["accept"] = "accept"


@dataclass(frozen=True)
class Declined(Decided):
    """The expert has declined.

    >>> decision = conversation.wait_for_decision(timeout=600)
    >>> if decision.action == "decline":
    ...     print("Declined:", decision.comment)
    """

    content: None = None
    action: Literal["decline"] = "decline"


Decision: TypeAlias = Union[Accepted[C_co], Declined]
"""A decision of the expert about a form. `action` says which one."""
