"""The unencrypted part of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._crypto.encoding import to_base64
from .._crypto.key_exchange import question_altered
from .._crypto.submission import digest_submission
from .._errors import RelayError
from .._json_text import Members, is_list, is_object
from .._thread.page import Head
from .._transport.shape import optional_text


@dataclass(frozen=True)
class Question:
    question: str = ""
    context: tuple[dict[str, str], ...] = ()
    plaintext: str | None = None
    answer_form: str | None = None
    """The form that came with the question, as JSON text. It is signed with the question."""
    agent_name: str | None = None
    """The name that the agent gave itself. It is signed with the question."""


NO_QUESTION = Question()
"""Shown where the relay's question must not be: after a refusal, and after the content was erased."""


def read_question(asked: Members) -> Question:
    context: Any = asked.get("context")
    said = [one for one in context if is_object(one)] if is_list(context) else []
    kept = [one for one in said if isinstance(one.get("role"), str) and isinstance(one.get("content"), str)]
    return Question(
        question=optional_text(asked, "question") or "",
        context=tuple({"role": one["role"], "content": one["content"]} for one in kept),
        plaintext=optional_text(asked, "plaintext"),
        answer_form=optional_text(asked, "answerForm"),
        agent_name=optional_text(asked, "agentName"),
    )


def digest_question(head: Head) -> str:
    """The digest of a request's question, which the expert signs in the key exchange."""
    question = read_question(head.asked)
    asked = {
        "agentVersions": optional_text(head.asked, "agentVersions"),
        "agentName": question.agent_name,
        "question": question.question,
        "plaintext": question.plaintext,
        "answerForm": question.answer_form,
        "messages": question.context,
    }
    try:
        digest = digest_submission(head.state.ref_code, asked)
    except RelayError:
        # A lone surrogate: an agent cannot have sent that.
        raise question_altered() from None
    return to_base64(digest)
