"""The one error of this package."""

from __future__ import annotations

from typing import Literal, get_args

RelayErrorCode = Literal[
    # The call.
    "invalid_input",
    "invalid_key",
    "not_found",
    "conflict",
    "rate_limited",
    "unreachable",
    "unexpected_answer",
    "answer_too_large",
    "aborted",
    "timeout",
    # The conversation.
    "conversation_closed",
    "conversation_expired",
    "no_keys_yet",
    "message_too_large",
    "newer_message",
    "parts_missing",
    "once_reused",
    "withdrawn",
    # Forms.
    "invalid_form",
    "answer_invalid",
    "answer_conflict",
    "decision_too_old",
    # What cannot be trusted.
    "invalid_public_key",
    "unknown_expert",
    "new_expert",
    "key_signature_missing",
    "key_signature_wrong",
    "unsupported_version",
    "question_altered",
    "keys_changed",
    "malformed_message",
    "wrong_role",
    "wrong_sender_key",
    "wrong_signature",
    "undecryptable",
    "malformed_frame",
    "message_missing",
    "message_replayed",
    "plaintext_refused",
    "unsequenced_refused",
    "wrong_recovery_code",
    "malformed_vault",
]
"""The stable names of all errors: those of the TypeScript SDK."""

codes: tuple[str, ...] = get_args(RelayErrorCode)


class RelayError(Exception):
    """The one error of this package: `code` is stable, the message says what to do next.

    >>> try:
    ...     conversation.wait_for_answer(timeout=60)
    ... except RelayError as error:
    ...     if error.code != "timeout":
    ...         raise
    """

    code: RelayErrorCode
    status: int | None
    """The HTTP status, where the relay refused a call."""
    problem: str | None
    """The relay's own error code: see docs/errors.md."""
    retry_after: float | None
    """When to try again, in seconds from now."""

    def __init__(
        self,
        code: RelayErrorCode,
        message: str,
        *,
        status: int | None = None,
        problem: str | None = None,
        retry_after: float | None = None,
        is_refusal: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.problem = problem
        self.retry_after = retry_after
        self._is_refusal = is_refusal

    def __repr__(self) -> str:
        return f"RelayError({self.code!r}, {str(self)!r})"


def is_refusal(error: BaseException | None) -> bool:
    """Whether an error ends a conversation permanently: someone between the two sides may have changed something."""
    return isinstance(error, RelayError) and error._is_refusal  # pyright: ignore[reportPrivateUsage]


def has_code(error: BaseException, *wanted: RelayErrorCode) -> bool:
    return isinstance(error, RelayError) and error.code in wanted


def invalid_input(sentence: str) -> RelayError:
    """For a value that the caller must change."""
    return RelayError("invalid_input", sentence)


def not_as_exported() -> RelayError:
    """For a saved state that was changed."""
    return invalid_input("This is not what `export()` or `state()` gave. Give that unchanged, or start again.")


def unexpected(expected: str) -> RelayError:
    """For an answer that no relay gives."""
    return RelayError("unexpected_answer", f"The answer is not a relay's: expected {expected}. Check the address.")


def refusal(
    code: RelayErrorCode, what: str, advice: str = "Do not trust this relay before you know why."
) -> RelayError:
    """An error that ends a conversation permanently."""
    return RelayError(code, f"{what} {advice}", is_refusal=True)


def message_refused(
    code: RelayErrorCode, what: str, advice: str = "Do not trust this relay before you know why."
) -> RelayError:
    return refusal(code, f"{what} It is not shown.", advice)
