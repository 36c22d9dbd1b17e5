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
from .._forms.answer import FormAnswer, Standing, unreadable_answer
from .._forms.check_form import parse_form
from .._forms.to_form import FormOrModel, read_content, to_form
from .._json_text import Members, write_json
from .._thread.message import Message, ReadMessage, describe, has_form
from .._thread.sender import Sender
from .._thread.thread import Thread
from .._transport.waiting import raise_if_late
from .answer_taker import AnswerTaker
from .answers import Accepted, Decision, Declined, OnReply, answer_of
from .decision_age import age_error, check_valid_for
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


@dataclass(frozen=True)
class _Checked:
    """An answer whose content was checked."""

    message: Message
    answer: FormAnswer
    content: Any
    sealed_before: float | None


class DecisionWait:
    """One call that waits for a decision."""

    def __init__(
        self,
        conversation: DecisionParts,
        on_reply: OnReply | None,
        form: FormOrModel | None,
        timeout: float | None,
        valid_for: float | None,
    ) -> None:
        check_valid_for(valid_for)
        self._valid_for = valid_for
        self._started_at, self._timeout = time.time(), timeout
        self._conversation, self._on_reply, self._given = conversation, on_reply, form
        self._thread, self._sender, self._facts = conversation.thread, conversation.sender, conversation.facts
        self._checked: dict[str, _Checked | RelayError] = {}

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
            is_deciding = first and self._on_reply and self._is_deciding(first)
            if first and self._on_reply and not is_deciding:
                reply = await self._conversation.answer_taker.take_arrived(first.message_id)
                if reply:
                    result = self._on_reply(answer_of(describe(reply)))
                    if inspect.isawaitable(result):
                        await result
                    await self._conversation.answer_taker.mark_processed()
                continue
            decision = await self._find_decision(has_waited)
            if decision:
                return decision
            if not await mailbox.take(self._wakes, peek=True):
                self._check_asked()
                return None
            has_waited = True

    def _check_asked(self) -> None:
        """Raises `withdrawn`."""
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
        standing = self._thread.standing(lambda one: self._error_of(one) is not None)
        form = self._thread.form_tracker.form
        if standing and form and standing.state == "accepted" and self._facts.is_contradicted(form.of):
            return replace(standing, state="conflict", decided=None)
        return standing

    def _error_of(self, message_id: str) -> RelayError | None:
        one = self._checked.get(message_id)
        if one is None or isinstance(one, RelayError):
            return one
        # Not once for all: time passes while the program waits.
        return age_error(one.answer, one.sealed_before, self._valid_for)

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
        standing, reported = self._standing(), self._conversation.reported
        followed = {one.message_id for one in self._thread.form_tracker.answers if one.is_followed}
        return [one for one in standing.invalid if one not in followed and one not in reported] if standing else []

    def _is_due(self) -> bool:
        standing = self._standing()
        if standing and (standing.decided is not None or standing.state == "conflict"):
            return True
        return bool(self._invalid_ones()) or any(self._concerns(one) for one in self._thread.mailbox.messages)

    def _schema_of(self, text: str) -> FormOrModel:
        """What the form was made of, where it is known. After a restart only the form itself is."""
        schemas = self._conversation.schemas if self._given is None else [self._given]
        for schema in reversed(schemas):
            if write_json(to_form(schema)) == text:
                return schema
        if self._given is not None:
            raise invalid_input("The newest form of this conversation was not made of this `form`: give the one that was sent last, or none.")
        return parse_form(text)

    def _check(self, one: ReadMessage, text: str) -> None:
        message = describe(one)
        try:
            if not message.answer:
                raise unreadable_answer()
            is_accepted = message.answer.action == "accept"
            content = read_content(self._schema_of(text), parse_form(text), message.answer.content) if is_accepted else None
            sealed_before = None if one.sealed_before is None else one.sealed_before / 1_000
            self._checked[one.message_id] = _Checked(message, message.answer, content, sealed_before)
        except RelayError as error:
            if error.code != "answer_invalid":
                raise
            self._checked[one.message_id] = error

    def _decision_in(self, message_id: str) -> Decision[Any]:
        checked, error = self._checked.get(message_id), self._error_of(message_id)
        if error:
            raise error
        if not isinstance(checked, _Checked):
            # Another process has read it.
            raise missing()
        message, answer = checked.message, checked.answer
        is_plain = message.protection == "plaintext"
        decided: Members = {
            "comment": (answer.comment or "") if is_plain else message.text,
            "decided_at": answer.decided_at,
            "message_id": message.message_id,
            "created_at": message.created_at,
            "protection": message.protection,
            "files": message.files,
            "has_unknown_part": message.has_unknown_part,
        }
        return Declined(**decided) if answer.action == "decline" else Accepted(**decided, content=checked.content)

    async def _find_decision(self, has_waited: bool) -> Decision[Any] | None:
        thread, sender = self._thread, self._sender
        form, own, by = thread.form_tracker.form, self._conversation.decided, self._returned_before()
        if form and by and not (own and own["of"] == form.of) and not thread.mailbox.has_ended:
            # The process that has returned the decision may have sent another form since.
            await thread.read(if_stale=True)
            form, by = thread.form_tracker.form, self._returned_before()
        if form and by and any(one.message_id == by for one in thread.form_tracker.answers):
            return await self._return_decision(form.of, by)
        self._check_asked()
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
        self._check_all()
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

    def _check_all(self) -> None:
        form = self._thread.form_tracker.form
        for one in self._thread.form_tracker.answers:
            if form and one.message_id not in self._checked:
                self._check(one, form.text)

    def _sends_form(self) -> bool:
        """Whether a form waits to be sent."""
        return any(has_form(draft.parts) for draft in self._sender.unsent)

    def _returned_before(self) -> str | None:
        """The message that decided about the newest form, if a program has its decision."""
        form = self._thread.form_tracker.form
        return self._conversation.decision_of(form.of) if form and not self._sends_form() else None

    async def _return_decision(self, of: str, message_id: str) -> Decision[Any]:
        """Returns it, and no other one from then on: the program may have acted on it."""
        raise_if_late(self._started_at, self._timeout)
        self._check_all()
        if message_id not in self._checked:
            # Another process may have read more.
            await self._thread.read()
            self._check_all()
        decision = self._decision_in(message_id)
        self._conversation.decided = {"of": of, "messageId": message_id}
        await self._conversation.save()
        # Another process may have returned another one in the meantime, or reported a contradiction. What this program does not get
        # stays in the mailbox.
        first = self._facts.return_decision(of, message_id, is_decline=decision.action == "decline")
        if first is None:
            self._conversation.decided = None
            await self._conversation.save()
            raise contradiction()
        if first != message_id:
            return await self._return_decision(of, first)
        await self._conversation.answer_taker.take_arrived(message_id)
        await self._conversation.answer_taker.mark_processed()
        return decision

    async def _outcome(self, of: str) -> Decision[Any] | None:
        conversation, returned = self._conversation, self._returned_before()
        self._check_asked()
        standing = self._standing()
        deciding = returned or (standing.decided if standing else None)
        if deciding is not None:
            return await self._return_decision(of, deciding)
        if standing and standing.state == "conflict":
            self._facts.contradict(of, [one.message_id for one in self._thread.form_tracker.answers])
            await conversation.save()
            returned = self._facts.decision(of)
            if returned is not None:
                return await self._return_decision(of, returned)
            raise contradiction()
        for invalid in self._invalid_ones():
            conversation.reported.add(invalid)
            await conversation.answer_taker.take_arrived(invalid)
            raise self._error_of(invalid) or unreadable_answer()
        return None
