"""What the author of a text has been shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..crypto.channel import Channel, is_message_id

@dataclass
class Read:
    """What a client has read."""

    channel: Channel | None
    others: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """The links of the other side's messages, by their ids in lower case. Plain text has none."""
    from_devices: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Messages of this side that another device has sent."""


def name_shown(read: Read, is_shown: Callable[[str], bool]) -> list[str]:
    """Names these messages, and those that were sent here. The names can be saved with the text: links, or where there are no keys
    yet the ids of messages in plain text."""
    channel = read.channel
    if channel is None:
        return [message_id for message_id in read.others if is_shown(message_id)]
    links = dict.fromkeys(channel.seen)
    for message_id, link in [*read.others.items(), *read.from_devices.items()]:
        if link is not None and not is_shown(message_id):
            links.pop(link, None)
    # The next message links to them in any case. They may never be listed, if this process ends before that.
    for link in [*channel.unlisted, *channel.forgotten]:
        links.pop(link, None)
    return channel.ends_of([*links])


def has_newer(read: Read, shown: Sequence[str]) -> bool:
    """Whether the other side has written a message that is not among these, nor before one of these."""
    channel = read.channel
    if channel is None:
        return any(message_id not in shown for message_id in read.others)
    named = links_in(shown)
    # Those that the list does not have are missing: encrypting the text finds it.
    if not set(named) <= set(channel.seen):
        return False
    links = [link for link in read.others.values() if link is not None]
    return any(end not in named for end in channel.ends_of([*dict.fromkeys([*named, *links])]))


def links_in(shown: Sequence[str]) -> list[str]:
    return [name for name in shown if not is_message_id(name)]
