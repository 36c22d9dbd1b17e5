"""Sends the texts of one side in order, each exactly once, also after errors and restarts."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from .._crypto.frame import Part
from .._crypto.parts import ANSWER_KIND, read_parts
from .._errors import RelayError, has_code
from .._json_text import Members, is_object, parse_json
from .._transport.api import is_transient
from .._transport.shape import members
from .draft import Draft, SharedTexts, as_it_is
from .message import has_answer
from .parts_to_send import check_message
from .thread import Thread
from .unsent_texts import UnsentTexts, clocks


@dataclass(frozen=True)
class Sending:
    """The result of sending a message.

    >>> if not conversation.send("And the cache?").is_sent:
    ...     print("It is sent once an expert has picked the question up.")
    """

    message_id: str
    is_sent: bool
    """False while it waits in `unsent` for the other side's keys."""


class Sender(UnsentTexts):
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
        draft.decided_at = clocks()
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
