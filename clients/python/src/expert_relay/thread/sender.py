"""Sends the texts of one side in order, each exactly once, also after errors and restarts."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..crypto.frame import Part
from ..crypto.parts import ANSWER_KIND, read_parts
from ..errors import RelayError, has_code, not_as_exported
from ..json_text import Members, is_object, list_in, parse_json
from ..transport.api import is_transient
from ..transport.shape import members
from .draft import Draft, SharedTexts, as_it_is, restore_draft
from .message import has_answer
from .parts_to_send import check_message
from .thread import Thread


@dataclass(frozen=True)
class Sending:
    """The result of sending a message."""

    message_id: str
    is_sent: bool
    """False while it waits in `unsent` for the other side's keys."""


class Sender:
    """The life of a text. Only those of experts are held. One that is gone is in none of these places.

      held ◄──► waiting ──► outgoing ──► sent      outgoing ──► held

    | State    | What holds it               | What leads out of it                                                                             |
    |----------|-----------------------------|--------------------------------------------------------------------------------------------------|
    | waiting  | `_drafts`                   | `_seal`, when `_can_seal`: outgoing. `_is_held`: held                                            |
    | held     | `_drafts`, while `_is_held` | `send` of an equal text: waiting, with another `shown`, `is_held_if_newer` and `decided_at`      |
    | outgoing | `_outgoing`                 | The relay takes it: sent. `_is_wanted`, before it is sent again: held, its body in `_encrypted`. |
    |          |                             | The relay refuses its content: gone. One that others link to stays                               |
    | sent     | `_accepted`, or the list    | Nothing                                                                                          |

    In each state, a list that shows the text makes it sent, and `discard` removes it: an outgoing one only after the end. A
    `send` that is cancelled, or for an expert fails for good, removes its text unless that is outgoing. Cancelled, one that was
    held is held again, unless it has got a new id. Where the relay has another message with the id of an outgoing one, from a process
    without the same store, it waits until the list has that: sent.
    """

    def __init__(
        self,
        thread: Thread,
        *,
        is_plain: Callable[[], bool],
        prepare: Callable[[], Awaitable[None]],
        save: Callable[[], Awaitable[None]],
        decision_lasts: float = 0.0,
        texts: SharedTexts | None = None,
        state: Members | None = None,
    ) -> None:
        """`prepare` runs before a text is encrypted, and `save` before it is sent. `texts` are those that other processes may send,
        too."""
        self._thread, self._is_plain, self._prepare, self._save = thread, is_plain, prepare, save
        self._decision_lasts, self._texts = decision_lasts, texts
        saved = state or {}
        self._drafts = [restore_draft(one) for one in list_in(saved.get("drafts"))]
        # A text that may have been sent. It is sent again unchanged until the relay answers.
        self._outgoing: tuple[Draft, Members] | None = None
        outgoing = saved.get("outgoing")
        if outgoing is not None:
            if not is_object(outgoing) or not is_object(outgoing.get("body")):
                raise not_as_exported()
            self._outgoing = restore_draft(outgoing.get("draft")), outgoing["body"]
        # Texts that the relay has accepted. The list may not show them yet.
        self._accepted: set[str] = set()
        # Texts that were encrypted and are held, or by another process: if they are sent, then as they are, since the relay may have
        # them.
        self._encrypted: dict[str, Members] = {}
        self._queue = asyncio.Lock()

    def export(self) -> Members:
        outgoing = self._outgoing
        return {
            **({"outgoing": {"draft": outgoing[0].export(), "body": outgoing[1]}} if outgoing else {}),
            "drafts": [one.export() for one in self._drafts if self._is_unsent(one)],
        }

    @property
    def unsent(self) -> list[Draft]:
        # A client that blocks asks in another thread: a text that becomes the outgoing one meanwhile is in both.
        drafts, outgoing = self._drafts, self._outgoing
        first = [outgoing[0]] if outgoing else []
        return [one for one in (*first, *(one for one in drafts if one not in first)) if self._is_unsent(one)]

    @property
    def held(self) -> list[Draft]:
        """Those of them that wait for their author."""
        return [one for one in self._drafts if self._is_unsent(one) and self._is_held(one)]

    @property
    def has_drafts(self) -> bool:
        """Whether texts wait to be encrypted, or to be sent as another process has encrypted them: this one's history has none of them."""
        outgoing = self._outgoing
        is_foreign = outgoing is not None and outgoing[0].message_id in self._encrypted and self._is_unsent(outgoing[0])
        return is_foreign or any(self._is_unsent(one) for one in self._drafts)

    @property
    def has_outgoing(self) -> bool:
        return self._outgoing is not None

    @property
    def is_due(self) -> bool:
        """Whether a text could be sent now."""
        # An expert does not wait for keys: the expert's client sends them.
        is_expert = self._thread.side.role == "provider"
        return self._outgoing is not None or any(
            not self._is_held(one) if is_expert else self._can_seal(one) for one in self._drafts
        )

    def _is_unsent(self, draft: Draft) -> bool:
        # The list may show a message before the call that sent it is answered.
        return draft.message_id not in self._accepted and not self._thread.has(draft.message_id)

    def _is_held(self, draft: Draft) -> bool:
        # A decision from before a restart, or from some time ago: its author may decide otherwise now.
        age = max(now - then for now, then in zip(_clocks(), draft.decided_at))
        is_old = has_answer(draft.parts) and age > self._decision_lasts
        return is_old or (draft.is_held_if_newer and self._thread.has_newer_than(draft.shown))

    def _can_seal(self, draft: Draft) -> bool:
        has_way = draft.is_plain is not False if self._is_plain() else self._thread.channel is not None
        return has_way and not self._is_held(draft)

    def _next_draft(self) -> Draft | None:
        # What the list shows was sent before a restart, or by another process.
        for one in [*self._drafts]:
            if not self._is_unsent(one):
                self._drop(one)
                self._settle(one, is_sent=True)
        return next((one for one in self._drafts if self._can_seal(one)), None)

    def _drop(self, draft: Draft) -> None:
        self._drafts = [one for one in self._drafts if one is not draft]

    def _settle(self, draft: Draft, *, is_sent: bool) -> None:
        if self._texts:
            self._texts.settle_text(draft.message_id, is_sent=is_sent)

    def knows(self, message_id: str) -> bool:
        """Whether this text was encrypted and sent here, or read in the list."""
        is_own = message_id in self._accepted and message_id not in self._encrypted
        return is_own or self._thread.has(message_id)

    def note_sent(self, message_ids: Sequence[str]) -> None:
        """Texts that were read in the list before a restart."""
        self._accepted.update(message_ids)

    def adopt(self) -> bool:
        """Takes over texts that other processes have written and not sent. Returns whether there are any."""
        known = {one.message_id for one in (*self._drafts, *([self._outgoing[0]] if self._outgoing else ()))}
        waiting = [restore_draft(one) for one in self._texts.waiting_texts()] if self._texts else []
        new = [one for one in waiting if one.message_id not in known and self._is_unsent(one)]
        self._drafts = [*self._drafts, *new]
        return bool(new)

    async def send(
        self,
        text: str,
        *,
        parts: Sequence[Part] = (),
        shown: Sequence[str] | None = None,
        is_held_if_newer: bool = False,
    ) -> Sending:
        """An equal text that is held is sent in its place, under its id."""
        thread = self._thread
        check_message(text, parts, thread.side, self._is_plain())
        named = tuple(thread.name_shown(shown))
        thread.check_open()
        is_plain = self._is_plain()
        held = next((one for one in self.held if one.is_plain == is_plain and _are_same(one, text, parts)), None)
        if held:
            self._drop(held)
        # It may have been encrypted before it was held: with its old links, the other side would take it for one that is out of date.
        if held and not is_plain and is_held_if_newer and thread.has_newer_than(held.shown):
            held = None
        draft = held or Draft(
            message_id=str(uuid.uuid4()),
            text=text,
            shown=named,
            parts=tuple(parts),
            is_plain=is_plain,
            is_held_if_newer=is_held_if_newer,
        )
        before = draft.shown, draft.is_held_if_newer
        draft.shown, draft.is_held_if_newer = tuple(dict.fromkeys([*draft.shown, *named])), is_held_if_newer
        self._drafts = [*self._drafts, draft]
        draft.decided_at = _clocks()
        if self._texts:
            self._texts.write_text(draft.export())
        thread.mark_unseen()
        try:
            await self.flush()
        except asyncio.CancelledError:
            if held:  # It may have arrived: it is held again.
                draft.shown, draft.is_held_if_newer = before
            elif draft in self._drafts:
                self._drop(draft)
                self._settle(draft, is_sent=False)
            raise
        except RelayError as error:
            # The caller still has the text and decides, unless it will be sent later without the caller.
            if thread.side.role == "provider" and not is_transient(error):
                self._drop(draft)
            raise
        if self._is_unsent(draft) and draft not in self.unsent:
            thread.check_open()
            raise RelayError("aborted", "The text was discarded: send it again.")
        if self._is_unsent(draft) and self._is_held(draft):
            raise held_error()
        return Sending(draft.message_id, not self._is_unsent(draft))

    async def flush(self) -> None:
        """Sends all texts that can be sent now."""
        thread = self._thread
        async with self._queue:
            if thread.refusal:
                raise thread.refusal
            # After a restart nothing is sent before the list was read: its check may refuse this conversation.
            if self.is_due and not thread.head:
                await thread.read()
            if self._drafts:
                await self._prepare()
            if self._outgoing:
                # Saving it may have failed before.
                await self._save()
            await self._post(is_again=True)
            while draft := self._next_draft():
                self._seal(draft)
                await self._save()
                await self._post()
            await self._save()

    def _seal(self, draft: Draft) -> None:
        thread = self._thread
        thread.check_open()
        if draft.message_id in self._encrypted:
            body = self._encrypted[draft.message_id]
        elif self._is_plain():
            answer = read_parts(draft.parts, thread.side.role).answer
            body = {"messageId": draft.message_id, "plaintext": draft.text}
            if answer:
                body["answer"] = answer.json
        else:
            first_of = self._texts.seal if self._texts else as_it_is
            body, is_first = thread.seal(draft.message_id, draft.text, draft.parts, draft.shown, first_of)
            if not is_first:
                self._encrypted[draft.message_id] = body
        self._outgoing = draft, {"role": thread.side.role, **body}
        self._drop(draft)

    async def _is_wanted(self) -> bool:
        """Whether a text must be sent again. The list may have it, or something newer: then it is held, and its author decides."""
        assert self._outgoing
        draft, body = self._outgoing
        if not draft.is_held_if_newer and not has_answer(draft.parts):
            return True
        await self._thread.read()
        if self._is_unsent(draft):
            if not self._is_held(draft):
                return True
            is_first = "plaintext" not in body and draft.message_id not in self._encrypted
            # The other side has it already.
            if is_first and not self._thread.forget(draft.message_id):
                return True
            self._encrypted[draft.message_id] = body
            self._drafts = [draft, *self._drafts]
        self._outgoing = None
        return False

    async def _post(self, *, is_again: bool = False) -> None:
        if not self._outgoing or (is_again and not await self._is_wanted()):
            return
        draft, body = self._outgoing
        thread = self._thread
        try:
            await thread.api.post(f"/api/v1/message/{thread.request_id}", body, members, self._is_wanted)
        except RelayError as error:
            if not self._outgoing:
                return
            if error.problem == "message_id_taken":
                await self._give_way(draft)
                return
            # A text that is refused for its content would block all others. One that was encrypted stays: others link to it.
            # A text that was held is not linked to any more. One that another process has encrypted is not dropped for it.
            is_alone = "plaintext" in body or (draft.message_id in self._encrypted and not self._texts)
            if is_alone and has_code(error, "invalid_input", "message_too_large", "conflict"):
                self._outgoing = None
                self._settle(draft, is_sent=False)
            raise
        self._accepted.add(draft.message_id)
        self._outgoing = None
        self._settle(draft, is_sent=True)
        # The next message links to it. It was sent, whatever fails here.
        if draft.message_id in self._encrypted:
            with suppress(RelayError):
                await thread.read()

    async def _give_way(self, draft: Draft) -> None:
        """Another process has sent this text, in other bytes: those of the list count. The text waits until the list has it: without
        that the other side would never see it."""
        self._outgoing, self._drafts = None, [draft, *self._drafts]
        if draft.message_id not in self._encrypted:
            self._thread.forget(draft.message_id)
        await self._thread.read()
        if self._is_unsent(draft):
            raise RelayError("conflict", "The relay has this text, and does not list it: `refresh` tries again.")

    async def discard(self) -> list[str]:
        """Removes and returns texts: after the end all that are unsent, before it all but one that is being sent."""
        async with self._queue:
            before = self.unsent
            if self._thread.mailbox.has_ended:
                self._outgoing = None
            self._drafts = []
            return [one.text for one in before[len(self.unsent) :]]


def _clocks() -> tuple[float, ...]:
    """The first one can be set back, and the second one stands still while the machine sleeps."""
    return time.time(), time.monotonic()


def _are_same(draft: Draft, text: str, parts: Sequence[Part]) -> bool:
    return draft.text == text and _timeless(draft.parts) == _timeless(parts)


def _timeless(parts: Sequence[Part]) -> object:
    """What is the same in two equal decisions: all but their time."""
    answer = read_parts(parts, "provider").answer
    decision = parse_json(answer.json) if answer else None
    if is_object(decision):
        decision.pop("decidedAt", None)
    return answer and answer.of, decision, [part for part in parts if part.kind != ANSWER_KIND]


def held_error() -> RelayError:
    return RelayError(
        "newer_message",
        "Not sent: the agent has written something that you were not shown, or this is an old decision. Read it, then "
        "`answer` the same with its id in `shown`, or discard it.",
    )
