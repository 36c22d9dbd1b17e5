"""The receipt of a decision."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._crypto.encoding import from_base64
from .._crypto.keys import OwnKeys
from .._crypto.parts import read_parts
from .._crypto.public_key import parse_public_keys
from .._crypto.submission import CONFIDENTIAL_QUESTION
from .._errors import RelayError, invalid_input
from .._json_text import Members, is_list, is_object, object_of, parse_json, text_of
from .._receipt.make_receipt import ReceiptMaterial, make_receipt
from .._receipt.verify_receipt import verify_receipt
from .._thread.page import Head
from .._thread.thread import Thread
from .._transport.api import Api
from .agent_side import AgentSide
from .read_transcript import read_again


@dataclass(frozen=True)
class ReceiptSource:
    """What a receipt needs of a conversation."""

    api: Api
    thread: Thread
    side: AgentSide
    keys: OwnKeys | None
    ref_code: str
    submission: str
    """The digest of the question, in base64."""
    decision_of: Callable[[str], str | None]
    """The message that decided about a form, if a program has its decision."""


async def read_receipt(source: ReceiptSource, *, whole: bool) -> str:
    """The receipt of the decision about the newest form. The list is read again, since only it has what was signed."""
    keys, side = source.keys, source.side
    if keys is None:
        raise _unproven("This conversation is not encrypted")
    records: dict[str | None, Members] = {}

    def on_record(record: Members, hash: str | None) -> None:
        records[hash] = record

    again = await read_again(source.api, source.thread, side, on_record)
    head, exchange, form = again.head, side.exchange, again.form_tracker.form
    if head is None or head.erased_at is not None:
        raise invalid_input("The relay has erased the messages of this conversation: there is no receipt any more.")
    if exchange and not side.is_signed:
        raise _unproven("The expert of this conversation does not sign its keys")
    decided_by = source.decision_of(form.of) if form else None
    deciding = next((one for one in again.mailbox.messages if one.message_id == decided_by), None)
    channel = again.channel
    if deciding is None or deciding.hash is None or exchange is None or channel is None:
        raise invalid_input("There is no decision yet. Wait for it first: `wait_for_decision` returns it.")
    order = _closure(channel.state()["seen"], deciding.hash)
    asked = _read_asked(head)
    is_confidential = asked["question"] == CONFIDENTIAL_QUESTION
    first = next((hash for hash in order if is_confidential and records[hash]["role"] == "consumer"), None)
    opened = {deciding.hash, form.of if form else None, first}
    answers = source.thread.form_tracker.answers
    sealed_before = next((one.sealed_before for one in answers if one.message_id == decided_by), None)
    answer = read_parts(deciding.parts, "provider").answer
    is_accept = object_of(parse_json(answer.json) if answer else None).get("action") == "accept"
    text = make_receipt(
        ReceiptMaterial(
            request_id=source.thread.request_id,
            ref_code=source.ref_code,
            own=keys,
            peer=parse_public_keys(exchange.sign, exchange.encrypt),
            key_signature=exchange.key_signature or "",
            submission=from_base64(source.submission) or b"",
            asked=asked,
            records=[records[hash] for hash in order],
            opened={records[hash]["messageId"] for hash in order if hash in opened},
            opening_key=keys.export()["encrypt"] if whole else None,
            outcome="accept" if is_accept else "decline",
            asked_at=None if sealed_before is None else int(sealed_before),
            made_at=int(time.time() * 1_000),
        )
    )
    # A receipt that nothing accepts would be noticed too late.
    verify_receipt(text, fingerprint=exchange.fingerprint)
    return text


def _unproven(why: str) -> RelayError:
    return invalid_input(
        f"{why}: the relay could have written its answers, so they prove nothing, and there is no receipt."
    )


def _closure(seen: list[Any], hash: str) -> list[str]:
    """The hashes of a message and of all before it, in the order of the list."""
    found = {at for at, entry in enumerate(seen) if entry[0] == hash}
    for at in range(len(seen) - 1, -1, -1):
        if at in found:
            found.update(seen[at][2:])
    return [str(entry[0]) for at, entry in enumerate(seen) if at in found]


def _read_asked(head: Head) -> Members:
    """What was submitted, as the relay lists it. That it is what the expert has signed is checked with the receipt."""
    asked = head.asked
    context: Any = asked.get("context")
    names = ("agentName", "agentVersions", "answerForm", "plaintext", "question")
    said = [one for one in context if is_object(one)] if is_list(context) else []
    return {
        **{name: text_of(asked.get(name)) or "" for name in names},
        "messages": [{name: text_of(one.get(name)) or "" for name in ("content", "role")} for one in said],
    }
