"""Questions with a name, which are asked once however often an agent starts."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any

from .._crypto.encoding import from_base64, to_base64, to_utf8
from .._crypto.keys import once_id
from .._errors import RelayError, invalid_input
from .._json_text import Members, list_in, write_json
from .._store import Store
from .conversation_state import Named


def read_secret(given: bytes | str) -> bytes:
    """The 32 bytes from which keys are derived, or these in base64 or hexadecimal."""
    secret = _from_text(given.strip()) if isinstance(given, str) else given
    if secret is None or len(secret) != 32:
        raise invalid_input("A `secret` has 32 random bytes, as `openssl rand -base64 32` writes them.")
    return secret


def stored_secret(store: Store) -> bytes:
    """Made at its first use."""
    secret = from_base64(store.remember("secret", to_base64(os.urandom(32))))
    if secret is None or len(secret) != 32:
        raise invalid_input("The stored value `secret` was changed: put it back.")
    return secret


def _from_text(text: str) -> bytes | None:
    return bytes.fromhex(text) if re.fullmatch("[0-9A-Fa-f]{64}", text) else from_base64(text)


def describe_question(name: str, question_id: str | None, body: Members, drafts: list[Any]) -> Named:
    """Names this question in its state: another question of the same name differs."""
    context = [[message["role"], message["content"]] for message in list_in(body.get("messages"))]
    first = [[draft["text"], draft.get("parts", [])] for draft in drafts]
    asked = [body.get("question"), context, body.get("plaintext"), body.get("answerForm")]
    everything: list[Any] = [*asked, first, body.get("expiresIn"), body.get("tags")]
    digest = hashlib.sha256(to_utf8(write_json(everything))).digest()
    named: Named = {"name": name, "digest": to_base64(digest)}
    return named if question_id is None else {**named, "questionId": question_id}


def stored_id(owner: str, name: str) -> str:
    """Where the conversation of a name is stored: another user's key may use the same name on this machine."""
    return once_id(to_base64(hashlib.sha256(to_utf8(write_json([owner, name]))).digest()))


def without_secret() -> RelayError:
    return invalid_input(
        "An encrypted question has a name (`once`) only with a `store`, or with a `secret`: "
        "32 random bytes, as `openssl rand -base64 32` writes them."
    )


def once_reused(name: str) -> RelayError:
    return RelayError(
        "once_reused",
        f"The name {write_json(name)} was used for another question, context, form, lifetime or tags, or with another "
        "secret or `agent_name`. Nothing was asked. A name stands for one question of one run: use another one, or ask the same again.",
    )
