"""All cases of docs/receipt-vectors.json, by this package and by the program of examples/, which has none of its code."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from data import read, root

from expert_relay import RelayError, verify_receipt

Case = dict[str, Any]
vectors = read("docs/receipt-vectors.json")
valid: dict[str, str] = {case["name"]: case["receipt"] for case in vectors["valid"]}
fingerprint: str = vectors["fingerprint"]

_spec = importlib.util.spec_from_file_location("verify_receipt_example", root / "examples/verify-receipt.py")
assert _spec and _spec.loader
example: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(example)


def prove(receipt: bytes, known: str | None) -> Case:
    found = verify_receipt(receipt, fingerprint=known)
    asked = found.asked
    return {
        "action": found.action,
        **({} if found.content is None else {"content": found.content}),
        "comment": found.comment,
        "decidedAt": found.decided_at,
        **({} if found.asked_at is None else {"askedAt": found.asked_at}),
        "madeAt": found.made_at,
        "form": found.form,
        "answer": found.answer,
        "asked": {
            "agentName": asked.agent_name,
            "question": asked.question,
            "plaintext": asked.plaintext,
            "messages": [*asked.messages],
        },
        "messages": [[message.sender, message.text] for message in found.messages],
    }


def prove_by_example(receipt: bytes, known: str | None) -> Case:
    proven = example.verify(receipt, known)
    answer, messages = json.loads(proven["answer"]), proven["messages"]
    senders = {"consumer": "agent", "provider": "expert"}
    names = ("agentName", "question", "plaintext", "messages")
    return {
        **{name: answer[name] for name in ("action", "content", "decidedAt") if name in answer},
        "comment": messages[-1][1],
        **{name: proven[name] for name in ("askedAt", "madeAt", "form", "answer") if proven[name] is not None},
        "asked": {name: proven["asked"][name] for name in names},
        "messages": [[senders[role], text] for role, text in messages],
    }


def refusal(receipt: bytes, known: str | None) -> str | None:
    try:
        verify_receipt(receipt, fingerprint=known)
    except RelayError as error:
        assert error.code == "untrusted"
        return error.reason
    return None


def refusal_by_example(receipt: bytes, known: str | None) -> str | None:
    try:
        example.verify(receipt, known)
    except example.Refused as reason:
        return str(reason)
    return None


provers = pytest.mark.parametrize("prover", [prove, prove_by_example])
refusers = pytest.mark.parametrize("refuser", [refusal, refusal_by_example])
Prover = Callable[[bytes, str | None], Case]
Refuser = Callable[[bytes, str | None], str | None]


def named(cases: list[Case]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@provers
@pytest.mark.parametrize("case", named(vectors["valid"]))
def test_valid(case: Case, prover: Prover) -> None:
    receipt = case["receipt"].encode()
    assert prover(receipt, fingerprint) == case["proven"]
    assert prover(receipt, None) == case["proven"]


@refusers
@pytest.mark.parametrize("case", named(vectors["altered"]))
def test_altered(case: Case, refuser: Refuser) -> None:
    before, after = valid[case["of"]].split(case["from"])
    assert refuser((before + case["to"] + after).encode(), fingerprint) == case["error"]


@refusers
@pytest.mark.parametrize("case", named(vectors["refused"]))
def test_refused(case: Case, refuser: Refuser) -> None:
    assert refuser(case["receipt"].encode(), fingerprint) == case["error"]


@refusers
def test_another_expert_is_named(refuser: Refuser) -> None:
    assert refuser(valid["approval"].encode(), " ".join(["00000"] * 8)) == "unknown_expert"


def test_each_byte_counts_and_both_name_the_same_reason() -> None:
    receipt = valid["a form of a later message, whole"].encode()
    drawn = random.Random(1)
    # Each byte of the first 3,000 and the last 500, and one in twenty of the rest, which is base64 alone.
    places = [at for at in range(len(receipt)) if at < 3_000 or at % 20 == 0 or at > len(receipt) - 500]
    for at in places:
        changed = bytearray(receipt)
        changed[at] ^= drawn.randrange(1, 256)
        reason = refusal(bytes(changed), fingerprint)
        assert reason is not None, at
        assert refusal_by_example(bytes(changed), fingerprint) == reason, (at, bytes(changed)[at - 20 : at + 20])


def test_a_receipt_without_a_given_fingerprint_says_so() -> None:
    found = verify_receipt(valid["approval"], fingerprint=None)
    assert (found.is_known, found.fingerprint) == (False, fingerprint)
    assert found.not_proven[0].startswith("Whose fingerprint this is")
    with pytest.raises(RelayError, match="empty list"):
        verify_receipt(valid["approval"], fingerprint=[])
    other = "00000 " * 8
    assert verify_receipt(valid["approval"], fingerprint=[other, fingerprint]).is_known


@pytest.mark.parametrize(
    ("name", "known", "code"),
    [("approval", fingerprint, 0), ("decline", fingerprint, 13), ("approval", None, 16), ("approval", "0" * 40, 7)],
)
def test_example_as_a_command(
    name: str, known: str | None, code: int, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "decision.json"
    path.write_bytes(valid[name].encode())
    assert example.main(str(path), *([known] if known else [])) == code
    printed = capsys.readouterr().out
    assert printed == "refused: unknown_expert\n" if code == 7 else json.loads(printed)["fingerprint"] == fingerprint
