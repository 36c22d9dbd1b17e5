"""A page of a conversation, as the relay lists it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._crypto.key_exchange import Exchange
from .._errors import unexpected
from .._json_text import Members, is_object
from .._requests import AskedRequest, RequestNotes, RequestState, has_ended, read_notes, read_state, read_time
from .._transport.shape import count, list_of, members, optional_text

_asked = ("question", "context", "plaintext", "agentName", "agentVersions", "answerForm")


@dataclass(frozen=True)
class Pair:
    """The two public keys of one side, PEM, not checked yet."""

    sign: str
    encrypt: str


@dataclass(frozen=True)
class Head:
    """A request as the relay lists it, without its messages."""

    state: RequestState
    notes: RequestNotes
    asked: Members
    """The question with its context, not checked yet: only the expert reads it."""
    agent: str | None
    """The name of the agent's key, as the relay states it."""
    consumer_keys: Pair | None
    provider_keys: Pair | None
    key_signature: str | None
    newest_message: Members | None
    """What the agent has written since the last answer, not checked yet. Only in lists, and if it is short."""
    erased_at: str | None
    """When the content of an ended request was erased. Then it has no keys and no messages."""

    @property
    def exchange(self) -> Exchange | None:
        keys = self.provider_keys
        return Exchange(keys.sign, keys.encrypt, self.key_signature) if keys else None

    def as_closed(self, closed: Members | None = None) -> Head:
        """With what the relay has answered to the close, where there is an answer."""
        notes = replace(read_notes(closed), tags=self.notes.tags, follows=self.notes.follows) if closed else self.notes
        return replace(self, state=replace(self.state, status="closed"), notes=notes)

    @property
    def request(self) -> AskedRequest:
        state = self.state
        return AskedRequest(
            state.request_id, state.ref_code, state.status, state.expires_at, state.response_count, self.erased_at
        )


@dataclass(frozen=True)
class Listed:
    """A message as the relay lists it. `record` is not checked yet."""

    seq: int
    created_at: str
    record: Members


@dataclass(frozen=True)
class Page:
    head: Head
    messages: tuple[Listed, ...]
    next: int | None
    """The `seq` after which the next page begins; None on the last page."""


def read_page(answer: object) -> Page:
    body = members(answer)
    head = read_head(body)
    if head.erased_at is not None:
        return Page(head, (), None)

    def read(record: Members) -> Listed:
        return Listed(count(record, "seq"), read_time(record, "createdAt"), record)

    listed = sorted(list_of(body, "messages", read), key=lambda one: one.seq)
    return Page(head, tuple(listed), count(body, "next") if "next" in body else None)


def read_head(body: Members) -> Head:
    state = read_state(body)
    # The content of an open conversation is never erased: there the member is ignored, and missing keys are refused.
    is_erased = has_ended(state.status) and optional_text(body, "erasedAt") is not None
    agent, newest = body.get("agent"), body.get("newestMessage")
    return Head(
        state=state,
        notes=read_notes(body),
        asked={name: body.get(name) for name in _asked},
        agent=optional_text(agent, "name") if is_object(agent) and not is_erased else None,
        consumer_keys=_pair(body, "consumer"),
        provider_keys=_pair(body, "provider"),
        key_signature=optional_text(body, "keySignature"),
        newest_message=newest if is_object(newest) else None,
        erased_at=read_time(body, "erasedAt") if is_erased else None,
    )


def _pair(body: Members, side: str) -> Pair | None:
    sign = optional_text(body, f"{side}SignPubKey")
    encrypt = optional_text(body, f"{side}EncryptPubKey")
    if sign is not None and encrypt is not None:
        return Pair(sign, encrypt)
    if sign != encrypt:
        raise unexpected(f"both keys of the {side}, or none")
    return None
