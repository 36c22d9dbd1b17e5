"""What graphs interrupt with besides the properties: questions in words, rules of a configuration, and what is invalid."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from conftest import Tenant
from langgraph.types import Interrupt

from expert_relay import Accept, Decline, ExpertRequest, FileStore, RelayError
from expert_relay.adapters import ToolCall, ToolDecision, decide_tool_calls
from expert_relay.adapters._interrupts import read_interrupt
from expert_relay.adapters.langgraph import answer_interrupts

arguments = {"path": "/var/log/a", "days": 7}
action = {"name": "remove_logs", "args": arguments, "description": "Nightly clean-up."}


def reviewed(*allowed: str) -> dict[str, Any]:
    rules = {"action_name": "remove_logs", "allowed_decisions": list(allowed)}
    return {"action_requests": [action], "review_configs": [rules]}


def in_inbox(**allowed: bool) -> dict[str, Any]:
    return {"action_request": {"action": "remove_logs", "args": arguments}, "config": allowed, "description": None}


@contextmanager
def answering(tenant: Tenant, *answers: Callable[[ExpertRequest], object]) -> Iterator[None]:
    """An expert who answers one request in turns."""

    def run() -> None:
        request = next(iter(tenant.expert().requests()))
        for number, answer in enumerate(answers):
            if number:
                next(one for one in request.messages() if one.sender == "agent")
            answer(request)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()


def answer(tenant: Tenant, store: FileStore, value: object, **options: Any) -> Any:
    relay = tenant.relay(store=store)
    command: Any = answer_interrupts(relay, [Interrupt(value, "1")], run="job-7", timeout=60, **options)
    return command.resume["1"]


@pytest.fixture
def store(tmp_path: Any) -> FileStore:
    return FileStore(tmp_path)


def test_a_text_is_answered_in_words(tenant: Tenant, store: FileStore) -> None:
    with answering(tenant, lambda request: request.answer("eu")):
        assert answer(tenant, store, "Which region?") == "eu"
    # After a crash the same question has the same answer.
    assert answer(tenant, store, "Which region?") == "eu"


def test_a_call_that_only_allows_an_answer(tenant: Tenant, store: FileStore) -> None:
    with answering(tenant, lambda request: request.answer("None are left.")):
        decisions = answer(tenant, store, reviewed("respond"))
    assert decisions == {"decisions": [{"type": "respond", "message": "None are left."}]}


def accept(request: ExpertRequest) -> None:
    assert request.form and request.form.form
    fields = request.form.form["properties"]
    request.answer("", decision=Accept({name: field["default"] for name, field in fields.items()}))


def remove_logs(path: str, days: int) -> None:
    """Removes old logs."""


def test_the_fields_are_those_of_the_tools(tenant: Tenant, store: FileStore) -> None:
    def change(request: ExpertRequest) -> None:
        request.answer("", decision=Accept({"path": "/var/log/a", "days": 30}))

    with answering(tenant, change):
        decisions = answer(tenant, store, reviewed("approve", "edit"), tools=[remove_logs])
    assert decisions["decisions"][0]["edited_action"]["args"] == {"path": "/var/log/a", "days": 30}


def decline(request: ExpertRequest) -> None:
    request.answer("Ask Ada.", decision=Decline())


refusal = "The expert has declined this call: Ask Ada."
edited = {"name": "remove_logs", "args": arguments}


@pytest.mark.parametrize(
    ("value", "decide", "expected"),
    [
        (reviewed("edit", "reject"), accept, {"decisions": [{"type": "edit", "edited_action": edited}]}),
        (reviewed("approve", "respond"), decline, {"decisions": [{"type": "respond", "message": refusal}]}),
        (in_inbox(allow_edit=True), accept, [{"type": "edit", "args": {"action": "remove_logs", "args": arguments}}]),
        (in_inbox(allow_accept=True, allow_respond=True), decline, [{"type": "response", "args": refusal}]),
        (in_inbox(allow_accept=True, allow_ignore=True), decline, [{"type": "ignore", "args": None}]),
    ],
    ids=["only edits", "a decline is an answer", "only edits, inbox", "a response", "ignored"],
)
def test_what_the_configuration_allows(
    tenant: Tenant, store: FileStore, value: Any, decide: Callable[[ExpertRequest], None], expected: Any
) -> None:
    with answering(tenant, decide):
        assert answer(tenant, store, value) == expected


@pytest.mark.parametrize("value", [reviewed("approve"), in_inbox(allow_accept=True)], ids=["middleware", "inbox"])
def test_a_decline_that_is_not_allowed_is_no_approval(tenant: Tenant, store: FileStore, value: Any) -> None:
    with answering(tenant, decline), pytest.raises(RelayError, match="does not allow") as refused:
        answer(tenant, store, value)
    assert refused.value.code == "invalid_input"


def test_other_interrupts_are_refused_before_anything_is_asked(tenant: Tenant, store: FileStore) -> None:
    relay = tenant.relay(store=store)
    for value in (None, 7, {}, [], [None], {"question": "?"}, reviewed(), in_inbox()):
        interrupts = [Interrupt("Which region?", "1"), Interrupt(value, "2")]
        with pytest.raises(RelayError) as refused:
            answer_interrupts(relay, interrupts, run="job-7", timeout=60)
        assert (value, refused.value.code) == (value, "invalid_input")
    assert relay.requests() == []


def test_arguments_that_are_no_json_are_asked_about_again(tenant: Tenant, store: FileStore) -> None:
    def mistype(request: ExpertRequest) -> None:
        request.answer("", decision=Accept({"arguments": "{days: 30}"}))

    def correct(request: ExpertRequest) -> None:
        request.answer("", decision=Accept({"arguments": '{"path": "/var/log/a", "days": 30}'}))

    with answering(tenant, mistype, correct):
        decisions = answer(tenant, store, reviewed("approve", "edit", "reject"))
    (decision,) = decisions["decisions"]
    assert decision["edited_action"]["args"] == {"path": "/var/log/a", "days": 30}


def test_one_decision_of_two_in_time(tenant: Tenant, store: FileStore) -> None:
    """Nothing is decided for the program until all is, and what is decided stays."""
    calls = [ToolCall("a", "remove_logs", arguments), ToolCall("b", "remove_logs", arguments)]

    def decide(timeout: float) -> list[ToolDecision]:
        relay = tenant.relay(store=store)
        return relay.run(lambda client: decide_tool_calls(client, calls, run="job-7", timeout=timeout))

    with pytest.raises(RelayError) as late:
        decide(0.3)
    assert late.value.code == "timeout"
    expert = tenant.expert()
    first, second = (expert.request(one.request_id) for one in tenant.relay().requests())
    decline(first)
    with pytest.raises(RelayError) as late:
        decide(3)
    assert late.value.code == "timeout"
    accept(second)
    assert sorted(one.action for one in decide(60)) == ["approve", "decline"]
    assert len(tenant.relay().requests()) == 2


def test_a_description_comes_before_the_question(tenant: Tenant, store: FileStore) -> None:
    seen: list[Any] = []

    def look(request: ExpertRequest) -> None:
        seen.append(request.context)
        accept(request)

    with answering(tenant, look):
        answer(tenant, store, reviewed("approve", "reject"))
    assert [dict(one) for one in seen[0]] == [{"role": "assistant", "content": "Nightly clean-up."}]


def test_the_words_of_the_middleware_are_not_repeated() -> None:
    own = f"Tool execution requires approval\n\nTool: remove_logs\nArgs: {arguments}"
    value = {**reviewed("approve"), "action_requests": [{**action, "description": own}]}
    (review,) = read_interrupt("1", value, None, {}).reviews
    assert not isinstance(review, str) and review.call.description == ""  # type: ignore[union-attr]
