"""The key exchange: what the expert signs, and what each side checks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .._errors import RelayError, refusal
from .encoding import encode_tuple, from_base64, to_base64
from .fingerprint import format_fingerprint, same_fingerprint
from .keys import ExpertKeys, is_signed_by
from .public_key import PublicKey, PublicKeys, parse_public_key, parse_public_keys

Role = Literal["consumer", "provider"]
"""`consumer` is the agent, `provider` the expert."""
ExchangeVerification = Literal["known", "first-contact", "unverified"]

_version = 4
_own_versions = bytes([_version])
_max_versions = 16


@dataclass(frozen=True)
class Exchange:
    """A key exchange as the relay shows it, unchecked."""

    sign: str
    encrypt: str
    key_signature: str | None = None


@dataclass(frozen=True)
class CheckedExchange:
    keys: PublicKeys
    fingerprint: str
    verification: ExchangeVerification


def _exchange_bytes(
    request_id: str, consumer: PublicKeys, provider: PublicKeys, submission: bytes, versions: bytes = _own_versions
) -> bytes:
    """The bytes that the signature in `keySignature` covers."""
    in_order = (consumer.sign.raw, consumer.encrypt.raw, provider.sign.raw, provider.encrypt.raw)
    return encode_tuple("expert-relay/v4/key-exchange", request_id, *in_order, submission, versions)


def _read_proof(key_signature: str | None) -> tuple[bytes, bytes, bytes] | None:
    """The question's digest, the signature and the versions; None for another form, also when there is none."""
    data = from_base64(key_signature) or b""
    versions = data[96:]
    if not 1 <= len(versions) <= _max_versions or list(versions) != sorted(set(versions)):
        return None
    return data[:32], data[32:96], versions


def digest_conversation(
    request_id: str, consumer: PublicKeys, provider: PublicKeys, submission: bytes, key_signature: str | None
) -> bytes:
    """Names a conversation: its request, all four keys, the question and the versions. Every message is bound to it."""
    proof = _read_proof(key_signature)
    versions = proof[2] if proof else _own_versions
    return hashlib.sha256(_exchange_bytes(request_id, consumer, provider, submission, versions)).digest()


def sign_exchange(expert: ExpertKeys, request_id: str, consumer: PublicKeys, submission: bytes) -> str:
    """The `keySignature` of a pick-up."""
    own = expert.keys_for(request_id)
    signature = own.sign(_exchange_bytes(request_id, consumer, own.public, submission))
    return to_base64(submission + signature + _own_versions)


def check_exchange(
    *,
    request_id: str,
    own: PublicKeys,
    exchange: Exchange,
    submission: bytes,
    known: Sequence[str] = (),
    accept_unprotected: bool = False,
) -> CheckedExchange:
    """Checks the expert's keys. The agent does it before it encrypts anything for them."""
    peer = parse_public_keys(exchange.sign, exchange.encrypt)
    refuse_own_keys(own, peer)
    fingerprint = format_fingerprint(peer.sign)
    # All are read, so that a mistyped one is always reported.
    is_known = any([same_fingerprint(one, fingerprint) for one in known])
    if known and not is_known:
        raise unknown_expert(known, fingerprint)
    if exchange.key_signature is None:
        if is_known or not accept_unprotected:
            raise refusal(
                "key_signature_missing",
                "Nothing proves that these keys are the expert's. Nothing was sent to them.",
            )
        return CheckedExchange(peer, fingerprint, "unverified")
    _check_proof(exchange.key_signature, request_id, own, peer, submission, _key_signature_wrong)
    return CheckedExchange(peer, fingerprint, "known" if is_known else "first-contact")


def check_pick_up(
    *, request_id: str, own: PublicKeys, consumer: PublicKeys, exchange: Exchange, submission: bytes
) -> None:
    """Checks an exchange that exists already: made by this device, by another of its devices, or by an attacker."""
    provider = parse_public_keys(exchange.sign, exchange.encrypt)
    if provider.sign != own.sign:
        raise refusal(
            "keys_changed", "This request was picked up with other keys than yours.", "Answer it where those are."
        )
    _check_proof(exchange.key_signature, request_id, consumer, provider, submission, keys_changed)
    if provider.encrypt != own.encrypt:
        raise keys_changed()


def _check_proof(
    key_signature: str | None,
    request_id: str,
    consumer: PublicKeys,
    provider: PublicKeys,
    expected: bytes,
    wrong: Callable[[], RelayError],
) -> None:
    """Checks that the expert signed this. Keys are checked before the question."""
    proof = _read_proof(key_signature)
    if proof is None:
        raise wrong()
    submission, signature, versions = proof
    # Before the signature, since a client of another version may sign other bytes.
    if _version not in versions:
        raise refusal(
            "unsupported_version",
            f"The expert's client does not speak version {_version}. Nothing was sent.",
            "Bring both sides to the same version. If they are, the exchange was altered on the way.",
        )
    signed = _exchange_bytes(request_id, consumer, provider, submission, versions)
    if not is_signed_by(provider.sign, signature, signed):
        raise wrong()
    if submission != expected:
        raise question_altered()


def _key_signature_wrong() -> RelayError:
    return refusal(
        "key_signature_wrong",
        "The expert did not sign these keys: they were replaced on the way. Nothing was sent to them.",
    )


def question_altered() -> RelayError:
    return refusal(
        "question_altered", "The expert was shown another question than was asked. Nothing was sent."
    )


def unknown_expert(known: Sequence[str], fingerprint: str) -> RelayError:
    return refusal(
        "unknown_expert",
        f"Another expert answers: {fingerprint} instead of {' or '.join(known)}. Nothing was sent to them.",
        "Ask the expert over another channel whether the key is new. If it is, set RELAY_EXPERT (in code: `expert`) to the new "
        "fingerprint.",
    )


def keys_changed() -> RelayError:
    return refusal(
        "keys_changed", "The keys of this conversation are gone or have changed. Nothing was sent to them."
    )


def refuse_own_keys(own: PublicKeys, peer: PublicKeys) -> None:
    """A client whose own keys are shown as the other side's would talk to itself."""
    if own.sign == peer.sign or own.encrypt == peer.encrypt:
        raise refusal("invalid_public_key", "The other side's keys are our own.")


def check_unchanged(first: PublicKeys, sign: object, encrypt: object) -> None:
    """The keys of a conversation never change, so each later read is compared with the first one."""
    if not (_is_still(first.sign, sign) and _is_still(first.encrypt, encrypt)):
        raise keys_changed()


def _is_still(first: PublicKey, later: object) -> bool:
    """Usually the text is equal. Another encoding of the same key is accepted, too."""
    if later is None:
        return False
    return later == first.pem or parse_public_key(later, first.kind) == first
