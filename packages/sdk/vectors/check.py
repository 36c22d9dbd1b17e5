#!/usr/bin/env python3
"""Checks docs/crypto-vectors.json with an implementation of docs/crypto.md in Python.

    pip install -r packages/sdk/vectors/requirements.txt
    python3 packages/sdk/vectors/check.py [VECTORS]

It shares nothing with the SDK but the document. If every case has the expected outcome, it prints one line and exits
with 0. Otherwise it names the other cases and exits with 1. `npm test` runs it.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

try:
    from cryptography.exceptions import InvalidSignature, InvalidTag
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
except ImportError:
    sys.exit("The Python package cryptography is missing: pip install cryptography")

PRIME = 2**255 - 19
SPKI = {"sign": bytes.fromhex("302a300506032b6570032100"), "encrypt": bytes.fromhex("302a300506032b656e032100")}
WEAK = {
    "sign": [
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ],
    "encrypt": [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ],
}
# As the page lists it: what Python takes for white space is not the same.
CODE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Refusal(Exception):
    pass


def refuse_unless(condition, code):
    if not condition:
        raise Refusal(code)


def b64(data):
    return base64.b64encode(data).decode()


def unb64(text, code, length=None):
    refuse_unless(isinstance(text, str), code)
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Refusal(code) from None
    refuse_unless(b64(data) == text and length in (None, len(data)), code)
    return data


def join(*members):
    parts = [member.encode() if isinstance(member, str) else member for member in members]
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def hkdf(secret, salt, info):
    return HKDF(SHA256(), 32, salt, info).derive(secret)


def parse_pem(kind, pem):
    space = r"[ \t\r\n]"
    block = f"{space}*-----BEGIN PUBLIC KEY-----{space}([A-Za-z0-9+/= \t\r\n]+){space}-----END PUBLIC KEY-----{space}*"
    match = re.fullmatch(block, pem) if len(pem) <= 1000 else None
    refuse_unless(match, "invalid_public_key")
    der = unb64(re.sub(space, "", match[1]), "invalid_public_key", 44)
    refuse_unless(der.startswith(SPKI[kind]), "invalid_public_key")
    raw = der[12:]
    point = int.from_bytes(raw, "little")
    if kind == "sign":
        point %= 2**255
    weak = [0, 1, PRIME - 1] + [int.from_bytes(bytes.fromhex(text), "little") for text in WEAK[kind]]
    refuse_unless(point < PRIME and point not in weak, "invalid_public_key")
    return raw


def parse_pems(keys):
    return {kind: parse_pem(kind, keys[kind]) for kind in ("sign", "encrypt")}


def pem_of(kind, raw):
    return f"-----BEGIN PUBLIC KEY-----\n{b64(SPKI[kind] + raw)}\n-----END PUBLIC KEY-----\n"


def agent_pairs(keys):
    return {
        "sign": Ed25519PrivateKey.from_private_bytes(unb64(keys["sign"], "invalid_input", 32)),
        "encrypt": X25519PrivateKey.from_private_bytes(unb64(keys["encrypt"], "invalid_input", 32)),
    }


def expert_pairs(root, request_id):
    secret = bytes.fromhex(root)
    seed = hkdf(secret, b"", join("expert-relay/v4/expert-sign"))
    private = hkdf(secret, b"", join("expert-relay/v4/expert-dh", request_id))
    return {
        "sign": Ed25519PrivateKey.from_private_bytes(seed),
        "encrypt": X25519PrivateKey.from_private_bytes(private),
    }


def raw_of(pairs):
    return {kind: pair.public_key().public_bytes_raw() for kind, pair in pairs.items()}


def pems_of(pairs):
    return {kind: pem_of(kind, raw) for kind, raw in raw_of(pairs).items()}


def in_order(consumer, provider):
    return [consumer["sign"], consumer["encrypt"], provider["sign"], provider["encrypt"]]


def verifies(key, signature, signed):
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
        return True
    except InvalidSignature:
        return False


def refuse_own(own, peer):
    refuse_unless(own["sign"] != peer["sign"] and own["encrypt"] != peer["encrypt"], "invalid_public_key")


def fingerprint_of(identity):
    digest = hashlib.sha512(join("expert-relay/v4/fingerprint", identity)).digest()
    groups = (int.from_bytes(digest[at : at + 5], "big") % 100_000 for at in range(0, 40, 5))
    return " ".join(f"{group:05}" for group in groups)


def read_fingerprint(typed):
    digits = re.sub(r"[^0-9]", "", typed)
    refuse_unless(len(digits) == 40, "invalid_input")
    return " ".join(digits[at : at + 5] for at in range(0, 40, 5))


def digest_submission(case):
    """`question`, `plaintext` and `messages` as they are submitted; the relay keeps the last 10 of these."""
    said = [text for message in case["messages"][-10:] for text in (message["role"], message["content"])]
    try:
        members = join("expert-relay/v4/submission", case.get("question") or "", case.get("plaintext") or "", *said)
    except UnicodeEncodeError:
        raise Refusal("invalid_input") from None
    return {"submission": hashlib.sha256(members).hexdigest()}


def check_exchange(case):
    own, exchange, known = parse_pems(case["own"]), case["exchange"], case.get("known")
    pems = {"sign": exchange["providerSignPubKey"], "encrypt": exchange["providerEncryptPubKey"]}
    provider = parse_pems(pems)
    refuse_own(own, provider)
    fingerprint = fingerprint_of(provider["sign"])
    if known is not None:
        refuse_unless(read_fingerprint(known) == fingerprint, "unknown_expert")
    if exchange.get("keySignature") is None:
        refuse_unless(known is None, "key_signature_missing")
        return {"fingerprint": fingerprint, "verified": "unverified"}
    proof = unb64(exchange["keySignature"], "key_signature_wrong", 96)
    submission, signature = proof[:32], proof[32:]
    signed = join("expert-relay/v4/key-exchange", case["requestId"], *in_order(own, provider), submission)
    refuse_unless(verifies(provider["sign"], signature, signed), "key_signature_wrong")
    refuse_unless(submission.hex() == case["submission"], "question_altered")
    return {"fingerprint": fingerprint, "verified": "first-contact" if known is None else "known"}


def sign_exchange(case):
    pairs = expert_pairs(case["root"], case["requestId"])
    keys = in_order(parse_pems(case["consumer"]), raw_of(pairs))
    submission = bytes.fromhex(case["submission"])
    signed = join("expert-relay/v4/key-exchange", case["requestId"], *keys, submission)
    return {"keySignature": b64(submission + pairs["sign"].sign(signed))}


def check_unchanged(case):
    refuse_unless(case["later"] is not None, "keys_changed")
    refuse_unless(parse_pems(case["first"]) == parse_pems(case["later"]), "keys_changed")
    return {}


def expert(case):
    pairs = expert_pairs(case["root"], case["requestId"])
    return {**pems_of(pairs), "fingerprint": fingerprint_of(raw_of(pairs)["sign"])}


def crockford(data, count):
    bits = "".join(f"{byte:08b}" for byte in data)
    return "".join(CROCKFORD[int(bits[at : at + 5], 2)] for at in range(0, count * 5, 5))


def check_characters(code):
    return crockford(hashlib.sha256(code.encode()).digest(), 2)


def make_code(case):
    code = crockford(bytes.fromhex(case["random"]), 26)
    code += check_characters(code)
    return {"code": "-".join(code[at : at + 4] for at in range(0, 28, 4))}


def read_code(typed):
    code = re.sub(f"[{CODE_SPACE}\u2010-\u2015-]", "", typed)
    code = re.sub(r"[a-z]", lambda letter: letter[0].upper(), code)
    code = code.replace("O", "0").replace("I", "1").replace("L", "1")
    right = len(code) == 28 and all(character in CROCKFORD for character in code)
    refuse_unless(right and code[26:] == check_characters(code[:26]), "wrong_recovery_code")
    return code[:26]


def wrapping(code, salt):
    return AESGCM(hkdf(read_code(code).encode(), salt, join("expert-relay/v4/vault")))


def seal_vault(case):
    root, salt, iv = (bytes.fromhex(case[name]) for name in ("root", "salt", "iv"))
    identity = raw_of(expert_pairs(case["root"], ""))["sign"]
    sealed = wrapping(case["code"], salt).encrypt(iv, root, join("expert-relay/v4/vault", identity))
    members = {"identity": identity, "salt": salt, "iv": iv, "ciphertext": sealed}
    return {"vault": {"scheme": "expert-relay/v4", **{name: b64(data) for name, data in members.items()}}}


def open_vault(case):
    vault, code = case["vault"], "malformed_vault"
    refuse_unless(vault["scheme"] == "expert-relay/v4", code)
    lengths = {"identity": 32, "salt": 16, "iv": 12, "ciphertext": 48}
    identity, salt, iv, sealed = (unb64(vault[name], code, length) for name, length in lengths.items())
    try:
        root = wrapping(case["code"], salt).decrypt(iv, sealed, join("expert-relay/v4/vault", identity))
    except InvalidTag:
        raise Refusal("wrong_recovery_code") from None
    refuse_unless(raw_of(expert_pairs(root.hex(), ""))["sign"] == identity, code)
    return {"root": root.hex()}


LARGEST_FRAME = 784_000


def padded(length):
    if length <= 256:
        return 256
    e = length.bit_length() - 1
    s = e.bit_length()
    step = 2 ** (e - s)
    return min(LARGEST_FRAME, -(-length // step) * step)


def write_frame(links, text):
    content = bytes([0xF8, len(links)]) + b"".join(links) + len(text).to_bytes(4, "big") + text
    refuse_unless(len(content) <= LARGEST_FRAME, "message_too_large")
    return content.ljust(padded(len(content)), b"\0")


def read_frame(data):
    links, text = None, data
    if data and data[0] >= 0xF8:
        code = "malformed_frame"
        refuse_unless(data[0] == 0xF8 and len(data) >= 2, code)
        start = 2 + 32 * data[1] + 4
        refuse_unless(len(data) >= start, code)
        end = start + int.from_bytes(data[start - 4 : start], "big")
        refuse_unless(len(data) >= end and not any(data[end:]), code)
        links = [data[2 + 32 * at : 34 + 32 * at] for at in range(data[1])]
        text = data[start:end]
    try:
        return links, text.decode("utf-8")
    except UnicodeDecodeError:
        raise Refusal("malformed_frame") from None


class Channel:
    def __init__(self, side, known=None):
        own = side["own"]
        self.request_id, self.role, self.known = side["requestId"], side["role"], known
        self.pairs = expert_pairs(own["root"], self.request_id) if "root" in own else agent_pairs(own)
        self.keys = None
        if "peer" not in side:
            return
        mine, peer = raw_of(self.pairs), parse_pems(side["peer"])
        refuse_own(mine, peer)
        other = {"consumer": "provider", "provider": "consumer"}[self.role]
        self.keys = {self.role: mine, other: peer}
        self.secret = self.pairs["encrypt"].exchange(X25519PublicKey.from_public_bytes(peer["encrypt"]))
        # Of each message that was seen, in order, how many of this side's own it covers.
        self.seen, self.linked, self.unlisted, self.own = {}, set(), [], 0

    def cipher(self, role, message_id):
        keys = in_order(self.keys["consumer"], self.keys["provider"])
        info = join("expert-relay/v4/message-key", self.request_id, role, *keys)
        return AESGCM(hkdf(self.secret, message_id.encode(), info))

    def signed(self, role, message_id, *parts):
        return join("expert-relay/v4/message", self.request_id, role, message_id, *parts)

    def seal(self, message_id, iv, text):
        refuse_unless(is_uuid(message_id), "invalid_input")
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise Refusal("invalid_input") from None
        links = [link for link in self.seen if link not in self.linked][:255]
        frame = write_frame(links, data)
        sealed = self.cipher(self.role, message_id).encrypt(iv, frame, None)
        key = self.keys[self.role]["encrypt"]
        signed = self.signed(self.role, message_id, key, iv, sealed[:-16], sealed[-16:])
        members = {"iv": iv, "ciphertext": sealed[:-16], "tag": sealed[-16:], "ephemeralPublicKey": key}
        link = hashlib.sha256(signed).digest()
        self.add(link, links, True)
        self.unlisted.append(link)
        message = {
            "messageId": message_id,
            "encrypted": {name: b64(data) for name, data in members.items()},
            "signature": b64(self.pairs["sign"].sign(signed)),
        }
        return {"message": message, "links": b"".join(links).hex(), "link": link.hex()}

    def add(self, link, links, is_own):
        if is_own:
            self.own += 1
        self.seen[link] = self.own if is_own else max((self.seen[earlier] for earlier in links), default=0)
        self.linked.update(links)

    def open(self, record):
        code = "malformed_message"
        role, message_id = record["role"], record["messageId"]
        refuse_unless(role in ("consumer", "provider") and is_uuid(message_id), code)
        if record.get("encrypted") is None and record.get("signature") is None:
            refuse_unless(isinstance(record.get("plaintext"), str), code)
            refuse_unless(self.keys is None and (self.role == "provider" or self.known is None), "plaintext_refused")
            return {"text": record["plaintext"], "protection": "plaintext"}
        refuse_unless(self.keys is not None, "undecryptable")
        blob = record.get("encrypted") or {}
        iv = unb64(blob.get("iv"), code, 12)
        ciphertext = unb64(blob.get("ciphertext"), code)
        tag = unb64(blob.get("tag"), code, 16)
        key = unb64(blob.get("ephemeralPublicKey"), code, 32)
        signature = unb64(record.get("signature"), code, 64)
        if key != self.keys[role]["encrypt"]:
            known = key in (keys["encrypt"] for keys in self.keys.values())
            raise Refusal("wrong_role" if known else "wrong_sender_key")
        signed = self.signed(role, message_id, key, iv, ciphertext, tag)
        refuse_unless(verifies(self.keys[role]["sign"], signature, signed), "wrong_signature")
        try:
            frame = self.cipher(role, message_id).decrypt(iv, ciphertext + tag, None)
        except InvalidTag:
            raise Refusal("undecryptable") from None
        links, text = read_frame(frame)
        link = hashlib.sha256(signed).digest()
        is_own = role == self.role
        if link in self.unlisted:
            refuse_unless(self.unlisted[0] == link, "message_missing")
            self.unlisted.pop(0)
        else:
            refuse_unless(link not in self.seen, "message_replayed")
            refuse_unless(all(earlier in self.seen for earlier in links or []), "message_missing")
            self.add(link, links or [], is_own)
        if links is None:
            return {"text": text, "protection": "unsequenced"}
        seen_your_last = {} if is_own else {"seenYourLast": self.seen[link] == self.own}
        return {"text": text, "protection": "sequenced", **seen_your_last}


def is_uuid(text):
    return isinstance(text, str) and re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text)


def frame(case):
    links, text = read_frame(bytes.fromhex(case["frame"]))
    return {"links": None if links is None else b"".join(links).hex(), "text": text}


def seal(case):
    channel = Channel(case["side"])
    for record in case["before"]:
        channel.open(record)
    return seal_text(channel, case)


def seal_text(channel, case):
    return channel.seal(case["messageId"], bytes.fromhex(case["iv"]), case["text"] * case.get("times", 1))


def open_records(case):
    """In a case to refuse, only the last record may be refused."""
    channel, opened = Channel(case["side"], case.get("known")), []
    for at, record in enumerate(case["records"]):
        try:
            if "text" in record:
                seal_text(channel, record)
            else:
                opened.append(channel.open(record))
        except Refusal as refusal:
            raise refusal if at == len(case["records"]) - 1 else Refusal(f"{refusal} too early") from None
    return {"opened": opened}


KINDS = {
    "public-key": lambda case: {"raw": parse_pem(case["kind"], case["pem"]).hex()},
    "agent-keys": lambda case: pems_of(agent_pairs(case)),
    "expert": expert,
    "submission": digest_submission,
    "sign-exchange": sign_exchange,
    "check-exchange": check_exchange,
    "check-unchanged": check_unchanged,
    "fingerprint": lambda case: {"fingerprint": read_fingerprint(case["typed"])},
    "make-recovery-code": make_code,
    "read-recovery-code": lambda case: {"characters": read_code(case["typed"])},
    "seal-vault": seal_vault,
    "open-vault": open_vault,
    "padding": lambda case: {"padded": padded(case["length"])},
    "frame": frame,
    "seal": seal,
    "open": open_records,
}


def outcome(case):
    try:
        return {"output": KINDS[case["kind"]](case["input"])}
    except Refusal as refusal:
        return {"error": str(refusal)}


def main():
    path = Path(__file__).resolve().parents[3] / "docs" / "crypto-vectors.json"
    vectors = json.loads(Path(*sys.argv[1:2] or [path]).read_text(encoding="utf-8"))
    failures = []
    for case in vectors["valid"] + vectors["refused"]:
        expected = {name: case[name] for name in ("output", "error") if name in case}
        actual = outcome(case)
        if actual != expected:
            failures.append(f'{case["name"]}: expected {expected}, but the outcome is {actual}'[:500])
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f'{len(vectors["valid"])} valid cases and {len(vectors["refused"])} to refuse, {len(failures)} failed')
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
