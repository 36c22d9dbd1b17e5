"""What one process of an agent has learned holds in every other one, whatever the relay shows there.

The rows: a decision that was returned, a decline, a contradiction, a waiting text, a close, a withdrawal, the owner of the key. The
columns: the same process, the next one, one that runs already, one that continues from `export()` on another machine, another key.
What an expert has sent itself is in test_own_messages.py.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import Accept, Answer, Approval, Conversation, Decline, ExpertRequest, FileStore, ProcessMemory, Relay, RelayError

form = {"type": "object", "properties": {"region": {"type": "string", "enum": ["eu", "us"]}}, "required": ["region"]}
approval = {"type": "object", "properties": {}}
WAIT = "WAIT: the volume still has data!"


class Liar(httpx.AsyncHTTPTransport):
    """Hides messages of the list, answers to messages with a status, and to a close as if it was done."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[str] = set()
        self.status: int | None = None
        self.swallows_close = False
        self.calls: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.calls.append(path)
        if self.status is not None and "/message/" in path:
            return as_answer(self.status, {"error": "x", "title": "x"})
        if self.swallows_close and "/close/" in path:
            id = path.rpartition("/")[2]
            return as_answer(200, {"requestId": id, "refCode": "HS-1", "status": "closed", "closedAt": "2026-11-28T12:00:00Z"})
        response = await super().handle_async_request(request)
        if not self.hidden or "/messages/" not in path:
            return response
        body = json.loads(await response.aread())
        body["messages"] = [one for one in body["messages"] if one["messageId"] not in self.hidden]
        return as_answer(response.status_code, body)


def as_answer(status: int, body: object) -> httpx.Response:
    return httpx.Response(status, stream=httpx.ByteStream(json.dumps(body).encode()))


class Agent:
    """The processes of an agent. `named`: a question with a name; otherwise processes continue with what was saved or exported."""

    def __init__(self, tenant: Tenant, folder: Path, *, named: bool, form: Any = form) -> None:
        self.tenant, self.folder, self.named, self.form = tenant, folder, named, form
        self.liar = Liar()
        self.store = FileStore(folder)
        self.name = str(uuid.uuid4())
        self.first = self.relay().ask("Where?", form=form, once=self.name if named else None)

    def relay(self, **options: Any) -> Relay:
        given = {"store": FileStore(self.folder), "transport": self.liar, "timing": replace(quick, patience=0)}
        return self.tenant.relay(**{**given, **options})

    def start(self) -> Conversation:
        """The next process, or one beside."""
        if self.named:
            return self.relay().ask("Where?", form=self.form, once=self.name)
        state = self.store.find(self.first.id)
        assert state
        return self.relay().resume(state)

    def move(self) -> Conversation:
        """Another machine, without the store."""
        return self.relay(store=None, memory=ProcessMemory()).resume(json.loads(json.dumps(self.first.export())))

    def late(self, way: str, running: Conversation) -> Conversation:
        """The process of this column. `running` has run since before the fact."""
        if way == "next":
            return self.start()
        return self.move() if way == "export" else {"same": self.first, "running": running}[way]

    def device(self) -> ExpertRequest:
        """One of the expert's: each with a memory of its own."""
        return self.tenant.expert(memory=ProcessMemory()).request(self.first.request_id)


ways = pytest.mark.parametrize("way", ["same", "next", "running", "export"])
both = pytest.mark.parametrize("named", [True, False], ids=["named", "saved"])


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(RelayError) as raised:
        call()
    return raised.value.code


def wait(conversation: Conversation, timeout: float = 60) -> str:
    """What the program is told."""
    try:
        decision = conversation.wait_for_decision(timeout)
    except RelayError as error:
        return error.code
    return f"{decision.action} {decision.content['region'] if decision.content else ''}".strip()


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


class Contradicted(ProcessMemory):
    """Another process writes that the answers contradict each other, directly before this one would write that one of them decides."""

    def remember(self, name: str, value: str) -> str:
        if ":outcome:" in name:
            super().remember(name, json.dumps(["one", "another"]))
        return super().remember(name, value)


def test_a_contradiction_that_another_process_finds_at_the_same_moment(tenant: Tenant) -> None:
    asked = tenant.relay(memory=Contradicted()).ask("Where?", form=form)
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


