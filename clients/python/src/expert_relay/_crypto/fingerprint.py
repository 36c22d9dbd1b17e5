"""The fingerprint of an expert's identity, which two people can read to each other."""

from __future__ import annotations

import hashlib
import re

from .._errors import invalid_input
from .encoding import encode_tuple
from .public_key import PublicKey


def format_fingerprint(identity: PublicKey) -> str:
    """Eight groups of five digits. Another key has another fingerprint."""
    digest = hashlib.sha512(encode_tuple("expert-relay/v4/fingerprint", identity.raw)).digest()
    groups = (int.from_bytes(digest[at : at + 5], "big") % 100_000 for at in range(0, 40, 5))
    return " ".join(f"{group:05}" for group in groups)


def parse_fingerprint(text: str) -> str:
    """The canonical form of a fingerprint that a user typed."""
    digits = re.sub("[^0-9]", "", text)
    if len(digits) != 40:
        raise invalid_input(f"A fingerprint has 40 digits, this one {len(digits)}. Copy all of it.")
    return " ".join(digits[at : at + 5] for at in range(0, 40, 5))


def same_fingerprint(one: str, other: str) -> bool:
    """Whether both name the same expert: only their digits count."""
    return parse_fingerprint(one) == parse_fingerprint(other)
