"""Waits for a decision about the newest form."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from .._crypto.history import missing
from .._errors import RelayError, invalid_input
from .._forms.answer import Standing, unreadable_answer
from .._forms.to_form import FormOrModel
from .._json_text import Members
from .._thread.message import ReadMessage, describe, has_form
from .._thread.sender import Sender
from .._thread.thread import Thread
from .._transport.waiting import raise_if_late
from .answer_taker import AnswerTaker
from .answers import Decision, OnReply, answer_of
from .checked_answers import CheckedAnswers
from .decision_age import check_valid_for
from .shared_facts import SharedFacts, contradiction, withdrawn


@dataclass
class DecisionParts:
    """What waiting for a decision needs of a conversation."""

    thread: Thread
    sender: Sender
    facts: SharedFacts
    """What other processes of this agent know and must know."""
    answer_taker: AnswerTaker
    save: Callable[[], Awaitable[None]]
    schemas: list[FormOrModel]
    """What forms of this conversation were made of, where this process knows it. Some may never have been sent."""
    decided: Members | None
    """The decision that was returned: the form, and the message that decided."""
    reported: set[str] = field(default_factory=set[str])
    """The answers that do not count whose error this process has."""

    def decision_of(self, of: str) -> str | None:
        """The message that decided about a form, if a program has its decision."""
        known, decided = self.facts.decision(of), self.decided
        return known or (decided["messageId"] if decided and decided["of"] == of else None)


class DecisionWait:
    """One call that waits for a decision."""

    def __init__(
        self,
        parts: DecisionParts,
        on_reply: OnReply | None,
        form: FormOrModel | None,
        timeout: float | None,
        valid_for: float | None,
    ) -> None:
        check_valid_for(valid_for)
        self._started_at, self._timeout = time.time(), timeout
        self._parts, self._on_reply = parts, on_reply
        self._thread, self._sender, self._facts = parts.thread, parts.sender, parts.facts
        self._checked = CheckedAnswers(self._thread.form_tracker, parts.schemas, form, valid_for)

    async def run(self) -> Decision[Any] | None:
        """None when the conversation has ended without a decision. Raises `answer_invalid`, `answer_conflict` and
        `decision_too_old`."""
        if not self._thread.form_tracker.form and not self._sends_form():
            raise invalid_input("This conversation has no form: ask with `form`, or send one.")
        mailbox = self._thread.mailbox
        has_waited = False
        if self._on_reply and self._returned_before() is not None:
            # The expert may have changed their mind since. The decision is final, also when this cannot be read.
            with suppress(RelayError):
                await self._thread.read()
        while True:
            first = next((one for one in mailbox.messages if not one.is_note), None)
            if first and self._on_reply and not self._is_deciding(first):
                await self._report(first.message_id, self._on_reply)
                continue
            decision = await self._find_decision(has_waited)
            if decision:
                return decision
            if not await mailbox.take(self._wakes, peek=True):
                self._raise_if_withdrawn()
                return None
            has_waited = True

    async def _report(self, message_id: str, on_reply: OnReply) -> None:
        taker = self._parts.answer_taker
        reply = await taker.take_arrived(message_id)
        if reply:
            result = on_reply(answer_of(describe(reply)))
            if inspect.isawaitable(result):
                await result
            await taker.mark_processed()

    def _raise_if_withdrawn(self) -> None:
        if self._facts.is_withdrawn and self._returned_before() is None:
            raise withdrawn()

    def _wakes(self, message: ReadMessage) -> bool:
        return (self._on_reply is not None and not message.is_note) or self._is_due()

    def _is_deciding(self, message: ReadMessage) -> bool:
        returned = self._returned_before()
        return self._concerns(message) if returned is None else message.message_id == returned

    def _standing(self) -> Standing | None:
        # While texts wait to be encrypted, no answer has seen them.
        if self._sender.has_drafts:
            return None
        standing = self._thread.standing(lambda one: self._checked.error_of(one) is not None)
        form = self._thread.form_tracker.form
        if standing and form and standing.state == "accepted" and self._facts.is_contradicted(form.of):
            return replace(standing, state="conflict", decided=None)
        return standing

    def _concerns(self, message: ReadMessage) -> bool:
        """Whether this message decides, or is one of those that prevent it."""
        standing = self._standing()
        if not standing:
            return False
        if standing.state == "conflict":
            return any(one.message_id == message.message_id for one in self._thread.form_tracker.answers)
        return message.message_id == standing.decided or message.message_id in self._invalid_ones()

    def _invalid_ones(self) -> list[str]:
        """Answers that do not count, and that must be reported: by each process once, until the agent has written again."""
        standing, reported = self._standing(), self._parts.reported
        followed = {one.message_id for one in self._thread.form_tracker.answers if one.is_followed}
        return [one for one in standing.invalid if one not in followed and one not in reported] if standing else []

    def _is_due(self) -> bool:
        standing = self._standing()
        if standing and (standing.decided is not None or standing.state == "conflict"):
            return True
        return bool(self._invalid_ones()) or any(self._concerns(one) for one in self._thread.mailbox.messages)

    async def _find_decision(self, has_waited: bool) -> Decision[Any] | None:
        thread, sender = self._thread, self._sender
        form, own, by = thread.form_tracker.form, self._parts.decided, self._returned_before()
        if form and by and not (own and own["of"] == form.of) and not thread.mailbox.has_ended:
            # The process that has returned the decision may have sent another form since.
            await thread.read(if_stale=True)
            form, by = thread.form_tracker.form, self._returned_before()
        if form and by and any(one.message_id == by for one in thread.form_tracker.answers):
            return await self._return_decision(form.of, by)
        self._raise_if_withdrawn()
        if sender.is_due:
            # Sending is repeated later, and reports its errors then.
            with suppress(Exception):
                await sender.flush()
        if not self._is_due():
            return None
        # The relay may already have a decline, which comes before an accept. A message that has ended the wait was read only just now.
        if not thread.mailbox.has_ended:
            await thread.read(if_stale=has_waited)
        if thread.refusal:
            raise thread.refusal
        form = thread.form_tracker.form
        if not form:
            return None
        self._checked.check_new()
        if await self._has_other_texts():
            return await self._find_decision(has_waited=False)
        return await self._outcome(form.of)

    async def _has_other_texts(self) -> bool:
        """Whether another process of this agent has written something that this one did not know: no answer counts without it."""
        thread, sender, sent = self._thread, self._sender, self._facts.sent_texts()
        if not all(map(sender.knows, sent)):
            await thread.read()
        if not all(map(sender.knows, sent)):
            thread.refuse(missing())
            raise missing()
        if not sender.take_over():
            return False
        # They link to what the other process had been shown.
        await thread.read()
        return True

    def _sends_form(self) -> bool:
        """Whether a form waits to be sent."""
        return any(has_form(draft.parts) for draft in self._sender.unsent)

    def _returned_before(self) -> str | None:
        """The message that decided about the newest form, if a program has its decision."""
        form = self._thread.form_tracker.form
        return self._parts.decision_of(form.of) if form and not self._sends_form() else None

    async def _return_decision(self, of: str, message_id: str) -> Decision[Any]:
        """Returns it, and no other one from then on: the program may have acted on it."""
        raise_if_late(self._started_at, self._timeout)
        self._checked.check_new()
        if message_id not in self._checked:
            # Another process may have read more.
            await self._thread.read()
            self._checked.check_new()
        decision = self._checked.decision_in(message_id)
        self._parts.decided = {"of": of, "messageId": message_id}
        await self._parts.save()
        # Another process may have returned another one in the meantime, or reported a contradiction. What this program does not get
        # stays in the mailbox.
        first = self._facts.return_decision(of, message_id, is_decline=decision.action == "decline")
        if first is None:
            self._parts.decided = None
            await self._parts.save()
            raise contradiction()
        if first != message_id:
            return await self._return_decision(of, first)
        await self._parts.answer_taker.take_arrived(message_id)
        await self._parts.answer_taker.mark_processed()
        return decision

    async def _outcome(self, of: str) -> Decision[Any] | None:
        parts, returned = self._parts, self._returned_before()
        self._raise_if_withdrawn()
        standing = self._standing()
        deciding = returned or (standing.decided if standing else None)
        if deciding is not None:
            return await self._return_decision(of, deciding)
        if standing and standing.state == "conflict":
            self._facts.contradict(of, [one.message_id for one in self._thread.form_tracker.answers])
            await parts.save()
            returned = self._facts.decision(of)
            if returned is not None:
                return await self._return_decision(of, returned)
            raise contradiction()
        for invalid in self._invalid_ones():
            parts.reported.add(invalid)
            await parts.answer_taker.take_arrived(invalid)
            raise self._checked.error_of(invalid) or unreadable_answer()
        return None
