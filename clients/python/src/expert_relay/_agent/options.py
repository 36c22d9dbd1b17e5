"""Options of an agent's client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .._crypto.fingerprint import parse_fingerprint
from .._crypto.parts import File
from .._errors import invalid_input
from .submission import ContextMessage

class AskOptions(TypedDict, total=False):
    """What `AsyncRelay.ask` takes besides the question and its form.

    >>> asking: AskOptions = {"confidential": True, "tags": ["deploy"], "expires_in": 3_600}
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


def read_fingerprints(expert: str | Sequence[str] | None) -> list[str] | None:
    if expert is None:
        return None
    given = [expert] if isinstance(expert, str) else list(expert)
    if not given:
        raise invalid_input("Give at least one fingerprint as `expert`, or leave it out.")
    return [parse_fingerprint(one) for one in given]
