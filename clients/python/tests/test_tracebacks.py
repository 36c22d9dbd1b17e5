"""Error reporters print the local variables of each frame. None of this package's frames may have a key, a question or a message."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from traceback import TracebackException
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick
from watching_store import WatchingStore

from expert_relay import (
    AsyncConversation,
    AsyncExpert,
    AsyncExpertRequest,
    AsyncRelay,
    Conversation,
    Decline,
    Expert,
    ExpertRequest,
    File,
    Relay,
    RelayError,
)

secret_key = "hs_0123456789abcdefghijklmnopqrstuv000000"
provider_key = "hs_prov_0123456789abcdefghijklmnopqrstuv000000"
question = "Shall I tell the press about the MERGER?"
form = {"type": "object", "properties": {"plan": {"type": "string", "title": question}}}
secrets = (secret_key, secret_key[8:], provider_key, "MERGER")
once_only = replace(quick, patience=0)


class Answering(httpx.AsyncBaseTransport):
    """Refuses all calls in one way."""

    def __init__(self, status: int | None) -> None:
        self._status = status

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._status is None:
            raise httpx.ConnectError(f"no route to {request.url.host}")
        if self._status == 0:
            raise KeyError("a defect")
        body = json.dumps({"error": "x", "title": "x"}) if self._status != 200 else "{}"
        return httpx.Response(self._status, stream=httpx.ByteStream(body.encode()))


def causes_of(error: BaseException) -> Iterator[BaseException]:
    for one in (error.__cause__, error.__context__):
        if one:
            yield one
            yield from causes_of(one)


def check(error: BaseException) -> None:
    """This file's own frames have the question."""
    for one in (error, *causes_of(error)):
        assert not any(secret in f"{one!r}{one}" for secret in secrets)
        captured = TracebackException.from_exception(one, capture_locals=True)
        for frame in captured.stack:
            if frame.filename != __file__:
                found = {name: text for name, text in (frame.locals or {}).items() if any(secret in text for secret in secrets)}
                assert found == {}, f"{frame.filename}:{frame.lineno} {frame.name}"


agent_calls: dict[str, Callable[[Any], Any]] = {
    "ask": lambda relay: relay.ask(question, messages=[{"role": "user", "content": question}]),
    "ask with files": lambda relay: relay.ask(question, files=[File("MERGER.txt", b"MERGER")]),
    "ask confidentially": lambda relay: relay.ask(question, confidential=True, form=form),
    "ask wrongly": lambda relay: relay.ask(question, once="MERGER"),
    "approve": lambda relay: relay.approve(question),
    "approve with a timeout": lambda relay: relay.approve(question, timeout=5),
    "approve wrongly": lambda relay: relay.approve(question, form=form),
    "choose": lambda relay: relay.choose(question, ["MERGER", "us"]),
    "resume": lambda relay: relay.resume({"version": 2, "id": "x", "submission": {"question": question}}),
    "whoami": lambda relay: relay.whoami(),
    "find_named": lambda relay: relay.find_named("MERGER"),
    "requests": lambda relay: relay.requests("MERGER"),
    "find_by_ref": lambda relay: relay.find_by_ref("MERGER"),
}
expert_calls: dict[str, Callable[[Any], Any]] = {
    "whoami": lambda expert: expert.whoami(),
    "list": lambda expert: expert.list("MERGER"),
    "request": lambda expert: expert.request("MERGER"),
    "requests": lambda expert: first_of(expert.requests()),
}
conversation_calls: dict[str, Callable[[Any], Any]] = {
    "send": lambda one: one.send(question, form=form, files=[File("MERGER.txt", b"MERGER")]),
    "send nothing": lambda one: one.send("", files=[File("", b"MERGER")]),
    "wait_for_answer": lambda one: one.wait_for_answer(0.2),
    "wait_for_decision": lambda one: one.wait_for_decision(0.2),
    "wait_for_decision with a form": lambda one: one.wait_for_decision(0.2, form=form),
    "messages": lambda one: one.messages(),
    "receipt": lambda one: one.receipt(whole=True),
    "refresh": lambda one: one.refresh(),
    "ask_again": lambda one: one.ask_again("MERGER"),
    "close": lambda one: one.close("MERGER"),
    "loop": lambda one: first_of(one),
}
request_calls: dict[str, Callable[[Any], Any]] = {
    "answer": lambda one: one.answer("MERGER", files=[File("MERGER.txt", b"MERGER")]),
    "decide": lambda one: one.answer("MERGER", decision=Decline()),
    "messages": lambda one: first_of(one.messages()),
    "receive": lambda one: one.receive(),
    "refresh": lambda one: one.refresh(),
    "close": lambda one: one.close("MERGER"),
}
statuses = [None, 400, 401, 404, 409, 200, 0]


def first_of(loop: Any) -> Any:
    if not hasattr(loop, "__aiter__"):
        return [next(iter(loop)) for _ in range(4)]

    async def take() -> list[Any]:
        messages = loop.__aiter__()
        return [await asyncio.wait_for(messages.__anext__(), 1) for _ in range(4)]

    return take()


async def fail(call: Callable[[Any], Any], target: Any) -> None:
    """In the way of a program: the error leaves `call` and is reported."""
    try:
        result = call(target)
        if inspect.isawaitable(result):
            await result
    except BaseException as error:
        check(error)
        return


