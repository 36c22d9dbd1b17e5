"""All lies of docs/lies.json: what a hostile relay does, and what this package does then."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import httpx
import pytest
from conftest import Tenant
from data import read
from remote import Remote, quick

from expert_relay import (
    AsyncConversation,
    AsyncExpert,
    AsyncExpertRequest,
    AsyncRelay,
    MemoryStore,
    Message,
    RelayError,
    Timing,
)
from expert_relay._crypto.keys import ExpertKeys, make_agent_keys
from expert_relay._errors import is_refusal

Row = dict[str, Any]
lies: list[Row] = read("docs/lies.json")["lies"]
texts = ["one", "two", "three"]
answers = ["Yes.", "Really."]
# How long a test waits for what may not come, and for what must come.
uncertain, certain = 0.6, 60.0


class Calls(httpx.AsyncHTTPTransport):
    """Counts the messages that leave a client."""

    def __init__(self) -> None:
        # Without TLS, the certificates of authorities need not be read.
        super().__init__(verify=False)
        self.sent: list[bytes] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and "/message/" in request.url.path:
            self.sent.append(await request.aread())
        return await super().handle_async_request(request)


def timing_for(row: Row) -> Timing:
    """Calls are not repeated where all of their answers are invalid."""
    is_final = row.get("expect", {}).get("error", {}).get("reason") == "unexpected_answer"
    return replace(quick, patience=0.0) if is_final else quick


class Lane:
    """An agent and an expert with a relay that lies, and another conversation of the two."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant, self.remote = tenant, tenant.remote
        self.liar = self.remote.call("liar")
        self.liar_url: str = self.liar.call("url")
        relay, expert = tenant.relay(), tenant.expert()
        other = relay.ask("Something else?")
        request = expert.request(other.request_id)
        for text in texts:
            request.answer(text)
        for text in texts:
            other.send(text)
        url = f"{tenant.url}/api/v1/messages/{other.request_id}"
        listed = httpx.get(url, headers={"x-api-key": tenant.consumer_key}).json()["messages"]
        attacker = make_agent_keys().public
        self.values: Row = {
            "attacker": {"sign": attacker.sign.pem, "encrypt": attacker.encrypt.pem},
            "other": {role: [one for one in listed if one["role"] == role] for role in ("consumer", "provider")},
            "otherRequestId": other.request_id,
        }

    async def tell(self, alter: list[Row], **values: Any) -> None:
        await asyncio.to_thread(self.remote.call, "tell", self.liar, alter, {**self.values, **values})

    def lying_agent(self, row: Row) -> tuple[AsyncRelay, Calls]:
        situation, calls = row.get("situation", {}), Calls()
        relay = AsyncRelay(
            self.liar_url,
            self.tenant.consumer_key,
            agent_name="deploy bot",
            accept_unprotected=situation.get("acceptUnprotected", False),
            secret=os.urandom(32),
            expert=self.tenant.fingerprint if situation.get("known") else None,
            transport=calls,
            timing=timing_for(row),
        )
        return relay, calls

    def agent(self, url: str, **options: Any) -> AsyncRelay:
        return AsyncRelay(url, self.tenant.consumer_key, timing=quick, **options)

    def expert(self, url: str, **options: Any) -> AsyncExpert:
        return AsyncExpert(url, self.tenant.provider_key, **{"root": self.tenant.root, "timing": quick, **options})


# Each lie is partly waiting time, so several run at the same time.
lane_count = 6


@pytest.fixture(scope="module")
def failures() -> dict[str, BaseException | None]:
    """Tells all lies, and returns for each what went wrong."""
    if "PYTHON_TEST_CONTROL" not in os.environ:
        pytest.skip("npm run test:all -- test/python starts the relay")
    outcomes: dict[str, BaseException | None] = {}

    async def tell_all() -> None:
        waiting = iter(lies)

        async def tell_some(lane: Lane) -> None:
            for row in waiting:
                name = f"{row['to']}: {row['name']}"
                try:
                    await (run_to_agent(lane, row) if row["to"] == "agent" else ExpertRun(lane, row).run())
                    outcomes[name] = None
                except BaseException as error:
                    outcomes[name] = error

        lanes = [await asyncio.to_thread(Lane, Tenant(Remote())) for _ in range(lane_count)]
        await asyncio.gather(*map(tell_some, lanes))
        for lane in lanes:
            await asyncio.to_thread(lane.tenant.stop)

    asyncio.run(tell_all())
    return outcomes


@pytest.mark.parametrize("name", [f"{row['to']}: {row['name']}" for row in lies])
def test_lie_to_the(failures: dict[str, BaseException | None], name: str) -> None:
    error = failures[name]
    if error:
        raise error


