"""The one error of this package."""

from __future__ import annotations

from typing import Literal, cast, get_args

RelayErrorCode = Literal[
    # The call.
    "invalid_input",
    "invalid_key",
    "not_found",
    "conflict",
    "once_reused",
    "too_large",
    "unavailable",
    "aborted",
    "timeout",
    # The conversation.
    "closed",
    "expired",
    "withdrawn",
    "no_keys_yet",
    "newer_message",
    "parts_missing",
    # Forms.
    "answer_invalid",
    "answer_conflict",
    "decision_too_old",
    # What cannot be trusted.
    "new_expert",
    "unprotected",
    "unsupported_version",
    "untrusted",
    "wrong_recovery_code",
]
"""What went wrong, by what can be done about it: as in the TypeScript SDK."""

_InvalidInput = Literal[
    "invalid_form",
    "invalid_json",
    "invalid_request",
    "lone_surrogate",
    "nul_character",
    "unsupported_media_type",
]
_InvalidKey = Literal[
    "unauthorized",
    "forbidden",
    "role_mismatch",
    "foreign_host",
    "foreign_origin",
]
_Conflict = Literal[
    "conversation_full",
    "idempotency_key_reused",
    "key_revoked",
    "keys_already_exchanged",
    "message_id_taken",
    "precondition_failed",
    "precondition_required",
]
_TooLarge = Literal[
    "message_too_large",
    "payload_too_large",
]
_Unavailable = Literal[
    "unreachable",
    "rate_limited",
    "unexpected_answer",
    "answer_too_large",
]
_Unprotected = Literal[
    "key_signature_missing",
    "plaintext_refused",
    "unsequenced_refused",
]
_Untrusted = Literal[
    "invalid_public_key",
    "key_signature_wrong",
    "keys_changed",
    "malformed_frame",
    "malformed_message",
    "malformed_receipt",
    "malformed_vault",
    "message_missing",
    "message_replayed",
    "no_decision",
    "question_altered",
    "receipt_not_canonical",
    "receipt_signature_wrong",
    "undecryptable",
    "unknown_expert",
    "wrong_role",
    "wrong_sender_key",
    "wrong_signature",
]
RelayErrorReason = Literal[_InvalidInput, _InvalidKey, _Conflict, _TooLarge, _Unavailable, _Unprotected, _Untrusted]
"""The finer names of errors: those of docs/crypto.md, of the relay (docs/errors.md), and of this package."""

RelayErrorName = Literal[RelayErrorCode, RelayErrorReason]
"""The finest name of an error: its reason, else its code."""

_reasons: dict[RelayErrorCode, object] = {
    "invalid_input": _InvalidInput,
    "invalid_key": _InvalidKey,
    "conflict": _Conflict,
    "too_large": _TooLarge,
    "unavailable": _Unavailable,
    "unprotected": _Unprotected,
    "untrusted": _Untrusted,
}
code_of_reason: dict[str, RelayErrorCode] = {
    reason: code for code, reasons in _reasons.items() for reason in get_args(reasons)
}


class RelayError(Exception):
    """The one error of this package. `code` and `reason` are stable, the message says what to do next.

    >>> try:
    ...     conversation.wait_for_answer(timeout=60)
    ... except RelayError as error:
    ...     if error.code != "timeout":
    ...         raise
    """

    # Tracebacks name the module that programs import it from.
    __module__ = "expert_relay"

    code: RelayErrorCode
    status: int | None
    """The HTTP status, where the relay refused a call."""
    reason: RelayErrorReason | None
    """Why exactly: None where the code says it all."""
    retry_after: float | None
    """When to try again, in seconds from now."""

    def __init__(
        self,
        name: RelayErrorName,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        """The code of a reason is known."""
        super().__init__(message)
        code = code_of_reason.get(name)
        self.code = code or cast(RelayErrorCode, name)
        self.reason = cast(RelayErrorReason, name) if code else None
        self.status = status
        self.retry_after = retry_after

    def __repr__(self) -> str:
        return f"RelayError({self.reason or self.code!r}, {str(self)!r})"


def is_refusal(error: BaseException | None) -> bool:
    """Whether an error ends a conversation permanently: someone between the two sides may have changed something."""
    return has_code(error, "new_expert", "once_reused", "unprotected", "unsupported_version", "untrusted")


def has_code(error: BaseException | None, *wanted: RelayErrorCode) -> bool:
    return isinstance(error, RelayError) and error.code in wanted


def invalid_input(sentence: str) -> RelayError:
    """For a value that the caller must change."""
    return RelayError("invalid_input", sentence)


def not_as_exported() -> RelayError:
    """For a saved state that was changed."""
    return invalid_input("This is not what `export()` gave. Give that unchanged, or start again.")


def unexpected(expected: str) -> RelayError:
    """For an answer that no relay gives."""
    return RelayError("unexpected_answer", f"The answer is not a relay's: expected {expected}. Check the address.")


def refusal(
    name: RelayErrorName, what: str, advice: str = "Do not trust this relay before you know why."
) -> RelayError:
    """An error that ends a conversation permanently."""
    return RelayError(name, f"{what} {advice}")


def message_refused(
    name: RelayErrorName, what: str, advice: str = "Do not trust this relay before you know why."
) -> RelayError:
    return refusal(name, f"{what} It is not shown.", advice)
