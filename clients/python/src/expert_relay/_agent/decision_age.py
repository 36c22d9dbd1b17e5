"""How old a decision may be when a program acts on it."""

from __future__ import annotations

import re
import time
from datetime import datetime

from .._errors import RelayError, invalid_input
from .._forms.answer import FormAnswer

# Clocks may differ by this many seconds.
_max_ahead = 120.0


def age_error(answer: FormAnswer, sealed_before: float | None, valid_for: float | None) -> RelayError | None:
    """Why an answer is too old to act on, or from the future. A decline stays one. `sealed_before` is when this agent had sealed the
    newest message that the answer has seen, in seconds since 1970: the relay cannot change it."""
    if valid_for is None or answer.action == "decline":
        return None
    decided = _seconds_of(answer.decided_at)
    now = time.time()
    if decided - now > _max_ahead:
        return _too_old(answer, "that is more than two minutes ahead")
    if now - max(decided, sealed_before or 0.0) <= valid_for:
        return None
    return _too_old(answer, f"that is longer ago than {valid_for:g} s")


def _seconds_of(date_time: str) -> float:
    """Python 3.10 reads neither `Z` nor most fractions, and no Python the year 0."""
    try:
        return datetime.fromisoformat(re.sub(r"\.[0-9]+", "", date_time).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0


def _too_old(answer: FormAnswer, why: str) -> RelayError:
    return RelayError(
        "decision_too_old",
        f"The expert accepted at {answer.decided_at} by the clock of their device: {why}. It does not count, and is no decline: "
        "ask again.",
    )


def check_valid_for(valid_for: float | None) -> None:
    if valid_for is not None and not valid_for > 0:
        raise invalid_input("`valid_for` is a number of seconds above 0.")