@pytest.mark.parametrize("status", statuses)
@pytest.mark.parametrize("name", agent_calls)
def test_calls_of_an_agent(name: str, status: int | None) -> None:
    def options() -> dict[str, Any]:
        return {"transport": Answering(status), "timing": once_only}

    async def run() -> None:
        async with AsyncRelay("http://relay.example", secret_key, **options()) as relay:
            await fail(agent_calls[name], relay)

    asyncio.run(run())
    with Relay("http://relay.example", secret_key, **options()) as relay:
        asyncio.run(fail(agent_calls[name], relay))


@pytest.mark.parametrize("status", statuses)
@pytest.mark.parametrize("name", expert_calls)
def test_calls_of_an_expert(name: str, status: int | None) -> None:
    def options() -> dict[str, Any]:
        return {"root": os.urandom(32), "transport": Answering(status), "timing": once_only}

    async def run() -> None:
        async with AsyncExpert("http://relay.example", provider_key, **options()) as expert:
            waiting = asyncio.ensure_future(fail(expert_calls[name], expert))
            _, pending = await asyncio.wait({waiting}, timeout=0.5)
            # Cancelled: a loop goes on after an outage.
            for one in pending:
                one.cancel()
            await asyncio.wait({waiting})

    asyncio.run(run())
    if name != "requests":
        with Expert("http://relay.example", provider_key, **options()) as expert:
            asyncio.run(fail(expert_calls[name], expert))


class Breaking(httpx.AsyncHTTPTransport):
    """The real relay, until it breaks."""

    broken: Answering | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await (self.broken.handle_async_request(request) if self.broken else super().handle_async_request(request))


@pytest.mark.parametrize("status", [None, 400, 409, 200, 0])
def test_calls_of_conversations(tenant: Tenant, status: int | None) -> None:
    networks: list[Breaking] = []

    def options() -> dict[str, Any]:
        networks.append(Breaking())
        return {"transport": networks[-1], "timing": once_only}

    async def run() -> None:
        async with (
            AsyncRelay(tenant.url, tenant.consumer_key, **options()) as relay,
            AsyncExpert(tenant.url, tenant.provider_key, root=tenant.root, **options()) as expert,
        ):
            asked = await relay.ask(question, form=form)
            request = await expert.request(asked.request_id)
            await request.answer("About the MERGER: wait.")
            await asked.refresh()
            await asked.send("The MERGER is public.")
            await request.refresh()
            for network in networks:
                network.broken = Answering(status)
            for call in conversation_calls.values():
                await fail(call, asked)
            for call in request_calls.values():
                await fail(call, request)

    asyncio.run(run())
    networks.clear()
    relay, expert = tenant.relay(**options()), tenant.expert(**options())
    asked = relay.ask(question, form=form)
    request = expert.request(asked.request_id)
    request.answer("About the MERGER: wait.")
    for network in networks:
        network.broken = Answering(status)
    # A loop goes on after an outage.
    loops = {"loop", "messages"} if status != 400 else set[str]()
    for name, call in conversation_calls.items():
        if name not in loops:
            asyncio.run(fail(call, asked))
    for name, call in request_calls.items():
        if name not in loops:
            asyncio.run(fail(call, request))


def test_what_clients_are_made_of() -> None:
    makers: list[Callable[[], Any]] = [
        lambda: Relay("http://relay.example", provider_key),
        lambda: AsyncRelay("MERGER", secret_key),
        lambda: Relay.from_env(url="http://relay.example", api_key=secret_key, agent_name="MERGER" * 20),
        lambda: Expert("http://relay.example", secret_key),
        lambda: AsyncExpert("MERGER", provider_key, root=b"MERGER"),
    ]
    for make in makers:
        with pytest.raises(RelayError) as raised:
            make()
        check(raised.value)


def test_an_outage_that_is_reported() -> None:
    reported: list[BaseException] = []

    def report(error: RelayError | None) -> None:
        assert error
        check(error)
        reported.append(error)

    with Relay(
        "http://relay.example", secret_key, transport=Answering(None), timing=once_only, on_outage=report
    ) as relay:
        asyncio.run(fail(agent_calls["ask"], relay))
    assert reported


def test_a_defect_of_a_program_is_found() -> None:
    def save(_state: Any) -> None:
        raise ZeroDivisionError

    with Relay("http://relay.example", secret_key, transport=Answering(None), store=WatchingStore(save)) as relay:
        with pytest.raises(ZeroDivisionError) as raised:
            relay.ask(question)
    names = [frame.name for frame in TracebackException.from_exception(raised.value).stack]
    assert names[0] == "test_a_defect_of_a_program_is_found"
    assert names[-2:] == ["set", "save"]


def test_each_public_method_is_called() -> None:
    called = {*agent_calls, *expert_calls, *conversation_calls, *request_calls}
    # They keep nothing secret, or end the client.
    others = {"run", "stop", "from_env", "verify", "export", "save", "give_back", "discard", "pick_up", "conversations", "forget"}
    for made in (AsyncRelay, Relay, AsyncConversation, Conversation, AsyncExpert, Expert, AsyncExpertRequest, ExpertRequest):
        names = {name for name, _ in inspect.getmembers(made, inspect.isfunction) if not name.startswith("_")}
        assert names - called - others == set()
