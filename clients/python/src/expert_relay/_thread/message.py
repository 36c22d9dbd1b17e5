"""Messages: as the relay lists them, as they are saved, and as programs get them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .._crypto.channel import Channel, malformed, read_origin, undecryptable
from .._crypto.encoding import from_base64, to_base64
from .._crypto.frame import Part
from .._crypto.key_exchange import Role
from .._crypto.parts import ANSWER_KIND, FIRST_NOTE_KIND, FORM_KIND, File, KnownParts, read_parts
from .._errors import message_refused, not_as_exported
from .._forms.answer import FormAnswer, read_answer
from .._forms.check_form import read_form
from .._json_text import Members, is_list, is_object, is_text, text_of
from .._requests import Party, party_of

Protection = Literal["sequenced", "unsequenced", "plaintext"]
"""
- `sequenced`: encrypted, signed, and in the right order: no message before it is missing;
- `unsequenced`: encrypted and signed, by a client that does not link its messages;
- `plaintext`: not protected. The relay could have written it.
"""


@dataclass(frozen=True)
class Message:
    """A message that was read and passed all checks.

    >>> for message in conversation.messages():
    ...     print(message.sender, message.text, [file.name for file in message.files])
    """

    sender: Party
    text: str
    """It may be empty if the message carries something else."""
    message_id: str
    created_at: str
    """When the relay received it, ISO 8601, UTC."""
    protection: Protection
    seen_your_last: bool | None = None
    """For a message of the other side: whether it had seen this side's last text when it wrote this. None when that is
    unknown."""
    form: dict[str, Any] | None = None
    """A form of the agent."""
    unreadable_form: bool = False
    """True when it has a form that this version cannot show. It can be declined."""
    form_of: str | None = None
    """What names this form in an answer: its `of`, in base64."""
    answer: FormAnswer | None = None
    """The expert's answer to a form. It is read, and nothing more: it may not fit the form, or not count."""
    unreadable_answer: bool = False
    """True when it has an answer to a form that cannot be read."""
    files: tuple[File, ...] = ()
    has_unknown_part: bool = False
    """True when it has a part that this version cannot show."""
    is_note: bool = False
    """True when it has no text, and only parts that change nothing of what a message means: it is no answer."""


@dataclass(frozen=True)
class ReadMessage:
    """A message as it is saved."""

    role: Role
    message_id: str
    text: str
    protection: Protection
    created_at: str = ""
    hash: str | None = None
    """By which later messages link to it. Plain text has none."""
    seen_your_last: bool | None = None
    parts: tuple[Part, ...] = field(default=())
    sealed_before: int | None = None
    """Of an answer to a form: when this agent had sealed its newest message, in milliseconds since 1970. One that counts was written
    after that."""
    is_followed: bool = False
    """Of an answer to a form: whether the agent has written since."""

    @property
    def is_note(self) -> bool:
        return not self.text and bool(self.parts) and all(part.kind >= FIRST_NOTE_KIND for part in self.parts)

    def known_parts(self) -> KnownParts:
        return read_parts(self.parts, self.role)

    def export(self) -> Members:
        members: Members = {
            "role": self.role,
            "messageId": self.message_id,
            "text": self.text,
            "protection": self.protection,
            "createdAt": self.created_at,
        }
        if self.hash is not None:
            members["hash"] = self.hash
        if self.seen_your_last is not None:
            members["seenYourLast"] = self.seen_your_last
        if self.parts:
            members["parts"] = export_parts(self.parts)
        if self.sealed_before is not None:
            members["sealedBefore"] = self.sealed_before
        if self.is_followed:
            members["isFollowed"] = True
        return members


def restore_message(saved: object) -> ReadMessage:
    if not is_object(saved):
        raise not_as_exported()
    texts = [saved.get(name) for name in ("messageId", "text", "protection", "createdAt")]
    role: Any = saved.get("role")
    if role not in ("consumer", "provider") or not all(isinstance(text, str) for text in texts):
        raise not_as_exported()
    message_id, text, protection, created_at = texts
    return ReadMessage(
        role=role,
        message_id=message_id or "",
        text=text or "",
        protection=protection,  # type: ignore[arg-type]
        created_at=created_at or "",
        hash=text_of(saved.get("hash")),
        seen_your_last=saved.get("seenYourLast"),
        parts=restore_parts(saved.get("parts")),
        sealed_before=whole_number(saved.get("sealedBefore")),
        is_followed=saved.get("isFollowed") is True,
    )


