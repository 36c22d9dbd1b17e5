"""The file of a receipt: docs/receipts.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from .._crypto.channel import is_message_id
from .._crypto.encoding import encode_tuple, from_base64
from .._errors import RelayError, RelayErrorReason
from .._json_text import Members, is_list, is_object, is_text, parse_json

RECEIPT_FORMAT: Final = "expert-relay/v4/receipt"

Check = Callable[[Any], bool]


def refused(reason: RelayErrorReason, why: str) -> RelayError:
    return RelayError(reason, f"The receipt is refused: {why}")


def write_canonical(value: object) -> str:
    """Texts, lists and objects as RFC 8785 writes them. All names are ASCII."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def signed_receipt(receipt: Members) -> bytes:
    """What the agent signs."""
    unsigned = {name: member for name, member in receipt.items() if name != "signature"}
    return encode_tuple(RECEIPT_FORMAT, write_canonical(unsigned))


def read_receipt_file(receipt: str | bytes) -> Members:
    text: str | None = None
    try:
        text = receipt if isinstance(receipt, str) else receipt.decode("utf-8")
    except UnicodeDecodeError:
        pass
    file: object = None if text is None else parse_json(text)
    if not is_object(file) or not _is_receipt(file):
        raise refused("malformed_receipt", "this is no receipt that this version can read.")
    if write_canonical(file) != text:
        raise refused(
            "receipt_not_canonical",
            "the file was written in another way than a receipt is. A mail program or an editor may have changed it.",
        )
    return file


def bytes_of(base64: object) -> bytes:
    """Bytes of a member that was checked."""
    return from_base64(base64) or b""


_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def _is_time(value: object) -> bool:
    return isinstance(value, str) and _time.fullmatch(value) is not None


def _is_bytes(length: int | None = None) -> Check:
    def check(value: object) -> bool:
        data = from_base64(value)
        return data is not None and length in (None, len(data))

    return check


def _is_one_of(*texts: str) -> Check:
    return lambda value: isinstance(value, str) and value in texts


def _is_list_of(check: Check, most: float = float("inf")) -> Check:
    return lambda value: is_list(value) and len(value) <= most and all(check(one) for one in value)


def _has_members(needed: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    checks = {**needed, **(optional or {})}
    return lambda value: (
        is_object(value)
        and needed.keys() <= value.keys() <= checks.keys()
        and all(checks[name](member) for name, member in value.items())
    )


# The number of messages that the relay keeps of a submit. More would not be part of what the expert signs.
_most_messages = 10

_is_receipt = _has_members(
    {
        "asked": _has_members(
            {
                "agentName": is_text,
                "agentVersions": is_text,
                "answerForm": is_text,
                "messages": _is_list_of(_has_members({"content": is_text, "role": is_text}), _most_messages),
                "plaintext": is_text,
                "question": is_text,
            }
        ),
        "consumerEncryptPubKey": _is_bytes(32),
        "consumerSignPubKey": _is_bytes(32),
        "fingerprint": is_text,
        "format": _is_one_of(RECEIPT_FORMAT),
        "keySignature": _is_bytes(),
        "madeAt": _is_time,
        "messages": _is_list_of(
            _has_members(
                {
                    "ciphertext": _is_bytes(),
                    "iv": _is_bytes(12),
                    "messageId": is_message_id,
                    "role": _is_one_of("consumer", "provider"),
                    "signature": _is_bytes(64),
                    "tag": _is_bytes(16),
                },
                {"key": _is_bytes(32)},
            )
        ),
        "outcome": _is_one_of("accept", "decline"),
        "providerEncryptPubKey": _is_bytes(32),
        "providerSignPubKey": _is_bytes(32),
        "refCode": is_text,
        "requestId": is_text,
        "signature": _is_bytes(64),
    },
    {"askedAt": _is_time, "openingKey": _is_bytes(32)},
)
