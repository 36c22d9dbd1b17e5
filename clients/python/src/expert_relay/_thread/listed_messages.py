"""The messages of a list, opened and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .._crypto.channel import Channel
from .._crypto.key_exchange import Role
from .._errors import unexpected
from .._json_text import Members, is_object, text_of, write_json
from .message import ReadMessage, may_show_plaintext, open_record
from .page import Listed
from .side import Side

# All characters, and 1,000 more for each message. A relay allows 64 MiB in 10,000 messages.
_max_total_length = 100_000_000


OnRecord = Callable[[Members, str | None], None]


class ListedMessages:
    def __init__(self, side: Side, has_drafts: Callable[[], bool], on_record: OnRecord | None) -> None:
        self._side, self._has_drafts, self._on_record = side, has_drafts, on_record
        # A digest of the content by messageId, to recognize repeated messages.
        self._contents: dict[str, bytes] = {}
        self._total_length = 0

    def open(self, listed: Listed, channel: Channel | None) -> ReadMessage | None:
        """A message that was read already is skipped if it is equal to the byte. A changed one is opened, and then refused."""
        record = listed.record
        encrypted: Any = record.get("encrypted")
        blob: Members = encrypted if is_object(encrypted) else {}
        texts = [record.get("role"), *(blob.get(name) for name in ("iv", "ciphertext", "tag", "ephemeralPublicKey"))]
        texts += (record.get(name) for name in ("signature", "plaintext", "answer"))
        content = write_json([text_of(one) for one in texts]).encode("utf-8")
        digest = hashlib.sha256(content).digest()
        message_id = (text_of(record.get("messageId")) or "").lower()
        if self._contents.get(message_id) == digest:
            return None
        form = self._side.form
        form_of = form.of if form and not self._side.agent_sent_keys else None
        message = open_record(record, channel, self._may_be_plain, form_of)
        if message.role == self._side.role:
            self._side.check(message)
        if self._on_record:
            self._on_record(record, message.hash)
        self._contents[message_id] = digest
        self._total_length += len(message.text) + 1_000 + sum(len(part.body) * 4 // 3 for part in message.parts)
        if self._total_length > _max_total_length:
            raise unexpected("a shorter list")
        is_outdated = message.role != self._side.role and self._has_drafts()
        return replace(
            message,
            created_at=listed.created_at,
            seen_your_last=False if is_outdated else message.seen_your_last,
        )

    def _may_be_plain(self, author: Role) -> bool:
        side = self._side
        return may_show_plaintext(
            side.role, author, agent_sent_keys=side.agent_sent_keys, accept_unprotected=side.accept_unprotected
        )
