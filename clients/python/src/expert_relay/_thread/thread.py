"""One conversation, read from the gateway's list in order, each message once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .._crypto.channel import Channel, SealedMessage
from .._crypto.frame import Part
from .._errors import RelayError, is_refusal, not_as_exported, unexpected
from .._forms.answer import Standing
from .._json_text import Members, is_list, text_of
from .._requests import RequestStatus, has_ended
from .._transport.api import Api
from .form_tracker import FormTracker
from .listed_messages import ListedMessages, OnRecord
from .mailbox import Mailbox
from .message import ReadMessage, restore_message
from .page import Head, Page, read_page
from .shown import Read, has_newer, name_shown, with_own
from .side import Side

# A list that was read less than this ago need not be read again before sending, since newer messages count as crossed, nor before
# deciding by what it has brought.
_fresh_for = 1.0
# Messages for each call. Relays end a page before it is too large; for those that do not, the size is reduced.
_page_size = 1_000
# Such a page is never too large: each message, and the rest of the answer, take at most 1 MiB.
_small_page_size = 6


class Thread:
    """One conversation, read from the gateway's list in order, each message once. What a page changes is changed in one step, so
    `export` can be called at any time."""

    def __init__(
        self,
        api: Api,
        request_id: str,
        side: Side,
        *,
        has_drafts: Callable[[], bool],
        state: Members | None = None,
        channel: Channel | None = None,
        on_record: OnRecord | None = None,
    ) -> None:
        """`on_record` is called with each record that is accepted, and the hash of its message."""
        saved = state or {}
        self.api, self.request_id, self.side = api, request_id, side
        self.known = Read(channel)
        self.head: Head | None = None
        self.refusal: RelayError | None = None
        self.form_tracker = FormTracker(side, saved)
        self.mailbox: Mailbox[ReadMessage] = Mailbox(restore_message(one) for one in _saved_list(saved, "messages"))
        self.answers_read: int = saved.get("answersRead") or 0
        """How many of the messages that were read are answers."""
        self._list = ListedMessages(side, has_drafts, on_record)
        self._last_seq: int = saved.get("seq") or 0
        for entry in _saved_list(saved, "others"):
            if not is_list(entry) or not entry or not isinstance(entry[0], str):
                raise not_as_exported()
            self.known.others[entry[0]] = text_of(entry[1]) if len(entry) > 1 else None
        # The ids of this side's messages that were listed, in lower case.
        self._own = {str(one) for one in _saved_list(saved, "own")}
        self._sealed_here: set[str] = set()
        self._read_at = -_fresh_for
        self._reading = asyncio.Lock()

    @property
    def channel(self) -> Channel | None:
        return self.known.channel

    def export(self) -> Members:
        channel = self.channel
        return {
            "seq": self._last_seq,
            "answersRead": self.answers_read,
            **({"channel": channel.state()} if channel else {}),
            "others": [[message_id, hash] for message_id, hash in self.known.others.items()],
            "own": [*self._own],
            **self.form_tracker.export(),
            "messages": [one.export() for one in (*self.mailbox.unprocessed, *self.mailbox.messages)],
        }

    def check_open(self) -> None:
        """Raises when the conversation has ended or was refused."""
        if self.refusal:
            raise self.refusal
        if self.head and has_ended(self.head.state.status):
            raise ended(self.head.state.status)

    def has(self, message_id: str) -> bool:
        """Whether this message of this side was read."""
        return message_id.lower() in self._own

    def standing(self, is_refused: Callable[[str], bool] = lambda _: False) -> Standing | None:
        """What the answers to the newest form amount to, if there is one."""
        hashes = [hash for hash in self.known.others.values() if hash is not None]
        return self.form_tracker.standing(self.channel, hashes, is_refused)

    async def read(self, *, if_stale: bool = False) -> None:
        """Reads new messages; with `if_stale`, not if a read that has ended began less than a second ago."""
        async with self._reading:
            started_at = time.monotonic()
            if if_stale and started_at - self._read_at <= _fresh_for:
                return
            self.side.read_store()
            limit = _page_size
            while True:
                if self.refusal:
                    raise self.refusal
                after = self._last_seq
                path = f"/api/v1/messages/{self.request_id}?after={after}&limit={limit}"
                try:
                    page = await self.api.get(path, lambda answer: self._check(read_page(answer), after))
                except RelayError as error:
                    if limit <= _small_page_size or error.reason != "answer_too_large":
                        raise
                    limit >>= 2
                    continue
                self._apply(page)
                if page.next is None:
                    break
            self._read_at = started_at

    async def adopt(self, change: Callable[[Head], Head]) -> None:
        """Continues with what the relay has accepted, keys or an end, without reading it back first."""
        # After running calls, whose answers may not have it yet.
        async with self._reading:
            if self.head:
                self._apply(Page(change(self.head), (), None))

    def _check(self, page: Page, after: int) -> Page:
        if page.head.state.request_id != self.request_id:
            raise unexpected("the request that was asked for")
        last = page.messages[-1].seq if page.messages else after
        if page.next is not None and (page.next <= after or page.next != last):
            raise unexpected("a valid `next`")
        return page

    def _apply(self, page: Page) -> None:
        opened: list[ReadMessage] = []
        seq = self._last_seq
        sealed_here = set(self.channel.unlisted) if self.channel else set[str]()
        is_withdrawn = self.side.is_withdrawn and not has_ended(page.head.state.status)
        self.head = head = page.head.as_closed() if is_withdrawn else page.head
        is_erased = head.erased_at is not None
        try:
            if not is_erased:
                self.known.channel = self.side.check_keys(head)
            for listed in page.messages:
                message = self._list.open(listed, self.channel)
                if message:
                    opened.append(message)
                seq = max(seq, listed.seq)
            if page.next is None and not is_erased:
                self.side.check_history(self.channel.state() if self.channel else None)
            # A list that repeats itself would never end.
            if page.next is not None and not opened:
                raise unexpected("new messages")
        except RelayError as error:
            if is_refusal(error):
                self.refusal = error
            raise
        finally:
            self._last_seq = seq
            for message in opened:
                # An agent's own forms count from the time when they were encrypted; those of another process when they are
                # listed.
                if message.role == "provider" or message.hash not in sealed_here:
                    self.form_tracker.note(message)
                self._note(message)
            self.mailbox.push([one for one in opened if self.side.is_for_caller(one)])
            if self.refusal:
                self.mailbox.end(self.refusal)
        if page.next is None and has_ended(head.state.status):
            self.mailbox.end()

    def _note(self, message: ReadMessage) -> None:
        self.answers_read += message.role == "provider"
        message_id = message.message_id.lower()
        if message.role != self.side.role:
            self.known.others[message_id] = message.hash
            return
        self._own.add(message_id)
        if self.side.has_devices and message_id not in self._sealed_here:
            self.known.from_devices[message_id] = message.hash

    def name_shown(self, message_ids: Sequence[str] | None = None) -> list[str]:
        """Names what was shown when a text is written now: these messages, by default those that were taken from the mailbox,
        and those that were sent here."""
        waiting = [one.message_id for one in self.mailbox.messages]
        named = {one.lower() for one in (waiting if message_ids is None else message_ids)}
        return name_shown(self.known, lambda message_id: (message_id in named) == (message_ids is not None))

    def has_newer_than(self, shown: Sequence[str]) -> bool:
        return has_newer(self.known, shown)

    def seal(
        self,
        message_id: str,
        text: str,
        parts: Sequence[Part],
        shown: Sequence[str],
        first_of: Callable[[str, Members], Members],
    ) -> tuple[Members, bool]:
        """Encrypts a text for the open channel. `first_of` gives what another process has made of it, which is sent instead: then the
        second value is False."""
        sealed = self._encrypt(message_id, text, parts, shown)
        body = first_of(message_id, sealed.record)
        is_first = body == sealed.record
        if is_first:
            self._commit(message_id, sealed, parts)
        return body, is_first

    def _encrypt(self, message_id: str, text: str, parts: Sequence[Part], shown: Sequence[str]) -> SealedMessage:
        assert self.channel
        try:
            return self.channel.encrypt(text, message_id=message_id, parts=parts, shown=with_own(self.known, shown))
        except RelayError as error:
            if is_refusal(error):
                self.refuse(error)
            raise

    def _commit(self, message_id: str, sealed: SealedMessage, parts: Sequence[Part]) -> None:
        assert self.channel
        self._sealed_here.add(message_id.lower())
        self.channel.commit(sealed)
        if self.side.role == "consumer":
            self.form_tracker.note_own(self.channel.seen[-1], parts)

    def forget(self, message_id: str) -> bool:
        """Forgets the text that was encrypted last and that the list does not have: later ones do not link to it. False if the
        other side has it."""
        if not self.channel:
            return True
        if not self.channel.forget_last():
            return False
        self._sealed_here.discard(message_id)
        return True

    def mark_unseen(self) -> None:
        """Marks the messages in the mailbox: they were written before this side's new text."""
        own = self.side.role
        self.mailbox.update(lambda one: one if one.role == own else replace(one, seen_your_last=False))

    def refuse(self, error: RelayError) -> None:
        self.refusal = self.refusal or error
        self.mailbox.end(self.refusal)


def _saved_list(saved: Members, name: str) -> Sequence[Any]:
    value: Any = saved.get(name)
    if value is None:
        return ()
    if not is_list(value):
        raise not_as_exported()
    return value


def ended(status: RequestStatus) -> RelayError:
    if status == "expired":
        return RelayError("expired", "The conversation is expired. Make a new request to go on.")
    return RelayError("closed", "The conversation is closed. Make a new request to go on.")
