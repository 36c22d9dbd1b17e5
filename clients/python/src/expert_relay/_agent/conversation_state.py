"""A saved conversation, as plain JSON: the TypeScript SDK saves and reads the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .._errors import invalid_input, not_as_exported
from .._json_text import Members, is_object, text_of
from .._requests import AskedRequest

State = dict[str, Any]
"""What `export` gives and `resume` takes. It contains the private keys, so store it where only you can read it."""

Verification = Literal["none", "unverified", "first-contact", "known"]
"""
How sure it is who answers:
- `none`: no expert has picked the request up with keys yet;
- `unverified`: the expert's client does not prove its keys;
- `first-contact`: an expert that was not known before. Compare the fingerprint to be sure;
- `known`: the expert whose fingerprint was given, remembered or verified.
"""


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


def check_state(state: object) -> State:
    is_ours = is_object(state) and isinstance(state.get("id"), str)
    if is_object(state) and is_ours and state.get("version") != 1:
        raise invalid_input("Another version of the SDK saved this: resume it there.")
    if not is_object(state) or not is_ours:
        raise not_as_exported()
    if not is_object(state.get("request")) and not is_object(state.get("submission")):
        raise not_as_exported()
    return state
