"""The decision in a receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._crypto.submission import CONFIDENTIAL_QUESTION
from .._errors import RelayError
from .._forms.answer import FormAnswer, fits_form, read_answer
from .._forms.check_form import read_form
from .._json_text import Members
from .open_messages import CheckedMessage
from .receipt_file import refused


@dataclass(frozen=True)
class ReceiptDecision:
    answer: FormAnswer
    answer_text: str
    form_text: str
    question: str
    """What was asked, also where it was confidential."""
    comment: str


def read_decision(file: Members, messages: Sequence[CheckedMessage], submission: bytes) -> ReceiptDecision:
    last = messages[-1] if messages else None
    content = last.content if last and last.role == "provider" else None
    answer = content.parts.answer if content and not content.parts.is_uncertain else None
    if not content or not answer:
        raise _no_decision("its last message is no decision of the expert.")
    asked = file["asked"]
    form_text = asked["answerForm"] if answer.of == submission else _form_in(messages, answer.of)
    if not form_text:
        raise _no_decision("the expert has answered something that is no form.")
    read = read_answer(answer.json)
    if read is None or not fits_form(read_form(form_text), read):
        raise _no_decision("the answer of the expert does not fit the form.")
    if read.action != file["outcome"]:
        raise _no_decision("the agent states another outcome than the expert.")
    question = asked["question"]
    if question == CONFIDENTIAL_QUESTION:
        question = _confidential_in(messages)
    return ReceiptDecision(read, answer.json, form_text, question, content.text)


def _form_in(messages: Sequence[CheckedMessage], hash: bytes) -> str | None:
    content = next((one.content for one in messages if one.hash == hash), None)
    if content is None:
        raise _missing("the message with the form is not in the file, or is not opened.")
    return content.parts.form


def _confidential_in(messages: Sequence[CheckedMessage]) -> str:
    """The real question is the agent's first message, which has none before it."""
    content = next((one.content for one in messages if one.role == "consumer"), None)
    if content is None or content.links:
        raise _missing("the confidential question is not in the file, or is not opened.")
    return content.text


def _no_decision(why: str) -> RelayError:
    return refused("no_decision", why)


def _missing(why: str) -> RelayError:
    return refused("message_missing", why)
