"""The digest of a question."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from .encoding import encode_tuple

AGENT_VERSIONS = "4"
"""The wire versions that an agent with this code understands: one character each, in ascending order."""

CONFIDENTIAL_QUESTION = "A confidential question: pick it up to read it."
"""The question that is submitted in place of a confidential one. The expert signs it like any other: it says that the real one
follows as the first encrypted message."""

# The number of messages that the relay keeps: the last ones.
_kept_messages = 10


def digest_submission(ref_code: str, asked: Mapping[str, Any]) -> bytes:
    """In the key exchange the expert signs the digest of the question that it was shown, and the agent compares it with the
    digest of the question that it asked. `asked` has the members of a submit; absent texts count as empty."""
    texts = (asked.get(name) for name in ("agentVersions", "agentName", "question", "plaintext", "answerForm"))
    messages: Sequence[Mapping[str, str]] = asked.get("messages") or ()
    said = [text for message in messages[-_kept_messages:] for text in (message["role"], message["content"])]
    members = encode_tuple("expert-relay/v4/submission", ref_code, *(text or "" for text in texts), *said)
    return hashlib.sha256(members).digest()
