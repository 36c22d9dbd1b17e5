"""What processes do to each other that continue one conversation: at the same time, or one after the other's end."""

from __future__ import annotations

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick
from watching_store import WatchingStore

from expert_relay import Accept, Conversation, ConversationState, Decline, ExpertRequest, FileStore, Message, RelayError

form = {"type": "object", "properties": {}}


def agents_texts(conversation: Conversation) -> list[str]:
    return [one.text for one in conversation.messages() if one.sender == "agent"]


def read_all(request: ExpertRequest, count: int) -> None:
    request.refresh()
    messages: Any = iter(request.messages())
    for _ in range(count):
        assert isinstance(next(messages), Message)


@pytest.mark.parametrize("is_at_once", [True, False])
@pytest.mark.parametrize("confidential", [True, False])
def test_texts_are_sent_once(tenant: Tenant, tmp_path: Path, confidential: bool, is_at_once: bool) -> None:
    def start() -> Conversation:
        relay = tenant.relay(store=FileStore(tmp_path / "state"))
        return relay.ask("Deploy 4711?", confidential=confidential, form=form, once="deploy 4711")

    first = start()
    first.send("Only to eu-west.")
    first.send("And not today.")
    second = start()
    request = tenant.expert().request(first.request_id)
    request.pick_up()
    with ThreadPoolExecutor(2 if is_at_once else 1) as threads:
        for refreshed in [threads.submit(one.refresh) for one in (first, second)]:
            refreshed.result()
    third = start()
    third.refresh()
    assert [one.unsent for one in (first, second, third)] == [[], [], []]
    texts = [*(["Deploy 4711?"] if confidential else []), "Only to eu-west.", "And not today."]
    assert agents_texts(third) == texts
    read_all(request, len(texts))
    request.answer("", decision=Accept({}))
    for one in (first, second, third):
        assert one.wait_for_decision(60).action == "accept"


def test_an_outcome_is_final_for_other_processes(tenant: Tenant, tmp_path: Path) -> None:
    def start() -> Conversation:
        relay = tenant.relay(store=FileStore(tmp_path / "state"))
        return relay.ask("Deploy 4711?", form=form, once="deploy 4711")

    first, second = start(), start()
    request = tenant.expert().request(first.request_id)
    request.answer("Yes.", decision=Accept({}))
    assert first.wait_for_decision(60).action == "accept"
    # Another state is saved last.
    second.wait_for_answer(60)
    request.answer("Stop!", decision=Decline(), even_if_newer=True)
    for one in (second, start()):
        decision = one.wait_for_decision(60)
        assert (decision.action, decision.comment) == ("accept", "Yes.")


class Liar(httpx.AsyncHTTPTransport):
    """Answers to messages with this status, instead of the relay."""

    status: int | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.status is None or request.method != "POST" or "/message/" not in request.url.path:
            return await super().handle_async_request(request)
        error = "message_id_taken" if self.status == 409 else "unavailable"
        body = json.dumps({"error": error, "status": self.status, "title": error})
        return httpx.Response(self.status, stream=httpx.ByteStream(body.encode()))


@pytest.mark.parametrize("status", [409, 503])
def test_an_earlier_decision_counts_for_no_new_form(tenant: Tenant, status: int) -> None:
    liar = Liar()
    timing = replace(quick, patience=0)
    relay = tenant.relay(transport=liar, secret=tenant.root, timing=timing)
    conversation = relay.ask("May I list the tables?", form=form, once=str(uuid.uuid4()))
    request = tenant.expert().request(conversation.request_id)
    request.answer("Yes.", decision=Accept({}))
    assert conversation.wait_for_decision(60).action == "accept"
    liar.status = status
    with pytest.raises(RelayError):
        conversation.send("May I drop them all?", form=form)
    assert conversation.unsent == ["May I drop them all?"]
    with pytest.raises(RelayError):
        conversation.wait_for_decision(0.5)
    liar.status = None
    conversation.refresh()
    read_all(request, 2)
    request.answer("No!", decision=Decline())
    assert conversation.wait_for_decision(60).action == "decline"


def test_no_decision_counts_until_the_expert_could_read_a_text(tenant: Tenant) -> None:
    liar = Liar()
    relay = tenant.relay(transport=liar, secret=tenant.root, timing=replace(quick, patience=0))
    conversation = relay.ask("May I deploy?", form=form, once=str(uuid.uuid4()))
    conversation.send("Only if staging is green.")
    liar.status = 409
    tenant.expert().request(conversation.request_id).answer("Yes.", decision=Accept({}))
    with pytest.raises(RelayError) as refused:
        conversation.refresh()
    assert refused.value.code == "conflict"
    assert conversation.unsent == ["Only if staging is green."]
    with pytest.raises(RelayError):
        conversation.wait_for_decision(0.5)


@pytest.mark.parametrize("saves", [0, 1, 2])
def test_a_state_that_cannot_be_saved_keeps_texts_from_being_sent(tenant: Tenant, saves: int) -> None:
    saved: list[ConversationState] = []
    left = [1_000]

    def save(state: ConversationState) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError("No space left on device")
        saved.append(state)

    conversation = tenant.relay(store=WatchingStore(save)).ask("May I?", confidential=True, form=form)
    conversation.send("Only to eu-west.")
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    left[0] = saves
    for _ in range(3):
        try:
            conversation.refresh()
        except (OSError, RelayError):
            pass
    again = tenant.relay().resume(saved[-1])
    again.refresh()
    assert again.unsent == []
    assert agents_texts(again) == ["May I?", "Only to eu-west."]
    read_all(request, 2)
    request.answer("", decision=Accept({}))
    assert again.wait_for_decision(60).action == "accept"
