"""The agent's side of a conversation: it checks the expert's keys before it uses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._crypto.channel import Channel
from .._crypto.encoding import to_base64
from .._crypto.fingerprint import format_fingerprint, same_fingerprint
from .._crypto.history import ChannelState
from .._crypto.key_exchange import (
    CheckedExchange,
    Exchange,
    Role,
    check_exchange,
    check_unchanged,
    keys_changed,
    question_altered,
)
from .._crypto.keys import OwnKeys
from .._crypto.public_key import parse_public_key
from .._errors import refusal
from .._thread.draft import Draft
from .._thread.message import ReadMessage
from .._thread.page import Head
from .._thread.side import OpenForm
from .conversation_state import AcceptedExchange
from .known_experts import KnownExperts
from .shared_facts import SharedFacts


@dataclass(frozen=True)
class AgentSideOptions:
    """What the agent knows of its own question."""

    request_id: str
    ref_code: str
    keys: OwnKeys | None
    submission: bytes
    """The digest of the question."""
    answer_form: str | None
    """The form of the question, as JSON text."""
    is_confidential: bool
    """A confidential question is never sent to unsigned keys."""
    facts: SharedFacts
    first: Draft | None = None
    """The first message of a question with a name, which another process may send."""


class AgentSide:
    role: Role = "consumer"
    has_devices = False

    def __init__(
        self, asked: AgentSideOptions, experts: KnownExperts, *, accept_unprotected: bool, shows_own: bool = False
    ) -> None:
        self._asked, self._experts = asked, experts
        self.accept_unprotected, self._shows_own = accept_unprotected, shows_own
        self._channel: Channel | None = None
        self._peer: CheckedExchange | None = None
        self.exchange: AcceptedExchange | None = None
        self._is_picked_up = False

    @property
    def agent_sent_keys(self) -> bool:
        return self._asked.keys is not None

    @property
    def is_signed(self) -> bool:
        return self.exchange is not None and self.exchange.fingerprint is not None

    @property
    def is_withdrawn(self) -> bool:
        return self._asked.facts.is_withdrawn

    @property
    def is_picked_up(self) -> bool:
        return self._is_picked_up or self.exchange is not None

    def note_pick_up(self) -> None:
        """The relay reports a pick-up. The keys are checked when the list is read."""
        self._is_picked_up = True

    @property
    def form(self) -> OpenForm | None:
        text = self._asked.answer_form
        return None if text is None else OpenForm(to_base64(self._asked.submission), text)

    def is_for_caller(self, message: ReadMessage) -> bool:
        return message.role == "provider" or self._shows_own

    def read_store(self) -> None:
        """An agent's conversation continues from its own state."""

    def check_history(self, state: ChannelState | None) -> None:
        """An agent saves what it has read itself."""

    def check(self, message: ReadMessage) -> None:
        first = self._asked.first
        if first is None or message.message_id != first.message_id:
            return
        if (message.text, message.parts) != (first.text, first.parts):
            raise refusal(
                "once_reused", "The name of this question was used for another question.", "Use another name."
            )

    def again(self) -> tuple[AgentSide, Channel | None]:
        """The same side, to read the whole list again, with its own messages."""
        side = AgentSide(
            self._asked, self._experts, accept_unprotected=self.accept_unprotected, shows_own=True
        )
        return side, side.restore(self.exchange, None) if self.exchange else None

    def restore(self, exchange: AcceptedExchange, state: object) -> Channel:
        """Continues with keys that were accepted earlier, unless the options do not allow them any more."""
        remembered = [] if exchange.fingerprint is None else [exchange.fingerprint]
        given = self._experts.given
        return self._accept(exchange, self._check(exchange, remembered if given is None else given), state)

    def check_keys(self, head: Head) -> Channel | None:
        keys = self._asked.keys
        if keys is None:
            return None
        listed = head.consumer_keys
        check_unchanged(keys.public, listed.sign if listed else None, listed.encrypt if listed else None)
        provider = head.provider_keys
        if self._peer:
            check_unchanged(
                self._peer.keys, provider.sign if provider else None, provider.encrypt if provider else None
            )
            if self.exchange is None or head.key_signature != self.exchange.key_signature:
                raise keys_changed()
        # Where the keys have changed, too, that comes first.
        if head.state.ref_code != self._asked.ref_code:
            raise question_altered()
        if self._channel or not provider:
            return self._channel
        identity = format_fingerprint(parse_public_key(provider.sign, "sign"))
        exchange = AcceptedExchange(provider.sign, provider.encrypt, head.key_signature, None, "unverified")
        checked = self._check(exchange, self._experts.known(identity))
        if checked.verification != "unverified":
            self._experts.remember_expert(checked.fingerprint)
            exchange = replace(exchange, fingerprint=checked.fingerprint, verification=checked.verification)
        return self._accept(exchange, checked, None)

    def verify(self, fingerprint: str) -> bool:
        """Whether this is the expert's fingerprint. If it is, the expert is known from now on."""
        exchange = self.exchange
        if not exchange or exchange.fingerprint is None or not same_fingerprint(exchange.fingerprint, fingerprint):
            return False
        self.exchange = replace(exchange, verification="known")
        self._experts.trust(exchange.fingerprint)
        return True

    def _check(self, exchange: AcceptedExchange, known: Sequence[str]) -> CheckedExchange:
        asked = self._asked
        assert asked.keys
        return check_exchange(
            request_id=asked.request_id,
            own=asked.keys.public,
            exchange=Exchange(exchange.sign, exchange.encrypt, exchange.key_signature),
            submission=asked.submission,
            known=known,
            accept_unprotected=self.accept_unprotected and not asked.is_confidential,
        )

    def _accept(self, exchange: AcceptedExchange, peer: CheckedExchange, state: object) -> Channel:
        asked = self._asked
        assert asked.keys
        channel = Channel(
            request_id=asked.request_id,
            role=self.role,
            own=asked.keys,
            peer=peer.keys,
            submission=asked.submission,
            key_signature=exchange.key_signature,
            accept_unprotected=self.accept_unprotected,
            state=state,
        )
        self._peer, self.exchange, self._channel = peer, exchange, channel
        return channel
