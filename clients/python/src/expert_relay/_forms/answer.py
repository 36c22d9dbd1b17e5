"""Answers to forms, and what several of them amount to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .._errors import RelayError
from .._json_text import is_list, is_number, is_object, is_text, object_of, parse_json, write_json
from .check_form import fits, read_form
from .content import Content, Form, check_content
from .formats import is_date_time

_max_bytes = 65_536

DecisionState = Literal["open", "reopened", "accepted", "declined", "conflict"]
"""
- `open`: there is no answer that counts;
- `reopened`: the agent wrote at the same time as the expert, who must decide again;
- `accepted`, `declined`: decided;
- `conflict`: accepted with different contents, so none of them counts. A decline ends it.
"""


@dataclass(frozen=True)
class FormAnswer:
    """An answer to a form, as the expert's client sent it. Whether its content is valid for the form is another question.

    >>> for message in conversation.messages():
    ...     if message.answer:
    ...         print(message.answer.action, message.answer.decided_at)
    """

    action: Literal["accept", "decline"]
    decided_at: str
    """When the expert decided, by the clock of the expert's device."""
    content: Content | None = None
    comment: str | None = None
    """In conversations without encryption. Otherwise the text of the message is the comment."""
    of: str | None = None
    """Names the form, in base64."""


def parse_form_answer(json: str) -> FormAnswer:
    """Reads an answer from JSON text. Raises `answer_invalid`."""
    value = parse_json(json) if fits(json, _max_bytes) else None
    answer = _read(value)
    if answer is None:
        raise unreadable_answer()
    return answer


def unreadable_answer() -> RelayError:
    return RelayError("answer_invalid", "The answer to the form cannot be read: ask the expert to answer again.")


def read_answer(json: str) -> FormAnswer | None:
    """None when the answer cannot be read."""
    try:
        return parse_form_answer(json)
    except RelayError as error:
        if error.code == "answer_invalid":
            return None
        raise


def _read(value: object) -> FormAnswer | None:
    # A member with an unknown name could change what the answer means, so it is refused.
    if not is_object(value) or not set(value) <= {"action", "content", "decidedAt", "comment"}:
        return None
    action, content, decided_at = value.get("action"), value.get("content"), value.get("decidedAt")
    comment = value.get("comment", "")
    is_decision = _is_content(content) if action == "accept" else action == "decline" and "content" not in value
    if not is_decision or not is_text(decided_at) or not is_date_time(decided_at) or not is_text(comment):
        return None
    return FormAnswer(
        "accept" if action == "accept" else "decline", decided_at, content, value.get("comment")
    )


def _is_content(content: object) -> bool:
    return is_object(content) and all(
        is_text(value)
        or isinstance(value, bool)
        or is_number(value)
        or (is_list(value) and all(is_text(one) for one in value))
        for value in content.values()
    )


@dataclass(frozen=True)
class GivenAnswer:
    """A message of the expert that answers a form, and what its reader knows about it."""

    message_id: str
    json: str
    is_proven: bool
    """Whether the relay cannot have written it: it is sequenced, under signed keys. In a conversation that the agent began
    without keys, plain text is all there is, and counts."""
    is_crossed: bool
    """Whether the agent has written something that it had not seen, and that had not seen it either."""
    is_uncertain: bool
    """Whether it carries a part that this version cannot show and that could change what it means. A note could not."""


@dataclass(frozen=True)
class Standing:
    state: DecisionState
    decided: str | None
    """The message that decides, if one does and the agent's program was given no decision before."""
    invalid: tuple[str, ...]
    """The messages that would count if their content was valid."""
    counted: tuple[tuple[str, FormAnswer], ...] = ()
    """All that count, with their messages, in the order of the list, without those that are equal to the one before."""


def decide(
    form_json: str,
    answers: Sequence[GivenAnswer],
    is_refused: Callable[[str], bool] = lambda _: False,
) -> Standing:
    """What the answers to a form, in the order of the list, amount to. Both sides compute it, so that the expert sees what the
    agent gets. `is_refused` says whether the agent's program does not take a content that is valid for the form."""
    form = read_form(form_json)
    counting: list[tuple[str, FormAnswer]] = []
    invalid: list[str] = []
    is_reopened = False
    for given in answers:
        if not given.is_proven or given.is_uncertain:
            continue
        answer = read_answer(given.json)
        is_valid = answer is not None and fits_form(form, answer) and not is_refused(given.message_id)
        if given.is_crossed:
            is_reopened = is_reopened or is_valid
        elif answer is not None and is_valid:
            counting.append((given.message_id, answer))
        else:
            invalid.append(given.message_id)
    counted = tuple(
        one for at, one in enumerate(counting) if at == 0 or _normalized(one[1]) != _normalized(counting[at - 1][1])
    )
    decline = next((message_id for message_id, answer in counting if answer.action == "decline"), None)
    if decline is not None:
        return Standing("declined", decline, tuple(invalid), counted)
    if not counting:
        return Standing("reopened" if is_reopened else "open", None, tuple(invalid))
    if len(counted) > 1:
        return Standing("conflict", None, tuple(invalid), counted)
    return Standing("accepted", counting[0][0], tuple(invalid), counted)


def fits_form(form: Form | None, answer: FormAnswer) -> bool:
    """Whether an answer is valid for the form. None: one that cannot be shown, which can only be declined."""
    if answer.action == "decline":
        return True
    return form is not None and not check_content(form, answer.content)


def _normalized(answer: FormAnswer) -> str:
    """Equal for decisions that are equal as JSON: the order of the fields does not matter."""
    return write_json([answer.action, dict(sorted(object_of(answer.content).items()))])
