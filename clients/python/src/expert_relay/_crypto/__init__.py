"""End-to-end encryption, wire v4, as docs/crypto.md specifies it to the byte."""

from .channel import Channel, OpenedMessage
from .fingerprint import format_fingerprint, parse_fingerprint, same_fingerprint
from .frame import Part
from .key_exchange import Exchange, check_exchange, check_pick_up, check_unchanged, sign_exchange
from .keys import ExpertKeys, OnceKeys, OwnKeys, make_agent_keys, make_root, once_id, once_keys, restore_agent_keys
from .parts import AnswerPart, File, KnownParts, read_parts, write_parts
from .public_key import PublicKey, PublicKeys, parse_public_key, parse_public_keys
from .submission import AGENT_VERSIONS, digest_submission
from .vault import make_recovery_code, open_vault, parse_recovery_code, seal_vault

__all__ = [
    "AGENT_VERSIONS",
    "AnswerPart",
    "Channel",
    "Exchange",
    "ExpertKeys",
    "File",
    "KnownParts",
    "OnceKeys",
    "OpenedMessage",
    "OwnKeys",
    "Part",
    "PublicKey",
    "PublicKeys",
    "check_exchange",
    "check_pick_up",
    "check_unchanged",
    "digest_submission",
    "format_fingerprint",
    "make_agent_keys",
    "make_recovery_code",
    "make_root",
    "once_id",
    "once_keys",
    "open_vault",
    "parse_fingerprint",
    "parse_public_key",
    "parse_public_keys",
    "parse_recovery_code",
    "read_parts",
    "restore_agent_keys",
    "same_fingerprint",
    "seal_vault",
    "sign_exchange",
    "write_parts",
]
