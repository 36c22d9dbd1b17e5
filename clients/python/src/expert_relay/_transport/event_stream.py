"""Reads an event stream in pieces, as the HTML standard defines it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .._errors import RelayError

# In characters. Events are small; only a hostile hub sends a longer block.
_max_block_length = 2**20


@dataclass
class Block:
    """A block of an event stream. The hub sends its position in blocks that have an id alone."""

    id: str | None = None
    event: str | None = None
    data: str | None = None
    retry: float | None = None
    """Seconds to wait before connecting again."""


class BlockReader:
    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # The beginning of a line, and the data of a block, in pieces. A hostile hub can send a million of them, and joining them
        # after each one would take minutes.
        self._rest: list[str] = []
        self._data: list[str] = []
        self._block = Block()
        # Of the complete lines of the block, and of the beginning of the next one.
        self._length = self._rest_length = 0

    def feed(self, piece: bytes) -> Iterator[Block]:
        """The blocks that end in this piece."""
        text = self._decoder.decode(piece)
        self._rest.append(text)
        self._rest_length += len(text)
        if "\n" in text:
            *lines, rest = re.split(r"\r?\n", "".join(self._rest))
            self._rest, self._rest_length = [rest], len(rest)
            for line in lines:
                self._length += len(line)
                if line:
                    self._read_line(line)
                else:
                    yield self._end_block()
        if self._rest_length + self._length > _max_block_length:
            raise RelayError(
                "answer_too_large", "The answer is not a relay's: expected a shorter block. Check the address."
            )

    def _end_block(self) -> Block:
        block = self._block
        if self._data:
            block.data = "\n".join(self._data)
        self._block, self._data, self._length = Block(), [], 0
        return block

    def _read_line(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        block = self._block
        match field:
            case "data":
                self._data.append(value)
            case "id":
                block.id = value
            case "event":
                block.event = value
            case "retry" if value.isascii() and value.isdigit():
                block.retry = float(value[:9]) / 1_000
            case _:
                pass
