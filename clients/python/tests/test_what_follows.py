"""What an agent sends automatically after the pick-up: files, and the question of a confidential request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import (
    CONFIDENTIAL_QUESTION,
    Accept,
    Conversation,
    Expert,
    ExpertRequest,
    File,
    Follows,
    RelayError,
)
from expert_relay._json_text import Members

approval = {"type": "object", "properties": {}}
log = File("log.txt", b"It hangs.", "text/plain")
impatient = replace(quick, parts=0.3)
questions: dict[str, tuple[dict[str, Any], Follows | None]] = {
    "a question": ({}, None),
    "in plain text": ({"encrypted": False}, None),
    "a form": ({"form": approval}, None),
    "files": ({"files": [log, log]}, Follows(2, False)),
    "a form with a file": ({"form": approval, "files": [log]}, Follows(1, False)),
    "confidential": ({"confidential": True}, Follows(0, True)),
    "all": ({"confidential": True, "form": approval, "files": [log]}, Follows(1, True)),
}


@pytest.mark.parametrize("name", questions)
def test_is_announced(tenant: Tenant, name: str) -> None:
    options, follows = questions[name]
    relay = tenant.relay()
    conversation = relay.ask("Why?", **options)
    assert relay.requests()[0].follows == follows
    assert tenant.expert().request(conversation.request_id).missing_parts == follows


@contextmanager
def waiting(wait: Callable[[], str]) -> Iterator[Callable[[], str]]:
    """The agent's program, which waits."""
    results: list[str] = []
    thread = threading.Thread(target=lambda: results.append(wait()))
    thread.start()

    def result() -> str:
        thread.join(60)
        return results[0]

    yield result
    thread.join(60)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(RelayError) as raised:
        call()
    return raised.value.code


