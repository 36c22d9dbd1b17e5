"""Answers that were encrypted, and then could not be sent: the agent may write before they are sent again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import (
    Accept,
    AsyncConversation,
    AsyncExpert,
    AsyncExpertRequest,
    AsyncRelay,
    File,
    Message,
    RelayError,
)

Real = Callable[[], Awaitable[httpx.Response]]
WAIT = "WAIT: also PRODUCTION?"
ID = "0b51a3ee-8f0e-4a35-9b5e-0d6a6f7b0c11"


class Cutting(httpx.AsyncBaseTransport):
    """Each call with a message fails after `instead`, until that is None."""

    def __init__(self) -> None:
        self._real = httpx.AsyncHTTPTransport(verify=False)
        self.instead: Callable[[Real], Awaitable[object]] | None = None
        self.is_refused = False
        self.is_down = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async def real() -> httpx.Response:
            return await self._real.handle_async_request(request)

        is_message = "/message/" in request.url.path
        if is_message and self.is_refused:
            return httpx.Response(400, stream=httpx.ByteStream(b'{"error": "It is refused."}'))
        if self.is_down:
            raise httpx.ConnectError("The network is gone.")
        if not self.instead or not is_message:
            return await real()
        await self.instead(real)
        raise httpx.ConnectError("The network is gone.")

    async def aclose(self) -> None:
        await self._real.aclose()


class Scene:
    """A request that an expert has picked up over a network that can be cut."""

    def __init__(self, tenant: Tenant) -> None:
        self.network = Cutting()
        self.relay = AsyncRelay(tenant.url, tenant.consumer_key, timing=quick)
        self.expert = self._expert(tenant, self.network)
        self._tenant = tenant
        self.late: list[Real] = []
        self.conversation: AsyncConversation
        self.request: AsyncExpertRequest

    @staticmethod
    def _expert(tenant: Tenant, transport: httpx.AsyncBaseTransport | None = None) -> AsyncExpert:
        return AsyncExpert(tenant.url, tenant.provider_key, root=tenant.root, timing=quick, transport=transport)

    async def begin(self) -> None:
        self.conversation = await self.relay.ask("May I delete test?")
        self.request = await self.expert.request(self.conversation.request_id)
        await self.request.pick_up()
        await self.conversation.refresh()

    async def interrupt(self, _: Real | None = None) -> None:
        """The agent writes, and calls work again."""
        self.network.instead = None
        await self.conversation.send(WAIT)

    async def delay(self, real: Real) -> None:
        self.late.append(real)
        await self.interrupt()

    async def texts(self) -> list[str]:
        """All messages, as another device of the expert reads them."""
        async with self._expert(self._tenant) as device:
            request = await device.request(self.conversation.request_id)
            return await take(request)


async def current(request: AsyncExpertRequest) -> AsyncIterator[Message]:
    messages = request.messages()
    while True:
        try:
            yield await asyncio.wait_for(anext_of(messages), 0.5)
        except asyncio.TimeoutError:
            return


async def take(request: AsyncExpertRequest) -> list[str]:
    return [message.text async for message in current(request)]


async def anext_of(messages: AsyncIterator[Any]) -> Any:
    return await messages.__anext__()


def play(tenant: Tenant, act: Callable[[Scene], Awaitable[None]]) -> None:
    async def run() -> None:
        scene = Scene(tenant)
        async with scene.relay, scene.expert:
            await scene.begin()
            await act(scene)

    asyncio.run(run())


async def held(answering: Awaitable[object]) -> None:
    with pytest.raises(RelayError) as error:
        await answering
    assert error.value.code == "newer_message"


async def fail(_: Real) -> None:
    pass


def test_is_held_and_sent_as_it_was_encrypted(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        scene.network.instead = fail
        with pytest.raises(RelayError) as error:
            await scene.request.answer("Yes.", shown=[])
        assert error.value.reason == "unreachable"
        await scene.interrupt()
        await held(scene.request.refresh())
        (pending,) = scene.request.pending
        assert (pending.text, pending.state) == ("Yes.", "held")
        assert (await scene.request.answer("", even_if_newer=True, message_id=pending.message_id)).is_sent
        await take(scene.request)
        await scene.conversation.refresh()
        await scene.conversation.send("And now?")
        await scene.request.refresh()
        await take(scene.request)
        await scene.request.answer("No!")
        assert await scene.texts() == [WAIT, "Yes.", "And now?", "No!"]
        first = await scene.conversation.wait_for_answer(60, include_early=True)
        assert (first.text, first.seen_your_last) == ("Yes.", False)
        second = await scene.conversation.wait_for_answer(60)
        assert (second.text, second.seen_your_last) == ("No!", True)

    play(tenant, act)


def test_is_held_while_the_call_is_repeated_and_discarded(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        scene.network.instead = scene.interrupt
        await held(scene.request.answer("Yes.", shown=[]))
        assert await scene.request.discard() == ["Yes."]
        await take(scene.request)
        await scene.request.answer("No!")
        answer = await scene.conversation.wait_for_answer(60)
        assert (answer.text, answer.seen_your_last) == ("No!", True)
        assert await scene.texts() == [WAIT, "No!"]

    play(tenant, act)


def test_is_confirmed_and_the_first_call_arrives_late(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        scene.network.instead = scene.delay
        await held(scene.request.answer("Yes.", shown=[]))
        newer = [message.message_id async for message in current(scene.request)]
        assert (await scene.request.answer("Yes.", shown=newer)).is_sent
        assert scene.request.pending == []
        await scene.late[0]()
        assert await scene.texts() == [WAIT, "Yes.", "Yes."]
        # Of the two, the one counts that knows all messages.
        assert (await scene.conversation.wait_for_answer(60)).seen_your_last

    play(tenant, act)


def test_is_a_decision_that_is_made_again_and_the_first_call_arrives_late(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        request = scene.request
        await scene.conversation.send("Delete it?", form={"type": "object", "properties": {}})
        await request.refresh()
        shown = [message.message_id async for message in current(request)]
        scene.network.instead = scene.delay
        await held(request.answer("", decision=Accept({}), shown=shown))
        shown += [message.message_id async for message in current(request)]
        assert (await request.answer("", decision=Accept({}), shown=shown)).is_sent
        await scene.late[0]()
        await request.refresh()
        assert (request.pending, request.decision) == ([], "accepted")
        assert (await scene.conversation.wait_for_decision(60)).action == "accept"

    play(tenant, act)


def test_is_sent_once_if_the_relay_has_it(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        async def arrive(real: Real) -> None:
            await real()
            await scene.interrupt()

        scene.network.instead = arrive
        assert (await scene.request.answer("Yes.", shown=[])).is_sent
        assert scene.request.pending == []
        assert await scene.texts() == ["Yes.", WAIT]

    play(tenant, act)


def test_that_arrives_after_it_was_discarded_is_shown(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        scene.network.instead = scene.delay
        await held(scene.request.answer("Yes.", shown=[]))
        await scene.request.discard()
        await scene.late[0]()
        await scene.request.refresh()
        assert await take(scene.request) == [WAIT, "Yes."]
        await scene.request.answer("No!")
        assert await scene.texts() == [WAIT, "Yes.", "No!"]
        assert (await scene.conversation.wait_for_answer(60, include_early=True)).text == "Yes."
        answer = await scene.conversation.wait_for_answer(60)
        assert (answer.text, answer.seen_your_last) == ("No!", True)

    play(tenant, act)


async def unreachable(answering: Awaitable[object]) -> None:
    with pytest.raises(RelayError) as error:
        await answering
    assert error.value.reason == "unreachable"


def test_is_removed_while_it_may_have_been_sent(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        scene.network.instead = fail
        await unreachable(scene.request.answer("Yes.", files=[File("log.txt", b"1")], message_id=ID))
        (pending,) = scene.request.pending
        assert (pending.message_id, pending.state, pending.files[0].name) == (ID, "waiting", "log.txt")
        assert await scene.request.discard([]) == []
        assert await scene.request.discard([ID]) == ["Yes."]
        assert scene.request.pending == []
        scene.network.instead = None
        await scene.request.answer("No!")
        assert await scene.texts() == ["No!"]
        answer = await scene.conversation.wait_for_answer(60)
        assert (answer.text, answer.seen_your_last) == ("No!", True)

    play(tenant, act)


def test_that_has_arrived_is_not_removed_and_not_sent_again(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        async def arrive(real: Real) -> None:
            await real()
            # The list cannot be read.
            scene.network.is_down = True

        scene.network.instead = arrive
        await unreachable(scene.request.answer("Yes.", even_if_newer=True, message_id=ID))
        await unreachable(scene.request.discard())
        assert [one.text for one in scene.request.pending] == ["Yes."]
        scene.network.is_down = False
        assert await scene.request.discard() == []
        assert (await scene.request.answer("Yes.", message_id=ID)).is_sent
        scene.network.instead = None
        await scene.request.refresh()
        assert await scene.texts() == ["Yes."]

    play(tenant, act)


def test_an_id_is_a_uuid_in_lower_case(tenant: Tenant) -> None:
    async def act(scene: Scene) -> None:
        for message_id in ("", "1", ID.upper()):
            with pytest.raises(RelayError) as error:
                await scene.request.answer("Yes.", message_id=message_id)
            assert error.value.code == "invalid_input"

    play(tenant, act)


def test_is_refused_by_the_relay(tenant: Tenant) -> None:
    async def run() -> None:
        network = Cutting()
        async with AsyncRelay(tenant.url, tenant.consumer_key, timing=quick) as relay:
            conversation = await relay.ask("May I delete test?", encrypted=False)
            async with AsyncExpert(tenant.url, tenant.provider_key, timing=quick, transport=network) as expert:
                request = await expert.request(conversation.request_id)
                network.is_refused = True
                with pytest.raises(RelayError) as error:
                    await request.answer("Yes.", message_id=ID)
                assert error.value.code == "invalid_input"
                (pending,) = request.pending
                assert (pending.text, pending.state, pending.code) == ("Yes.", "refused", "invalid_input")
                network.is_refused = False
                await request.answer("And this.")
                assert [one.message_id for one in request.pending] == [ID]
                assert (await request.answer("", message_id=ID)).is_sent
                assert await take(request) == ["And this.", "Yes."]

    asyncio.run(run())
