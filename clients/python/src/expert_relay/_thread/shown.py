"""What the author of a text has been shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._crypto.channel import Channel, is_message_id
from .crossed import is_crossed


@dataclass
class Read:
    """What a client has read."""

    channel: Channel | None
    others: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """The hashes of the other side's messages, by their ids in lower case. Plain text has none."""
    from_devices: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Messages of this side that another device has sent."""


def name_shown(read: Read, is_shown: Callable[[str], bool]) -> list[str]:
    """Names these messages, and those that were sent here. The names can be saved with the text: hashes, or where there are no keys
    yet the ids of messages in plain text."""
    channel = read.channel
    if channel is None:
        return [message_id for message_id in read.others if is_shown(message_id)]
    hashes = dict.fromkeys(channel.seen)
    for message_id, hash in [*read.others.items(), *read.from_devices.items()]:
        if hash is not None and not is_shown(message_id):
            hashes.pop(hash, None)
    # The next message links to them in any case. They may never be listed, if this process ends before that.
    for hash in [*channel.unlisted, *channel.forgotten]:
        hashes.pop(hash, None)
    return channel.ends_of([*hashes])


def has_newer(read: Read, shown: Sequence[str]) -> bool:
    """Whether the other side has written a message that is not among these, nor before one of these."""
    channel = read.channel
    if channel is None:
        return any(message_id not in shown for message_id in read.others)
    named = hashes_in(shown)
    # Those that the list does not have are missing: encrypting the text finds it.
    if not set(named) <= set(channel.seen):
        return False
    theirs = [hash for hash in read.others.values() if hash is not None]
    return any(end not in named for end in channel.ends_of([*dict.fromkeys([*named, *theirs])]))


def with_own(read: Read, shown: Sequence[str]) -> list[str]:
    """The hashes of what was shown, and of the messages that other clients of this side have sent: those before which there is
    nothing of the other side that was not shown."""
    named, channel = hashes_in(shown), read.channel
    if channel is None or not read.from_devices:
        return named
    state = channel.state()
    names: list[str] = [entry[0] for entry in state["seen"]]
    befores: list[list[int]] = [entry[2:] for entry in state["seen"]]
    theirs, own = set(read.others.values()), set(read.from_devices.values())
    known: set[str] = {*named, *state["sealed"]}
    # A message links only to messages before it, so each is reached after all that link to it.
    for name, before in zip(reversed(names), reversed(befores), strict=True):
        if name in known:
            known.update(names[at] for at in before)
    is_after_shown: list[bool] = []
    for name, before in zip(names, befores, strict=True):
        is_after_shown.append(name in known if name in theirs else all(is_after_shown[at] for at in before))
    return [*named, *(name for name, is_after in zip(names, is_after_shown, strict=True) if is_after and name in own)]


def is_newest_crossed(read: Read) -> bool:
    """Whether the agent has written something at the same time as the newest message of its expert, who asks: neither had seen the
    other."""
    seen: list[list[Any]] = read.channel.state()["seen"] if read.channel else []
    theirs = {hash for hash in read.others.values() if hash is not None}
    newest = next((entry[0] for entry in reversed(seen) if entry[0] not in theirs), None)
    return newest is not None and is_crossed(seen, theirs, newest)


def first_received(read: Read) -> str | None:
    """The first encrypted message of the other side: its id, in lower case."""
    return next((message_id for message_id, hash in read.others.items() if hash is not None), None)


def hashes_in(shown: Sequence[str]) -> list[str]:
    return [name for name in shown if not is_message_id(name)]
