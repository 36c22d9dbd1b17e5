"""Encrypts and decrypts the messages of one conversation."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .._errors import RelayError, invalid_input, message_refused
from .._json_text import Members, is_object
from .encoding import encode_tuple, from_base64, to_base64, to_utf8
from .frame import Frame, Part, read_frame, write_frame
from .history import ChannelState, History
from .key_exchange import Role, digest_conversation, refuse_own_keys
from .keys import OwnKeys, derive, is_signed_by
from .parts import check_parts, read_parts
from .public_key import PublicKeys

_uuid = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_tag_length = 16


@dataclass(frozen=True)
class OpenedMessage:
    hash: str
    """Names the message among those that were shown."""
    text: str
    parts: tuple[Part, ...]
    protection: Literal["sequenced", "unsequenced"]
    """`unsequenced`: written by a client that does not link its messages, so earlier ones may be missing unnoticed."""
    seen_your_last: bool | None
    """For a `sequenced` message of the other side: whether its sender had seen the last message of this side."""


@dataclass(frozen=True)
class SealedMessage:
    record: Members
    """As it is sent."""
    digest: bytes
    links: tuple[bytes, ...]


class Channel:
    """One conversation as one device sees it. Open every message of the list once, in its order. Send what `seal` returns once
    and in this order, and repeat it only unchanged."""

    def __init__(
        self,
        *,
        request_id: str,
        role: Role,
        own: OwnKeys,
        peer: PublicKeys,
        submission: bytes,
        key_signature: str | None = None,
        accept_unprotected: bool = False,
        state: object = None,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        refuse_own_keys(own.public, peer)
        self._role: Role = role
        self._own = own
        self._keys: dict[str, PublicKeys] = (
            {"consumer": own.public, "provider": peer}
            if role == "consumer"
            else {"consumer": peer, "provider": own.public}
        )
        self._accepts_unsequenced = role == "provider" or accept_unprotected
        self._conversation = digest_conversation(
            request_id, self._keys["consumer"], self._keys["provider"], submission, key_signature
        )
        self._secret = own.agree(peer.encrypt)
        self._random_bytes = random_bytes
        self._history = History(state)

    def _cipher(self, sender: Role, message_id: str) -> AESGCM:
        return AESGCM(message_key(self._secret, self._conversation, sender, message_id))

    def seal(
        self,
        text: str,
        *,
        message_id: str | None = None,
        parts: Sequence[Part] = (),
        shown: Sequence[str] | None = None,
    ) -> Members:
        """Encrypts a message. `shown` has the hashes of the messages that had been shown when the text was written; by default
        all that were opened."""
        sealed = self.encrypt(text, message_id=message_id, parts=parts, shown=shown)
        self.commit(sealed)
        return sealed.record

    def encrypt(
        self,
        text: str,
        *,
        message_id: str | None = None,
        parts: Sequence[Part] = (),
        shown: Sequence[str] | None = None,
    ) -> SealedMessage:
        """Encrypts a message that is to be sent once it was passed to `commit`, or is forgotten."""
        message_id = str(uuid.uuid4()) if message_id is None else message_id
        if not is_message_id(message_id):
            raise invalid_input("Give a UUID as `message_id`, or leave it out.")
        data = to_utf8(text)
        check_parts(parts, self._role)
        links = self._history.links(shown)
        frame = write_frame(links, data, parts)
        iv = self._random_bytes(12)
        sealed = self._cipher(self._role, message_id).encrypt(iv, frame, None)
        ciphertext, tag = sealed[:-_tag_length], sealed[-_tag_length:]
        key = self._own.public.encrypt.raw
        signed = signed_message(self._conversation, self._role, message_id, key, iv, ciphertext, tag)
        encrypted = {"iv": iv, "ciphertext": ciphertext, "tag": tag, "ephemeralPublicKey": key}
        record = {
            "messageId": message_id,
            "encrypted": {name: to_base64(value) for name, value in encrypted.items()},
            "signature": to_base64(self._own.sign(signed)),
        }
        return SealedMessage(record, hashlib.sha256(signed).digest(), tuple(links))

    def commit(self, sealed: SealedMessage) -> None:
        """Later messages link to it."""
        self._history.seal(sealed.digest, sealed.links)

    def forget_last(self) -> bool:
        """Forgets the last message that was encrypted here and is not listed: the next one does not link to it. False if a
        listed one does."""
        return self._history.forget_last()

    def open(self, record: Mapping[str, Any]) -> OpenedMessage:
        """Decrypts a message of either side."""
        role, frame, digest = self._decrypt(record)
        is_own = role == self._role
        seen_your_last = self._history.accept(digest, frame.links or (), is_own)
        is_sequenced = frame.links is not None
        return OpenedMessage(
            hash=to_base64(digest),
            text=frame.text,
            parts=frame.parts,
            protection="sequenced" if is_sequenced else "unsequenced",
            seen_your_last=seen_your_last if is_sequenced and not is_own else None,
        )

    def peek(self, record: Mapping[str, Any]) -> str:
        """The text of a message, without noting it: whether another one before it is missing is not checked."""
        _, frame, _ = self._decrypt(record)
        return frame.text

    def _decrypt(self, record: Mapping[str, Any]) -> tuple[Role, Frame, bytes]:
        role, message_id = read_origin(record)
        blob = record.get("encrypted")
        members: Members = blob if is_object(blob) else {}
        iv = _bytes(members, "iv", 12)
        ciphertext = _bytes(members, "ciphertext")
        tag = _bytes(members, "tag", 16)
        key = _bytes(members, "ephemeralPublicKey", 32)
        signature = _bytes(record, "signature", 64)
        other: Role = "provider" if role == "consumer" else "consumer"
        if key != self._keys[role].encrypt.raw:
            if key == self._keys[other].encrypt.raw:
                raise message_refused("wrong_role", "A message of one side is listed as the other's.")
            raise message_refused(
                "wrong_sender_key",
                "A message was made with another key than its sender's.",
                "Ask its sender to send it again.",
            )
        signed = signed_message(self._conversation, role, message_id, key, iv, ciphertext, tag)
        if not is_signed_by(self._keys[role].sign, signature, signed):
            raise message_refused("wrong_signature", "A message is not signed by its sender.")
        try:
            plain = self._cipher(role, message_id).decrypt(iv, ciphertext + tag, None)
        except InvalidTag:
            raise undecryptable() from None
        frame = read_frame(plain)
        read_parts(frame.parts, role)
        if frame.links is None and not self._accepts_unsequenced:
            raise message_refused(
                "unsequenced_refused",
                "A message does not say which messages came before it, so some may be missing.",
                "Bring the expert's client up to date, or set `accept_unprotected`.",
            )
        return role, frame, hashlib.sha256(signed).digest()

    def ends_of(self, shown: Sequence[str]) -> list[str]:
        """Of these messages and all that they link to, those to which no other of them links."""
        return self._history.ends_of(shown)

    @property
    def seen(self) -> list[str]:
        """The hashes of all messages that were opened or encrypted here."""
        return self._history.names

    @property
    def ends(self) -> list[str]:
        """Those of them to which no other message links."""
        return self._history.ends

    @property
    def unlisted(self) -> list[str]:
        """Those that were encrypted here and not yet opened from the list."""
        return self._history.unlisted

    @property
    def forgotten(self) -> list[str]:
        """Those that were encrypted here and may never be sent."""
        return self._history.forgotten

    def state(self) -> ChannelState:
        """The state from which a channel continues. Save it before a message is sent."""
        return self._history.state()


def message_key(secret: bytes, conversation: bytes, sender: str, message_id: str) -> bytes:
    """The key that opens this message and no other one."""
    info = encode_tuple("expert-relay/v4/message-key", conversation, sender)
    return derive(secret, info, to_utf8(message_id))


def signed_message(
    conversation: bytes, sender: str, message_id: str, key: bytes, iv: bytes, ciphertext: bytes, tag: bytes
) -> bytes:
    """What the sender of a message signs. Its SHA-256 is the hash by which later messages link to it."""
    return encode_tuple("expert-relay/v4/message", conversation, sender, message_id, key, iv, ciphertext, tag)


def is_message_id(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and _uuid.fullmatch(text) is not None


def read_origin(record: Mapping[str, Any]) -> tuple[Role, str]:
    role, message_id = record.get("role"), record.get("messageId")
    if role != "consumer" and role != "provider":
        raise malformed("role")
    if not is_message_id(message_id):
        raise malformed("messageId")
    return role, message_id


def _bytes(members: Mapping[str, Any], name: str, length: int | None = None) -> bytes:
    data = from_base64(members.get(name))
    if data is None or length not in (None, len(data)):
        raise malformed(name)
    return data


def malformed(member: str) -> RelayError:
    return message_refused("malformed_message", f"The {member} of a message is malformed.")


def undecryptable() -> RelayError:
    return message_refused(
        "undecryptable",
        "A message cannot be decrypted with the keys of this conversation.",
        "Ask its sender to send it again.",
    )
