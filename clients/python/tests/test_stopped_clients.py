"""Calls of a client that was stopped."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from expert_relay import Expert, Relay, RelayError

url = "http://127.0.0.1:9"


def test_every_call_of_a_stopped_client_says_so() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(500))
    relay = Relay(url, "hs_key", transport=transport)
    expert = Expert(url, "hs_prov_key", transport=transport)
    calls: list[Callable[[], object]] = [
        lambda: relay.ask("May I?"),
        lambda: relay.approve("May I?", timeout=60),
        relay.whoami,
        expert.whoami,
        expert.list,
        lambda: expert.request("HS-7KQ2M9XD"),
        lambda: next(expert.requests()),
    ]
    for client in (relay, expert, relay, expert):
        client.stop()
    for call in calls:
        with pytest.raises(RelayError) as error:
            call()
        assert (error.value.code, "Make a new one" in str(error.value)) == ("aborted", True)
