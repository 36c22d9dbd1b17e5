"""A conversation with an expert."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast, overload

from .._crypto.keys import OwnKeys
from .._crypto.parts import File
from .._errors import RelayError, invalid_input
from .._forms.content import Content, Form
from .._forms.to_form import FormOrModel, to_form
from .._json_text import write_json
from .._requests import NO_NOTES, AskedRequest
from .._thread.conversation_base import ConversationBase, Described
from .._thread.follower import Follower
from .._thread.message import Message, ReadMessage, describe
from .._thread.parts_to_send import make_parts
from .._thread.sender import Sender, SendResult
from .._thread.thread import Thread, ended
from .._tracebacks import hides_locals
from .._transport.api import Api
from .._transport.shape import members
from .._transport.waiting import timed_out, within
from .agent_side import AgentSide
from .answer_taker import AnswerTaker
from .answers import Answer, C_co, Decision, OnReply, answer_of
from .conversation_state import ConversationState, Verification
from .read_receipt import ReceiptSource, read_receipt
from .read_transcript import read_transcript
from .shared_facts import SharedFacts
from .wait_for_decision import DecisionParts, DecisionWait

T = TypeVar("T")
M = TypeVar("M")

# Seconds for the last look at the list, before a question is closed.
_last_read_limit = 2.0
# The members of a state that change: `_export` adds them.
_changing = ("request", "decided", "exchange", "thread", "sender", "withdrawn")
CONTRADICTION = "Your answers to this form contradict each other. Please decide again."


@hides_locals
class AsyncConversation(ConversationBase, Generic[C_co]):
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
        state: ConversationState,
        schema: FormOrModel | None,
        facts: SharedFacts,
        save: Callable[[ConversationState], Awaitable[None]],
    ) -> None:
        self._thread, self._sender, self._side, self._facts = thread, sender, side, facts
        self._api, self._follower, self._request, self._keys = api, follower, request, keys
        opening = {name: member for name, member in state.items() if name not in _changing}
        self._opening, self._save_state = cast(ConversationState, opening), save
        self._answer_taker = AnswerTaker(thread.mailbox, sender, self._save)
        self._deciding = DecisionParts(
            thread=thread,
            sender=sender,
            facts=facts,
            answer_taker=self._answer_taker,
            save=self._save,
            schemas=[] if schema is None else [schema],
            decided=state.get("decided"),
        )

    @property
    def id(self) -> str:
        """Unique to this conversation. It exists before the question is sent."""
        return self._opening["id"]

    def _described(self) -> Described:
        head = self._thread.head
        return Described(self._request.ref_code, self._latest, head.notes if head else NO_NOTES)

    @property
    def unsent(self) -> list[str]:
        """Texts that were not sent yet, because they wait for keys or the relay could not be reached. They are sent automatically,
        before any later text: do not send them again."""
        return [draft.text for draft in self._sender.unsent]

    @property
    def _latest(self) -> AskedRequest:
        return self._thread.head.request if self._thread.head else self._request

    @property
    def is_encrypted(self) -> bool:
        """Whether messages are encrypted, or meant to be once the expert's keys are there."""
        return self._keys is not None

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the expert's identity; None until an expert has proven one."""
        return self._side.exchange.fingerprint if self._side.exchange else None

    @property
    def is_picked_up(self) -> bool:
        """Whether an expert has picked the question up, as the relay reports it: `verification` is that of checked keys."""
        return self._side.is_picked_up

    @property
    def verification(self) -> Verification:
        """How sure it is who answers."""
        return self._side.exchange.verification if self._side.exchange else "none"

    def verify(self, fingerprint: str) -> bool:
        """Compares the expert's fingerprint with one that you got over another channel. If they are equal, the expert is known
        from now on, here and in the store.

        >>> if not conversation.verify("04918 22734 ..."):
        ...     await conversation.close()
        """
        return self._side.verify(fingerprint)

    async def wait_for_answer(self, timeout: float | None = None, *, include_early: bool = False) -> Answer:
        """Returns the next answer, except those that are known not to have seen your last text, and messages that are no answer
        (`is_note`); with `include_early`, these as well.

        Raises `timeout`, `closed`, `expired`, or the error of a refused message.

        >>> answer = await conversation.wait_for_answer(timeout=600)
        >>> print(answer.text)
        """

        def fits(message: ReadMessage) -> bool:
            return include_early or (message.seen_your_last is not False and not message.is_note)

        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if until is None else max(0.0, until - time.monotonic())
            late: RelayError | None = None
            try:
                await self._wait(self._thread.mailbox.is_ready(fits), left, self._answer_taker.wait(fits))
            except RelayError as error:
                if error.code != "timeout":
                    raise
                # An answer may have come in time, while texts could not be sent.
                late = error
            # In one step with the return: a cancellation comes before it, or never.
            message = self._answer_taker.take_now(fits)
            if message:
                return answer_of(describe(message))
            if late:
                raise late

    @overload
    async def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: OnReply | None = None, form: None = None, valid_for: float | None = None
    ) -> Decision[C_co]: ...

    @overload
    async def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: OnReply | None = None, form: type[M], valid_for: float | None = None
    ) -> Decision[M]: ...

    @overload
    async def wait_for_decision(
        self, timeout: float | None = None, *, on_reply: OnReply | None = None, form: Form, valid_for: float | None = None
    ) -> Decision[Content]: ...

    async def wait_for_decision(
        self,
        timeout: float | None = None,
        *,
        on_reply: OnReply | None = None,
        form: FormOrModel | None = None,
        valid_for: float | None = None,
    ) -> Decision[Any]:
        """Waits until the expert accepts or declines the newest form. The content of an accept was checked against the form, and is an
        instance of the model that the form was made of. Give the model as `form` where the form was sent later than the question, or
        before a restart. Once it has returned a decision, it returns the same one again, until another form is sent. `on_reply` gets all other messages of the expert, while
        waiting goes on: also a later decision about the same form, in a later call. `valid_for`: how many seconds old an accept may
        be whenever it is returned; an older one, or one that is dated more than two minutes ahead, is `decision_too_old`, which is no
        decline. A decline is never too old. The age is counted by the clock of the expert's device, and at most from when this agent
        sent the newest message that the expert had seen.

        Raises `answer_invalid` for an answer whose content is not valid: wait again, or send the form again; `answer_conflict`
        for two accepts with different contents: none counts, until the expert declines, or answers the form that `ask_again` sends;
        `withdrawn` for a question that this agent has closed before the decision came; `timeout`, `closed`, `expired`, or the
        error of a refused message. None of them is a decision.

        >>> decision = await conversation.wait_for_decision(600, on_reply=lambda reply: print(reply.text))
        >>> if decision.action == "accept":
        ...     print(decision.content)
        """
        return await self._wait(False, timeout, DecisionWait(self._deciding, on_reply, form, timeout, valid_for).run())

    def __aiter__(self) -> AsyncIterator[Answer]:
        return self._answers()

    async def _answers(self) -> AsyncIterator[Answer]:
        release = self._follower.follow()
        try:
            while message := await self._answer_taker.take(lambda _: True):
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
    ) -> SendResult:
        """Sends a message. While there are no keys of the expert, the message waits in `unsent`. It also stays there when the call
        fails because the relay cannot be reached. `form` replaces the form before. `shown` names the messages that your user had
        been shown when the text was written; by default all that were returned to your program.

        >>> await conversation.send("And the cache?", files=[File("log.txt", log, "text/plain")])
        """
        answer_form = None if form is None else write_json(to_form(form))
        if form is not None:
            self._deciding.schemas.append(form)
        return await self._sender.send(text, parts=make_parts(form=answer_form, files=files), shown=shown)

    async def ask_again(
        self, text: str = CONTRADICTION, *, files: Sequence[File] = (), shown: Sequence[str] | None = None
    ) -> SendResult:
        """Sends the newest form again, for example after `answer_conflict`. What was answered to it before does not count any more.
        Raises `invalid_input` where it is decided. `files` and `shown`: see `send`.

        >>> try:
        ...     decision = await conversation.wait_for_decision()
        ... except RelayError as error:
        ...     if error.code != "answer_conflict":
        ...         raise
        ...     await conversation.ask_again()
        """
        form = self._thread.form_tracker.form
        if form is None or not self.is_encrypted:
            raise invalid_input("There is no form in this encrypted conversation.")
        if self._deciding.decision_of(form.of) is not None:
            raise invalid_input("It is decided: ask a new question.")
        return await self._sender.send(text, parts=make_parts(form=form.text, files=files), shown=shown)

    async def messages(self) -> list[Message]:
        """The messages of both sides, in order, as the relay has them now: also those that were returned before. The question is
        not among them, unless it is confidential. Some time after the end there are none. That they were returned here does not
        tell the expert that they were shown.

        >>> for message in await conversation.messages():
        ...     print(message.sender, message.text)
        """
        return await read_transcript(self._api, self._thread, self._side)

    async def receipt(self, *, whole: bool = False) -> str:
        """A proof of the decision about the newest form, for those who were not there: `verify_receipt` checks it without the
        relay. Write the text to a file as it is. It is made of what the relay has, so it must be made before the relay erases that.
        It opens the decision, its form, and a confidential question. With `whole` it opens all messages that the decision follows:
        it then has a private key that opens all messages of this conversation, also later ones, and signs nothing.

        Raises `invalid_input` where `wait_for_decision` has not returned a decision, and where there is nothing that could prove
        one: without encryption, or with an expert that does not sign its keys.

        >>> approval = await relay.approve("Deploy 4711?")
        >>> Path("decision.json").write_bytes((await approval.conversation.receipt()).encode())
        """
        source = ReceiptSource(
            api=self._api,
            thread=self._thread,
            side=self._side,
            keys=self._keys,
            ref_code=self._request.ref_code,
            submission=self._opening.get("submissionDigest", ""),
            decision_of=self._deciding.decision_of,
        )
        return await read_receipt(source, whole=whole)

    async def refresh(self) -> None:
        """Reads new messages, the status and the keys once, without waiting for answers, and sends what waits in `unsent`."""
        await self._thread.read()
        if self._sender.is_due and not self._thread.mailbox.has_ended:
            await self._sender.flush()

    async def close(self, reason: str | None = None) -> None:
        """Ends the conversation for both sides. Its messages can still be read. The other side gets the `reason`, of up to 500
        characters, which is not encrypted.

        >>> await conversation.close("It is done.")
        """
        body = {} if reason is None else {"reason": reason}
        await self._withdraw()
        closed = await self._api.post(f"/api/v1/close/{self.request_id}", body, members)
        thread = self._thread
        is_all_read = not thread.refusal and closed.get("responseCount") == thread.answers_read
        # Then no list is needed to know how it ended.
        if thread.head and is_all_read and closed.get("status") == "closed":
            await thread.adopt(lambda head: head.as_closed(closed))
        else:
            await thread.read()
        # An agent that closes has processed its answers.
        await self._answer_taker.mark_processed()

    async def _withdraw(self) -> None:
        """Notes that the question ends without a decision: a later one does not count. The relay may have one already."""
        thread, form = self._thread, self._thread.form_tracker.form
        if form is None or thread.mailbox.has_ended or self._deciding.decision_of(form.of) is not None:
            return
        # When the list cannot be read, the question is withdrawn.
        with suppress(Exception):
            await within(_last_read_limit, thread.read(), TimeoutError)
        standing = None if self._sender.has_drafts else thread.standing()
        is_decided = standing is not None and standing.decided is not None and not self._facts.is_contradicted(form.of)
        if not thread.mailbox.has_ended and not is_decided:
            self._facts.withdraw()

    def export(self) -> ConversationState:
        """All that `resume` needs, as JSON. It contains the private keys. Answers that were returned count as processed.

        >>> state = conversation.export()
        >>> continued = await relay.resume(state)
        """
        return self._export(self._thread.mailbox.messages)

    def _export(self, messages: Sequence[ReadMessage] | None = None) -> ConversationState:
        thread = self._thread.export()
        if messages is not None:
            thread["messages"] = [one.export() for one in messages]
        state: ConversationState = {
            **self._opening,
            "request": self._latest.export(),
            "thread": thread,
            "sender": self._sender.export(),
        }
        if self._deciding.decided:
            state["decided"] = self._deciding.decided
        if self._side.exchange:
            state["exchange"] = self._side.exchange.export()
        if self._facts.is_withdrawn:
            state["withdrawn"] = True
        return state

    async def _save(self) -> None:
        """Saves the state at a moment that the program does not know: answers that it may not have processed are returned again."""
        await self._save_state(self._export())

    def _give_back(self, message_id: str) -> None:
        """Returns an answer again, which has not reached the program."""
        self._thread.mailbox.give_back(lambda one: one.message_id == message_id)

    async def _wait(self, is_ready: bool, timeout: float | None, work: Coroutine[Any, Any, T | None]) -> T:
        """Follows the conversation until this returns something, or until the time is over."""
        # Without time to wait there is only what was read before, and nothing is read for it.
        release = None if is_ready or timeout == 0 else self._follower.follow()
        try:
            result = await within(timeout, work, lambda: timed_out(timeout))
            if result is None:
                await self._answer_taker.mark_processed()
                raise ended(self.status)
            return result
        finally:
            if release:
                release()
