"""A conversation with an expert, for programs that block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from .._agent.answers import Answer, C_co, Decision, OnReply
from .._agent.conversation import CONTRADICTION, AsyncConversation
from .._agent.conversation_state import ConversationState, Verification
from .._crypto.parts import File
from .._forms.content import Content, Form
from .._forms.to_form import FormOrModel
from .._thread.conversation_base import ConversationBase, Described
from .._thread.message import Message
from .._thread.sender import SendResult
from .._tracebacks import hides_locals
from .portal import Portal, call_in_caller

M = TypeVar("M")
SyncOnReply = Callable[[Answer], None]


@hides_locals
class Conversation(ConversationBase, Generic[C_co]):
    """A conversation with an expert. Each answer is returned once and in order, by a loop or by `wait_for_answer`.

    >>> for answer in conversation:
    ...     print(answer.text)
    ...     conversation.send("Thank you, that was it.")
    ...     conversation.close()
    """

    def __init__(self, portal: Portal, conversation: AsyncConversation[C_co]) -> None:
        self._portal, self._async = portal, conversation

    def _described(self) -> Described:
        return self._async._described()  # pyright: ignore[reportPrivateUsage]

    @property
    def unsent(self) -> list[str]:
        """Texts that were not sent yet, because they wait for keys or the relay could not be reached. They are sent automatically,
        before any later text: do not send them again."""
        return self._async.unsent

    @property
    def id(self) -> str:
        """Unique to this conversation. It exists before the question is sent."""
        return self._async.id

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
        """How sure it is who answers."""
        return self._async.verification

    def verify(self, fingerprint: str) -> bool:
        """Compares the expert's fingerprint with one that you got over another channel: see `AsyncConversation.verify`.

        >>> if not conversation.verify("04918 22734 ..."):
        ...     conversation.close()
        """
        return self._async.verify(fingerprint)

    def wait_for_answer(self, timeout: float | None = None, *, include_early: bool = False) -> Answer:
        """Returns the next answer: see `AsyncConversation.wait_for_answer`.

        >>> answer = conversation.wait_for_answer(timeout=600)
        >>> print(answer.text)
        """
        return self._portal.run(lambda: self._async.wait_for_answer(timeout, include_early=include_early), self._give_back)

    @overload
    def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: SyncOnReply | None = None, form: None = None, valid_for: float | None = None
    ) -> Decision[C_co]: ...

    @overload
    def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: SyncOnReply | None = None, form: type[M], valid_for: float | None = None
    ) -> Decision[M]: ...

    @overload
    def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: SyncOnReply | None = None, form: Form, valid_for: float | None = None
    ) -> Decision[Content]: ...

    def wait_for_decision(
        self,
        timeout: float | None = None,
        *,
        on_reply: SyncOnReply | None = None,
        form: FormOrModel | None = None,
        valid_for: float | None = None,
    ) -> Decision[Any]:
        """Waits until the expert accepts or declines the newest form: see `AsyncConversation.wait_for_decision`.

        >>> decision = conversation.wait_for_decision(600, on_reply=lambda reply: print(reply.text))
        >>> if decision.action == "accept":
        ...     print(decision.content)
        """
        report = in_caller(on_reply)
        return self._portal.run(
            lambda: self._async.wait_for_decision(timeout, on_reply=report, form=form, valid_for=valid_for)
        )

    def __iter__(self) -> Iterator[Answer]:
        return self._portal.iterate(self._async.__aiter__, self._give_back)

    def _give_back(self, answer: Answer) -> None:
        self._async._give_back(answer.message_id)  # pyright: ignore[reportPrivateUsage]

    def send(
        self,
        text: str,
        *,
        form: FormOrModel | None = None,
        files: Sequence[File] = (),
        shown: Sequence[str] | None = None,
    ) -> SendResult:
        """Sends a message: see `AsyncConversation.send`.

        >>> conversation.send("And the cache?", files=[File("log.txt", log, "text/plain")])
        """
        return self._portal.run(lambda: self._async.send(text, form=form, files=files, shown=shown))

    def ask_again(
        self, text: str = CONTRADICTION, *, files: Sequence[File] = (), shown: Sequence[str] | None = None
    ) -> SendResult:
        """Sends the newest form again: see `AsyncConversation.ask_again`.

        >>> try:
        ...     decision = conversation.wait_for_decision()
        ... except RelayError as error:
        ...     if error.code != "answer_conflict":
        ...         raise
        ...     conversation.ask_again()
        """
        return self._portal.run(lambda: self._async.ask_again(text, files=files, shown=shown))

    def messages(self) -> list[Message]:
        """The messages of both sides: see `AsyncConversation.messages`.

        >>> for message in conversation.messages():
        ...     print(message.sender, message.text)
        """
        return self._portal.run(self._async.messages)

    def receipt(self, *, whole: bool = False) -> str:
        """A proof of the decision about the newest form: see `AsyncConversation.receipt`.

        >>> approval = relay.approve("Deploy 4711?")
        >>> Path("decision.json").write_bytes(approval.conversation.receipt().encode())
        """
        return self._portal.run(lambda: self._async.receipt(whole=whole))

    def refresh(self) -> None:
        """Reads new messages, the status and the keys once, without waiting for answers, and sends what waits in `unsent`."""
        self._portal.run(self._async.refresh)

    def close(self, reason: str | None = None) -> None:
        """Ends the conversation for both sides: see `AsyncConversation.close`.

        >>> conversation.close("It is done.")
        """
        self._portal.run(lambda: self._async.close(reason))

    def export(self) -> ConversationState:
        """All that `resume` needs, as JSON. It contains the private keys. Answers that were returned count as processed.

        >>> state = conversation.export()
        >>> continued = relay.resume(state)
        """
        return self._portal.read(self._async.export)


def in_caller(on_reply: SyncOnReply | None) -> OnReply | None:
    if on_reply is None:
        return None
    return lambda answer: call_in_caller(on_reply, answer)
