"""The expert's root, encrypted with a recovery code. The Python SDK has no sign-in, so it has no vault: this checks the specification."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from expert_relay import RelayError
from expert_relay._crypto.encoding import encode_tuple, from_base64, to_base64
from expert_relay._crypto.keys import ExpertKeys, derive

_scheme = "expert-relay/v4"
_info = "expert-relay/v4/vault"
# Crockford's base32: no letter in it looks like another character.
_alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_length = 26
# As docs/crypto-keys.md lists it: Python's own white space is not the same.
_separators = re.compile(
    "[-\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2010-\u2015\u2028\u2029\u202f\u205f\u3000\ufeff]"
)


def make_recovery_code(random_bytes: Callable[[int], bytes] = os.urandom) -> str:
    """A code of 130 random bits, to be shown once: `XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX`."""
    characters = _encode(random_bytes(17), _length)
    whole = characters + _check_characters(characters)
    return "-".join(whole[at : at + 4] for at in range(0, 28, 4))


def parse_recovery_code(text: str) -> str:
    """The 26 characters of a code that a user typed."""
    typed = re.sub("[a-z]", lambda letter: letter[0].upper(), _separators.sub("", text))
    whole = typed.replace("O", "0").replace("I", "1").replace("L", "1")
    characters = whole[:_length]
    is_complete = len(whole) == 28 and all(one in _alphabet for one in whole)
    if is_complete and whole[_length:] == _check_characters(characters):
        return characters
    raise RelayError(
        "wrong_recovery_code",
        "This recovery code has a typing mistake: it has seven groups of four letters or digits. "
        "Compare it with what you wrote down.",
    )


def _check_characters(characters: str) -> str:
    return _encode(hashlib.sha256(characters.encode("ascii")).digest(), 2)


def _encode(data: bytes, count: int) -> str:
    """Five bits for each character, first bits first."""
    bits = "".join(f"{byte:08b}" for byte in data)
    return "".join(_alphabet[int(bits[at : at + 5], 2)] for at in range(0, count * 5, 5))


def seal_vault(root: bytes, code: str, random_bytes: Callable[[int], bytes] = os.urandom) -> dict[str, str]:
    identity = ExpertKeys(root).identity.raw
    salt, iv = random_bytes(16), random_bytes(12)
    ciphertext = _cipher(code, salt).encrypt(iv, root, encode_tuple(_info, identity))
    members = {"identity": identity, "salt": salt, "iv": iv, "ciphertext": ciphertext}
    return {"scheme": _scheme, **{name: to_base64(data) for name, data in members.items()}}


def open_vault(vault: Mapping[str, Any], code: str) -> bytes:
    """Decrypts the root. Raises `wrong_recovery_code` or `untrusted` (`malformed_vault`)."""
    identity, salt = _member(vault, "identity", 32), _member(vault, "salt", 16)
    iv, ciphertext = _member(vault, "iv", 12), _member(vault, "ciphertext", 48)
    if vault.get("scheme") != _scheme:
        raise _malformed("its scheme is not expert-relay/v4")
    try:
        root = _cipher(code, salt).decrypt(iv, ciphertext, encode_tuple(_info, identity))
    except InvalidTag:
        raise RelayError(
            "wrong_recovery_code",
            "This recovery code does not open the vault: it belongs to another one, or the vault was altered. "
            "Use the code that was shown last.",
        ) from None
    if ExpertKeys(root).identity.raw != identity:
        raise _malformed("it holds another identity than it names")
    return root


def _member(vault: Mapping[str, Any], name: str, length: int) -> bytes:
    data = from_base64(vault.get(name))
    if data is None or len(data) != length:
        raise _malformed(f"its {name} is not {length} bytes in base64")
    return data


def _malformed(why: str) -> RelayError:
    return RelayError(
        "malformed_vault",
        f"This vault cannot be opened: {why}. Use a device that still has the key, or make a new one.",
    )


def _cipher(code: str, salt: bytes) -> AESGCM:
    return AESGCM(derive(parse_recovery_code(code).encode("ascii"), encode_tuple(_info), salt))
