"""The tests that need a relay run where test/python/python-sdk.test.ts has started one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from remote import Remote, quick

from expert_relay import Expert, Relay


class Tenant:
    """An agent and an expert of their own, in either language."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote
        self.url: str = remote.call("urls")["gatewayUrl"]
        keys = remote.call("makeTenant")
        self.consumer_key: str = keys["consumerKey"]
        self.other_consumer_key: str = keys["otherConsumerKey"]
        self.provider_key: str = keys["providerKey"]
        self.root: bytes = remote.call("makeRoot")
        self.fingerprint: str = remote.call("fingerprintOf", self.root)
        self._stops: list[Any] = []

    def relay(self, **options: Any) -> Relay:
        relay = Relay(**{"url": self.url, "api_key": self.consumer_key, "timing": quick, **options})
        self._stops.append(relay)
        return relay

    def expert(self, **options: Any) -> Expert:
        given = {"url": self.url, "api_key": self.provider_key, "root": self.root, "timing": quick}
        expert = Expert(**{**given, **options})
        self._stops.append(expert)
        return expert

    def typescript_relay(self, **options: Any) -> Remote:
        return self.remote.call("agent", {"apiKey": self.consumer_key, **options})  # type: ignore[no-any-return]

    def typescript_expert(self) -> Remote:
        return self.remote.call("expert", {"apiKey": self.provider_key, "root": self.root})  # type: ignore[no-any-return]

    def stop(self) -> None:
        for client in self._stops:
            client.stop()


@pytest.fixture
def tenant() -> Iterator[Tenant]:
    if "PYTHON_TEST_CONTROL" not in os.environ:
        pytest.skip("npm run test:all -- test/python starts the relay")
    tenant = Tenant(Remote())
    yield tenant
    tenant.stop()
