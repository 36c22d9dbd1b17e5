"""A text of the agent that waits, or that the relay has swallowed, is known to every process: no answer counts before the expert has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Tenant
from processes import WAIT, Agent, approval, both, messages_of, wait, ways

from expert_relay import Accept, MemoryStore, RelayError


@ways
@both
@pytest.mark.parametrize("status", [400, 409, 503])
def test_a_text_that_waits(tenant: Tenant, tmp_path: Path, way: str, named: bool, status: int) -> None:
    agent = Agent(tenant, tmp_path, named=named, form=approval)
    request = agent.device()
    request.pick_up()
    agent.first.refresh()
    running = agent.start()
    agent.liar.status = status
    with pytest.raises(RelayError):
        agent.first.send(WAIT)
    # The expert has never seen it.
    request.answer("Yes.", decision=Accept())
    late = agent.late(way, running)
    assert wait(late, 2) in ("timeout", "conflict", "invalid_input")
    assert late.unsent == [WAIT]
    agent.liar.status = None
    late.refresh()
    assert late.unsent == []
    assert [one.text for one in late.messages()] == ["Yes.", WAIT]
    assert wait(late, 2) == "timeout"


@ways
@both
def test_a_text_that_the_relay_has_swallowed(tenant: Tenant, tmp_path: Path, way: str, named: bool) -> None:
    agent = Agent(tenant, tmp_path, named=named, form=approval)
    request = agent.device()
    request.pick_up()
    agent.first.refresh()
    running = agent.start()
    sent = agent.first.send(WAIT)
    assert sent.is_sent
    agent.liar.hidden = {sent.message_id}
    # The expert's device does not see it either.
    blind = tenant.expert(store=MemoryStore(), transport=agent.liar).request(agent.first.request_id)
    blind.answer("Yes.", decision=Accept())
    late = agent.late(way, running)
    # One that has sent it knows that no answer has seen it.
    assert wait(late, 2) in ("untrusted", "timeout")
    assert wait(agent.start(), 2) in ("untrusted", "timeout")


@both
def test_one_text_of_two_processes(tenant: Tenant, tmp_path: Path, named: bool) -> None:
    """The same bytes: the relay takes them once, and both go on."""
    agent = Agent(tenant, tmp_path, named=named, form=approval)
    request = agent.device()
    request.pick_up()
    agent.first.refresh()
    agent.liar.status = 503
    with pytest.raises(RelayError):
        agent.first.send(WAIT)
    others = [agent.start(), agent.start()]
    agent.liar.status = None
    for one in (*others, agent.first):
        one.refresh()
        assert one.unsent == []
    request.refresh()
    messages_of(request, 1)
    request.answer("I wait.", decision=Accept())
    for one in (*others, agent.first):
        assert [message.text for message in one.messages()] == [WAIT, "I wait."]
        assert wait(one) == "accept" or one.wait_for_decision(60).action == "accept"
