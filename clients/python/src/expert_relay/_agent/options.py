"""Options of an agent's client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .._crypto.fingerprint import parse_fingerprint
from .._crypto.parts import File
from .._errors import invalid_input
from .submission import ContextMessage


class QuestionOptions(TypedDict, total=False):
    """What `AsyncRelay.ask` takes besides the question and its form.

    >>> asking: QuestionOptions = {"confidential": True, "tags": ["deploy"], "expires_in": 3_600}
    >>> conversation = relay.ask("May I deploy?", **asking)
    """

    messages: Sequence[ContextMessage]
    files: Sequence[File]
    confidential: bool
    expires_in: int | None
    tags: Sequence[str] | None
    encrypted: bool
    plaintext: str | None
    once: str | None


class AskingOptions(QuestionOptions, total=False):
    """What `approve` and `choose` take besides the question and `on_reply`.

    >>> asking: AskingOptions = {"timeout": 600, "once": "deploy 4711"}
    >>> if relay.approve("Deploy 4711?", **asking).approved:
    ...     deploy()
    """

    timeout: float | None
    """In seconds. By default the call waits until the conversation ends."""
    valid_for: float | None
    """See `wait_for_decision`."""
    keep_open: bool
    """True to leave the conversation open. By default it is closed after the decision, an error, the timeout or a cancellation, unless
    it has a name (`once`): a later run continues it."""


def read_fingerprints(expert: str | Sequence[str] | None) -> list[str] | None:
    if expert is None:
        return None
    given = [expert] if isinstance(expert, str) else list(expert)
    if not given:
        raise invalid_input("Give at least one fingerprint as `expert`, or leave it out.")
    return [parse_fingerprint(one) for one in given]
