"""The pick-up of a request: the keys are sent while the list of messages is read."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import AsyncExpert, RelayError


class Halting(httpx.AsyncBaseTransport):
    """Once it halts, the list of messages does not arrive, and keys that are sent meanwhile are refused."""

    def __init__(self) -> None:
        self._real = httpx.AsyncHTTPTransport(verify=False)
        self._reading = asyncio.Event()
        self.halts = self.is_reading = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.halts and "/messages/" in request.url.path:
            self.is_reading = True
            self._reading.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.is_reading = False
        if "/key-exchange/" in request.url.path:
            await self._reading.wait()
            return httpx.Response(400, stream=httpx.ByteStream(b"{}"))
        return await self._real.handle_async_request(request)

    async def aclose(self) -> None:
        await self._real.aclose()


def test_that_is_refused_leaves_no_call_running(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    # The list is read again, although that was done just before.
    monkeypatch.setattr("expert_relay._thread.thread._fresh_for", -1)
    asked = tenant.relay().ask("May I?")

    async def run() -> None:
        network = Halting()
        expert = AsyncExpert(tenant.url, tenant.provider_key, root=tenant.root, timing=quick, transport=network)
        async with expert:
            request = await expert.request(asked.request_id)
            network.halts = True
            with pytest.raises(RelayError):
                await request.pick_up()
            assert not network.is_reading

    asyncio.run(run())
