"""A saved conversation, as plain JSON: the TypeScript SDK saves and reads the same."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal, TypedDict, TypeGuard

from .._crypto.keys import OwnKeys
from .._errors import invalid_input, not_as_exported
from .._json_text import Members, is_object, text_of
from .._requests import AskedRequest

Verification = Literal["none", "unverified", "first-contact", "known"]
"""
How sure it is who answers:
- `none`: no expert has picked the request up with keys yet;
- `unverified`: the expert's client does not prove its keys;
- `first-contact`: an expert that was not known before. Compare the fingerprint to be sure;
- `known`: the expert whose fingerprint was given, remembered or verified.
"""


# Python 3.10 has no `Required`.
class _Named(TypedDict):
    name: str
    digest: str
    """Of the question with all that belongs to it."""


class Named(_Named, total=False):
    """The name of a question (`once`)."""

    questionId: str


class _ConversationState(TypedDict):
    version: Literal[2]
    id: str
    """Unique to this conversation. It exists before the question is sent."""


class ConversationState(_ConversationState, total=False):
    """A saved conversation: what `export` gives and `resume` takes. It contains the private keys, so store it where only you can read
    it. Members without a description are internal to the SDK.

    >>> state: ConversationState = json.loads(saved)
    >>> conversation = relay.resume(state)
    """

    once: Named
    """The name of the question, if it has one."""
    owner: str
    """Under what the store has filed what several processes must know: the relay's origin, and a digest of the API key."""
    request: Members
    """Absent while it is unknown whether the relay has the question. `resume` then sends it, exactly once."""
    submission: Members
    """The question, until the relay has answered."""
    submissionDigest: str
    """The digest of the question, base64, once the relay has given its code."""
    answerForm: str
    """The form of the question, as JSON text, once the relay has the question."""
    decided: Members
    """The decision that was returned: the form (`of`), and the message that decided (`messageId`)."""
    withdrawn: Literal[True]
    """Whether this agent has closed the question without a decision."""
    isConfidential: bool
    keys: dict[str, str]
    """Absent for plain text."""
    exchange: Members
    thread: Members
    sender: Members


def new_state(
    id: str,
    owner: str,
    submission: Members,
    drafts: list[Members],
    *,
    named: Named | None,
    keys: OwnKeys | None,
    is_confidential: bool,
) -> ConversationState:
    """The state before the question is submitted. `drafts`: what is sent encrypted after the pick-up."""
    state: ConversationState = {
        "version": 2,
        "id": id,
        "owner": owner,
        "submission": submission,
        "sender": {"drafts": drafts},
    }
    if named:
        state["once"] = named
    if is_confidential:
        state["isConfidential"] = True
    if keys:
        state["keys"] = keys.export()
    if keys and not named:
        # An answer has seen these keys. Those of a name may be older: another process may have asked with them.
        state["thread"] = {"seq": 0, "messages": [], "sealedAt": int(time.time() * 1_000)}
    return state


@dataclass(frozen=True)
class AcceptedExchange:
    """The expert's keys, once they were checked and accepted."""

    sign: str
    encrypt: str
    key_signature: str | None
    fingerprint: str | None
    verification: Verification

    def export(self) -> Members:
        members: Members = {"sign": self.sign, "encrypt": self.encrypt, "verification": self.verification}
        if self.key_signature is not None:
            members["keySignature"] = self.key_signature
        if self.fingerprint is not None:
            members["fingerprint"] = self.fingerprint
        return members


def restore_exchange(saved: object) -> AcceptedExchange:
    if not is_object(saved):
        raise not_as_exported()
    sign, encrypt, verification = saved.get("sign"), saved.get("encrypt"), saved.get("verification")
    is_known = verification in ("unverified", "first-contact", "known")
    if not isinstance(sign, str) or not isinstance(encrypt, str) or not is_known:
        raise not_as_exported()
    key_signature, fingerprint = text_of(saved.get("keySignature")), text_of(saved.get("fingerprint"))
    return AcceptedExchange(sign, encrypt, key_signature, fingerprint, verification)  # type: ignore[arg-type]


def restore_request(saved: object) -> AskedRequest:
    if not is_object(saved):
        raise not_as_exported()
    texts = [saved.get(name) for name in ("requestId", "refCode", "status", "expiresAt")]
    if not all(isinstance(text, str) for text in texts):
        raise not_as_exported()
    request_id, ref_code, status, expires_at = texts
    count = saved.get("responseCount")
    return AskedRequest(
        str(request_id),
        str(ref_code),
        status,  # type: ignore[arg-type]
        str(expires_at),
        count if isinstance(count, int) else 0,
        text_of(saved.get("erasedAt")),
    )


def check_state(state: object) -> ConversationState:
    check_version(state)
    if not is_state(state):
        raise not_as_exported()
    return state


def check_version(state: object) -> None:
    if is_object(state) and isinstance(state.get("id"), str) and state.get("version") != 2:
        raise invalid_input("Another version of the SDK saved this: resume it there.")


def is_state(state: object) -> TypeGuard[ConversationState]:
    return (
        is_object(state)
        and isinstance(state.get("id"), str)
        and (is_object(state.get("request")) or is_object(state.get("submission")))
    )
