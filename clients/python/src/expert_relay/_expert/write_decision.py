"""How an expert decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

from .._errors import RelayError, invalid_input
from .._forms.content import Content, check_content, describe_content, is_approval
from .._json_text import Members, write_json
from .._thread.form_tracker import FormTracker


@dataclass(frozen=True)
class Accept:
    """Accepts the open form. An approval has no content.

    >>> request.answer("Only there.", decision=Accept({"region": "eu"}))
    """

    content: Mapping[str, Any] | None = None
    of: str | None = None
    """The `of` of the form that your user was shown. If another one is open, nothing is sent. Default: the open form."""
    action: Literal["accept"] = "accept"


@dataclass(frozen=True)
class Decline:
    """Declines the open form.

    >>> request.answer("Not on a Friday.", decision=Decline())
    """

    of: str | None = None
    """The `of` of the form that your user was shown. If another one is open, nothing is sent. Default: the open form."""
    action: Literal["decline"] = "decline"


@dataclass(frozen=True)
class RequestForm:
    """A form that can be answered.

    >>> if request.form and request.form.form:
    ...     print(list(request.form.form["properties"]))
    """

    form: dict[str, Any] | None
    """None if this version cannot show it. Then it can be declined, or answered in words."""
    of: str
    """Names it, in base64."""


@dataclass(frozen=True)
class CountedDecision:
    """A decision of the expert that counts, as the list has it.

    >>> for one in request.decisions:
    ...     print(one.decided_at, one.action)
    """

    action: Literal["accept", "decline"]
    content: Content | None
    decided_at: str
    """When it was decided, by the clock of that device."""
    message_id: str
    created_at: str
    """When the relay received it, ISO 8601, UTC."""


@dataclass(frozen=True)
class WrittenDecision:
    text: str
    of: str
    json: str


def write_decision(
    decision: Accept | Decline, comment: str, forms: FormTracker, *, is_plain: bool
) -> WrittenDecision:
    """The message that a decision is sent as. In plain text the comment is a part of the answer, and the text says everything in
    words."""
    if forms.form is None:
        raise invalid_input("The agent has sent no form: answer in words, without `decision`.")
    if decision.of is not None and decision.of != forms.form.of:
        raise RelayError(
            "newer_message", "Not sent: the agent has sent another form meanwhile. Read it, then decide."
        )
    form = forms.readable_form
    answer: Members = {"action": decision.action}
    lines = ["Declined."]
    if isinstance(decision, Accept):
        content = dict(decision.content or {})
        if form is None:
            raise invalid_input("This form cannot be shown: decline it, or answer in words.")
        problems = check_content(form, content)
        if problems:
            raise invalid_input(f"{problems[0].name or 'content'}: {problems[0].message}")
        answer["content"] = content
        fields = [f"{label}: {value}" for label, value in describe_content(form, content)]
        lines = ["Approved." if is_approval(form) else "Accepted.", *fields]
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    answer["decidedAt"] = now
    if is_plain and comment:
        answer["comment"] = comment
    text = "\n".join(line for line in (*lines, comment) if line) if is_plain else comment
    return WrittenDecision(text, forms.form.of, write_json(answer))
