"""An answer is lost by no kill, no timeout, no cancellation and no Ctrl-C between its arrival and its return.

A process that is killed leaves the state that was saved last. So each state that is saved until the program has processed an answer
must have it, or be older than it."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick
from watching_store import WatchingStore

from expert_relay import Accept, Answer, AsyncRelay, Conversation, ConversationState, File, RelayError
from expert_relay._sync import portal

log = File("log.txt", b"It hangs.", "text/plain")


class Recorder(httpx.AsyncHTTPTransport):
    """Keeps the states that are saved, and which one was the newest when a message was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[ConversationState] = []
        self.at_post: list[ConversationState] = []
        self.instead: Callable[[], httpx.Response] | None = None
        self.posting = asyncio.Event()

    def save(self, state: ConversationState) -> None:
        self.saved.append(json.loads(json.dumps(state)))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if "/message/" in request.url.path:
            self.at_post.append(self.saved[-1])
            self.posting.set()
            if self.instead:
                return self.instead()
        return await super().handle_async_request(request)


def answer_at_once(tenant: Tenant, request_id: str) -> None:
    """Without what the agent has announced."""
    request = tenant.expert(timing=replace(quick, parts=0)).request(request_id)
    request.answer("Yes.", without_parts=True)


def answers_after(tenant: Tenant, state: ConversationState) -> list[str]:
    """The answers that a process returns which continues with this state."""
    conversation = tenant.relay().resume(state)
    conversation.refresh()
    texts: list[str] = []
    while True:
        try:
            texts.append(conversation.wait_for_answer(0, include_early=True).text)
        except RelayError as error:
            assert error.code in ("timeout", "closed")
            return texts


def test_a_text_that_waited_for_the_keys_is_sent_before_the_answer_is_returned(tenant: Tenant) -> None:
    recorder = Recorder()
    conversation = tenant.relay(transport=recorder, store=WatchingStore(recorder.save)).ask("May I?", files=[log])
    # Keys and answer arrive in one read.
    answer_at_once(tenant, conversation.request_id)
    assert conversation.wait_for_answer(60, include_early=True).text == "Yes."
    assert len(recorder.at_post) == 1
    for state in (*recorder.at_post, recorder.saved[-1]):
        assert answers_after(tenant, state) == ["Yes."]


def test_the_body_of_a_loop_runs_and_sends(tenant: Tenant) -> None:
    recorder = Recorder()
    conversation = tenant.relay(transport=recorder, store=WatchingStore(recorder.save)).ask("May I?")
    request = tenant.expert().request(conversation.request_id)
    request.answer("Yes.")
    answers = iter(conversation)
    assert next(answers).text == "Yes."
    conversation.send("Really?")
    for state in (*recorder.at_post, recorder.saved[-1]):
        assert answers_after(tenant, state) == ["Yes."]
    # It was written before the text that was sent since then.
    with pytest.raises(RelayError, match="No answer"):
        tenant.relay().resume(recorder.saved[-1]).wait_for_answer(0)
    request.answer("Really.", even_if_newer=True)
    assert next(answers).text == "Really."
    assert answers_after(tenant, recorder.saved[-1]) == ["Really."]
    conversation.close()
    assert answers_after(tenant, recorder.saved[-1]) == []
    # A program that exports has its answers.
    assert answers_after(tenant, conversation.export()) == []


def test_on_reply_has_it_and_a_decision_is_returned_once(tenant: Tenant) -> None:
    recorder = Recorder()
    relay = tenant.relay(transport=recorder, store=WatchingStore(recorder.save))
    conversation = relay.ask("May I?", form={"type": "object", "properties": {}})
    request = tenant.expert().request(conversation.request_id)
    request.answer("Which one?")
    in_hand: list[ConversationState] = []

    def on_reply(_reply: Answer) -> None:
        conversation.send("All of them.")
        in_hand.append(recorder.saved[-1])
        request.refresh()
        next(one for one in request.messages() if one.sender == "agent")
        request.answer("Yes.", decision=Accept({}))

    assert conversation.wait_for_decision(60, on_reply=on_reply).comment == "Yes."
    assert [answers_after(tenant, state)[:1] for state in in_hand] == [["Which one?"]]
    assert answers_after(tenant, recorder.saved[-1]) == []
    decided = [state for state in recorder.saved if "decided" in state]
    assert decided
    for state in decided:
        again = tenant.relay().resume(state)
        assert again.wait_for_decision(60).comment == "Yes."
        with pytest.raises(RelayError, match="No answer"):
            again.wait_for_answer(0, include_early=True)


