"""An answer that does not fit the form is neither a yes nor a no: each process of the agent says so until the agent has written again."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest
from conftest import Tenant

from expert_relay import Accept, Conversation, ExpertRequest, FileStore, RelayError
from expert_relay._thread.parts_to_send import make_parts

form = {"type": "object", "properties": {"region": {"type": "string", "enum": ["eu", "us"]}}, "required": ["region"]}
mars = '{"action":"accept","content":{"region":"mars"},"decidedAt":"2026-11-28T12:00:00Z"}'


def send_mars(request: ExpertRequest) -> None:
    """As a client of another make may."""
    inner = request._async  # pyright: ignore[reportPrivateUsage]
    parts = make_parts(answer_of=inner.form.of if inner.form else None, answer=mars)
    sender = inner._sender  # pyright: ignore[reportPrivateUsage]
    request._portal.run(lambda: sender.send("", parts=parts))  # pyright: ignore[reportPrivateUsage]


def code_of(conversation: Conversation, timeout: float) -> str:
    with pytest.raises(RelayError) as raised:
        conversation.wait_for_decision(timeout)
    return raised.value.code


@pytest.mark.parametrize("way", ["next", "export"])
def test_what_the_next_process_says(tenant: Tenant, tmp_path: Path, way: str) -> None:
    name = str(uuid.uuid4())

    def start() -> Conversation:
        return tenant.relay(store=FileStore(tmp_path)).ask("Where?", form=form, once=name)

    first = start()
    request = tenant.expert().request(first.request_id)
    request.pick_up()
    send_mars(request)
    assert code_of(first, 60) == "answer_invalid"
    later = start() if way == "next" else tenant.relay().resume(json.loads(json.dumps(first.export())))
    assert code_of(later, 60) == "answer_invalid"
    later.send("Which region?")
    assert code_of(later, 1) == "timeout"
    request.refresh()
    messages = iter(request.messages())
    while next(messages).text != "Which region?":
        pass
    request.answer("", decision=Accept({"region": "eu"}))
    assert later.wait_for_decision(60).content == {"region": "eu"}
