"""Verifies a receipt without the SDKs: python3 verify-receipt.py decision.json ["04918 22734 ..."]

docs/receipts.md says what is checked, and what it proves. Not checked here: limits of numbers and texts in a form, names of files,
keys of small order. Exit code 0: accepted, 13: declined, 16: no fingerprint was given, 7: refused, with the reason."""

import base64, hashlib, io, json, pathlib, re, sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEYS = ("consumerSignPubKey", "consumerEncryptPubKey", "providerSignPubKey", "providerEncryptPubKey")
ASKED = ("agentVersions", "agentName", "question", "plaintext", "answerForm")
PRINTED = ("refCode", "requestId", "fingerprint", "askedAt", "madeAt", "asked", "outcome")
TYPES = {"string": [str], "boolean": [bool], "integer": [int], "number": [int, float], "array": [list]}

# The members of the file: each with the pattern of a text, or with the length of bytes, where 0 is any.
TEXT, UUID = "(?s:.*)", "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
MESSAGE = {"ciphertext": 0, "iv": 12, "key": 32, "messageId": UUID, "role": "consumer|provider", "signature": 64, "tag": 16}
FILE = {"asked": {**dict.fromkeys(ASKED, TEXT), "messages": [{"content": TEXT, "role": TEXT}]}, "askedAt": TIME,
        **dict.fromkeys(KEYS, 32), "fingerprint": TEXT, "format": "expert-relay/v4/receipt", "keySignature": 0, "madeAt": TIME,
        "messages": [MESSAGE], "openingKey": 32, "outcome": "accept|decline", "refCode": TEXT, "requestId": TEXT, "signature": 64}
OPTIONAL = {"askedAt", "key", "openingKey"}

class Refused(Exception):
    """Its text is the reason."""

def need(condition):
    if not condition:
        raise ValueError

def read(value, shape):
    """The value, with bytes in place of base64."""
    if isinstance(shape, dict):
        need(shape.keys() - OPTIONAL <= value.keys() <= shape.keys())
        return {name: read(one, shape[name]) for name, one in value.items()}
    if isinstance(shape, list):
        need(isinstance(value, list))
        return [read(one, shape[0]) for one in value]
    if isinstance(shape, str):
        need(re.fullmatch(shape, value, re.ASCII))
        return value
    data = base64.b64decode(value)
    need(base64.b64encode(data).decode() == value and shape in (0, len(data)))
    return data

