"""What processes do to each other that continue one conversation: at the same time, or one after the other's end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Tenant

from expert_relay import Accept, Conversation, Decline, ExpertRequest, FileStore, Message, RelayError
from expert_relay.agent.state import State

form = {"type": "object", "properties": {}}


def agents_texts(conversation: Conversation) -> list[str]:
    return [one.text for one in conversation.messages() if one.role == "consumer"]


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


@pytest.mark.parametrize("saves", [0, 1, 2])
def test_a_state_that_cannot_be_saved_keeps_texts_from_being_sent(tenant: Tenant, saves: int) -> None:
    saved: list[State] = []
    left = [1_000]

    def save(state: State) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError("No space left on device")
        saved.append(state)

    conversation = tenant.relay(save=save).ask("May I?", confidential=True, form=form)
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
