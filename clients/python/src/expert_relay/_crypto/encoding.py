"""Texts, base64 and tuples as docs/crypto-keys.md writes them."""

from __future__ import annotations

import base64
import binascii

from .._errors import RelayError, invalid_input


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def from_base64(text: object) -> bytes | None:
    """The bytes of the one canonical encoding (RFC 4648 section 4, padded); None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    # The decoder accepts unused bits that are not zero.
    return data if to_base64(data) == text else None


def to_utf8(text: str) -> bytes:
    """Refuses lone surrogates, which have no UTF-8 bytes."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise invalid_input("The text has a lone surrogate: half of a character.") from None


def from_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def encode_tuple(*members: str | bytes) -> bytes:
    """Each member is preceded by its length, so that different lists of members never give the same bytes."""
    parts: list[bytes] = []
    for member in members:
        data = to_utf8(member) if isinstance(member, str) else member
        parts += (len(data).to_bytes(4, "big"), data)
    return b"".join(parts)


class ByteReader:
    """Reads what `encode_tuple` and its like wrote, from the front."""

    def __init__(self, data: bytes, cut_off: RelayError) -> None:
        self._data = data
        self._at = 0
        self._cut_off = cut_off

    def take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._data):
            raise self._cut_off
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def take_byte(self) -> int:
        return self.take(1)[0]

    def take_sized(self) -> bytes:
        return self.take(int.from_bytes(self.take(4), "big"))

    def rest(self) -> bytes:
        return self._data[self._at :]
