"""All cases of docs/crypto-vectors.json."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from data import read
from vault import make_recovery_code, open_vault, parse_recovery_code, seal_vault

from expert_relay import RelayError
from expert_relay._crypto.channel import Channel
from expert_relay._crypto.encoding import encode_tuple, from_base64, to_base64
from expert_relay._crypto.fingerprint import format_fingerprint, parse_fingerprint
from expert_relay._crypto.frame import Part, padded_length, read_frame
from expert_relay._crypto.key_exchange import (
    Exchange,
    check_exchange,
    check_pick_up,
    check_unchanged,
    digest_conversation,
    sign_exchange,
)
from expert_relay._crypto.keys import ExpertKeys, OwnKeys, once_id, once_keys, restore_agent_keys
from expert_relay._crypto.parts import AnswerPart, File, check_parts, read_parts, write_parts
from expert_relay._crypto.public_key import PublicKeys, parse_public_key, parse_public_keys
from expert_relay._crypto.submission import digest_submission
from expert_relay._thread.message import may_show_plaintext, open_record

Case = dict[str, Any]
vectors = read("docs/crypto-vectors.json")


def public_keys(pems: Case) -> PublicKeys:
    return parse_public_keys(pems["sign"], pems["encrypt"])


def pems(keys: OwnKeys) -> Case:
    return {"sign": keys.public.sign.pem, "encrypt": keys.public.encrypt.pem}


def exchange_of(case: Case) -> Exchange:
    return Exchange(case["providerSignPubKey"], case["providerEncryptPubKey"], case.get("keySignature"))


def conversation(case: Case, consumer: PublicKeys) -> str:
    exchange = exchange_of(case["exchange"])
    provider = parse_public_keys(exchange.sign, exchange.encrypt)
    submission = bytes.fromhex(case["submission"])
    return digest_conversation(case["requestId"], consumer, provider, submission, exchange.key_signature).hex()


def expert(case: Case) -> Case:
    keys = ExpertKeys(bytes.fromhex(case["root"]))
    return {**pems(keys.keys_for(case["requestId"])), "fingerprint": format_fingerprint(keys.identity)}


def submission(case: Case) -> Case:
    return {"submission": digest_submission(case["refCode"], case).hex()}


def run_sign_exchange(case: Case) -> Case:
    keys = ExpertKeys(bytes.fromhex(case["root"]))
    consumer, digest = public_keys(case["consumer"]), bytes.fromhex(case["submission"])
    return {"keySignature": sign_exchange(keys, case["requestId"], consumer, digest)}


def run_check_exchange(case: Case) -> Case:
    own = public_keys(case["own"])
    checked = check_exchange(
        request_id=case["requestId"],
        own=own,
        exchange=exchange_of(case["exchange"]),
        submission=bytes.fromhex(case["submission"]),
        known=case.get("known", ()),
        accept_unprotected=case.get("acceptUnprotected", False),
    )
    return {
        "fingerprint": checked.fingerprint,
        "verified": checked.verification,
        "conversation": conversation(case, own),
    }


def run_check_pick_up(case: Case) -> Case:
    consumer = public_keys(case["consumer"])
    check_pick_up(
        request_id=case["requestId"],
        own=ExpertKeys(bytes.fromhex(case["root"])).keys_for(case["requestId"]).public,
        consumer=consumer,
        exchange=exchange_of(case["exchange"]),
        submission=bytes.fromhex(case["submission"]),
    )
    return {"conversation": conversation(case, consumer)}


def run_check_unchanged(case: Case) -> Case:
    later = case["later"] or {}
    check_unchanged(public_keys(case["first"]), later.get("sign"), later.get("encrypt"))
    return {}


def run_once_keys(case: Case) -> Case:
    derived = once_keys(bytes.fromhex(case["secret"]), case["name"])
    return {**derived.keys.export(), "questionId": derived.question_id}


def run_once_id(case: Case) -> Case:
    return {"id": once_id(case["name"])}


def run_seal_vault(case: Case) -> Case:
    random = [bytes.fromhex(case["salt"]), bytes.fromhex(case["iv"])]
    return {"vault": seal_vault(bytes.fromhex(case["root"]), case["code"], lambda _: random.pop(0))}


def run_parts(case: Case) -> Case:
    times, answer = case.get("times", 1), case.get("answer")
    parts = write_parts(
        form=case["form"] * times if "form" in case else None,
        answer=AnswerPart(bytes.fromhex(answer["of"]), answer["json"] * times) if answer else None,
        files=[
            File(file["name"], bytes.fromhex(file["bytes"]) * times, file["mediaType"]) for file in case.get("files", ())
        ],
    )
    check_parts(parts, case["role"])
    written = bytes([len(parts)]) + b"".join(bytes([part.kind]) + encode_tuple(part.body) for part in parts)
    return {"length": len(written), "sha256": hashlib.sha256(written).hexdigest()}


def run_frame(case: Case) -> Case:
    frame = read_frame(bytes.fromhex(case["frame"]))
    return {
        "links": None if frame.links is None else b"".join(frame.links).hex(),
        "text": frame.text,
        "parts": [{"kind": part.kind, "body": part.body.hex()} for part in frame.parts],
    }


class Side:
    """One side that has accepted an exchange, or has seen none."""

    def __init__(self, side: Case, accept_unprotected: bool) -> None:
        own, request_id = side["own"], side["requestId"]
        keys = (
            ExpertKeys(bytes.fromhex(own["root"])).keys_for(request_id) if "root" in own else restore_agent_keys(own)
        )
        self.role, self.agent_sent_keys = side["role"], not side.get("withoutKeys")
        self.accept_unprotected = accept_unprotected
        self.iv = b""
        self.channel = (
            Channel(
                request_id=request_id,
                role=self.role,
                own=keys,
                peer=public_keys(side["peer"]),
                submission=bytes.fromhex(side["submission"]),
                key_signature=side.get("keySignature"),
                accept_unprotected=accept_unprotected,
                random_bytes=lambda _: self.iv,
            )
            if "peer" in side
            else None
        )

    def seal(self, case: Case) -> Case:
        assert self.channel
        self.iv = bytes.fromhex(case["iv"])
        shown = case.get("shown")
        return self.channel.seal(
            case["text"] * case.get("times", 1),
            message_id=case["messageId"],
            parts=[
                Part(part["kind"], bytes.fromhex(part["body"]) * part.get("times", 1)) for part in case.get("parts", ())
            ],
            shown=None if shown is None else [to_base64(bytes.fromhex(hash)) for hash in shown],
        )

    def open(self, record: Case) -> Case:
        message = open_record(
            record,
            self.channel,
            lambda author: may_show_plaintext(
                self.role,
                author,
                agent_sent_keys=self.agent_sent_keys,
                accept_unprotected=self.accept_unprotected,
            ),
        )
        known = read_parts(message.parts, message.role)
        members: Case = {
            "text": message.text,
            "protection": message.protection,
            "seenYourLast": message.seen_your_last,
            "form": known.form,
            "answer": known.answer and {"of": known.answer.of.hex(), "json": known.answer.json},
            "files": [
                {"name": file.name, "mediaType": file.media_type, "bytes": file.bytes.hex()} for file in known.files
            ]
            or None,
            "hasUnknownPart": known.has_unknown or None,
        }
        return {name: member for name, member in members.items() if member is not None}


def run_seal(case: Case) -> Case:
    side = Side(case["side"], True)
    assert side.channel
    for one in case["before"]:
        side.seal(one) if "iv" in one else side.channel.open(one)
    message = side.seal(case)
    seen = side.channel.state()["seen"]
    hash, _, *positions = seen[-1]
    links = [from_base64(seen[position][0]) or b"" for position in positions]
    return {"message": message, "links": b"".join(links).hex(), "link": (from_base64(hash) or b"").hex()}


def run_open(case: Case) -> Case:
    side = Side(case["side"], case.get("acceptUnprotected", False))
    opened: list[Case] = []
    for at, record in enumerate(case["records"]):
        try:
            if "iv" in record:
                side.seal(record)
            else:
                opened.append(side.open(record))
        except RelayError as error:
            # In a case to refuse, the last record alone is refused.
            assert at == len(case["records"]) - 1, error
            raise
    return {"opened": opened}


runs: dict[str, Callable[[Case], Case]] = {
    "public-key": lambda case: {"raw": parse_public_key(case["pem"], case["kind"]).raw.hex()},
    "agent-keys": lambda case: pems(restore_agent_keys(case)),
    "expert": expert,
    "submission": submission,
    "sign-exchange": run_sign_exchange,
    "check-exchange": run_check_exchange,
    "check-pick-up": run_check_pick_up,
    "check-unchanged": run_check_unchanged,
    "fingerprint": lambda case: {"fingerprint": parse_fingerprint(case["typed"])},
    "make-recovery-code": lambda case: {"code": make_recovery_code(lambda _: bytes.fromhex(case["random"]))},
    "read-recovery-code": lambda case: {"characters": parse_recovery_code(case["typed"])},
    "seal-vault": run_seal_vault,
    "open-vault": lambda case: {"root": open_vault(case["vault"], case["code"]).hex()},
    "padding": lambda case: {"padded": padded_length(case["length"])},
    "parts": run_parts,
    "once-keys": run_once_keys,
    "once-id": run_once_id,
    "frame": run_frame,
    "seal": run_seal,
    "open": run_open,
}


def named(cases: list[Case]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", named(vectors["valid"]))
def test_valid(case: Case) -> None:
    assert runs[case["kind"]](case["input"]) == case["output"]


@pytest.mark.parametrize("case", named(vectors["refused"]))
def test_refused(case: Case) -> None:
    with pytest.raises(RelayError) as refused:
        runs[case["kind"]](case["input"])
    expected = RelayError(case["error"], "")
    assert (refused.value.code, refused.value.reason) == (expected.code, expected.reason)


def test_all_cases_are_run() -> None:
    assert len(vectors["valid"]) + len(vectors["refused"]) >= 557
