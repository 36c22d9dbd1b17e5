"""Requests in an expert's list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from .._crypto.channel import Channel
from .._crypto.encoding import from_base64
from .._crypto.keys import ExpertKeys
from .._errors import RelayError, is_refusal, unexpected
from .._forms.check_form import read_form
from .._forms.content import is_approval
from .._json_text import Members, is_list
from .._requests import Party, RequestState
from .._thread.page import Head, read_head
from .question import NO_QUESTION, Question, read_question
from .request_memory import FirstVersion, RequestMemory, parse_pair


@dataclass(frozen=True)
class ListedQuestion(RequestState):
    """A request in an expert's list. Its question was compared with the first one that was shown, and is remembered.

    >>> for listed in expert.list("pending"):
    ...     print(listed.ref_code, listed.refused or listed.question)
    """

    agent: str | None
    """The name of the agent's key, as the relay states it."""
    agent_name: str | None
    """The name that the agent gave itself. It is signed with the question."""
    tags: tuple[str, ...]
    """The agent's words for sorting, and how the conversation was closed, as the relay states them."""
    closed_by: Party | None
    close_reason: str | None
    question: str
    context: tuple[dict[str, str], ...]
    plaintext: str | None
    newest_text: str | None
    """What the agent has written since the last answer, if it is short and can be read here: a preview, whose place in the
    conversation is checked when the request is read."""
    form: Literal["approval", "form"] | None
    """What the question asks for, besides words. Also if the form cannot be shown."""
    answer_form: dict[str, Any] | None
    encrypted: bool | None
    """Whether the agent has sent keys. Then answers can be encrypted. None once the content was erased."""
    erased_at: str | None
    refused: RelayError | None
    """Why nothing of this request may be trusted. Then question, context and names are empty."""


def read_row(row: Members) -> Head:
    """Without its content nothing could be compared."""
    head = read_head(row)
    if head.erased_at is None and not is_list(row.get("context")):
        raise unexpected("the content of each request")
    return head


def check_row(request_memory: RequestMemory, head: Head, keys: ExpertKeys | None) -> ListedQuestion:
    """A question is compared with what was shown before, and remembered, before it is shown."""
    if head.erased_at is not None:
        return _listed(head, NO_QUESTION, None)
    try:
        first = request_memory.check(head)
        listed = _listed(head, read_question(head.asked), None)
        return replace(listed, newest_text=_newest_text(head, first, keys))
    except RelayError as error:
        if not is_refusal(error):
            raise
        return _listed(head, NO_QUESTION, error)


def _newest_text(head: Head, first: FirstVersion, keys: ExpertKeys | None) -> str | None:
    """It is decrypted and its signature is checked, but not its place in the conversation: reading the request checks that."""
    record = head.newest_message
    if record is None or record.get("role") != "consumer":
        return None
    if first.keys is None:
        text = record.get("plaintext")
        return text if isinstance(text, str) else None
    if keys is None or head.provider_keys is None:
        return None
    request_id = head.state.request_id
    try:
        channel = Channel(
            request_id=request_id,
            role="provider",
            own=keys.keys_for(request_id),
            peer=parse_pair(first.keys),
            submission=from_base64(first.submission) or b"",
            key_signature=head.key_signature,
        )
        return channel.peek(record) or None
    except RelayError as error:
        if not is_refusal(error):
            raise
        return None


def _listed(head: Head, question: Question, refused: RelayError | None) -> ListedQuestion:
    form = None if question.answer_form is None else read_form(question.answer_form)
    kind: Literal["approval", "form"] = "approval" if form is not None and is_approval(form) else "form"
    return ListedQuestion(
        **vars(head.state),
        agent=None if refused else head.agent,
        agent_name=question.agent_name,
        tags=() if refused else head.notes.tags,
        closed_by=head.notes.closed_by,
        close_reason=None if refused else head.notes.close_reason,
        question=question.question,
        context=question.context,
        plaintext=question.plaintext,
        newest_text=None,
        form=None if question.answer_form is None else kind,
        answer_form=form,
        encrypted=None if head.erased_at is not None else head.consumer_keys is not None,
        erased_at=head.erased_at,
        refused=refused,
    )
