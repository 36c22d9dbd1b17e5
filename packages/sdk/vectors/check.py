#!/usr/bin/env python3
"""Checks docs/crypto-vectors.json with an implementation of docs/crypto.md in Python.

    pip install -r packages/sdk/vectors/requirements.txt
    python3 packages/sdk/vectors/check.py [VECTORS]

It shares nothing with the SDK but the document. If every case has the expected outcome, it prints one line and exits
with 0. Otherwise it names the other cases and exits with 1. `npm test` runs it.
"""

import base64
import hashlib
import io
import json
import re
import sys
import uuid
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


SUBMITTED = ["refCode", "agentVersions", "agentName", "question", "plaintext", "answerForm"]


def digest_submission(case):
    """The texts as they are submitted, and the code; of `messages` the relay keeps the last 10."""
    said = [text for message in case["messages"][-10:] for text in (message["role"], message["content"])]
    try:
        members = join("expert-relay/v4/submission", *(case.get(name) or "" for name in SUBMITTED), *said)
    except UnicodeEncodeError:
        raise Refusal("invalid_input") from None
    return {"submission": hashlib.sha256(members).hexdigest()}


OWN_VERSIONS = b"\x04"


def exchange_bytes(request_id, consumer, provider, submission, versions=OWN_VERSIONS):
    return join("expert-relay/v4/key-exchange", request_id, *in_order(consumer, provider), submission, versions)


def read_proof(text, code):
    """The question's digest, the signature and the versions of a keySignature."""
    proof = unb64(text, code)
    versions = proof[96:]
    refuse_unless(1 <= len(versions) <= 16 and list(versions) == sorted(set(versions)), code)
    refuse_unless(4 in versions, "unsupported_version")
    return proof[:32], proof[32:96], versions


def provider_of(exchange):
    return parse_pems({"sign": exchange["providerSignPubKey"], "encrypt": exchange["providerEncryptPubKey"]})


def check_exchange(case):
    own, exchange, known = parse_pems(case["own"]), case["exchange"], case.get("known", [])
    provider = provider_of(exchange)
    refuse_own(own, provider)
    fingerprint = fingerprint_of(provider["sign"])
    expected = [read_fingerprint(one) for one in known]
    refuse_unless(not expected or fingerprint in expected, "unknown_expert")
    if exchange.get("keySignature") is None:
        refuse_unless(not expected and case.get("acceptUnprotected"), "key_signature_missing")
        verified, signed = "unverified", exchange_bytes(case["requestId"], own, provider, bytes.fromhex(case["submission"]))
    else:
        submission, signature, versions = read_proof(exchange["keySignature"], "key_signature_wrong")
        signed = exchange_bytes(case["requestId"], own, provider, submission, versions)
        refuse_unless(verifies(provider["sign"], signature, signed), "key_signature_wrong")
        refuse_unless(submission.hex() == case["submission"], "question_altered")
        verified = "known" if expected else "first-contact"
    return {"fingerprint": fingerprint, "verified": verified, "conversation": hashlib.sha256(signed).hexdigest()}


def check_pick_up(case):
    own, consumer = raw_of(expert_pairs(case["root"], case["requestId"])), parse_pems(case["consumer"])
    provider = provider_of(case["exchange"])
    refuse_unless(provider["sign"] == own["sign"], "keys_changed")
    submission, signature, versions = read_proof(case["exchange"].get("keySignature"), "keys_changed")
    refuse_unless(provider == own, "keys_changed")
    signed = exchange_bytes(case["requestId"], consumer, own, submission, versions)
    refuse_unless(verifies(own["sign"], signature, signed), "keys_changed")
    refuse_unless(submission.hex() == case["submission"], "question_altered")
    return {"conversation": hashlib.sha256(signed).hexdigest()}


