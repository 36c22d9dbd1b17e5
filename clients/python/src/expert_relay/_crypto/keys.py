"""Private keys: an agent's, made for one conversation or derived from a name, and an expert's, derived from a root."""

from __future__ import annotations

import hashlib
import os
import uuid
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .._errors import invalid_input, not_as_exported
from .._json_text import is_object
from .encoding import encode_tuple, from_base64, to_base64, to_utf8
from .public_key import PublicKey, PublicKeys, protects_nothing, public_key

# Some implementations of HKDF take at most 1,024 bytes of `info`.
_max_name_bytes = 255


def derive(secret: bytes, info: bytes, salt: bytes = b"") -> bytes:
    """32 bytes of HKDF with SHA-256."""
    return HKDF(SHA256(), 32, salt, info).derive(secret)


def is_signed_by(key: PublicKey, signature: bytes, data: bytes) -> bool:
    """Strict Ed25519 without cofactor, as OpenSSL does it: S is below the order, and R is compared in its 32 bytes."""
    if len(signature) != 64:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, data)
    except (InvalidSignature, ValueError):
        # Some libraries refuse to load a key that is not a valid point.
        return False
    return True


class OwnKeys:
    """The two key pairs of one side of a conversation."""

    def __init__(self, seed: bytes, private_key: bytes) -> None:
        self._sign = Ed25519PrivateKey.from_private_bytes(seed)
        self._agreement = X25519PrivateKey.from_private_bytes(private_key)
        self._private = (seed, private_key)
        self.public = PublicKeys(
            public_key(self._sign.public_key().public_bytes_raw(), "sign"),
            public_key(self._agreement.public_key().public_bytes_raw(), "encrypt"),
        )

    def sign(self, data: bytes) -> bytes:
        """An Ed25519 signature."""
        return self._sign.sign(data)

    def agree(self, peer: PublicKey) -> bytes:
        """The shared secret with the owner of the other key: X25519."""
        try:
            secret = self._agreement.exchange(X25519PublicKey.from_public_bytes(peer.raw))
        except ValueError:
            raise protects_nothing("encrypt") from None
        if not any(secret):
            raise protects_nothing("encrypt")
        return secret

    def export(self) -> dict[str, str]:
        """The private keys, base64. Store them where only their owner can read them."""
        seed, private_key = self._private
        return {"sign": to_base64(seed), "encrypt": to_base64(private_key)}

    def __repr__(self) -> str:
        return "OwnKeys(...)"


def make_agent_keys() -> OwnKeys:
    """Makes new keys for one conversation."""
    return OwnKeys(os.urandom(32), os.urandom(32))


def restore_agent_keys(exported: object) -> OwnKeys:
    """The keys that `export()` returned."""
    if not is_object(exported):
        raise not_as_exported()
    seed, private_key = from_base64(exported.get("sign")), from_base64(exported.get("encrypt"))
    if seed is None or private_key is None or len(seed) != 32 or len(private_key) != 32:
        raise not_as_exported()
    return OwnKeys(seed, private_key)


@dataclass(frozen=True)
class OnceKeys:
    """What an agent needs to ask one question once, however often it starts again."""

    keys: OwnKeys
    question_id: str
    """The `messageId` of the question when it is confidential."""


def once_keys(secret: bytes, name: str) -> OnceKeys:
    """The same keys for the same 32 secret bytes and the same name. A name stands for one question: use it for no other."""
    if len(secret) != 32:
        raise invalid_input(f"A secret has 32 bytes, this one {len(secret)}. Make one: openssl rand -base64 32")
    _check_name(name)
    uses = ("once-sign", "once-dh", "once-question")
    seed, private_key, question = (derive(secret, encode_tuple(f"expert-relay/v4/{use}", name)) for use in uses)
    return OnceKeys(OwnKeys(seed, private_key), str(uuid.UUID(bytes=question[:16], version=4)))


def once_id(name: str) -> str:
    """What the relay sees of a name."""
    _check_name(name)
    digest = hashlib.sha256(encode_tuple("expert-relay/v4/once-id", name)).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _check_name(name: str) -> None:
    length = len(to_utf8(name))
    if not 1 <= length <= _max_name_bytes:
        raise invalid_input(f"A name has 1 to {_max_name_bytes} bytes in UTF-8, this one {length}.")


class ExpertKeys:
    """An expert's keys. All are derived from one root, so they are the same on each of the expert's devices."""

    def __init__(self, root: bytes) -> None:
        if len(root) != 32:
            raise invalid_input(f"A root has 32 bytes, this one {len(root)}: the recovery code restores it.")
        self._root = root
        self._seed = derive(root, encode_tuple("expert-relay/v4/expert-sign"))
        identity = Ed25519PrivateKey.from_private_bytes(self._seed).public_key().public_bytes_raw()
        self.identity = public_key(identity, "sign")

    def keys_for(self, request_id: str) -> OwnKeys:
        return OwnKeys(self._seed, derive(self._root, encode_tuple("expert-relay/v4/expert-dh", request_id)))

    def __repr__(self) -> str:
        return "ExpertKeys(...)"
