"""Answers that were not sent yet, as programs get them."""

from __future__ import annotations

from dataclasses import dataclass

from .._crypto.parts import File, read_parts
from .._errors import RelayErrorCode, RelayErrorReason
from .._forms.answer import FormAnswer
from .._thread.draft import Draft, DraftState
from .._thread.message import answer_in


@dataclass(frozen=True)
class PendingAnswer:
    """An answer that was not sent yet. `answer` with its `message_id` sends it again as it was written, `discard` removes it. Another
    `answer` takes the place of one that is held.

    >>> for pending in request.pending:
    ...     print(pending.state, pending.text)
    """

    message_id: str
    text: str
    state: DraftState
    """
    - `waiting`: it is sent before the next answer, by `refresh`, and while a loop over `messages` runs;
    - `held`: it waits for your user, since the agent has written something that had not been shown when it was written, or since it
      answers a form and was written more than ten minutes ago;
    - `refused`: the relay refused its content, with `code` and `reason` as in a `RelayError`.
    """
    code: RelayErrorCode | None = None
    reason: RelayErrorReason | None = None
    answer: FormAnswer | None = None
    """What it answers to a form."""
    files: tuple[File, ...] = ()


def describe_pending(draft: Draft, state: DraftState) -> PendingAnswer:
    known = read_parts(draft.parts, "provider")
    return PendingAnswer(
        draft.message_id, draft.text, state, draft.code, draft.reason, answer_in(known), known.files
    )
