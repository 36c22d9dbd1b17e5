"""What one process of an agent has learned holds in every other one, whatever the relay shows there.

The rows: a decision that was returned, a decline, a contradiction, a close, a withdrawal, the owner of the key. The
columns: the same process, the next one, one that runs already, one that continues from `export()` on another machine, another key.
What an expert has sent itself is in test_own_messages.py, texts of the agent that wait are in test_waiting_texts.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Tenant
from processes import WAIT, Agent, Liar, approval, both, code_of, form, messages_of, wait, ways

from expert_relay import Accept, Answer, Approval, Decline, FileStore, MemoryStore, Relay, RelayError


@ways
@both
@pytest.mark.parametrize("is_declined", [False, True], ids=["accept", "decline"])
def test_a_decision_that_was_returned(
    tenant: Tenant, tmp_path: Path, way: str, named: bool, is_declined: bool
) -> None:
    agent = Agent(tenant, tmp_path, named=named)
    running = agent.start()
    yes, no = Accept({"region": "eu"}), Decline()
    first, second = agent.device(), agent.device()
    for one in (first, second):
        one.pick_up()
    sent = first.answer("", decision=no if is_declined else yes)
    before = "decline" if is_declined else "accept eu"
    assert wait(agent.first) == before
    # Another device changes its mind, without having seen the first answer.
    second.answer("Stop!", decision=yes if is_declined else no, even_if_newer=True)
    late = agent.late(way, running)
    assert wait(late) == before
    replies: list[Answer] = []
    late.wait_for_decision(60, on_reply=replies.append)
    assert [(one.text, one.answer.action if one.answer else None) for one in replies] == [
        ("Stop!", "accept" if is_declined else "decline")
    ]
    agent.liar.hidden = {sent.message_id}
    if way != "running":
        assert wait(agent.late(way, running)) == before


@ways
@both
def test_a_contradiction(tenant: Tenant, tmp_path: Path, way: str, named: bool) -> None:
    agent = Agent(tenant, tmp_path, named=named)
    running = agent.start()
    devices = [agent.device(), agent.device()]
    for one in devices:
        one.pick_up()
    sent = [one.answer("", decision=Accept({"region": region})) for one, region in zip(devices, ("eu", "us"), strict=True)]
    assert wait(agent.first) == "answer_conflict"
    # The relay would now choose.
    agent.liar.hidden = {sent[1].message_id}
    late = agent.late(way, running)
    assert wait(late) == "answer_conflict"
    agent.liar.hidden = set()
    # A form that is sent again ends it, and so does a decline.
    assert late.ask_again().is_sent
    devices[0].refresh()
    asked = [one.text for one in messages_of(devices[0], 3)]
    assert asked[-1] == "Your answers to this form contradict each other. Please decide again."
    devices[0].answer("", decision=Accept({"region": "us"}))
    assert wait(late) == "accept us"
    assert wait(agent.start()) == "accept us"
    # It is final: the form is not asked again.
    assert code_of(late.ask_again) == "invalid_input"


@ways
def test_a_contradiction_ends_with_a_decline(tenant: Tenant, tmp_path: Path, way: str) -> None:
    agent = Agent(tenant, tmp_path, named=True)
    running = agent.start()
    devices = [agent.device(), agent.device()]
    for one in devices:
        one.pick_up()
    for one, region in zip(devices, ("eu", "us"), strict=True):
        one.answer("", decision=Accept({"region": region}))
    assert wait(agent.first) == "answer_conflict"
    devices[0].answer("", decision=Decline(), even_if_newer=True)
    late = agent.late(way, running)
    assert wait(late) == "decline"
    assert wait(agent.start()) == "decline"


class Contradicted(MemoryStore):
    """Another process writes that the answers contradict each other, directly before this one would write that one of them decides."""

    def remember(self, name: str, value: str) -> str:
        if ":outcome:" in name:
            super().remember(name, json.dumps(["one", "another"]))
        return super().remember(name, value)


def test_a_contradiction_that_another_process_finds_at_the_same_moment(tenant: Tenant) -> None:
    asked = tenant.relay(store=Contradicted()).ask("Where?", form=form)
    request = tenant.expert().request(asked.request_id)
    request.answer("", decision=Accept({"region": "eu"}))
    assert wait(asked) == "answer_conflict"
    assert wait(asked) == "answer_conflict"
    request.answer("", decision=Decline())
    assert wait(asked) == "decline"
    assert wait(asked) == "decline"


def test_the_expert_sees_each_decision_that_the_agent_may_have_got(tenant: Tenant, tmp_path: Path) -> None:
    agent = Agent(tenant, tmp_path, named=True, form=approval)
    request = agent.device()
    yes = request.answer("one", decision=Accept())
    assert wait(agent.first) == "accept"
    no = request.answer("no wait", decision=Decline())
    decided = [(one.action, one.message_id) for one in request.decisions]
    assert decided == [("accept", yes.message_id), ("decline", no.message_id)]
    replies: list[Answer] = []
    assert agent.start().wait_for_decision(60, on_reply=replies.append).comment == "one"
    assert [one.text for one in replies] == ["no wait"]


@ways
@both
def test_a_question_that_was_closed(tenant: Tenant, tmp_path: Path, way: str, named: bool) -> None:
    agent = Agent(tenant, tmp_path, named=named)
    running = agent.start()
    request = agent.device()
    request.pick_up()
    agent.liar.swallows_close = True
    agent.first.close()
    request.answer("Too late?", decision=Accept({"region": "eu"}))
    late = agent.late(way, running)
    assert wait(late) == "withdrawn"
    # What the expert has written all the same is shown, and the conversation counts as closed.
    assert [one.text for one in late] == ([] if way == "same" else ["Too late?"])
    assert code_of(lambda: late.wait_for_answer(60)) == "closed"
    assert wait(agent.start()) == "withdrawn"


@both
def test_a_question_in_words_that_was_closed(tenant: Tenant, tmp_path: Path, named: bool) -> None:
    """Nothing was to be decided, so nothing is withdrawn."""
    agent = Agent(tenant, tmp_path, named=named, form=None)
    agent.liar.swallows_close = True
    agent.first.close()
    agent.device().answer("Yes.")
    assert agent.start().wait_for_answer(60).text == "Yes."


@ways
def test_a_call_that_has_ended(tenant: Tenant, tmp_path: Path, way: str) -> None:
    """The question of `approve` is withdrawn with the end of the call."""
    liar, store = Liar(), FileStore(tmp_path)
    liar.swallows_close = True
    relay = tenant.relay(store=store, transport=liar)
    assert code_of(lambda: relay.approve("Delete it?", timeout=1)) == "timeout"
    # It counts as closed, so `conversations()` does not list it.
    assert tenant.relay(store=store).conversations() == []
    (name,) = store.names("conversation:")
    state = json.loads(store.get(name) or "")
    request = tenant.expert().request(state["request"]["requestId"])
    request.answer("", decision=Accept())
    others: dict[str, Callable[[], Relay]] = {
        "same": lambda: relay,
        "next": lambda: tenant.relay(store=FileStore(tmp_path)),
        "running": lambda: tenant.relay(store=store),
        "export": lambda: tenant.relay(),
    }
    assert wait(others[way]().resume(state)) == "withdrawn"


@both
def test_a_decision_that_came_before_the_close(tenant: Tenant, tmp_path: Path, named: bool) -> None:
    """The expert has decided before: the agent reads the list once more."""
    agent = Agent(tenant, tmp_path, named=named)
    request = agent.device()
    request.answer("", decision=Accept({"region": "eu"}))
    agent.first.close()
    assert wait(agent.first) == "accept eu"
    assert wait(agent.start()) == "accept eu"


@both
def test_a_question_that_is_closed_after_its_answer(tenant: Tenant, tmp_path: Path, named: bool) -> None:
    agent = Agent(tenant, tmp_path, named=named)
    agent.device().answer("", decision=Decline())
    assert wait(agent.first) == "decline"
    agent.first.close()
    assert [wait(one) for one in (agent.first, agent.start())] == ["decline", "decline"]


def approve(relay: Relay, name: str) -> Approval:
    return relay.approve("May I?", once=name, timeout=5)


def test_the_name_of_another_users_question(tenant: Tenant, tmp_path: Path) -> None:
    other = Tenant(tenant.remote)
    store = FileStore(tmp_path)
    relay = tenant.relay(store=store)
    conversation = relay.ask("May I?", form=approval, once="n")
    tenant.expert().request(conversation.request_id).answer("Yes.", decision=Accept())
    assert approve(relay, "n").approved
    theirs = other.relay(store=FileStore(tmp_path), accept_new_expert=True)
    assert code_of(lambda: approve(theirs, "n")) == "timeout"
    (asked,) = theirs.requests()
    other.expert().request(asked.request_id).answer("No.", decision=Decline())
    assert not approve(other.relay(store=FileStore(tmp_path), accept_new_expert=True), "n").approved
    # And back.
    assert approve(tenant.relay(store=FileStore(tmp_path)), "n").approved
    other.stop()


def test_a_text_that_waits_goes_to_no_other_users_expert(tenant: Tenant, tmp_path: Path) -> None:
    agent = Agent(tenant, tmp_path, named=True, form=approval)
    agent.device().pick_up()
    agent.liar.status = 503
    with pytest.raises(RelayError):
        agent.first.send(WAIT)
    agent.liar.status = None
    other = Tenant(tenant.remote)
    theirs = other.relay(store=FileStore(tmp_path), accept_new_expert=True).ask("Where?", form=approval, once=agent.name)
    assert theirs.unsent == []
    request = other.expert().request(theirs.request_id)
    request.answer("Yes.", decision=Accept())
    assert wait(theirs) == "accept"
    assert [one.text for one in theirs.messages()] == ["Yes."]
    assert agent.start().unsent == [WAIT]
    other.stop()


def test_the_name_of_another_key_of_the_same_user(tenant: Tenant, tmp_path: Path) -> None:
    """The relay shows it no request of the first key."""
    conversation = tenant.relay(store=FileStore(tmp_path)).ask("May I?", form=approval, once="n")
    tenant.expert().request(conversation.request_id).answer("Yes.", decision=Accept())
    assert approve(tenant.relay(store=FileStore(tmp_path)), "n").approved
    second = tenant.relay(api_key=tenant.other_consumer_key, store=FileStore(tmp_path))
    assert code_of(lambda: approve(second, "n")) == "timeout"
    assert second.requests()[0].request_id != conversation.request_id


def test_a_state_of_another_users_question(tenant: Tenant, tmp_path: Path) -> None:
    other = Tenant(tenant.remote)
    agent = Agent(tenant, tmp_path, named=False)
    agent.device().answer("", decision=Accept({"region": "eu"}))
    assert wait(agent.first) == "accept eu"
    state = agent.first.export()
    assert code_of(lambda: other.relay().resume(state)) == "not_found"
    # The key that was rotated may read it, and continues.
    unowned = state.copy()
    del unowned["owner"]
    assert wait(tenant.relay().resume(unowned)) == "accept eu"
    other.stop()