def canonical(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

def pack(label, *members):
    data = [one.encode() if isinstance(one, str) else one for one in ("expert-relay/v4/" + label, *members)]
    return b"".join(len(one).to_bytes(4, "big") + one for one in data)

def read_frame(frame, role):
    """Its links, text and kinds of parts, the form in it, and the answer with the name of the form that it is about."""
    rest = io.BytesIO(frame)
    def take(length):
        need(len(taken := rest.read(length)) == length)
        return taken
    def sized():
        return take(int.from_bytes(take(4), "big"))
    need(take(1) == b"\xf8")
    links, text = [take(32) for _ in range(take(1)[0])], sized().decode()
    parts = [(take(1)[0], sized()) for _ in range(take(1)[0])]
    kinds, most = [kind for kind, _ in parts], {1: role == "consumer", 2: role == "provider", 3: 8}
    need(all(kinds.count(kind) <= most[kind] for kind in most) and kinds == sorted(kinds) and len(kinds) <= 16)
    need(not any(rest.read()) and (text or parts))
    form, answer = (dict(parts).get(kind, b"") for kind in (1, 2))
    need(len(answer) >= 32 or 2 not in kinds)
    said = {"form": form.decode(), "of": answer[:32], "answer": answer[32:].decode()}
    return {"links": links, "text": text, "kinds": kinds, **said}

def fits(field, value):
    items, values = field.get("items", field), value if isinstance(value, list) else [value]
    options = items.get("enum") or [one["const"] for one in items.get("oneOf") or items.get("anyOf") or ()]
    return type(value) in TYPES[field["type"]] and (not options or all(one in options for one in values))

def verify(data, fingerprint=None):
    """What is proven. Whatever fails is refused with the last reason above it."""
    reason = "malformed_receipt"
    try:
        file = json.loads(data.decode())
        written, receipt = canonical(file), read(file, FILE)
        asked, keys = receipt["asked"], [receipt[name] for name in KEYS]
        need(len(asked["messages"]) <= 10 and len({*keys}) == 4)
        reason = "receipt_not_canonical"
        need(written == data)

        reason = "unknown_expert"
        digest = hashlib.sha512(pack("fingerprint", receipt["providerSignPubKey"])).digest()
        own = " ".join(f"{int.from_bytes(digest[at : at + 5], 'big') % 100_000:05}" for at in range(0, 40, 5))
        need(receipt["fingerprint"] == own and re.sub("[^0-9]", "", fingerprint or own) == own.replace(" ", ""))

        reason = "key_signature_wrong"
        proof = receipt["keySignature"]
        submission, signature, versions = proof[:32], proof[32:96], proof[96:]
        need(len(versions) <= 16 and [*versions] == sorted({*versions}) and 4 in versions)
        exchange = pack("key-exchange", receipt["requestId"], *keys, submission, versions)
        Ed25519PublicKey.from_public_bytes(receipt["providerSignPubKey"]).verify(signature, exchange)

        reason = "question_altered"
        said = [one[name] for one in asked["messages"] for name in ("role", "content")]
        texts = pack("submission", receipt["refCode"], *(asked[name] for name in ASKED), *said)
        need(hashlib.sha256(texts).digest() == submission)

        secret, conversation, messages = None, hashlib.sha256(exchange).digest(), {}
        if "openingKey" in receipt:
            reason = "malformed_receipt"
            need(not any("key" in one for one in receipt["messages"]))
            reason = "undecryptable"
            agreement = X25519PrivateKey.from_private_bytes(receipt["openingKey"])
            need(agreement.public_key().public_bytes_raw() == receipt["consumerEncryptPubKey"])
            secret = agreement.exchange(X25519PublicKey.from_public_bytes(receipt["providerEncryptPubKey"]))
        for one in receipt["messages"]:
            reason = "wrong_signature"
            role, content = one["role"], None
            blob = one["iv"], one["ciphertext"], one["tag"]
            signed = pack("message", conversation, role, one["messageId"], receipt[role + "EncryptPubKey"], *blob)
            Ed25519PublicKey.from_public_bytes(receipt[role + "SignPubKey"]).verify(one["signature"], signed)
            derivation = HKDF(SHA256(), 32, one["messageId"].encode(), pack("message-key", conversation, role))
            key = derivation.derive(secret) if secret else one.get("key")
            if key:
                reason = "undecryptable"
                frame = AESGCM(key).decrypt(one["iv"], one["ciphertext"] + one["tag"], None)
                reason = "malformed_frame"
                content = read_frame(frame, role)
                reason = "message_missing"
                need({*content["links"]} <= messages.keys())
            reason = "malformed_receipt"
            link = hashlib.sha256(signed).digest()
            need(link not in messages)
            messages[link] = (role, content)

        reason = "no_decision"
        role, last = [*messages.values()][-1]
        need(role == "provider" and last["of"] and not any(kind == 0 or 4 <= kind < 64 for kind in last["kinds"]))
        reason = "message_missing"
        form = asked["answerForm"] if last["of"] == submission else messages[last["of"]][1]["form"]
        reason = "no_decision"
        answer = json.loads(last["answer"])
        need(answer.keys() <= {"action", "content", "decidedAt", "comment"} and isinstance(answer["decidedAt"], str))
        need(form and answer["action"] == receipt["outcome"] and ("content" in answer) == (receipt["outcome"] == "accept"))
        if "content" in answer:
            fields, content = json.loads(form), answer["content"]
            need({*fields.get("required", ())} <= content.keys() <= fields["properties"].keys())
            need(all(fits(fields["properties"][name], value) for name, value in content.items()))

        reason = "message_missing"
        if asked["question"] == "A confidential question: pick it up to read it.":
            first = next(content for role, content in messages.values() if role == "consumer")
            need(not first["links"])
            asked["question"] = first["text"]

        reason = "receipt_signature_wrong"
        stated = pack("receipt", canonical({name: member for name, member in file.items() if name != "signature"}))
        Ed25519PublicKey.from_public_bytes(receipt["consumerSignPubKey"]).verify(receipt["signature"], stated)
    except Exception:
        raise Refused(reason) from None
    said = [(role, content and content["text"]) for role, content in messages.values()]
    return {**{name: receipt.get(name) for name in PRINTED}, "messages": said, "form": form, "answer": last["answer"]}

def main(path, fingerprint=None):
    try:
        proven = verify(pathlib.Path(path).read_bytes(), fingerprint)
    except Refused as reason:
        print(f"refused: {reason}")
        return 7
    print(json.dumps(proven, indent=2))
    return 16 if fingerprint is None else 0 if proven["outcome"] == "accept" else 13

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
