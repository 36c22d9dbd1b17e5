"""Public keys of other parties, and what makes them unusable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .._errors import RelayError, refusal
from .encoding import from_base64, to_base64

KeyKind = Literal["sign", "encrypt"]
"""`sign`: Ed25519, for signatures. `encrypt`: X25519, for the shared secret."""

_names = {"sign": "Ed25519", "encrypt": "X25519"}
_starts = {
    "sign": bytes.fromhex("302a300506032b6570032100"),
    "encrypt": bytes.fromhex("302a300506032b656e032100"),
}
_prime = 2**255 - 19
_max_length = 1000
_space = r"[ \t\r\n]"
_one_block = re.compile(
    rf"{_space}*-----BEGIN PUBLIC KEY-----{_space}([A-Za-z0-9+/= \t\r\n]+){_space}-----END PUBLIC KEY-----{_space}*"
)


def _little(text: str) -> int:
    return int.from_bytes(bytes.fromhex(text), "little")


# No ordinary key is a point of small order. With such an X25519 key every shared secret is zero; such an Ed25519 key accepts one
# signature for every message.
_small_order = {
    "sign": {
        0,
        1,
        _prime - 1,
        _little("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
        _little("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    },
    "encrypt": {
        0,
        1,
        _prime - 1,
        _little("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        _little("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    },
}


@dataclass(frozen=True)
class PublicKey:
    """A public key that passed all checks: right kind, only valid encoding, full strength."""

    kind: KeyKind
    raw: bytes

    @property
    def pem(self) -> str:
        """As it is sent."""
        return f"-----BEGIN PUBLIC KEY-----\n{to_base64(_starts[self.kind] + self.raw)}\n-----END PUBLIC KEY-----\n"


@dataclass(frozen=True)
class PublicKeys:
    """The public keys of one side."""

    sign: PublicKey
    encrypt: PublicKey


def parse_public_key(pem: object, kind: KeyKind) -> PublicKey:
    """Reads a public key that another party sent: exactly one PEM block with one key of this kind."""
    block = _one_block.fullmatch(pem) if isinstance(pem, str) and len(pem) <= _max_length else None
    der = from_base64(re.sub(_space, "", block[1])) if block else None
    if der is None or len(der) != 44 or not der.startswith(_starts[kind]):
        raise refusal("invalid_public_key", f"This is no {_names[kind]} public key in one PEM block.")
    return public_key(der[12:], kind)


def public_key(raw: bytes, kind: KeyKind) -> PublicKey:
    """Refuses 32 bytes that protect nothing or have a second encoding."""
    point = int.from_bytes(raw, "little")
    # In an Ed25519 key the top bit is the sign of x. In an X25519 key it is ignored: that would be a second encoding.
    if kind == "sign":
        point %= 2**255
    if point >= _prime or point in _small_order[kind]:
        raise protects_nothing(kind)
    return PublicKey(kind, raw)


def parse_public_keys(sign: object, encrypt: object) -> PublicKeys:
    return PublicKeys(parse_public_key(sign, "sign"), parse_public_key(encrypt, "encrypt"))


def protects_nothing(kind: KeyKind) -> RelayError:
    return refusal("invalid_public_key", f"This {_names[kind]} public key protects nothing.")
