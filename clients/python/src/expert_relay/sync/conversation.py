"""A conversation with an expert, for programs that block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeVar, overload

from ..agent.answers import Answer, Decision, OnReply
from ..agent.conversation import AsyncConversation
from ..agent.conversation_state import State, Verification
from ..crypto.parts import File
from ..forms.to_form import FormOrModel
from ..requests import RequestStatus
from ..thread.message import Message
from ..thread.sender import Sending
from .portal import Portal, call_in_caller

M = TypeVar("M")
SyncOnReply = Callable[[Answer], None]


class Conversation:
    """A conversation with an expert. Each answer is returned once and in order, by a loop or by `wait_for_answer`.

    >>> for answer in conversation:
    ...     print(answer.text)
    ...     conversation.send("Thank you, that was it.")
    ...     conversation.close()
    """

    def __init__(self, portal: Portal, conversation: AsyncConversation) -> None:
        self._portal, self._async = portal, conversation

    @property
    def id(self) -> str:
        """Unique to this conversation. It exists before the question is sent."""
        return self._async.id

    @property
    def request_id(self) -> str:
        return self._async.request_id

    @property
    def ref_code(self) -> str:
        """The code that people use, such as `HS-7KQ2M9XD`."""
        return self._async.ref_code

    @property
    def status(self) -> RequestStatus:
        """As last seen."""
        return self._async.status

    @property
    def expires_at(self) -> str:
        """ISO 8601, UTC."""
        return self._async.expires_at

    @property
    def response_count(self) -> int:
        """As last seen, including answers that were not returned yet."""
        return self._async.response_count

    @property
    def erased_at(self) -> str | None:
        """When the relay erased the messages, some time after the end. ISO 8601, UTC."""
        return self._async.erased_at

    @property
    def closed_by(self) -> Literal["consumer", "provider"] | None:
        """Which side closed the conversation, as the relay states it."""
        return self._async.closed_by

    @property
    def close_reason(self) -> str | None:
        """Why, as the relay states it: neither encrypted nor signed."""
        return self._async.close_reason

    @property
    def is_encrypted(self) -> bool:
        """Whether messages are encrypted, or meant to be once the expert's keys are there."""
        return self._async.is_encrypted

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the expert's identity; None until an expert has proven one."""
        return self._async.fingerprint

    @property
    def is_picked_up(self) -> bool:
        """Whether an expert has picked the question up, as the relay reports it: `verification` is that of checked keys."""
        return self._async.is_picked_up

    @property
    def verification(self) -> Verification:
        return self._async.verification

    @property
    def unsent(self) -> list[str]:
        """Texts that were not sent yet. They are sent automatically, before any later text: do not send them again."""
        return self._async.unsent

    def verify(self, fingerprint: str) -> bool:
        """See `AsyncConversation.verify`."""
        return self._async.verify(fingerprint)

    def wait_for_answer(self, timeout: float | None = None, *, any: bool = False) -> Answer:
        """See `AsyncConversation.wait_for_answer`."""
        return self._portal.run(lambda: self._async.wait_for_answer(timeout, any=any), self._give_back)

    @overload
    def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: SyncOnReply | None = None, form: type[M]
    ) -> Decision[M]: ...

    @overload
    def wait_for_decision(
        self,
        timeout: float | None = None,
        *,
        on_reply: SyncOnReply | None = None,
        form: FormOrModel | None = None,
    ) -> Decision[Any]: ...

    def wait_for_decision(
        self,
        timeout: float | None = None,
        *,
        on_reply: SyncOnReply | None = None,
        form: FormOrModel | None = None,
    ) -> Decision[Any]:
        """See `AsyncConversation.wait_for_decision`."""
        report = in_caller(on_reply)
        return self._portal.run(lambda: self._async.wait_for_decision(timeout, on_reply=report, form=form))

    def __iter__(self) -> Iterator[Answer]:
        return self._portal.iterate(self._async.__aiter__, self._give_back)

    def _give_back(self, answer: Answer) -> None:
        self._async.give_back(answer.message_id)

    def send(
        self,
        text: str,
        *,
        form: FormOrModel | None = None,
        files: Sequence[File] = (),
        shown: Sequence[str] | None = None,
    ) -> Sending:
        """See `AsyncConversation.send`."""
        return self._portal.run(lambda: self._async.send(text, form=form, files=files, shown=shown))

    def messages(self) -> list[Message]:
        """See `AsyncConversation.messages`."""
        return self._portal.run(self._async.messages)

    def refresh(self) -> None:
        """See `AsyncConversation.refresh`."""
        self._portal.run(self._async.refresh)

    def close(self, reason: str | None = None) -> None:
        """See `AsyncConversation.close`."""
        self._portal.run(lambda: self._async.close(reason))

    def export(self) -> State:
        """All that `resume` needs, as JSON. It contains the private keys."""

        async def export() -> State:
            return self._async.export()

        return self._portal.run(export)


def in_caller(on_reply: SyncOnReply | None) -> OnReply | None:
    if on_reply is None:
        return None
    return lambda answer: call_in_caller(on_reply, answer)
