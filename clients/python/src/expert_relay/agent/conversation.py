"""A conversation with an expert."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar, overload

from ..crypto.keys import OwnKeys
from ..crypto.parts import File
from ..errors import RelayError
from ..forms.to_form import FormOrModel, to_form
from ..json_text import Members, write_json
from ..memory import Memory
from ..requests import NO_NOTES, AskedRequest
from ..thread.conversation_facts import ConversationFacts, Facts
from ..thread.follower import Follower
from ..thread.message import Message, ReadMessage, describe
from ..thread.parts_to_send import make_parts
from ..thread.sender import Sender, Sending
from ..thread.thread import Thread, ended
from ..tracebacks import hides_locals
from ..transport.api import Api
from ..transport.shape import members
from ..transport.waiting import timed_out, within
from .agent_side import AgentSide
from .answer_taker import AnswerTaker
from .answers import Answer, Decision, OnReply, answer_of
from .conversation_state import State, Verification
from .read_transcript import read_transcript
from .wait_for_decision import DecisionWait

T = TypeVar("T")
M = TypeVar("M")


@hides_locals
class AsyncConversation(ConversationFacts):
    """A conversation with an expert. Each answer is returned once and in order, by a loop or by `wait_for_answer`.

    >>> async for answer in conversation:
    ...     print(answer.text)
    ...     await conversation.send("Thank you, that was it.")
    ...     await conversation.close()
    """

    def __init__(
        self,
        *,
        api: Api,
        thread: Thread,
        sender: Sender,
        follower: Follower,
        side: AgentSide,
        request: AskedRequest,
        keys: OwnKeys | None,
        state: State,
        schema: FormOrModel | None,
        outcomes: Memory,
        save: Callable[[State], Awaitable[None]],
    ) -> None:
        self.thread, self.sender, self.side = thread, sender, side
        self.schemas = [] if schema is None else [schema]
        """What forms of this conversation were made of, where this process knows it. Some may never have been sent."""
        self.decided: Members | None = state.get("decided")
        """The decision that was returned: the form, and the message that decided."""
        self.outcomes = outcomes
        """The messages that have decided, by their forms. Other processes with this memory share them."""
        self._api, self._follower, self._request, self._keys = api, follower, request, keys
        self._state, self._save_state = state, save
        self.answer_taker = AnswerTaker(thread.mailbox, sender, self.save)

    @property
    def id(self) -> str:
        """Unique to this conversation. It exists before the question is sent."""
        return str(self._state["id"])

    def _facts(self) -> Facts:
        head = self.thread.head
        return Facts(self._request.ref_code, self._latest, head.notes if head else NO_NOTES, self.sender)

    @property
    def _latest(self) -> AskedRequest:
        return self.thread.head.request if self.thread.head else self._request

    @property
    def is_encrypted(self) -> bool:
        """Whether messages are encrypted, or meant to be once the expert's keys are there."""
        return self._keys is not None

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the expert's identity; None until an expert has proven one."""
        return self.side.exchange.fingerprint if self.side.exchange else None

    @property
    def is_picked_up(self) -> bool:
        """Whether an expert has picked the question up, as the relay reports it: `verification` is that of checked keys."""
        return self.side.is_picked_up

    @property
    def verification(self) -> Verification:
        return self.side.exchange.verification if self.side.exchange else "none"

    def verify(self, fingerprint: str) -> bool:
        """Compares the expert's fingerprint with one that you got over another channel. If they are equal, the expert is known
        from now on, here and in the memory."""
        return self.side.verify(fingerprint)

    async def wait_for_answer(self, timeout: float | None = None, *, any: bool = False) -> Answer:
        """Returns the next answer, except those that are known not to have seen your last text, and messages that are no answer
        (`is_note`); with `any`, these as well.

        Raises `timeout`, `conversation_closed`, `conversation_expired`, or the error of a refused message."""

        def fits(message: ReadMessage) -> bool:
            return any or (message.seen_your_last is not False and not message.is_note)

        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if until is None else max(0.0, until - time.monotonic())
            late: RelayError | None = None
            try:
                await self._wait(self.thread.mailbox.is_ready(fits), left, self.answer_taker.wait(fits))
            except RelayError as error:
                if error.code != "timeout":
                    raise
                # An answer may have come in time, while texts could not be sent.
                late = error
            # In one step with the return: a cancellation comes before it, or never.
            message = self.answer_taker.take_now(fits)
            if message:
                return answer_of(describe(message))
            if late:
                raise late

    @overload
    async def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: OnReply | None = None, form: type[M]
    ) -> Decision[M]: ...

    @overload
    async def wait_for_decision(
        self,
        timeout: float | None = None,
        *,
        on_reply: OnReply | None = None,
        form: FormOrModel | None = None,
    ) -> Decision[Any]: ...

    async def wait_for_decision(
        self,
        timeout: float | None = None,
        *,
        on_reply: OnReply | None = None,
        form: FormOrModel | None = None,
    ) -> Decision[Any]:
        """Waits until the expert accepts or declines the newest form. The content of an accept was checked against the form. With
        `form`, the model of which the newest form was made, it is an instance of it, also after a restart. Once it has returned a
        decision, it returns the same one again, until another form is sent. `on_reply` gets what the expert writes without
        deciding, while waiting goes on.

        Raises `answer_invalid` for an answer whose content is not valid: wait again, or send the form again; `answer_conflict`
        for two accepts with different contents: none counts; `timeout`, `conversation_closed`, `conversation_expired`, or the
        error of a refused message. None of them is a decision."""
        return await self._wait(False, timeout, DecisionWait(self, on_reply, form, timeout).run())

    def __aiter__(self) -> AsyncIterator[Answer]:
        return self._answers()

    async def _answers(self) -> AsyncIterator[Answer]:
        release = self._follower.follow()
        try:
            while message := await self.answer_taker.take(lambda _: True):
                yield answer_of(describe(message))
        finally:
            release()

    async def send(
        self,
        text: str,
        *,
        form: FormOrModel | None = None,
        files: Sequence[File] = (),
        shown: Sequence[str] | None = None,
    ) -> Sending:
        """Sends a message. While there are no keys of the expert, the message waits in `unsent`. It also stays there when the call
        fails because the relay cannot be reached. `form` replaces the form before. `shown` names the messages that your user had
        been shown when the text was written; by default all that were returned to your program."""
        answer_form = None if form is None else write_json(to_form(form))
        if form is not None:
            self.schemas.append(form)
        return await self.sender.send(text, parts=make_parts(form=answer_form, files=files), shown=shown)

    async def messages(self) -> list[Message]:
        """The messages of both sides, in order, as the relay has them now: also those that were returned before. The question is
        not among them, unless it is confidential. Some time after the end there are none. That they were returned here does not
        tell the expert that they were shown."""
        return await read_transcript(self._api, self.thread, self.side)

    async def refresh(self) -> None:
        """Reads new messages, the status and the keys once, without waiting for answers."""
        await self.thread.read()
        if self.sender.is_due and not self.thread.mailbox.has_ended:
            await self.sender.flush()

    async def close(self, reason: str | None = None) -> None:
        """Ends the conversation for both sides. Its messages can still be read. The other side gets the `reason`, of up to 500
        characters, which is not encrypted."""
        body = {} if reason is None else {"reason": reason}
        closed = await self._api.post(f"/api/v1/close/{self.request_id}", body, members)
        thread = self.thread
        is_all_read = not thread.refusal and closed.get("responseCount") == thread.answers_read
        # Then no list is needed to know how it ended.
        if thread.head and is_all_read and closed.get("status") == "closed":
            await thread.adopt(**thread.head.when_closed(closed))
        else:
            await thread.read()
        # An agent that closes has processed its answers.
        await self.answer_taker.mark_processed()

    def export(self) -> State:
        """All that `resume` needs, as JSON. It contains the private keys. Answers that were returned count as processed."""
        state = self._export()
        state["thread"]["messages"] = [one.export() for one in self.thread.mailbox.messages]
        return state

    def _export(self) -> State:
        exchange = self.side.exchange
        state = {
            **self._state,
            "request": self._latest.export(),
            "decided": self.decided,
            "exchange": exchange.export() if exchange else None,
            "thread": self.thread.export(),
            "sender": self.sender.export(),
        }
        return {name: member for name, member in state.items() if member is not None}

    async def save(self) -> None:
        """Saves the state at a moment that the program does not know: answers that it may not have processed are returned again."""
        await self._save_state(self._export())

    def give_back(self, message_id: str) -> None:
        """Returns an answer again, which has not reached the program."""
        self.thread.mailbox.give_back(lambda one: one.message_id == message_id)

    async def _wait(self, is_ready: bool, timeout: float | None, work: Coroutine[Any, Any, T | None]) -> T:
        """Follows the conversation until this returns something, or until the time is over."""
        # Without time to wait there is only what was read before, and nothing is read for it.
        release = None if is_ready or timeout == 0 else self._follower.follow()
        try:
            result = await within(timeout, work, lambda: timed_out(timeout))
            if result is None:
                await self.answer_taker.mark_processed()
                raise ended(self.status)
            return result
        finally:
            if release:
                release()
