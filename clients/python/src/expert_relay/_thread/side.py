"""The checks that differ between the two sides of a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from .._crypto.channel import Channel
from .._crypto.history import ChannelState
from .._crypto.key_exchange import Role
from .message import ReadMessage
from .page import Head


@dataclass(frozen=True)
class OpenForm:
    """A form that the expert can answer."""

    of: str
    """Names it in an answer, in base64: the digest of the question that has it, or the hash of the message."""
    text: str
    """JSON text, unchecked."""


class Side(Protocol):
    @property
    def role(self) -> Role: ...

    @property
    def has_devices(self) -> bool:
        """Whether other devices may send messages of this side, which the user of this one has not been shown."""
        ...

    @property
    def agent_sent_keys(self) -> bool: ...

    @property
    def accept_unprotected(self) -> bool: ...

    @property
    def is_signed(self) -> bool:
        """Whether the expert's keys are signed."""
        ...

    @property
    def is_withdrawn(self) -> bool:
        """Whether this agent has closed its question without a decision: it counts as closed, whatever the relay shows."""
        ...

    @property
    def form(self) -> OpenForm | None:
        """The form that came with the question."""
        ...

    def is_for_caller(self, message: ReadMessage) -> bool:
        """Whether the caller gets a message, besides the checks that all go through."""
        ...

    def check(self, message: ReadMessage) -> None:
        """Refuses a message of this side that another process of it has sent, if it is not what this one would send."""
        ...

    def check_keys(self, head: Head) -> Channel | None:
        """Checks the keys that the relay shows. Returns the channel once there are keys of both sides."""
        ...

    def read_store(self) -> None:
        """Reads the store before the list is read: what other clients store later may be newer than the list."""
        ...

    def check_history(self, state: ChannelState | None) -> None:
        """Checks the history once the list was read to its end."""
        ...
