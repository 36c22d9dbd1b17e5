"""The messages of a receipt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .._crypto.channel import message_key, signed_message
from .._crypto.frame import read_frame
from .._crypto.key_exchange import Role, digest_conversation
from .._crypto.keys import is_signed_by
from .._crypto.parts import KnownParts, read_parts
from .._crypto.public_key import PublicKeys
from .._errors import RelayError
from .._json_text import Members
from .receipt_file import bytes_of, refused

MessageKeys = Callable[[str, str], bytes]


@dataclass(frozen=True)
class OpenedContent:
    links: tuple[bytes, ...]
    text: str
    parts: KnownParts


@dataclass(frozen=True)
class CheckedMessage:
    """A message of a receipt whose signature was checked."""

    role: Role
    message_id: str
    hash: bytes
    """By which later messages name it."""
    content: OpenedContent | None
    """None for one that the receipt does not open."""


def open_messages(file: Members, keys: dict[str, PublicKeys], submission: bytes) -> list[CheckedMessage]:
    """Checks all messages in their order, and opens those for which there is a key."""
    conversation = digest_conversation(
        file["requestId"], keys["consumer"], keys["provider"], submission, file["keySignature"]
    )
    derive = _opening_key(file, keys, conversation)
    checked: list[CheckedMessage] = []
    before: set[bytes] = set()
    for message in file["messages"]:
        role, message_id = message["role"], message["messageId"]
        sender = keys[role]
        iv, ciphertext, tag = (bytes_of(message[name]) for name in ("iv", "ciphertext", "tag"))
        signed = signed_message(conversation, role, message_id, sender.encrypt.raw, iv, ciphertext, tag)
        if not is_signed_by(sender.sign, bytes_of(message["signature"]), signed):
            raise refused("wrong_signature", "a message is not signed by its sender.")
        key = derive(role, message_id) if derive else bytes_of(message.get("key"))
        content = _open(message, key) if key else None
        if content and not before.issuperset(content.links):
            raise refused("message_missing", "a message that comes before another one is not in the file.")
        hash = hashlib.sha256(signed).digest()
        if hash in before:
            raise refused("malformed_receipt", "it has a message twice.")
        before.add(hash)
        checked.append(CheckedMessage(role, message_id, hash, content))
    return checked


def _opening_key(file: Members, keys: dict[str, PublicKeys], conversation: bytes) -> MessageKeys | None:
    if "openingKey" not in file:
        return None
    if any("key" in message for message in file["messages"]):
        raise refused("malformed_receipt", "it has one key for all messages, and keys of single ones.")
    agreement = X25519PrivateKey.from_private_bytes(bytes_of(file["openingKey"]))
    # With another key, what the messages say would be the agent's choice.
    if agreement.public_key().public_bytes_raw() != keys["consumer"].encrypt.raw:
        raise refused("undecryptable", "the key that opens the messages is not that of this agent.")
    secret = agreement.exchange(X25519PublicKey.from_public_bytes(keys["provider"].encrypt.raw))
    return lambda role, message_id: message_key(secret, conversation, role, message_id)


def _open(message: Members, key: bytes) -> OpenedContent:
    sealed = bytes_of(message["ciphertext"]) + bytes_of(message["tag"])
    try:
        plain = AESGCM(key).decrypt(bytes_of(message["iv"]), sealed, None)
    except InvalidTag:
        raise refused("undecryptable", "a message does not open with the key that is given for it.") from None
    try:
        frame = read_frame(plain)
        parts = read_parts(frame.parts, message["role"])
    except RelayError:
        raise _malformed() from None
    # Without links it is of a client that says nothing about what came before.
    if frame.links is None:
        raise _malformed()
    return OpenedContent(frame.links, frame.text, parts)


def _malformed() -> RelayError:
    return refused("malformed_frame", "what a message contains cannot be read.")