async def until(check: Callable[[], object], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not check() and time.monotonic() < end:
        await asyncio.sleep(0.005)


async def run_as_agent(
    lane: Lane, row: Row, relay: AsyncRelay
) -> tuple[AsyncConversation | None, list[tuple[str, str]], RelayError | None]:
    """An agent asks through the lying relay. The expert answers three times, each time after the agent could read."""
    situation, expected = row.get("situation", {}), row.get("expect", {})
    expert = lane.expert(lane.tenant.url, timing=replace(quick, parts=2.0 if expected.get("error") else 60.0))
    await lane.tell([])
    once = situation.get("asked", {}).get("once")
    earlier = await relay.ask("Something before?", once=once) if situation.get("askedBefore") else None
    values = {"earlier": {"requestId": earlier.request_id, "refCode": earlier.ref_code}} if earlier else {}
    await lane.tell(row["alter"], **values)
    try:
        asked: dict[str, Any] = {**situation.get("asked", {"question": "May I?"})}
        if "expiresIn" in asked:
            asked["expires_in"] = asked.pop("expiresIn")
        conversation = await relay.ask(**asked)
    except RelayError as error:
        return None, [], error
    request = await expert.request(conversation.request_id)
    expected_count = expected.get("after", 0 if expected.get("error") else len(texts))
    got: list[tuple[str, str]] = []
    failure: RelayError | None = None

    async def read_answers() -> None:
        nonlocal failure
        try:
            async for answer in conversation:
                got.append((answer.text, answer.protection))
                if len(got) == len(texts):
                    return
            await conversation.wait_for_answer()
        except RelayError as error:
            failure = error

    reading = None if situation.get("all") else asyncio.ensure_future(read_answers())
    await request.pick_up()
    asks = True
    try:
        await request.receive()
    except RelayError as error:
        # An agent that has noticed the lie does not send its confidential question, and then the expert answers nothing.
        if error.code != "parts_missing" or not expected.get("error"):
            raise
        asks = False
    for index, text in enumerate(texts if asks else []):
        await request.answer(text)
        if not situation.get("all"):
            limit = certain if index < expected_count else uncertain
            await until(lambda: len(got) > index or failure, limit)
    reading = reading or asyncio.ensure_future(read_answers())
    await asyncio.wait({reading}, timeout=1.0 if expected.get("error") == {"code": "timeout"} else certain)
    if len(got) < len(texts):
        failure = failure or RelayError("timeout", "No answer came.")
    reading.cancel()
    await expert.stop()
    await asyncio.wait({reading})
    return conversation, got, failure


async def run_to_agent(lane: Lane, row: Row) -> None:
    expected = row.get("expect", {})
    expected_error = expected.get("error")
    relay, calls = lane.lying_agent(row)
    async with relay:
        conversation, got, error = await run_as_agent(lane, row, relay)
        assert codes_of(error) == expected_error
        assert (conversation is None) == expected.get("stopsAtSubmit", False)
        if expected_error:
            # Only a confidential question is sent as a message, and only to keys that were accepted.
            assert calls.sent == []
        if not conversation:
            return
        count = expected.get("after", 0 if expected_error else len(texts))
        if "upTo" in expected:
            count = min(len(got), expected["upTo"])
        assert got == [(text, "sequenced") for text in texts[:count]]
        if "verification" in expected:
            assert conversation.verification == expected["verification"]
        if not is_refusal(error):
            return
        # It stays refused when the relay no longer lies.
        await lane.tell([])
        for call in (conversation.send("more"), conversation.wait_for_answer(certain)):
            with pytest.raises(RelayError) as refused:
                await call
            assert codes_of(refused.value) == expected_error


def codes_of(error: RelayError | None) -> dict[str, str] | None:
    """As docs/lies.json has them."""
    if error is None:
        return None
    return {"code": error.code} if error.reason is None else {"code": error.code, "reason": error.reason}


class ExpertRun:
    """An agent calls the relay directly. Its expert calls the relay through the lying proxy."""

    def __init__(self, lane: Lane, row: Row) -> None:
        self.lane, self.row = lane, row
        self.situation: Row = row.get("situation", {})
        self.expected: Row = row.get("expect", {})
        self.error: RelayError | None = None
        self.agent_error: RelayError | None = None
        self.messages: list[Message] = []
        self.answers: list[str] = []
        self.calls = Calls()

    async def attempt(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return await work
        except RelayError as error:
            self.error = self.error or error
            return None

    async def attempt_as_agent(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return await work
        except RelayError as error:
            self.agent_error = error
            return None

    def from_agent(self) -> list[str]:
        return [one.text for one in self.messages if one.sender == "agent" and one.protection == "sequenced"]

    async def run(self) -> None:
        lane, situation = self.lane, self.situation
        agent = lane.agent(lane.tenant.url, agent_name="deploy bot")
        context = [{"role": "user", "content": "The deploy hangs."}]
        conversation = await agent.ask("May I?", messages=context, encrypted=not situation.get("plain"))
        store = MemoryStore()
        if "before" in situation:
            await self.run_earlier(conversation.request_id, store)
        if situation.get("closed"):
            await conversation.close()
        own = ExpertKeys(lane.tenant.root).keys_for(conversation.request_id).public
        await lane.tell(
            self.row["alter"],
            requestId=conversation.request_id,
            refCode=conversation.ref_code,
            own={"sign": own.sign.pem, "encrypt": own.encrypt.pem},
        )
        timing, tenant = timing_for(self.row), lane.tenant
        expert = AsyncExpert(
            lane.liar_url, tenant.provider_key, root=tenant.root, store=store, transport=self.calls, timing=timing
        )
        if situation.get("lists"):
            listed = await self.attempt(expert.list()) or []
            row = next((one for one in listed if one.request_id == conversation.request_id), None)
            if "listed" in self.expected:
                assert row and (codes_of(row.refused), row.question, row.context) == (self.expected["listed"], "", ())
            if "listedQuestion" in self.expected:
                assert row and row.question == self.expected["listedQuestion"]
        request = None if self.error else await self.attempt(self.find(expert, conversation))
        if request:
            await self.talk(conversation, request)
        await self.check(conversation, request)
        await expert.stop()
        if not situation.get("closed"):
            await self.attempt_as_agent(conversation.close())
        await agent.stop()

    async def run_earlier(self, request_id: str, store: MemoryStore) -> None:
        """An earlier client of the expert, which calls the relay directly and fills the store."""
        before = self.situation["before"]
        async with self.lane.expert(self.lane.tenant.url, store=store) as expert:
            if before == "list":
                await expert.list()
                return
            request = await expert.request(request_id)
            if before != "read":
                await request.pick_up()
            if before.startswith("answer"):
                for text in answers:
                    await request.answer(text)
            if before == "answer and read":
                await request.refresh()

    async def find(self, expert: AsyncExpert, conversation: AsyncConversation) -> AsyncExpertRequest:
        if self.situation.get("by") == "code":
            return await expert.request(conversation.ref_code.lower())
        if self.situation.get("by") != "requests":
            return await expert.request(conversation.request_id)

        async def first() -> AsyncExpertRequest:
            async for request in expert.requests():
                if request.request_id == conversation.request_id:
                    return request
            raise AssertionError("the list has ended")

        return await asyncio.wait_for(first(), certain)

    async def talk(self, conversation: AsyncConversation, request: AsyncExpertRequest) -> None:
        async def read_messages() -> None:
            async for message in request.messages():
                self.messages.append(message)

        count = self.expected_count
        reading = None if self.situation.get("all") else asyncio.ensure_future(self.attempt(read_messages()))
        if request.encrypted:
            await self.attempt(request.pick_up())
        await self.attempt_as_agent(conversation.refresh())
        for index, text in enumerate(texts):
            if self.agent_error or self.error or conversation.verification == "none":
                break
            await self.attempt_as_agent(conversation.send(text))
            if not self.situation.get("all"):
                limit = certain if index < count else 0.9
                await until(lambda: len(self.from_agent()) > index or self.error, limit)
        if not reading:
            reading = asyncio.ensure_future(self.attempt(read_messages()))
            await until(lambda: len(self.from_agent()) == len(texts) or self.error, certain)
        if not self.error:
            await self.attempt(self.send_answers(request))
        if not self.situation.get("closed") and not (self.error and "agent" not in self.expected):
            await self.read_answers(conversation)
        if self.expected.get("error"):
            await until(lambda: self.error, certain)
        reading.cancel()
        await asyncio.wait({reading})

    async def send_answers(self, request: AsyncExpertRequest) -> None:
        for text in answers:
            await request.answer(text)
        await request.refresh()

    async def read_answers(self, conversation: AsyncConversation) -> None:
        timeout = 0.3 if self.expected.get("agent") == {"code": "timeout"} else certain
        while len(self.answers) < len(answers) and not self.agent_error:
            answer = await self.attempt_as_agent(conversation.wait_for_answer(timeout))
            if answer:
                self.answers.append(answer.text)

    @property
    def expected_count(self) -> int:
        expected = self.expected
        return int(expected.get("after", 0 if expected.get("error") or expected.get("agent") else len(texts)))

    async def check(self, conversation: AsyncConversation, request: AsyncExpertRequest | None) -> None:
        expected, error = self.expected, self.expected.get("error")
        assert codes_of(self.error) == error
        # Nothing that the agent and the expert did not write is shown.
        assert all(one.text in answers for one in self.messages if one.protection == "plaintext")
        own = [one.text for one in self.messages if one.sender == "expert" and one.protection == "sequenced"]
        assert own == answers[: len(own)]
        assert self.from_agent() == texts[: self.expected_count]
        if request and (not error or "question" in expected):
            assert request.question == expected.get("question", "May I?")
        assert not any(b'"plaintext"' in body for body in self.calls.sent)
        if not error or "agent" in expected:
            assert codes_of(self.agent_error) == expected.get("agent")
        if not error and "agent" not in expected:
            assert self.answers == answers
        if not request or not is_refusal(self.error):
            return
        # It stays refused when the relay no longer lies.
        await self.lane.tell([])
        for call in (request.answer("more"), request.refresh()):
            with pytest.raises(RelayError) as refused:
                await call
            assert codes_of(refused.value) == error
        assert len(self.calls.sent) <= len(answers)
