"""The digest of a question."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from .encoding import encode_tuple

AGENT_VERSIONS = "4"
"""The wire versions that an agent with this code understands: one character each, in ascending order."""

CONFIDENTIAL_QUESTION = "A confidential question: pick it up to read it."
"""The question that is submitted in place of a confidential one. The expert signs it like any other: it says that the real one
follows as the first encrypted message."""

# The number of messages that the relay keeps: the last ones.
_kept_messages = 10


def digest_submission(
    ref_code: str,
    *,
    agent_versions: str | None = None,
    agent_name: str | None = None,
    question: str | None = None,
    plaintext: str | None = None,
    answer_form: str | None = None,
    messages: Sequence[Mapping[str, str]] = (),
) -> bytes:
    """In the key exchange the expert signs the digest of the question that it was shown, and the agent compares it with the
    digest of the question that it asked. Absent texts count as empty."""
    texts = (agent_versions, agent_name, question, plaintext, answer_form)
    said = [text for message in messages[-_kept_messages:] for text in (message["role"], message["content"])]
    members = encode_tuple("expert-relay/v4/submission", ref_code, *(text or "" for text in texts), *said)
    return hashlib.sha256(members).digest()