def sign_exchange(case):
    pairs = expert_pairs(case["root"], case["requestId"])
    submission = bytes.fromhex(case["submission"])
    signed = exchange_bytes(case["requestId"], parse_pems(case["consumer"]), raw_of(pairs), submission)
    return {"keySignature": b64(submission + pairs["sign"].sign(signed) + OWN_VERSIONS)}


def check_unchanged(case):
    refuse_unless(case["later"] is not None, "keys_changed")
    refuse_unless(parse_pems(case["first"]) == parse_pems(case["later"]), "keys_changed")
    return {}


def expert(case):
    pairs = expert_pairs(case["root"], case["requestId"])
    return {**pems_of(pairs), "fingerprint": fingerprint_of(raw_of(pairs)["sign"])}


def once_keys(case):
    secret, name = bytes.fromhex(case["secret"]), case["name"]
    try:
        refuse_unless(len(secret) == 32 and 1 <= len(name.encode()) <= 255, "invalid_input")
    except UnicodeEncodeError:
        raise Refusal("invalid_input") from None
    uses = ("once-sign", "once-dh", "once-question")
    sign, agreement, question = (hkdf(secret, b"", join(f"expert-relay/v4/{use}", name)) for use in uses)
    question_id = str(uuid.UUID(bytes=question[:16], version=4))
    return {"sign": b64(sign), "encrypt": b64(agreement), "questionId": question_id}


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
    if length <= 1024:
        return 1024
    e = length.bit_length() - 1
    s = e.bit_length()
    step = 2 ** (e - s)
    return min(LARGEST_FRAME, -(-length // step) * step)


def bytes_of(parts):
    ordered = sorted(parts, key=lambda part: part[0])
    return bytes([len(parts)]) + b"".join(bytes([kind]) + join(body) for kind, body in ordered)


def write_frame(links, text, parts):
    refuse_unless((text or parts) and len(parts) <= 16, "invalid_input")
    content = bytes([0xF8, len(links)]) + b"".join(links) + join(text) + bytes_of(parts)
    refuse_unless(len(content) <= LARGEST_FRAME, "message_too_large")
    return content.ljust(padded(len(content)), b"\0")


def read_frame(data):
    code, links, text, parts = "malformed_frame", None, data, []
    if data and data[0] >= 0xF8:
        refuse_unless(data[0] == 0xF8, code)
        rest = io.BytesIO(data[1:])

        def take(length):
            taken = rest.read(length)
            refuse_unless(len(taken) == length, code)
            return taken

        def take_sized():
            return take(int.from_bytes(take(4), "big"))

        links = [take(32) for _ in range(take(1)[0])]
        text = take_sized()
        count = take(1)[0]
        refuse_unless(count <= 16, code)
        parts = [(take(1)[0], take_sized()) for _ in range(count)]
        kinds = [kind for kind, _ in parts]
        refuse_unless(kinds == sorted(kinds) and not any(rest.read()), code)
    refuse_unless(text or parts, code)
    try:
        return links, text.decode("utf-8"), parts
    except UnicodeDecodeError:
        raise Refusal(code) from None


TOKEN = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"


def take_member(data, code):
    """The first member of a tuple, and what is behind it."""
    end = 4 + int.from_bytes(data[:4], "big")
    refuse_unless(len(data) >= 4 and len(data) >= end, code)
    return data[4:end], data[end:]


def read_parts(parts, role, code="malformed_frame"):
    """The parts of the kinds 1 to 3, and whether there are others."""
    allowed = {"consumer": {1: 1, 2: 0, 3: 8}, "provider": {1: 0, 2: 1, 3: 8}}[role]
    read, files = {}, []
    for kind, most in allowed.items():
        refuse_unless(sum(part[0] == kind for part in parts) <= most, code)
    try:
        for kind, body in parts:
            if kind == 1:
                read["form"] = body.decode("utf-8")
            elif kind == 2:
                refuse_unless(len(body) >= 32, code)
                read["answer"] = {"of": body[:32].hex(), "json": body[32:].decode("utf-8")}
            elif kind == 3:
                name, rest = take_member(body, code)
                media_type, data = take_member(rest, code)
                refuse_unless(1 <= len(name) <= 255 and len(media_type) <= 127, code)
                refuse_unless(re.fullmatch(f"{TOKEN}/{TOKEN}", media_type.decode("utf-8")), code)
                files.append({"name": name.decode("utf-8"), "mediaType": media_type.decode(), "bytes": data.hex()})
    except UnicodeDecodeError:
        raise Refusal(code) from None
    unknown = any(kind not in (1, 2, 3) for kind, _ in parts)
    return {**read, **({"files": files} if files else {}), **({"hasUnknownPart": True} if unknown else {})}


def write_parts(case):
    """What a sender may send: it has limits that a reader does not have."""
    times, files, parts = case.get("times", 1), case.get("files", []), []
    contents = [bytes.fromhex(file["bytes"]) * times for file in files]
    try:
        if "form" in case:
            form = (case["form"] * times).encode()
            refuse_unless(len(form) <= 8_192, "invalid_input")
            parts.append((1, form))
        if "answer" in case:
            of, answer = bytes.fromhex(case["answer"]["of"]), (case["answer"]["json"] * times).encode()
            refuse_unless(len(of) == 32 and len(answer) <= 65_536, "invalid_input")
            parts.append((2, of + answer))
        refuse_unless(sum(map(len, contents)) <= 700_000, "message_too_large")
        parts += [(3, join(file["name"], file["mediaType"]) + data) for file, data in zip(files, contents)]
    except UnicodeEncodeError:
        raise Refusal("invalid_input") from None
    read_parts(parts, case["role"], "invalid_input")
    written = bytes_of(parts)
    return {"length": len(written), "sha256": hashlib.sha256(written).hexdigest()}


class Channel:
    def __init__(self, side, accept_unprotected=False):
        own, request_id = side["own"], side["requestId"]
        self.role, self.accept_unprotected = side["role"], accept_unprotected
        self.agent_sent_keys = not side.get("withoutKeys")
        self.pairs = expert_pairs(own["root"], request_id) if "root" in own else agent_pairs(own)
        self.keys = None
        if "peer" not in side:
            return
        mine, peer = raw_of(self.pairs), parse_pems(side["peer"])
        refuse_own(mine, peer)
        other = {"consumer": "provider", "provider": "consumer"}[self.role]
        self.keys = {self.role: mine, other: peer}
        self.secret = self.pairs["encrypt"].exchange(X25519PublicKey.from_public_bytes(peer["encrypt"]))
        submission, versions = bytes.fromhex(side["submission"]), OWN_VERSIONS
        if side.get("keySignature") is not None:
            _, _, versions = read_proof(side["keySignature"], "key_signature_wrong")
        signed = exchange_bytes(request_id, self.keys["consumer"], self.keys["provider"], submission, versions)
        self.conversation = hashlib.sha256(signed).digest()
        # Of each message that was seen, in order, its links and how many of this side's own messages it covers.
        self.seen, self.sealed, self.unlisted, self.own = {}, [], [], 0

    def cipher(self, role, message_id):
        info = join("expert-relay/v4/message-key", self.conversation, role)
        return AESGCM(hkdf(self.secret, message_id.encode(), info))

    def signed(self, role, message_id, *parts):
        return join("expert-relay/v4/message", self.conversation, role, message_id, *parts)

    def loose_ends(self, shown):
        """Of these messages and all before them, those that no other of them links to, oldest first."""
        every, todo, linked = set(), list(shown), set()
        while todo:
            link = todo.pop()
            refuse_unless(link in self.seen, "message_missing")
            if link not in every:
                every.add(link)
                linked.update(self.seen[link][0])
                todo.extend(self.seen[link][0])
        return [link for link in self.seen if link in every and link not in linked]

    def seal(self, message_id, iv, text, parts, shown):
        refuse_unless(is_uuid(message_id), "invalid_input")
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise Refusal("invalid_input") from None
        read_parts(parts, self.role, "invalid_input")
        links = self.loose_ends(self.seen if shown is None else [*shown, *self.sealed])[:255]
        frame = write_frame(links, data, parts)
        sealed = self.cipher(self.role, message_id).encrypt(iv, frame, None)
        key = self.keys[self.role]["encrypt"]
        signed = self.signed(self.role, message_id, key, iv, sealed[:-16], sealed[-16:])
        members = {"iv": iv, "ciphertext": sealed[:-16], "tag": sealed[-16:], "ephemeralPublicKey": key}
        link = hashlib.sha256(signed).digest()
        self.add(link, links, True)
        self.unlisted.append(link)
        self.sealed.append(link)
        message = {
            "messageId": message_id,
            "encrypted": {name: b64(data) for name, data in members.items()},
            "signature": b64(self.pairs["sign"].sign(signed)),
        }
        return {"message": message, "links": b"".join(links).hex(), "link": link.hex()}

    def add(self, link, links, is_own):
        if is_own:
            self.own += 1
        covers = self.own if is_own else max((self.seen[earlier][1] for earlier in links), default=0)
        self.seen[link] = (links, covers)

    def open(self, record):
        code = "malformed_message"
        role, message_id = record["role"], record["messageId"]
        refuse_unless(role in ("consumer", "provider") and is_uuid(message_id), code)
        if record.get("encrypted") is None and record.get("signature") is None:
            refuse_unless(isinstance(record.get("plaintext"), str) and record["plaintext"] != "", code)
            shows = self.accept_unprotected if self.role == "consumer" else role == "provider"
            refuse_unless(self.keys is None and (shows or not self.agent_sent_keys), "plaintext_refused")
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
        links, text, parts = read_frame(frame)
        carried = read_parts(parts, role)
        refuse_unless(links is not None or self.role == "provider" or self.accept_unprotected, "unsequenced_refused")
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
        seen_your_last = {} if is_own else {"seenYourLast": self.seen[link][1] == self.own}
        return {"text": text, "protection": "sequenced", **seen_your_last, **carried}


def is_uuid(text):
    return isinstance(text, str) and re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text)


def frame(case):
    links, text, parts = read_frame(bytes.fromhex(case["frame"]))
    listed = [{"kind": kind, "body": body.hex()} for kind, body in parts]
    return {"links": None if links is None else b"".join(links).hex(), "text": text, "parts": listed}


def seal(case):
    channel = Channel(case["side"])
    for record in case["before"]:
        seal_text(channel, record) if "iv" in record else channel.open(record)
    return seal_text(channel, case)


def seal_text(channel, case):
    parts = [(part["kind"], bytes.fromhex(part["body"]) * part.get("times", 1)) for part in case.get("parts", [])]
    shown = None if "shown" not in case else [bytes.fromhex(link) for link in case["shown"]]
    return channel.seal(case["messageId"], bytes.fromhex(case["iv"]), case["text"] * case.get("times", 1), parts, shown)


def open_records(case):
    """In a case to refuse, only the last record may be refused."""
    channel, opened = Channel(case["side"], case.get("acceptUnprotected", False)), []
    for at, record in enumerate(case["records"]):
        try:
            if "iv" in record:
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
    "check-pick-up": check_pick_up,
    "check-unchanged": check_unchanged,
    "fingerprint": lambda case: {"fingerprint": read_fingerprint(case["typed"])},
    "make-recovery-code": make_code,
    "read-recovery-code": lambda case: {"characters": read_code(case["typed"])},
    "seal-vault": seal_vault,
    "open-vault": open_vault,
    "padding": lambda case: {"padded": padded(case["length"])},
    "parts": write_parts,
    "frame": frame,
    "seal": seal,
    "open": open_records,
    "once-keys": once_keys,
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
