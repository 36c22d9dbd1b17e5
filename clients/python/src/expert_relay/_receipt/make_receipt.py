"""Makes the file of a receipt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from .._crypto.channel import message_key
from .._crypto.encoding import to_base64
from .._crypto.fingerprint import format_fingerprint
from .._crypto.key_exchange import digest_conversation
from .._crypto.keys import OwnKeys
from .._crypto.public_key import PublicKeys
from .._json_text import Members
from .receipt_file import RECEIPT_FORMAT, signed_receipt, write_canonical


@dataclass(frozen=True)
class ReceiptMaterial:
    """What a receipt is made of. All of it was checked."""

    request_id: str
    ref_code: str
    own: OwnKeys
    peer: PublicKeys
    key_signature: str
    submission: bytes
    """The digest of the question."""
    asked: Members
    records: Sequence[Members]
    """The deciding message, behind all that it links to, directly or through others."""
    opened: Collection[str]
    """The ids of those that the receipt opens, if it does not open all."""
    opening_key: str | None
    """The private agreement key of the agent, which opens all."""
    outcome: str
    asked_at: int | None
    """When the agent had sealed its newest message before the decision, in milliseconds since 1970, by its clock."""
    made_at: int


def make_receipt(material: ReceiptMaterial) -> str:
    """The text of a receipt, which the agent signs."""
    own, peer = material.own, material.peer
    conversation = digest_conversation(
        material.request_id, own.public, peer, material.submission, material.key_signature
    )
    secret = own.agree(peer.encrypt)

    def message_of(record: Members) -> Members:
        role, message_id, encrypted = record["role"], record["messageId"], record["encrypted"]
        message = {
            **{name: encrypted[name] for name in ("ciphertext", "iv", "tag")},
            "messageId": message_id,
            "role": role,
            "signature": record["signature"],
        }
        if material.opening_key is None and message_id in material.opened:
            message["key"] = to_base64(message_key(secret, conversation, role, message_id))
        return message

    receipt: Members = {
        "asked": material.asked,
        "consumerEncryptPubKey": to_base64(own.public.encrypt.raw),
        "consumerSignPubKey": to_base64(own.public.sign.raw),
        "fingerprint": format_fingerprint(peer.sign),
        "format": RECEIPT_FORMAT,
        "keySignature": material.key_signature,
        "madeAt": _time(material.made_at),
        "messages": [message_of(record) for record in material.records],
        "outcome": material.outcome,
        "providerEncryptPubKey": to_base64(peer.encrypt.raw),
        "providerSignPubKey": to_base64(peer.sign.raw),
        "refCode": material.ref_code,
        "requestId": material.request_id,
    }
    if material.asked_at is not None:
        receipt["askedAt"] = _time(material.asked_at)
    if material.opening_key is not None:
        receipt["openingKey"] = material.opening_key
    return write_canonical({**receipt, "signature": to_base64(own.sign(signed_receipt(receipt)))})


def _time(milliseconds: int) -> str:
    seconds = datetime.fromtimestamp(milliseconds // 1_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{seconds}.{milliseconds % 1_000:03}Z"
