"""The addresses of a relay and its hub."""

from __future__ import annotations

import pytest
from conftest import Tenant

from expert_relay import Expert, MemoryStore, Relay, RelayError
from expert_relay._transport.api import origin_of


@pytest.mark.parametrize(
    "url",
    [
        "https://relay.example",
        "http://127.0.0.1:3000",
        "https://relay.example:443/relay",
        "http://relay.example:80",
        "http://relay.example:443",
        "HTTPS://Relay.EXAMPLE:/",
        "https://b\u00fccher.example",
        "https://B\u00dcCHER.example:8443",
        "https://xn--bcher-kva.example",
        "https://fa\u00df.example",
        "https://relay.example.",
        "http://127.1:3000",
        "http://0x7f.0.0.1",
        "http://2130706433",
        "http://localhost:3000",
        "http://a_b.example",
        "http://[0:0::1]:80",
        "http://[::FFFF:127.0.0.1]:3000",
        "http://[2001:DB8:0:0:1::]",
    ],
)
def test_the_origin_is_that_of_javascript(tenant: Tenant, url: str) -> None:
    """By it an agent remembers the experts that its other keys know."""
    assert origin_of(url) == tenant.remote.call("originOf", url)


def test_another_key_at_another_spelling_accepts_no_other_expert(tenant: Tenant) -> None:
    store = MemoryStore()
    asked = tenant.relay(store=store).ask("May I?")
    tenant.expert().request(asked.request_id).answer("Yes.")
    assert asked.wait_for_answer(60).text == "Yes."
    url = tenant.url.replace("127.0.0.1", "127.1")
    assert url != tenant.url
    again = tenant.relay(url=url, api_key=tenant.other_consumer_key, store=store).ask("May I?")
    tenant.expert(root=bytes(range(32))).request(again.request_id).answer("Yes.")
    with pytest.raises(RelayError) as refused:
        again.wait_for_answer(60)
    assert refused.value.code == "new_expert"


@pytest.mark.parametrize("url", ["https://relay.example", "http://127.0.0.1:3000", "http://localhost:3000"])
def test_the_origin_of_an_ordinary_address_is_the_address(url: str) -> None:
    assert origin_of(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:s3cret@relay.example",
        "https://s3cret@relay.example",
        "https://:s3cret@relay.example",
        "ftp://relay.example/s3cret",
        "s3cret",
        "https://",
        "https://relay.example/\ud83d",
        "http://300.1",
        "http://08",
        "http://4294967296",
    ],
)
def test_an_address_that_is_refused_is_not_repeated(url: str) -> None:
    for at, hub in ((url, None), ("https://relay.example", url)):
        for connect in (lambda: Relay(at, "hs_a", hub_url=hub), lambda: Expert(at, "hs_prov_a", hub_url=hub)):
            with pytest.raises(RelayError) as refused:
                connect()
            assert refused.value.code == "invalid_input"
            assert "without a user name and a password" in str(refused.value)
            assert "s3cret" not in str(refused.value)