def test_an_expert_who_answers_at_once_waits_for_the_files(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("Why?", files=[log])
    with waiting(lambda: conversation.wait_for_answer(60).text) as result:
        request = tenant.expert().request(conversation.request_id)
        # They were not returned to this program.
        assert code_of(lambda: request.answer("It hangs.")) == "newer_message"
        assert request.missing_parts is None
        assert [one.files for one in request.receive()] == [(log,)]
        request.answer("It hangs.")
        assert result() == "It hangs."
    assert not request.is_reopened


def test_a_confidential_question_that_was_not_read_is_not_answered(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("Delete it?", confidential=True, form=approval)
    with waiting(lambda: conversation.wait_for_decision(60).comment) as result:
        request = tenant.expert().request(conversation.request_id)
        assert (request.question, request.form) == (CONFIDENTIAL_QUESTION, None)
        tries: list[dict[str, Any]] = [
            {},
            {"even_if_newer": True},
            {"shown": [], "even_if_newer": True, "without_parts": True},
        ]
        for options in tries:
            assert code_of(lambda: request.answer("Yes.", **options)) == "newer_message"
        assert request.pending == []
        (first,) = request.receive()
        assert (first.text, first.form) == ("Delete it?", approval)
        request.answer("Yes.", decision=Accept(of=first.form_of))
        assert result() == "Yes."


def test_a_loop_over_the_messages_gets_the_files_first(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("Why?", files=[log])
    with waiting(lambda: conversation.wait_for_answer(60).text) as result:
        request = tenant.expert().request(conversation.request_id)
        request.pick_up()
        for message in request.messages():
            assert message.files == (log,)
            request.answer("It hangs.")
            break
        assert result() == "It hangs."


def away(tenant: Tenant, **options: Any) -> tuple[Conversation, ExpertRequest]:
    """A question of an agent that does not run now."""
    relay = tenant.relay()
    conversation = relay.ask("Why?", **options)
    relay.stop()
    return conversation, tenant.expert(timing=impatient).request(conversation.request_id)


def test_without_its_files(tenant: Tenant) -> None:
    conversation, request = away(tenant, files=[log])
    for call in (lambda: request.answer("It hangs."), request.receive):
        with pytest.raises(RelayError, match="1 file,") as missing:
            call()
        assert missing.value.code == "parts_missing"
    request.answer("I cannot know.", without_parts=True)
    resumed = tenant.relay().resume(conversation.export())
    with waiting(lambda: resumed.wait_for_answer(60).text) as result:
        while request.missing_parts:
            request.refresh()
        assert request.is_reopened
        assert code_of(lambda: request.answer("It hangs.")) == "newer_message"
        request.receive()
        request.answer("It hangs.")
        assert not request.is_reopened
        assert result() == "It hangs."


def test_a_confidential_question_is_never_answered_without_it(tenant: Tenant) -> None:
    _, request = away(tenant, confidential=True)
    tries: list[dict[str, Any]] = [{}, {"without_parts": True}, {"without_parts": True, "even_if_newer": True, "shown": []}]
    for options in tries:
        assert code_of(lambda: request.answer("Because.", **options)) == "parts_missing"


class Bot:
    """Answers in a thread, until it is stopped."""

    def __init__(self, expert: Expert, answer: Callable[[ExpertRequest], object], **options: Any) -> None:
        self.expert, self.returned = expert, list[ExpertRequest]()
        self.errors: list[BaseException] = []

        def run() -> None:
            try:
                for request in expert.requests(**options):
                    self.returned.append(request)
                    answer(request)
            except RelayError as error:
                if error.code != "aborted":
                    self.errors.append(error)

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def stop(self) -> None:
        self.expert.stop()
        self._thread.join()
        assert self.errors == []


def question_of(request: ExpertRequest) -> str:
    return request.received[0].text if request.question == CONFIDENTIAL_QUESTION else request.question


def test_a_bot_gets_a_request_when_it_is_complete(tenant: Tenant) -> None:
    absent = tenant.relay()
    first = absent.ask("First?", files=[log])
    absent.stop()
    bot = Bot(tenant.expert(), lambda request: request.answer(f"About {question_of(request)}"))
    relay = tenant.relay()
    asked: list[tuple[str, dict[str, Any]]] = [("Second?", {}), ("Third?", {"files": [log]}), ("Fourth?", {"confidential": True})]
    for question, options in asked:
        answer = relay.ask(question, **options).wait_for_answer(60)
        assert (answer.text, answer.seen_your_last) == (f"About {question}", True)
    assert tenant.relay().resume(first.export()).wait_for_answer(60).text == "About First?"
    bot.stop()
    assert [question_of(one) for one in bot.returned] == ["Second?", "Third?", "Fourth?", "First?"]
    assert [sum(len(message.files) for message in one.received) for one in bot.returned] == [0, 1, 0, 1]


def test_a_filter_leaves_requests_to_a_person(tenant: Tenant) -> None:
    relay = tenant.relay()
    kept = relay.ask("For a person?", files=[log])
    bot = Bot(tenant.expert(), lambda one: one.answer("Yes."), filter=lambda one: one.question != "For a person?")
    assert relay.ask("Why?").wait_for_answer(60).text == "Yes."
    bot.stop()
    assert len(bot.returned) == 1
    kept.refresh()
    assert not kept.is_picked_up


class Silent(httpx.AsyncHTTPTransport):
    """Hides what agents have announced."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if "/messages/" not in request.url.path:
            return response
        body: Members = json.loads(await response.aread())
        body.pop("follows", None)
        return httpx.Response(response.status_code, stream=httpx.ByteStream(json.dumps(body).encode()))


@pytest.mark.parametrize("form", [None, approval], ids=["in words", "with a decision"])
def test_a_bot_gets_a_request_again_when_the_relay_has_hidden_it(tenant: Tenant, form: dict[str, Any] | None) -> None:
    decision = Accept() if form else None
    bot = Bot(
        tenant.expert(transport=Silent()),
        lambda one: one.answer(f"I have seen {len(one.received)} messages.", decision=decision),
    )
    conversation = tenant.relay().ask("May I?", form=form, files=[log])
    told = conversation.wait_for_decision(60).comment if form else conversation.wait_for_answer(60).text
    assert told == "I have seen 1 messages."
    bot.stop()
    assert [len(one.received) for one in bot.returned] == [0, 1]


def test_a_bot_does_not_get_again_what_a_loop_gets(tenant: Tenant) -> None:
    def answer(request: ExpertRequest) -> None:
        request.answer("Which one?")
        if request.question != "Looped?":
            return
        for message in request.messages():
            if message.sender == "agent":
                request.answer("Then no.")
                break

    bot, relay = Bot(tenant.expert(), answer), tenant.relay()
    looped = relay.ask("Looped?")
    looped.wait_for_answer(60)
    looped.send("The second.")
    assert looped.wait_for_answer(60).text == "Then no."
    other = relay.ask("Other?")
    other.wait_for_answer(60)
    other.send("Thank you.")
    relay.ask("Last?").wait_for_answer(60)
    bot.stop()
    assert [one.question for one in bot.returned] == ["Looped?", "Other?", "Last?"]
