"""Clients that are made from the environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Tenant

from expert_relay import AsyncExpert, AsyncRelay, Expert, Relay, RelayError

agents: dict[str, Callable[..., Any]] = {"Relay": Relay.from_env, "AsyncRelay": AsyncRelay.from_env}
experts: dict[str, Callable[..., Any]] = {"Expert": Expert.from_env, "AsyncExpert": AsyncExpert.from_env}
variables = ("RELAY_URL", "RELAY_API_KEY", "RELAY_HUB_URL", "RELAY_EXPERT", "RELAY_AGENT_NAME", "RELAY_AGENT_SECRET")


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variables:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("value", ["", " ", ",", "04918"])
@pytest.mark.parametrize("make", agents.values(), ids=agents)
def test_an_expert_that_is_no_fingerprint_is_not_any_expert(
    make: Callable[..., Any], value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAY_EXPERT", value)
    with pytest.raises(RelayError) as refused:
        make(url="http://relay.example", api_key="hs_x")
    assert refused.value.code == "invalid_input"
    # What is given comes first. None counts as left out.
    assert make(url="http://relay.example", api_key="hs_x", expert="12345 " * 8)
    with pytest.raises(RelayError):
        make(url="http://relay.example", api_key="hs_x", expert=None)


@pytest.mark.parametrize("name", ["RELAY_URL", "RELAY_API_KEY"])
def test_a_variable_that_is_empty_is_not_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for known, value in (("RELAY_URL", "http://relay.example"), ("RELAY_API_KEY", "hs_prov_x"), (name, " ")):
        monkeypatch.setenv(known, value)
    for make in (*agents.values(), *experts.values()):
        with pytest.raises(RelayError, match=f"Set {name}"):
            make()


def test_the_hub_of_the_environment_belongs_to_its_relay(monkeypatch: pytest.MonkeyPatch) -> None:
    for known, value in (("RELAY_URL", "https://relay.example"), ("RELAY_API_KEY", "hs_x"), ("RELAY_HUB_URL", "no address")):
        monkeypatch.setenv(known, value)
    for make in agents.values():
        with pytest.raises(RelayError, match="hub_url"):
            make()
        assert make(url="https://other.example", api_key="hs_y")


@pytest.mark.parametrize("make", [*agents.values(), *experts.values()])
def test_the_api_key_of_the_environment_belongs_to_its_relay(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAY_URL", " https://relay.example ")
    monkeypatch.setenv("RELAY_API_KEY", "hs_x" if make in agents.values() else "hs_prov_x")
    with pytest.raises(RelayError, match="Give `api_key` with `url`"):
        make(url="https://other.example")
    assert make(url="https://relay.example")
    monkeypatch.delenv("RELAY_URL")
    assert make(url="https://other.example")


@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize("make", agents.values(), ids=agents)
def test_a_secret_that_is_empty_is_no_other_secret(
    make: Callable[..., Any], value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAY_AGENT_SECRET", value)
    with pytest.raises(RelayError, match="RELAY_AGENT_SECRET is empty"):
        make(url="http://relay.example", api_key="hs_x")
    assert make(url="http://relay.example", api_key="hs_x", secret=b"x" * 32)


@pytest.mark.parametrize("make", [*agents.values(), *experts.values()])
def test_what_is_not_set_is_named(make: Callable[..., Any]) -> None:
    with pytest.raises(RelayError, match="Set RELAY_URL, or give `url`"):
        make(api_key="hs_x")
    with pytest.raises(RelayError, match="Set RELAY_API_KEY, or give `api_key`"):
        make(url="http://relay.example")
    with pytest.raises(RelayError, match="empty"):
        make(url="http://relay.example", api_key="")


def test_an_expert_and_an_agent(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAY_URL", tenant.url)
    monkeypatch.setenv("RELAY_API_KEY", tenant.consumer_key)
    monkeypatch.setenv("RELAY_EXPERT", tenant.fingerprint)
    with Relay.from_env() as relay:
        conversation = relay.ask("May I?")
        monkeypatch.setenv("RELAY_API_KEY", tenant.provider_key)
        with Expert.from_env(root=tenant.root) as expert:
            assert expert.fingerprint == tenant.fingerprint
            expert.request(conversation.request_id).answer("Yes.")
        assert conversation.wait_for_answer(60).text == "Yes."
        assert conversation.verification == "known"