def test_an_answer_is_processed_when_the_program_learns_of_the_end(tenant: Tenant) -> None:
    recorder = Recorder()
    conversation = tenant.relay(store=WatchingStore(recorder.save)).ask("May I?", form={"type": "object", "properties": {}})
    request = tenant.expert().request(conversation.request_id)
    request.answer("Not now.")
    assert conversation.wait_for_answer(60).text == "Not now."
    request.close()
    with pytest.raises(RelayError) as ended:
        conversation.wait_for_decision(60)
    assert ended.value.code == "closed"
    assert answers_after(tenant, recorder.saved[-1]) == []


async def ask_and_wait(
    tenant: Tenant, recorder: Recorder, use: Callable[[Any, asyncio.Task[Answer]], Any], timeout: float
) -> str:
    async with AsyncRelay(
        tenant.url, tenant.consumer_key, timing=quick, transport=recorder, store=WatchingStore(recorder.save)
    ) as relay:
        conversation = await relay.ask("May I?", files=[log])
        await asyncio.to_thread(lambda: answer_at_once(tenant, conversation.request_id))
        waiting = asyncio.ensure_future(conversation.wait_for_answer(timeout, include_early=True))
        await recorder.posting.wait()
        return str(await use(conversation, waiting))


def limited() -> httpx.Response:
    body = httpx.ByteStream(b'{"error": "too_many_at_once"}')
    return httpx.Response(429, headers={"retry-after": "20"}, stream=body)


def test_a_timeout_while_a_text_is_sent(tenant: Tenant) -> None:
    recorder = Recorder()
    recorder.instead = limited

    async def use(_conversation: Any, waiting: asyncio.Task[Answer]) -> str:
        return (await waiting).text

    assert asyncio.run(ask_and_wait(tenant, recorder, use, 3)) == "Yes."


def test_a_cancellation_while_a_text_is_sent(tenant: Tenant) -> None:
    recorder = Recorder()
    recorder.instead = limited

    async def use(conversation: Any, waiting: asyncio.Task[Answer]) -> str:
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return (await conversation.wait_for_answer(0, include_early=True)).text  # type: ignore[no-any-return]

    assert asyncio.run(ask_and_wait(tenant, recorder, use, 60)) == "Yes."


def test_ctrl_c_as_the_answer_is_returned(tenant: Tenant) -> None:
    conversation: Conversation = tenant.relay().ask("May I?")
    tenant.expert().request(conversation.request_id).answer("Yes.")
    inner = conversation._async  # pyright: ignore[reportPrivateUsage]
    wait = inner.wait_for_answer

    def interrupt() -> None:
        raise KeyboardInterrupt

    async def wait_and_interrupt(timeout: float | None = None, *, include_early: bool = False) -> Answer:
        answer = await wait(timeout, include_early=include_early)
        caller = portal._caller.get()  # pyright: ignore[reportPrivateUsage]
        assert caller
        caller.post(interrupt)
        return answer

    inner.wait_for_answer = wait_and_interrupt  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        conversation.wait_for_answer(60)
    inner.wait_for_answer = wait  # type: ignore[method-assign]
    assert conversation.wait_for_answer(0).text == "Yes."


def test_a_loop_that_is_collected_in_the_thread_of_the_event_loop(tenant: Tenant) -> None:
    relay = tenant.relay()
    conversation = relay.ask("May I?")
    tenant.expert().request(conversation.request_id).answer("Yes.")

    def abandon() -> None:
        answers = iter(conversation)
        assert next(answers).text == "Yes."
        cycle: list[Any] = [answers]
        cycle.append(cycle)

    async def collect() -> None:
        gc.collect()

    gc.disable()
    try:
        abandon()
        inner = conversation._portal  # pyright: ignore[reportPrivateUsage]
        thread = threading.Thread(target=inner.run, args=[collect], daemon=True)
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
    finally:
        gc.enable()
    assert relay.whoami()
