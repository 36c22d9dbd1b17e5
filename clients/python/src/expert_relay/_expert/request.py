"""A request for help, as the expert sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from .._crypto.channel import is_message_id
from .._crypto.parts import File
from .._errors import RelayError, invalid_input, is_refusal
from .._forms.answer import DecisionState
from .._forms.check_form import read_form
from .._json_text import Members
from .._requests import Follows
from .._thread.conversation_base import ConversationBase, Described
from .._thread.follower import Follower
from .._thread.message import Message, describe
from .._thread.page import Head
from .._thread.parts_to_send import make_parts
from .._thread.sender import Sender, SendResult, held_error
from .._thread.shown import first_received, is_newest_crossed
from .._thread.thread import Thread
from .._tracebacks import hides_locals
from .._transport.shape import members
from .._transport.waiting import all_or_error
from .arrivals import Arrivals, parts_missing, unread_question
from .describe_pending import PendingAnswer, describe_pending
from .expert_side import ExpertSide, without_root
from .question import NO_QUESTION
from .write_decision import Accept, CountedDecision, Decline, RequestForm, write_decision


@hides_locals
class AsyncExpertRequest(ConversationBase):
    """A request for help, as the expert sees it.

    >>> request = await expert.request("HS-7KQ2M9XD")
    >>> async for message in request.messages():
    ...     if message.sender == "agent":
    ...         await request.answer(f"You said: {message.text}")
    """

    def __init__(
        self,
        *,
        thread: Thread,
        sender: Sender,
        follower: Follower,
        side: ExpertSide,
        head: Head,
        max_wait: float,
        looped: list[str],
    ) -> None:
        self._thread, self._sender, self._follower, self._side = thread, sender, follower, side
        self._first_head = head
        self._question = side.question or NO_QUESTION
        self._arrivals = Arrivals(thread, follower, side, self.pick_up, max_wait)
        # One entry for each loop over the messages of a request that has not ended.
        self._looped = looped

    @property
    def agent(self) -> str | None:
        """The name of the agent's key, as the relay states it: nothing checks it. None where the question is refused."""
        return None if self._thread.refusal and not self._side.question else self._first_head.agent

    @property
    def agent_name(self) -> str | None:
        """The name that the agent gave itself. It is signed with the question."""
        return self._question.agent_name

    @property
    def question(self) -> str:
        """It is not encrypted: the relay can read it. It is empty once the relay has erased the content, and where it is
        refused."""
        return self._question.question

    @property
    def context(self) -> tuple[dict[str, str], ...]:
        """What was said before the question: each has a `role` and a `content`."""
        return self._question.context

    @property
    def plaintext(self) -> str | None:
        """What the agent wrote for clients without encryption."""
        return self._question.plaintext

    @property
    def answer_form(self) -> dict[str, Any] | None:
        """The form that came with the question, signed with it. A later message may have replaced it: see `form`."""
        text = self._question.answer_form
        return None if text is None else read_form(text)

    @property
    def form(self) -> RequestForm | None:
        """The newest form of the agent, as last read: only this one can be answered."""
        form = self._thread.form_tracker.form
        return RequestForm(self._thread.form_tracker.readable_form, form.of) if form else None

    @property
    def decision(self) -> DecisionState | None:
        """What this expert's answers to `form` amount to, as the agent computes it. None without a form. An agent that has got a
        decision keeps it, whatever comes later: where `decisions` has several, do not show this alone."""
        standing = self._thread.standing()
        return standing.state if standing else None

    @property
    def decisions(self) -> tuple[CountedDecision, ...]:
        """This expert's answers to `form` that count, in the order of the list; one that is equal to the one before is left out. Only the
        agent knows which one its program was given. So show each of several with its time, and that the agent may have acted on the
        first: "Approved 12:11, then declined 12:15; the agent may have acted on the first."."""
        standing = self._thread.standing()
        times = {one.message_id: one.created_at for one in self._thread.form_tracker.answers}
        return tuple(
            CountedDecision(one.action, one.content, one.decided_at, message_id, times.get(message_id, one.decided_at))
            for message_id, one in (standing.counted if standing else ())
        )

    @property
    def is_reopened(self) -> bool:
        """Whether the agent has written something at the same time as your newest answer, which it therefore does not count: neither had
        seen the other. Answer again. For a decision the same as `reopened`."""
        decision = self.decision
        return decision == "reopened" if decision not in (None, "open") else is_newest_crossed(self._thread.known)

    @property
    def missing_parts(self) -> Follows | None:
        """The announced files or confidential question that have not arrived yet. The agent sends them automatically after the
        pick-up. An answer waits for it. It is not signed: the relay can change it."""
        return self._arrivals.missing

    @property
    def received(self) -> tuple[Message, ...]:
        """The agent's messages that `expert.requests` or `receive` has returned, in order: the confidential question, files, and what it
        has written since. They count as shown."""
        return self._arrivals.received

    @property
    def encrypted(self) -> bool:
        """Whether the agent has sent keys. Then answers can be encrypted."""
        return self._side.agent_sent_keys

    @property
    def is_picked_up(self) -> bool:
        """Whether this expert's keys were sent to the agent."""
        return self._side.is_picked_up

    @property
    def refused(self) -> RelayError | None:
        """Why this request is refused: then nothing can be read or sent, and every call raises this error."""
        return self._thread.refusal

    def _described(self) -> Described:
        head = self._head
        return Described(self._first_head.state.ref_code, head.request, head.notes)

    @property
    def _head(self) -> Head:
        return self._thread.head or self._first_head

    @property
    def created_at(self) -> str:
        """ISO 8601, UTC."""
        return self._head.state.created_at

    @property
    def tags(self) -> tuple[str, ...]:
        """The agent's words for sorting, as the relay states them."""
        return self._head.notes.tags

    @property
    def pending(self) -> list[PendingAnswer]:
        """Answers that were not sent yet."""
        return [describe_pending(draft, self._sender.state_of(draft)) for draft in self._sender.unsent]

    async def messages(self) -> AsyncIterator[Message]:
        """All messages of both sides, decrypted, then new ones as they come. It ends with the conversation. Each message is
        returned once.

        >>> async for message in request.messages():
        ...     print(message.sender, message.text)
        """
        self._looped.append(self.request_id)
        release = self._follower.follow()
        try:
            while message := await self._thread.mailbox.take():
                yield describe(message)
        finally:
            self._looped.remove(self.request_id)
            release()

    async def receive(self) -> tuple[Message, ...]:
        """Returns `received`, with all that has arrived. It first waits for `missing_parts` up to 30 s, and picks the request up for
        that. Raises `parts_missing`.

        >>> files = [file for message in await request.receive() for file in message.files]
        """
        return await self._arrivals.receive()

    async def pick_up(self) -> None:
        """Sends this expert's keys, so that both sides can encrypt. A repetition, from any device, changes nothing. If the agent
        has no keys, nothing is sent."""
        if self._side.is_picked_up:
            return
        await self._exchange()
        if self._side.is_picked_up:
            self._arrivals.note_pick_up()

    async def _exchange(self) -> None:
        thread = self._thread
        thread.check_open()
        if not self.encrypted:
            return
        try:
            pick_up = self._side.pick_up(self._head)
        except RelayError as error:
            if is_refusal(error):
                thread.refuse(error)
            raise

        async def exchange() -> Members:
            try:
                return await thread.api.post(f"/api/v1/key-exchange/{self.request_id}", pick_up.body(), members)
            except RelayError as error:
                # The error of reading the list says more precisely whose keys are there.
                if error.code == "conflict":
                    await thread.read()
                raise

        # At the same time the list is read, for messages of this expert's other devices.
        await all_or_error((exchange(), thread.read(if_stale=True)))

        def with_keys(head: Head) -> Head:
            return head if thread.channel else replace(head, provider_keys=pick_up.keys, key_signature=pick_up.key_signature)

        await thread.adopt(with_keys)

    async def answer(
        self,
        text: str,
        *,
        decision: Accept | Decline | None = None,
        files: Sequence[File] = (),
        shown: Sequence[str] | None = None,
        plaintext: bool = False,
        even_if_newer: bool = False,
        without_parts: bool = False,
        message_id: str | None = None,
    ) -> SendResult:
        """Sends an answer. It first waits for `missing_parts`, as `receive` does; with `without_parts` it is sent although they have not
        come, but never without the question of a confidential request. When both sides have keys it is encrypted, and the request is picked up first if it was not. `decision`
        answers `form`; the text is its comment, and may be empty. `shown` names the messages of both sides that your user had been
        shown when the text was written; by default those that were returned to your program. If the agent has written something
        else in the meantime, the text is held, and `newer_message` raised, unless a loop over `messages` will get it next.
        Another `answer` takes its place, with `shown` that names what is newer too, or with `even_if_newer`. If it arrives late, the
        agent knows that it had not seen what is newer. `plaintext` allows plain text, which the relay can read, when only one side has
        keys. `message_id`, a UUID in lower case, names the answer in `pending`: one with the same id is sent once, as it was first
        written.

        >>> if request.form:
        ...     await request.answer("Only this once.", decision=Accept(of=request.form.of))
        """
        if message_id is not None and (not is_message_id(message_id) or message_id != message_id.lower()):
            raise invalid_input("`message_id` must be a UUID in lower case.")
        side, thread = self._side, self._thread
        thread.check_open()
        is_encrypted = side.is_encrypted
        if not is_encrypted and not plaintext:
            if self.encrypted:
                raise without_root(", or send it with `plaintext=True`")
            if side.has_root:
                raise invalid_input(
                    "The agent has no keys: the relay could read this. Send it with `plaintext=True`."
                )
        arrivals, missing = self._arrivals, self.missing_parts
        if is_encrypted and not await arrivals.wait(is_urgent=without_parts):
            if not without_parts or (missing and missing.question):
                raise parts_missing(missing)
        first = first_received(thread.known) if is_encrypted else None
        named = arrivals.returned if shown is None else list(shown)
        is_first_shown = first is None or first in {one.lower() for one in named}
        if arrivals.is_confidential and not is_first_shown:
            raise unread_question()
        # A loop gets what is newer next, and can answer that too. Each answer says which messages it had seen.
        is_in_loop = shown is None and is_first_shown and self.request_id in self._looped
        is_held_if_newer = not even_if_newer and not is_in_loop
        written = write_decision(decision, text, thread.form_tracker, is_plain=not is_encrypted) if decision else None
        parts = make_parts(
            answer_of=written.of if written else None, answer=written.json if written else None, files=files
        )
        sent = await self._sender.send(
            written.text if written else text,
            parts=parts,
            shown=named,
            is_held_if_newer=is_held_if_newer,
            message_id=message_id,
        )
        if decision and sent.is_sent:
            # Now `decision` includes it. Whatever fails here does not concern the answer, and is reported by the next call.
            with suppress(RelayError):
                await thread.read()
        return sent

    async def discard(self, message_ids: Collection[str] | None = None) -> list[str]:
        """Removes all answers from `pending`, or those with these ids, and returns their texts. Of one that was tried, the list is read
        first: if the relay has it, it was sent, and is not returned. If the list cannot be read, this raises, and it stays. One that a
        lost call carries may still arrive: then `messages` has it."""
        return await self._sender.discard(message_ids)

    async def refresh(self) -> None:
        """Reads new messages and the status once, without waiting, and sends what waits. Raises `newer_message` when a text is
        held."""
        thread, sender = self._thread, self._sender
        await thread.read()
        if sender.is_due and not thread.mailbox.has_ended:
            await sender.flush()
        if not thread.mailbox.has_ended and any(one.state == "held" for one in self.pending):
            raise held_error()

    async def close(self, reason: str | None = None) -> None:
        """Ends the conversation for both sides. The agent gets the `reason`, of up to 500 characters, which is not encrypted."""
        body = {} if reason is None else {"reason": reason}
        await self._thread.api.post(f"/api/v1/close/{self.request_id}", body, members)
        await self._thread.read()
