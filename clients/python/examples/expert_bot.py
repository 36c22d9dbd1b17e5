"""Answers every request with a function, end-to-end encrypted. Run it with RELAY_URL and a provider key as RELAY_API_KEY."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence

from expert_relay import CONFIDENTIAL_QUESTION, Expert, ExpertRequest, File, FileStore, RelayError


def answer_to(question: str, files: Sequence[File]) -> str:
    """What this expert knows: put your runbook, your search or your model here."""
    seen = f" I have read {', '.join(file.name for file in files)}." if files else ""
    return f"You asked: {question}{seen} I am only an example, but I would wait."


def question_of(request: ExpertRequest) -> str:
    """A confidential question is the agent's first message."""
    first = request.received[0].text if request.question == CONFIDENTIAL_QUESTION else request.question
    return "\n".join([first, *(message.text for message in request.received if message.text not in ("", first))])


def is_new(request: ExpertRequest) -> bool:
    """After a restart, requests that were answered before come again. Those that are left out here are not picked up."""
    return request.response_count == 0 or request.is_reopened


store = FileStore(sys.argv[1] if len(sys.argv) > 1 else ".relay/expert-bot")
root = bytes.fromhex(store.remember("root", secrets.token_hex(32)))
with Expert.from_env(root=root, store=store) as expert:
    print(f"I am {expert.fingerprint}. Waiting for requests; Ctrl-C ends.", flush=True)
    for request in expert.requests(filter=is_new):
        files = [file for message in request.received for file in message.files]
        try:
            request.answer(answer_to(question_of(request), files))
            print(f"{request.ref_code} is answered.", flush=True)
        except RelayError as error:
            # An error in one request must not stop the others.
            print(f"{request.ref_code} is not answered. {error}", flush=True)
