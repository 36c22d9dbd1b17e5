"""The messages of both sides of a conversation."""

from __future__ import annotations

from .._crypto.history import missing
from .._thread.listed_messages import OnRecord
from .._thread.message import Message, describe
from .._thread.thread import Thread
from .._transport.api import Api
from .agent_side import AgentSide


async def read_transcript(api: Api, thread: Thread, own: AgentSide) -> list[Message]:
    again = await read_again(api, thread, own)
    return [describe(message) for message in again.mailbox.messages]


async def read_again(api: Api, thread: Thread, own: AgentSide, on_record: OnRecord | None = None) -> Thread:
    """The list is read and checked from its beginning, and must have all that this conversation has read before."""
    await thread.read()
    side, channel = own.again()
    again = Thread(api, thread.request_id, side, has_drafts=lambda: False, channel=channel, on_record=on_record)
    await again.read()
    known, listed = thread.channel, again.channel
    is_erased = again.head is not None and again.head.erased_at is not None
    if known and not is_erased:
        found = {*known.unlisted, *(listed.seen if listed else ())}
        if not set(known.seen) <= found:
            raise missing()
    return again
