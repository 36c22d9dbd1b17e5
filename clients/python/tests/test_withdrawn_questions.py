"""A question whose call has ended must not stay open: no program would read the expert's answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick
from watching_store import WatchingStore

from expert_relay import AsyncRelay, ConversationState, MemoryStore, RelayError

Answer = Callable[[httpx.Request, Callable[[], Awaitable[httpx.Response]]], Awaitable[httpx.Response]]


class Lying(httpx.AsyncBaseTransport):
    """`answer` changes, delays or replaces what the relay answers."""

    def __init__(self, answer: Answer | None = None) -> None:
        self._real = httpx.AsyncHTTPTransport(verify=False)
        self.answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async def real() -> httpx.Response:
            return await self._real.handle_async_request(request)

        return await self.answer(request, real) if self.answer else await real()

    async def aclose(self) -> None:
        await self._real.aclose()


def as_answer(status: int, body: object, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers=headers, stream=httpx.ByteStream(json.dumps(body).encode()))


async def too_busy(_: httpx.Request, __: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    return as_answer(429, {}, **{"retry-after": "20"})


async def nothing(_: httpx.Request, __: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    await asyncio.sleep(600)
    raise AssertionError


async def slow(_: httpx.Request, real: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    answer = await real()
    await asyncio.sleep(0.6)
    return answer


def with_changes(**changes: object) -> Answer:
    async def answer(request: httpx.Request, real: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
        response = await real()
        if request.url.path != "/api/v1/help":
            return response
        body = {**json.loads(await response.aread()), **changes}
        return as_answer(response.status_code, body)

    return answer


def refuse_to_save(state: ConversationState) -> None:
    if "request" in state:
        raise OSError("The disk is full.")


calls: dict[str, Callable[..., Awaitable[Any]]] = {
    "approve": lambda relay, **options: relay.approve("Delete it?", **options),
    "choose": lambda relay, **options: relay.choose("Where?", ["eu", "us"], **options),
}
every_call = pytest.mark.parametrize("call", calls.values(), ids=calls)


async def statuses(tenant: Tenant) -> list[str]:
    async with AsyncRelay(tenant.url, tenant.consumer_key, timing=quick) as relay:
        return [request.status for request in await relay.requests()]


async def until(tenant: Tenant, expected: list[str]) -> None:
    deadline = time.monotonic() + 60
    while await statuses(tenant) != expected:
        assert time.monotonic() < deadline, f"It is not {expected}."
        await asyncio.sleep(0.05)


def open_relay(tenant: Tenant, transport: Lying, **options: Any) -> AsyncRelay:
    return AsyncRelay(tenant.url, tenant.consumer_key, timing=quick, transport=transport, **options)


async def cancel_once_submitted(tenant: Tenant, call: Callable[[AsyncRelay], Awaitable[Any]]) -> None:
    async with open_relay(tenant, Lying(slow)) as relay:
        waiting = asyncio.ensure_future(call(relay))
        await until(tenant, ["pending"])
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


@every_call
def test_cancelled_while_the_relay_takes_it(tenant: Tenant, call: Any) -> None:
    async def run() -> None:
        await cancel_once_submitted(tenant, call)
        await until(tenant, ["closed"])

    asyncio.run(run())


@every_call
def test_the_time_ends_while_the_relay_takes_it(tenant: Tenant, call: Any) -> None:
    async def run() -> None:
        async with open_relay(tenant, Lying(slow)) as relay:
            with pytest.raises(RelayError) as raised:
                await call(relay, timeout=0.3)
            assert raised.value.code == "timeout"
        # On a busy machine, nothing may have been sent.
        assert set(await statuses(tenant)) <= {"closed"}

    asyncio.run(run())


@every_call
def test_it_cannot_be_saved(tenant: Tenant, call: Any) -> None:
    async def run() -> None:
        async with open_relay(tenant, Lying(), store=WatchingStore(refuse_to_save)) as relay:
            with pytest.raises(OSError, match="The disk is full"):
                await call(relay)
        assert await statuses(tenant) == ["closed"]

    asyncio.run(run())


@every_call
@pytest.mark.parametrize("changes", [{"refCode": "HS-00000000"}, {"answerForm": None}], ids=["code", "form"])
def test_the_relay_gives_another_answer(tenant: Tenant, call: Any, changes: dict[str, object]) -> None:
    async def run() -> None:
        async with open_relay(tenant, Lying(with_changes(**changes))) as relay:
            if "refCode" in changes:
                await relay.ask("The first one may have this code.")
            with pytest.raises(RelayError) as raised:
                await call(relay)
            assert raised.value.reason == "question_altered"
        assert (await statuses(tenant))[0] == "closed"

    asyncio.run(run())


def test_the_relay_gives_the_code_of_a_question_of_another_key(tenant: Tenant) -> None:
    async def run() -> None:
        store = MemoryStore()
        async with AsyncRelay(tenant.url, tenant.other_consumer_key, timing=quick, store=store) as other:
            ref_code = (await other.ask("Delete test?")).ref_code
        async with open_relay(tenant, Lying(with_changes(refCode=ref_code)), store=store) as relay:
            with pytest.raises(RelayError) as raised:
                await relay.ask("Delete PRODUCTION?")
            assert raised.value.reason == "question_altered"

    asyncio.run(run())


@pytest.mark.parametrize(
    "options", [{"keep_open": True}, {"once": "deploy", "encrypted": False}], ids=["keep_open", "once"]
)
def test_it_stays_open(tenant: Tenant, options: dict[str, Any]) -> None:
    async def run() -> None:
        await cancel_once_submitted(tenant, lambda relay: relay.approve("Delete it?", **options))
        assert await statuses(tenant) == ["pending"]

    asyncio.run(run())


@pytest.mark.parametrize("answer", [too_busy, nothing], ids=["too busy", "nothing"])
@every_call
def test_a_call_ends_in_time(tenant: Tenant, call: Any, answer: Answer) -> None:
    async def run() -> None:
        lying = Lying(answer)
        relay = open_relay(tenant, lying)
        with pytest.raises(RelayError) as raised:
            await call(relay, timeout=0.3)
        assert raised.value.code == "timeout"
        lying.answer = None
        await relay.stop()
        # Nothing is sent after the end of the call.
        assert await statuses(tenant) == []

    asyncio.run(run())


@pytest.mark.parametrize("answer", [too_busy, nothing], ids=["too busy", "nothing"])
def test_a_call_of_a_conversation_ends_in_time(tenant: Tenant, answer: Answer) -> None:
    """While other calls of the conversation read and send."""
    lying = Lying()
    relay = tenant.relay(transport=lying)
    form = {"type": "object", "properties": {}}
    conversation = relay.ask("Delete it?", form=form, encrypted=False)
    expert = tenant.expert().request(conversation.request_id)
    expert.answer("Wait.", plaintext=True)
    conversation.refresh()
    lying.answer = answer

    async def hang(_: AsyncRelay) -> list[asyncio.Task[Any]]:
        asked = conversation._async  # pyright: ignore[reportPrivateUsage]
        hanging = [asyncio.ensure_future(asked.refresh()), asyncio.ensure_future(asked.send("Hurry."))]
        await asyncio.sleep(0.1)
        return hanging

    hanging = relay.run(hang)
    assert conversation.wait_for_answer(0.3, include_early=True).text == "Wait."
    for wait in (conversation.wait_for_answer, conversation.wait_for_decision):
        with pytest.raises(RelayError) as raised:
            wait(0.3)
        assert raised.value.code == "timeout"
    assert not any(task.done() for task in hanging)

    async def end(_: AsyncRelay) -> None:
        for task in hanging:
            task.cancel()
        await asyncio.wait(hanging)

    relay.run(end)
    lying.answer = None
