"""Decrypts the bodies of Web Push (RFC 8291). Reads JSON with lists of private keys, secrets and bodies, and prints the texts."""
import base64
import json
import sys

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec

given = json.load(sys.stdin)
private = int.from_bytes(base64.b64decode(given["private"]), "big")
key = ec.derive_private_key(private, ec.SECP256R1())
texts = [
    http_ece.decrypt(
        base64.b64decode(body), private_key=key, auth_secret=base64.b64decode(given["auth"])
    ).decode()
    for body in given["bodies"]
]
print(json.dumps(texts))
