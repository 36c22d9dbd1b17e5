"""An agent's first stream begins where its question began: packages/sdk/src/start-positions.test.ts says the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from conftest import Tenant

from expert_relay import Timing

# The list is read for a reason: neither by polling, nor since a stream was silent for a while.
timing = Timing(poll=60, recheck=600, opening=60, silence=120, backoff=0.02, max_backoff=0.1)


class Observer(httpx.AsyncBaseTransport):
    """Makes all calls. `position` is what the agent gets in place of the position of a submit."""

    def __init__(self, position: Callable[[str | None], str | None] = lambda real: real) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._position = position
        self.reads = 0
        self.positions: list[str | None] = []
        self.opened_with: list[str | None] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path, params = request.url.path, request.url.params
        self.reads += path.startswith("/api/v1/messages/")
        if "topic" in params:
            self.opened_with.append(params.get("lastEventId"))
        response = await self._inner.handle_async_request(request)
        if path == "/api/v1/help":
            given = self._position(response.headers.pop("relay-position", None))
            self.positions.append(given)
            if given is not None:
                response.headers["relay-position"] = given
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


def until(check: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not check():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_answer_from_before_the_stream(tenant: Tenant) -> None:
    observer = Observer()
    conversation = tenant.relay(transport=observer, timing=timing).ask("May I?")
    tenant.expert().request(conversation.request_id).answer("Yes.")
    assert conversation.wait_for_answer(60).text == "Yes."
    assert observer.positions[0]
    assert (observer.opened_with[0], observer.reads) == (observer.positions[0], 1)


def test_only_the_answer_causes_a_read(tenant: Tenant) -> None:
    observer = Observer()
    conversation = tenant.relay(transport=observer, timing=timing).ask("May I?")
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(conversation.wait_for_answer, 60)
        request = tenant.expert().request(conversation.request_id)
        request.pick_up()
        until(lambda: conversation.is_picked_up)
        assert (observer.reads, conversation.verification) == (0, "none")
        request.answer("Yes.")
        assert waiting.result().text == "Yes."
    assert (observer.reads, conversation.verification) == (1, "first-contact")


@pytest.mark.parametrize("position", [None, "of another form"])
def test_the_list_is_read_once_without_a_start_position(tenant: Tenant, position: str | None) -> None:
    """The relay says no position, or one where the hub cannot begin."""
    observer = Observer(lambda _: position)
    conversation = tenant.relay(transport=observer, timing=timing).ask("May I?")
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(conversation.wait_for_answer, 60)
        until(lambda: observer.reads > 0)
        request = tenant.expert().request(conversation.request_id)
        request.pick_up()
        until(lambda: conversation.is_picked_up)
        assert (observer.opened_with[0], observer.reads) == (position, 1)
        request.answer("Yes.")
        assert waiting.result().text == "Yes."


def test_a_text_that_waits_is_sent_at_the_pick_up(tenant: Tenant) -> None:
    observer = Observer()
    conversation = tenant.relay(transport=observer, timing=timing).ask("Customer 4711?", confidential=True)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(conversation.wait_for_answer, 60)
        request = tenant.expert().request(conversation.request_id)
        request.pick_up()
        until(lambda: not conversation.unsent)
        assert conversation.verification == "first-contact"
        assert next(iter(request.messages())).text == "Customer 4711?"
        request.answer("Ada.")
        assert waiting.result().text == "Ada."
