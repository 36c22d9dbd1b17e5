"""Sends the texts of one side in order, each exactly once, also after errors and restarts."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from .._crypto.frame import Part
from .._crypto.parts import read_parts
from .._errors import RelayError, has_code
from .._json_text import Members
from .._transport.api import is_transient
from .._transport.shape import members
from .draft import Draft, SharedTexts, as_it_is
from .message import has_answer
from .parts_to_send import check_message
from .thread import Thread
from .unsent_texts import UnsentTexts, clocks


@dataclass(frozen=True)
class SendResult:
    """The result of sending a message.

    >>> if not conversation.send("And the cache?").is_sent:
    ...     print("It is sent once an expert has picked the question up.")
    """

    message_id: str
    is_sent: bool
    """False while it waits in `unsent` for the other side's keys."""


class Sender(UnsentTexts):
    """The life of a text. Only those of experts are held or refused. One that is gone is in none of these places.

      held ◄──► waiting ──► outgoing ──► sent      outgoing ──► held, refused

    | State    | What holds it               | What leads out of it                                                                             |
    |----------|-----------------------------|--------------------------------------------------------------------------------------------------|
    | waiting  | `_drafts`                   | `_seal`, when `_can_seal`: outgoing. `_is_held`: held                                            |
    | held     | `_drafts`, while `_is_held` | `send` with its id: waiting as it was written, with another `is_held_if_newer` and `given_at`.   |
    |          |                             | `send` of another text: gone                                                                     |
    | outgoing | `_outgoing`                 | The relay takes it: sent. `_is_wanted`, before it is sent again: held, its body in `_encrypted`. |
    |          |                             | The relay refuses its content: refused, or an agent's gone. One that others link to stays        |
    | refused  | `_drafts`, with a `code`    | `send` with its id: waiting                                                                      |
    | sent     | `_accepted`, or the list    | Nothing                                                                                          |

    In each state, a list that shows the text makes it sent, and `discard` removes it: of one that was tried, the list is read first. A
    `send` that is cancelled, or for an expert fails for good, removes a new text unless that is outgoing. Where the relay has another
    message with the id of an outgoing one, from a process without the same store, it waits until the list has that: sent.
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
        super().__init__(thread, is_plain, decision_lasts, texts, state)
        self._prepare, self._save = prepare, save
        self._queue = asyncio.Lock()

    async def send(
        self,
        text: str,
        *,
        parts: Sequence[Part] = (),
        shown: Sequence[str] | None = None,
        is_held_if_newer: bool = False,
        message_id: str | None = None,
    ) -> SendResult:
        """One with the id of a text that waits is sent again as it was written."""
        thread, is_plain = self._thread, self._is_plain()
        known = next((one for one in self.unsent if one.message_id == message_id), None)
        if not known:
            check_message(text, parts, thread.side, is_plain)
        named = tuple(thread.name_shown(shown))
        thread.check_open()
        draft = known or Draft(message_id or str(uuid.uuid4()), text, named, tuple(parts), is_plain)
        if not self._is_unsent(draft):
            return SendResult(draft.message_id, is_sent=True)
        replaced = [one.message_id for one in self._drafts if one is not known and self.state_of(one) == "held"]
        if replaced:
            await self.discard(replaced)
        before = draft.is_held_if_newer, draft.code, draft.reason
        draft.is_held_if_newer, draft.code, draft.reason = is_held_if_newer, None, None
        if not known:
            self._drafts = [*self._drafts, draft]
        draft.given_at = clocks()
        if self._texts:
            self._texts.write_text(draft.export())
        thread.mark_unseen()
        try:
            await self.flush()
        except (asyncio.CancelledError, RelayError) as error:
            is_lasting = thread.side.role == "provider" and not is_transient(error)
            # The caller still has the text and decides, unless it will be sent later without the caller.
            if (is_lasting or isinstance(error, asyncio.CancelledError)) and not draft.code:
                if known:
                    draft.is_held_if_newer, draft.code, draft.reason = before
                elif draft in self._drafts:
                    self._drop(draft)
                    self._settle(draft, is_sent=False)
            raise
        if self._is_unsent(draft) and draft not in self.unsent:
            thread.check_open()
            raise RelayError("aborted", "The text was discarded: send it again.")
        if self._is_unsent(draft) and self._is_held(draft):
            raise held_error()
        return SendResult(draft.message_id, not self._is_unsent(draft))

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
        if not self._is_unsent(draft):
            self._outgoing = None
        elif self._is_held(draft) and self._take_back(draft, body):
            self._encrypted[draft.message_id] = body
            self._drafts = [draft, *self._drafts]
        # The other side has it already, or it is still wanted.
        return self._outgoing is not None

    def _take_back(self, draft: Draft, body: Members) -> bool:
        """Takes back what may have been sent, once the list was read. False if it has arrived, or others link to it."""
        is_linked_to = "plaintext" not in body and draft.message_id not in self._encrypted
        if not self._is_unsent(draft) or (is_linked_to and not self._thread.forget(draft.message_id)):
            return False
        self._outgoing = None
        return True

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
            if error.reason == "message_id_taken":
                await self._give_way(draft)
                return
            # A text that is refused for its content would block all others. One that was encrypted stays: others link to it.
            # A text that was held is not linked to any more. One that another process has encrypted is not dropped for it.
            is_alone = "plaintext" in body or (draft.message_id in self._encrypted and not self._texts)
            if is_alone and has_code(error, "invalid_input", "too_large", "conflict"):
                self._outgoing = None
                self._settle(draft, is_sent=False)
                if thread.side.role == "provider":
                    draft.code, draft.reason = error.code, error.reason
                    self._drafts = [*self._drafts, draft]
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

    async def discard(self, message_ids: Collection[str] | None = None) -> list[str]:
        """Removes texts with these ids, or all, and returns those that were removed. Of one that was tried, the list is read first: it
        may have arrived. Raises when the list cannot be read."""
        async with self._queue:
            meant = [one for one in self.unsent if message_ids is None or one.message_id in message_ids]
            for draft in meant:
                await self._remove(draft)
            return [one.text for one in meant if self._is_unsent(one) and one not in self.unsent]

    async def _remove(self, draft: Draft) -> None:
        mailbox, outgoing = self._thread.mailbox, self._outgoing
        is_outgoing = outgoing is not None and outgoing[0] is draft
        if not mailbox.has_ended and (is_outgoing or draft.message_id in self._encrypted):
            await self._thread.read()
        if outgoing and is_outgoing:
            if mailbox.has_ended:
                self._outgoing = None
            else:
                self._take_back(*outgoing)
        self._drop(draft)


def held_error() -> RelayError:
    return RelayError(
        "newer_message",
        "Not sent: the agent has written something that you were not shown, or this is an old decision. Read it, then "
        "`answer` again, with its id in `shown`, or discard it.",
    )
