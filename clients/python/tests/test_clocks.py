"""Times that are a promise hold on a machine that was asleep, and on one whose clock was set back."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import Accept, RelayError

_time = time.time


class Unreachable(httpx.AsyncBaseTransport):
    is_on = False

    def __init__(self) -> None:
        self._real = httpx.AsyncHTTPTransport(verify=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_on:
            raise httpx.ConnectError("No network.")
        return await self._real.handle_async_request(request)


@pytest.mark.parametrize(("lasts", "change"), [(600.0, 3600.0), (1.0, -3600.0)], ids=["asleep", "set back"])
def test_a_decision_is_asked_about_again_after_its_time(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, lasts: float, change: float
) -> None:
    asked = tenant.relay().ask("Delete it?", form={"type": "object", "properties": {}})
    transport = Unreachable()
    timing = replace(quick, decision=lasts, patience=0.1)
    request = tenant.expert(transport=transport, timing=timing).request(asked.request_id)
    transport.is_on = True
    with pytest.raises(RelayError) as raised:
        request.answer("", decision=Accept({}))
    assert raised.value.reason == "unreachable"
    assert [(one.state, one.text) for one in request.pending] == [("waiting", "")]
    monkeypatch.setattr(time, "time", lambda: _time() + change)
    until = time.monotonic() + 60
    while [one.state for one in request.pending] != ["held"]:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_decision_that_comes_after_the_time_is_none(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    relay = tenant.relay()

    def answer_asleep() -> None:
        for request in tenant.expert().requests():
            monkeypatch.setattr(time, "time", lambda: _time() + 3600)
            request.answer("", decision=Accept({}))
            return

    answering = threading.Thread(target=answer_asleep)
    answering.start()
    with pytest.raises(RelayError) as raised:
        relay.approve("Delete it?", timeout=60)
    assert raised.value.code == "timeout"
    answering.join()
    assert [request.status for request in relay.requests()] == ["closed"]
