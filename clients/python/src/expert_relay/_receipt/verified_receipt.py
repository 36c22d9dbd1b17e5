"""What a receipt proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .._crypto.parts import File
from .._forms.content import Content
from .._json_text import Members
from .._requests import Party
from .open_messages import CheckedMessage
from .read_decision import ReceiptDecision


@dataclass(frozen=True)
class ReceiptEntry:
    """A message before the decision, or the decision itself, which is the last one.

    >>> for message in receipt.messages:
    ...     print(message.sender, message.text)
    """

    sender: Party
    message_id: str
    text: str | None = None
    """None where the receipt does not open the message."""
    form: str | None = None
    """A form of the agent, as JSON text."""
    files: tuple[File, ...] = ()
    has_unknown_part: bool = False
    """Whether it has a part that this version cannot show."""


@dataclass(frozen=True)
class ReceiptQuestion:
    """What was asked, as the expert has signed it. A confidential question is in the first message, too.

    >>> print(receipt.asked.question)
    """

    agent_name: str
    question: str
    plaintext: str
    messages: tuple[Mapping[str, str], ...]
    """Each with `role` and `content`."""


@dataclass(frozen=True)
class VerifiedReceipt:
    """What a receipt proves.

    >>> receipt = verify_receipt(Path("decision.json").read_bytes(), fingerprint="04918 22734 ...")
    >>> if receipt.action == "accept":
    ...     print(receipt.fingerprint, "has accepted:", receipt.asked.question)
    """

    fingerprint: str
    """Who has decided: the expert whose key has this fingerprint."""
    is_known: bool
    """Whether it is a fingerprint that was given. False only where none was given: then it is not known whose it is."""
    request_id: str
    ref_code: str
    asked: ReceiptQuestion
    action: Literal["accept", "decline"]
    content: Content | None
    """The content of an accept."""
    comment: str
    """What the expert wrote beside it."""
    form: str
    """The form that was answered, as JSON text."""
    answer: str
    """The answer, as JSON text."""
    decided_at: str
    """When the expert decided, by the clock of the expert's device."""
    asked_at: str | None
    """When the agent had sent what the decision is about, by its own clock."""
    made_at: str
    """When the agent made the receipt, by its own clock."""
    messages: tuple[ReceiptEntry, ...]
    """All that the decision follows, in the order in which the agent had it, and the decision."""
    not_proven: tuple[str, ...]
    """What the receipt does not prove, a sentence each."""


def describe_receipt(
    file: Members, messages: Sequence[CheckedMessage], decision: ReceiptDecision, is_known: bool
) -> VerifiedReceipt:
    asked, answer = file["asked"], decision.answer
    return VerifiedReceipt(
        fingerprint=file["fingerprint"],
        is_known=is_known,
        request_id=file["requestId"],
        ref_code=file["refCode"],
        asked=ReceiptQuestion(asked["agentName"], decision.question, asked["plaintext"], tuple(asked["messages"])),
        action=answer.action,
        content=answer.content,
        comment=decision.comment,
        form=decision.form_text,
        answer=decision.answer_text,
        decided_at=answer.decided_at,
        asked_at=file.get("askedAt"),
        made_at=file["madeAt"],
        messages=tuple(_entry_of(message) for message in messages),
        not_proven=tuple(_not_proven(file, messages, is_known)),
    )


def _entry_of(message: CheckedMessage) -> ReceiptEntry:
    sender: Party = "agent" if message.role == "consumer" else "expert"
    content = message.content
    if content is None:
        return ReceiptEntry(sender, message.message_id)
    parts = content.parts
    return ReceiptEntry(sender, message.message_id, content.text, parts.form, parts.files, parts.has_unknown)


def _not_proven(file: Members, messages: Sequence[CheckedMessage], is_known: bool) -> list[str]:
    closed = sum(message.content is None for message in messages)
    count = f"{closed} {'message' if closed == 1 else 'messages'}"
    return [
        *([] if is_known else ["Whose fingerprint this is: compare it with the one that the expert sees."]),
        "Which person decided: it was signed with the key of this fingerprint.",
        "When it was: the times are those that the clocks of both sides showed.",
        "That there was no other decision, and that the agent wrote nothing else.",
        *([f"What {count} before the decision said: not opened here."] if closed else []),
        *([] if "openingKey" in file else ["That both sides together did not make up what the opened messages say."]),
    ]