def messages_of(request: ExpertRequest, count: int) -> list[Any]:
    messages = iter(request.messages())
    return [next(messages) for _ in range(count)]


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
    blind = tenant.expert(memory=ProcessMemory(), transport=agent.liar).request(agent.first.request_id)
    blind.answer("Yes.", decision=Accept())
    late = agent.late(way, running)
    # One that has sent it knows that no answer has seen it.
    assert wait(late, 2) in ("message_missing", "timeout")
    assert wait(agent.start(), 2) in ("message_missing", "timeout")


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


@ways
@both
def test_a_question_that_was_closed(tenant: Tenant, tmp_path: Path, way: str, named: bool) -> None:
    agent = Agent(tenant, tmp_path, named=named)
    running = agent.start()
    request = agent.device()
    request.pick_up()
    agent.liar.swallows_close = True
    agent.first.close()
    request.answer("", decision=Accept({"region": "eu"}))
    late = agent.late(way, running)
    assert wait(late) == "withdrawn"
    assert code_of(lambda: late.wait_for_answer(60)) == "withdrawn"
    assert code_of(lambda: next(iter(late))) == "withdrawn"
    assert wait(agent.start()) == "withdrawn"


@ways
def test_a_call_that_has_ended(tenant: Tenant, tmp_path: Path, way: str) -> None:
    """The question of `approve` is withdrawn with the end of the call."""
    liar, store = Liar(), FileStore(tmp_path)
    liar.swallows_close = True
    relay = tenant.relay(store=store, transport=liar)
    assert code_of(lambda: relay.approve("Delete it?", timeout=1)) == "timeout"
    (state,) = store.list()
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
    unowned = {name: member for name, member in state.items() if name != "owner"}
    assert wait(tenant.relay().resume(unowned)) == "accept eu"
    other.stop()


@pytest.mark.parametrize(
    ("offset", "valid_for", "told"),
    [
        (-3600, 60, "decision_too_old"),
        (-3600, 7200, "accept"),
        (-3600, None, "accept"),
        (3600, 60, "decision_too_old"),
        (60, 60, "accept"),
    ],
)
def test_how_old_an_accept_may_be(
    tenant: Tenant, offset: float, valid_for: float | None, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime as dates

    from expert_relay.expert import write_decision

    class Shifted(dates.datetime):
        @classmethod
        def now(cls, tz: dates.tzinfo | None = None) -> Any:
            return dates.datetime.now(tz) + dates.timedelta(seconds=offset)

    monkeypatch.setattr(write_decision, "datetime", Shifted)
    state = tenant.relay().ask("May I?", form=approval).export()
    assert abs(state["thread"]["sealedAt"] - time.time() * 1_000) < 60_000
    # An accept is as new as the question that it has seen: this one was asked long ago.
    state["thread"]["sealedAt"] -= 36_000_000
    conversation = tenant.relay().resume(state)
    request = tenant.expert().request(conversation.request_id)
    request.answer("", decision=Accept())
    for _ in range(2 if told == "accept" else 1):
        try:
            assert conversation.wait_for_decision(60, valid_for=valid_for).action == told
        except RelayError as error:
            assert error.code == told
    if told == "accept":
        return
    # It is reported once, and a newer one counts. A decline is never too old.
    assert code_of(lambda: conversation.wait_for_decision(1, valid_for=valid_for)) == "timeout"
    request.answer("No.", decision=Decline(), even_if_newer=True)
    assert conversation.wait_for_decision(60, valid_for=valid_for).action == "decline"


@pytest.mark.parametrize("is_asked_long_ago", [False, True])
def test_an_answer_is_as_young_as_what_it_has_seen(
    tenant: Tenant, is_asked_long_ago: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the expert's device is late."""
    import datetime as dates

    from expert_relay.expert import write_decision

    class Late(dates.datetime):
        @classmethod
        def now(cls, tz: dates.tzinfo | None = None) -> Any:
            return dates.datetime.now(tz) - dates.timedelta(seconds=3600)

    monkeypatch.setattr(write_decision, "datetime", Late)
    conversation = tenant.relay().ask("May I?", form=approval)
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    if is_asked_long_ago:
        state = conversation.export()
        state["thread"]["sealedAt"] -= 36_000_000
        conversation = tenant.relay().resume(state)
        conversation.send("It is about test.")
        request.refresh()
        messages_of(request, 1)
    request.answer("", decision=Accept())
    assert conversation.wait_for_decision(60, valid_for=600).action == "accept"
    assert code_of(lambda: conversation.wait_for_decision(0.5, valid_for=0.001)) == "decision_too_old"
    assert code_of(lambda: conversation.wait_for_decision(valid_for=0)) == "invalid_input"
