"""What is encrypted: links to earlier messages, a text, parts, and zeros that hide the length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._errors import RelayError, invalid_input, message_refused
from .encoding import ByteReader, encode_tuple, from_utf8

MAX_LINKS = 255
_marker = 0xF8
_link_length = 32
# All shorter frames are padded to this length, which hides how long a short answer is.
_min_length = 1_024
# A call with a frame of this length stays below one mebibyte.
_max_length = 784_000
_max_parts = 16


@dataclass(frozen=True)
class Part:
    """What a message carries besides its text. A reader that does not know the kind says so."""

    kind: int
    body: bytes


@dataclass(frozen=True)
class Frame:
    links: tuple[bytes, ...] | None
    """Hashes of the messages before this one; None when the sender's client does not use frames."""
    text: str
    parts: tuple[Part, ...] = ()


def write_frame(links: Sequence[bytes], text: bytes, parts: Sequence[Part] = ()) -> bytes:
    if not text and not parts:
        raise invalid_input("Give a text that is not empty.")
    if len(parts) > _max_parts:
        raise invalid_input(f"A message has at most {_max_parts} parts.")
    ordered = sorted(parts, key=lambda part: part.kind)
    content = b"".join(
        (
            bytes([_marker, len(links)]),
            *links,
            encode_tuple(text),
            bytes([len(parts)]),
            *(bytes([part.kind]) + encode_tuple(part.body) for part in ordered),
        )
    )
    if len(content) > _max_length:
        raise too_large(len(text), _max_length - len(content) + len(text))
    return content.ljust(padded_length(len(content)), b"\0")


def padded_length(length: int) -> int:
    """Padmé: of a length of n bits only the first log2(n) are kept, rounded up. Above the minimum it adds less than 7 %."""
    exponent = length.bit_length() - 1
    step: int = 1 << max(0, exponent - exponent.bit_length())
    return min(_max_length, max(_min_length, -(-length // step) * step))


def read_frame(data: bytes) -> Frame:
    first = data[0] if data else 0
    if first < _marker:
        return _checked(Frame(None, _read(data)))
    if first > _marker:
        raise malformed_frame("is of a later version")
    reader = ByteReader(data[1:], malformed_frame("is cut off"))
    links = tuple(reader.take(_link_length) for _ in range(reader.take_byte()))
    text = _read(reader.take_sized())
    parts = tuple(Part(reader.take_byte(), reader.take_sized()) for _ in range(reader.take_byte()))
    kinds = [part.kind for part in parts]
    if kinds != sorted(kinds) or len(parts) > _max_parts:
        raise malformed_frame("has malformed parts")
    if any(reader.rest()):
        raise malformed_frame("has bytes behind its end")
    return _checked(Frame(links, text, parts))


def _checked(frame: Frame) -> Frame:
    if not frame.text and not frame.parts:
        raise malformed_frame("is empty")
    return frame


def _read(data: bytes) -> str:
    text = from_utf8(data)
    if text is None:
        raise malformed_frame("is not UTF-8")
    return text


def malformed_frame(why: str) -> RelayError:
    return message_refused("malformed_frame", f"A message {why}.", "Bring both sides to the same version.")


def too_large(length: int, most: int) -> RelayError:
    """`most` is what remains for the text beside the files and forms of the message."""
    return RelayError(
        "message_too_large",
        f"The text has {length} bytes. With its files the message has room for {max(most, 0)}. "
        "Send it in several messages.",
    )
