"""How a question is submitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from .._crypto.frame import Part
from .._crypto.keys import OwnKeys
from .._crypto.parts import FILE_KIND, File
from .._crypto.submission import AGENT_VERSIONS, CONFIDENTIAL_QUESTION, digest_submission
from .._errors import invalid_input, refusal
from .._json_text import Members
from .._requests import AskedRequest, read_submitted
from .._thread.parts_to_send import check_text, make_parts
from .._transport.api import Api
from .._transport.shape import members
from .abandonment import Abandonment

ContextMessage = Mapping[str, str]
"""A message that came before the question: `role` is `user` or `assistant`, `content` its text."""


def make_submission(
    question: str | None,
    *,
    messages: Sequence[ContextMessage],
    plaintext: str | None,
    answer_form: str | None,
    files: Sequence[File],
    is_confidential: bool,
    keys: OwnKeys | None,
    idempotency_key: str,
    agent_name: str | None,
    expires_in: int | None,
    tags: Sequence[str] | None,
) -> tuple[Members, tuple[str, tuple[Part, ...]] | None]:
    """The body of a submit, and the first encrypted message: what is left out of the body."""
    said: list[Members] = [_context_message(message) for message in messages]
    if not question and not plaintext and (not keys or not said):
        raise invalid_input("There is nothing to ask: give a `question`.")
    if is_confidential and (plaintext or not keys):
        raise invalid_input("For `confidential`, leave out `plaintext` and `encrypted=False`.")
    parts = make_parts(form=answer_form, files=files)
    if not is_confidential:
        parts = tuple(part for part in parts if part.kind == FILE_KIND)
    text = _in_full(question, said) if is_confidential else ""
    has_first = is_confidential or bool(parts)
    if has_first:
        if not keys:
            raise invalid_input("Files and forms need encryption: leave them out.")
        check_text(text, parts, False)
    body: Members = {
        "question": CONFIDENTIAL_QUESTION if is_confidential else question,
        "messages": [] if is_confidential else said,
        "answerForm": None if is_confidential else answer_form,
        "plaintext": plaintext if plaintext is not None or keys else question,
        "agentName": agent_name,
        "agentVersions": AGENT_VERSIONS if keys else None,
        "consumerSignPubKey": keys.public.sign.pem if keys else None,
        "consumerEncryptPubKey": keys.public.encrypt.pem if keys else None,
        "idempotencyKey": idempotency_key,
        "expiresIn": expires_in,
        "tags": None if tags is None else list(tags),
        "follows": {"files": len(files), "question": is_confidential} if has_first else None,
    }
    body = {name: member for name, member in body.items() if member is not None}
    # The expert signs the digest of these texts, which is known with the code. A text without one is refused before.
    digest_submission("", body)
    return body, (text, parts) if has_first else None


def _context_message(message: Mapping[str, Any]) -> Members:
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or not isinstance(content, str):
        raise invalid_input("Each of `messages` has a `role` and a `content`, which are texts.")
    return {"role": role, "content": content}


def _in_full(question: str | None, messages: Sequence[Members]) -> str:
    before = [f"{message['role']}: {message['content']}" for message in messages]
    context = ["What was said before:", *before] if before else []
    return "\n\n".join(text for text in (question, *context) if text)


async def submit(
    api: Api, api_key: str, body: Members, abandonment: Abandonment | None
) -> tuple[AskedRequest, str | None]:
    """A repeated submit returns the first answer again. With the request comes the position where its first stream begins, so
    that no event of it is missed. Without it, the list is read."""

    def read(answer: Any, headers: httpx.Headers) -> tuple[AskedRequest, str | None]:
        echo = members(answer)
        request = read_submitted(echo)
        if abandonment:
            abandonment.request_id = request.request_id
        for name in ("agentName", "agentVersions", "answerForm", "expiresIn"):
            # Otherwise the expert would be shown, and sign, something else, or the conversation would last longer than was asked.
            if echo.get(name) != body.get(name):
                raise refusal(
                    "question_altered",
                    f"The relay did not take the `{name}` of this question.",
                    "It may be older than this program. Otherwise do not trust it before you know why.",
                )
        return request, headers.get("relay-position")

    def is_over() -> bool:
        return abandonment is not None and abandonment.is_abandoned

    return await api.post_for_headers("/api/v1/help", {"apiKey": api_key, **body}, read, is_over)
