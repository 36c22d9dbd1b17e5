"""The expert's side of a conversation. Its keys are derived from the root, the rest is in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._crypto.channel import Channel
from .._crypto.encoding import from_base64
from .._crypto.history import ChannelState, missing
from .._crypto.key_exchange import Role, check_pick_up, keys_changed, sign_exchange
from .._crypto.keys import ExpertKeys, OwnKeys
from .._errors import RelayError
from .._json_text import Members
from .._thread.message import ReadMessage
from .._thread.page import Head, Pair
from .._thread.side import OpenForm
from .question import Question, read_question
from .request_memory import Remembered, RequestMemory, compare_with_first, first_version_of, parse_pair


@dataclass(frozen=True)
class PickUp:
    """The call that picks a request up."""

    keys: Pair
    key_signature: str

    def body(self) -> Members:
        return {
            "providerSignPubKey": self.keys.sign,
            "providerEncryptPubKey": self.keys.encrypt,
            "keySignature": self.key_signature,
        }


class ExpertSide:
    role: Role = "provider"
    has_devices = True
    accept_unprotected = False
    is_signed = True
    is_withdrawn = False

    def __init__(self, request_id: str, expert: ExpertKeys | None, requests: RequestMemory) -> None:
        self._request_id, self._expert, self._requests = request_id, expert, requests
        self._remembered: Remembered | None = None
        self.read_store()
        self._own: OwnKeys | None = None
        self._channel: Channel | None = None
        self._accepted: str | None = None
        self.question: Question | None = None
        """The question, once it was compared with the first one. Only then may it be shown."""

    @property
    def agent_sent_keys(self) -> bool:
        return self._remembered is None or self._remembered.keys is not None

    @property
    def has_root(self) -> bool:
        return self._expert is not None

    @property
    def is_encrypted(self) -> bool:
        """Whether answers are encrypted: there is a root, and the agent sent keys."""
        return self._expert is not None and self.agent_sent_keys

    @property
    def is_picked_up(self) -> bool:
        """Whether the keys that were exchanged are this expert's."""
        return self._accepted is not None

    @property
    def form(self) -> OpenForm | None:
        text = self.question.answer_form if self.question else None
        return OpenForm(self._remembered.submission, text) if text is not None and self._remembered else None

    def is_for_caller(self, message: ReadMessage) -> bool:
        return True

    def check(self, message: ReadMessage) -> None:
        """Other devices of the expert may send anything."""

    def read_store(self) -> None:
        self._remembered = self._requests.recall(self._request_id) or self._remembered

    def has_unread(self, channel: Channel | None) -> bool:
        """Whether another client with this store has sent something that this one has not read yet."""
        return bool(self._unread_ends(channel.seen if channel else ()))

    def _unread_ends(self, seen: Sequence[str]) -> list[str]:
        stored = self._requests.recall(self._request_id)
        return _without(stored.ends or () if stored else (), seen)

    def remember_ends(self, channel: Channel | None) -> None:
        """Remembers messages that the next client must find in the list."""
        if channel is not None:
            self._remember_ends(channel.ends, channel.seen)

    def _remember_ends(self, ends: Sequence[str], seen: Sequence[str]) -> None:
        remembered = self._remembered
        if remembered is None or remembered.ends == tuple(ends):
            return
        # What another client has sent since this one read the list stays: lists that are read from now on must have it.
        self._remembered = replace(remembered, ends=tuple(ends))
        self._requests.change_ends(self._request_id, lambda stored: (*ends, *_without(stored, seen)))

    def _compare(self, head: Head) -> Remembered:
        """Checks that the code, the agent's keys and the question are those that were shown first."""
        current = first_version_of(head) if self.question else self._requests.check(head)
        if self._remembered is None:
            self._remembered = replace(self._requests.remember(current), ends=None)
        compare_with_first(self._remembered, current)
        if self.question is None:
            self.question = read_question(head.asked)
        return self._remembered

    def _own_keys(self) -> OwnKeys:
        if self._expert is None:
            raise without_root()
        if self._own is None:
            self._own = self._expert.keys_for(self._request_id)
        return self._own

    def pick_up(self, head: Head) -> PickUp:
        known, own = self._compare(head), self._own_keys()
        if known.keys is None or self._expert is None:
            raise keys_changed()
        submission = from_base64(known.submission) or b""
        signature = sign_exchange(self._expert, self._request_id, parse_pair(known.keys), submission)
        return PickUp(Pair(own.public.sign.pem, own.public.encrypt.pem), signature)

    def check_keys(self, head: Head) -> Channel | None:
        known, exchange = self._compare(head), head.exchange
        if exchange is None:
            if known.ends is not None:
                raise keys_changed()
            return None
        own = self._own_keys()
        if known.keys is None:
            raise keys_changed()
        consumer, submission = parse_pair(known.keys), from_base64(known.submission) or b""
        check_pick_up(
            request_id=self._request_id,
            own=own.public,
            consumer=consumer,
            exchange=exchange,
            submission=submission,
        )
        self._accepted = self._accepted or exchange.key_signature
        if exchange.key_signature != self._accepted:
            raise keys_changed()
        # Once: two channels would not know of each other's messages.
        if self._channel is None:
            self._channel = Channel(
                request_id=self._request_id,
                role=self.role,
                own=own,
                peer=consumer,
                submission=submission,
                key_signature=exchange.key_signature,
            )
        return self._channel

    def check_history(self, state: ChannelState | None) -> None:
        """Compares the history with the remembered one, and remembers the new one."""
        if state is None or self._remembered is None:
            return
        before = self._remembered.ends
        seen = {entry[0] for entry in state["seen"]}
        if before is not None and not set(before) <= seen:
            raise missing() if seen else keys_changed()
        # A message that was encrypted here may never arrive, if this process ends before it was sent.
        unlisted = set(state["unlisted"]) - set(before or ())
        taken = [end for end in state["ends"] if end not in unlisted]
        if before is None or taken:
            self._remember_ends(taken, [entry[0] for entry in state["seen"]])


def _without(ends: Sequence[str], seen: Sequence[str]) -> list[str]:
    known = set(seen)
    return [end for end in ends if end not in known]


def without_root(or_else: str = "") -> RelayError:
    return RelayError(
        "no_keys_yet", f"This conversation is encrypted. Give the expert its `root`{or_else}."
    )
