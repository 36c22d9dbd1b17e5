"""The parser of event streams, with streams that a hostile hub cuts into many pieces."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest

from expert_relay import RelayError
from expert_relay._transport.event_stream import Block, BlockReader

stream = (
    b"retry: 1500\n: 1a.7.0\nid: 1a.7.0\n\nid: 1a.8.0\ndata: {}\n\n"
    b"event: hub.reset\nid: 1a.9.0\ndata: \xc3\xa4\ndata: }\n\ndata\n\nevent: hub.end\ndata:x\r\n\r\n"
)
blocks = [
    Block(id="1a.7.0", retry=1.5),
    Block(id="1a.8.0", data="{}"),
    Block(id="1a.9.0", event="hub.reset", data="ä\n}"),
    Block(data=""),
    Block(event="hub.end", data="x"),
]


def read(pieces: Iterable[bytes]) -> list[Block]:
    reader = BlockReader()
    return [block for piece in pieces for block in reader.feed(piece)]


def test_any_pieces_of_a_stream_are_the_same_blocks() -> None:
    assert read([stream]) == blocks
    assert read(stream[at : at + 1] for at in range(len(stream))) == blocks
    for at in range(len(stream)):
        assert read([stream[:at], stream[at:]]) == blocks


@pytest.mark.parametrize("piece", [b"x" * 2_000_000, b"data: " + b"x" * 1_000 + b"\n"])
def test_a_block_without_an_end_is_refused(piece: bytes) -> None:
    with pytest.raises(RelayError, match="expected a shorter block"):
        read([piece] * 2_000)


@pytest.mark.parametrize("piece", [b"x", b"data\n", b"\n", b"\r"])
def test_pieces_cost_no_more_than_their_length(piece: bytes) -> None:
    before = time.process_time()
    # The beginning of the line is long already.
    read([b": ".ljust(2**19, b"x"), *[piece] * 2**14])
    assert time.process_time() - before < 10


def test_many_lines_in_one_piece_cost_no_more_than_their_length() -> None:
    before = time.process_time()
    read([b"data:xxxx\n" * 100_000 + b"\n"] * 24)
    assert time.process_time() - before < 10