def whole_number(saved: object) -> int | None:
    return saved if isinstance(saved, int) and not isinstance(saved, bool) else None


def export_parts(parts: Sequence[Part]) -> list[Members]:
    return [{"kind": part.kind, "body": to_base64(part.body)} for part in parts]


def restore_parts(saved: object) -> tuple[Part, ...]:
    if saved is None:
        return ()
    if not is_list(saved):
        raise not_as_exported()
    parts: list[Part] = []
    for one in saved:
        body = from_base64(one.get("body")) if is_object(one) else None
        if body is None or not isinstance(one.get("kind"), int):
            raise not_as_exported()
        parts.append(Part(one["kind"], body))
    return tuple(parts)


def has_answer(parts: Sequence[Part]) -> bool:
    return any(part.kind == ANSWER_KIND for part in parts)


def has_form(parts: Sequence[Part]) -> bool:
    return any(part.kind == FORM_KIND for part in parts)


def answer_in(known: KnownParts) -> FormAnswer | None:
    answer = read_answer(known.answer.json) if known.answer else None
    return replace(answer, of=to_base64(known.answer.of)) if answer and known.answer else None


def describe(message: ReadMessage) -> Message:
    """Describes a message for programs."""
    known = message.known_parts()
    form = None if known.form is None else read_form(known.form)
    answer = answer_in(known)
    return Message(
        sender=party_of(message.role),
        text=message.text,
        message_id=message.message_id,
        created_at=message.created_at,
        protection=message.protection,
        seen_your_last=message.seen_your_last,
        form=form,
        unreadable_form=known.form is not None and form is None,
        form_of=message.hash if known.form is not None else None,
        answer=answer,
        unreadable_answer=known.answer is not None and answer is None,
        files=known.files,
        has_unknown_part=known.has_unknown,
        is_note=message.is_note,
    )


def open_record(
    record: Members,
    channel: Channel | None,
    may_be_plain: Callable[[Role], bool],
    form_of: str | None = None,
) -> ReadMessage:
    """Reads a record of the list. When it has an encrypted member, its plain text is ignored. `form_of` names the form that an
    answer in plain text is about: without it, such an answer is ignored."""
    is_encrypted = record.get("encrypted") is not None or record.get("signature") is not None
    role, message_id = read_origin(record)
    if is_encrypted:
        if channel is None:
            raise undecryptable()
        opened = channel.open(record)
        return ReadMessage(
            role=role,
            message_id=message_id,
            text=opened.text,
            protection=opened.protection,
            hash=opened.hash,
            seen_your_last=opened.seen_your_last,
            parts=opened.parts,
        )
    plaintext = record.get("plaintext")
    if not isinstance(plaintext, str) or not plaintext:
        raise malformed("content")
    if channel is not None or not may_be_plain(role):
        raise message_refused(
            "plaintext_refused", "A message came as plain text, which the relay could have written."
        )
    json = text_of(record.get("answer"))
    parts: tuple[Part, ...] = ()
    if role == "provider" and json is not None and form_of is not None:
        # An answer in plain text is read like one in a frame.
        if not is_text(json):
            raise malformed("answer")
        parts = (Part(ANSWER_KIND, (from_base64(form_of) or b"") + json.encode("utf-8")),)
    return ReadMessage(role=role, message_id=message_id, text=plaintext, protection="plaintext", parts=parts)


def may_show_plaintext(reader: Role, author: Role, *, agent_sent_keys: bool, accept_unprotected: bool) -> bool:
    """Whether a message in plain text may be shown before keys were exchanged; afterwards none is. The relay could have written
    it, so it is refused by a side that could have received an encrypted one."""
    if not agent_sent_keys:
        return True
    return accept_unprotected if reader == "consumer" else author == "provider"
