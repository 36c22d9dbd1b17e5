"""Reads the options of clients from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import httpx

from ._errors import invalid_input
from ._store import Store
from ._timing import Timing
from ._transport.api import OnOutage

EXPERT_VARIABLES = {"url": "RELAY_URL", "api_key": "RELAY_API_KEY", "hub_url": "RELAY_HUB_URL"}
AGENT_VARIABLES = {
    **EXPERT_VARIABLES,
    "expert": "RELAY_EXPERT",
    "agent_name": "RELAY_AGENT_NAME",
    "secret": "RELAY_AGENT_SECRET",
}

# Empty by mistake, they must not mean that any expert may answer, or that the names of questions have other keys.
_never_empty = {"expert": "the fingerprint of your expert", "secret": "32 random bytes in base64"}


class ClientOptions(TypedDict, total=False):
    store: Store | None
    hub_url: str | None
    on_outage: OnOutage | None
    transport: httpx.AsyncBaseTransport | None
    timing: Timing | None


class ExpertOptions(ClientOptions, total=False):
    """What `AsyncExpert` takes besides the address and the key.

    >>> options: ExpertOptions = {"root": root, "store": FileStore(".expert")}
    >>> expert = Expert.from_env(**options)
    """

    root: bytes | None


class RelayOptions(ClientOptions, total=False):
    """What `AsyncRelay` takes besides the address and the key.

    >>> options: RelayOptions = {"agent_name": "deploy bot", "store": FileStore(".agent")}
    >>> relay = Relay.from_env(**options)
    """

    expert: str | Sequence[str] | None
    accept_new_expert: bool
    accept_unprotected: bool
    agent_name: str | None
    secret: bytes | str | None


def options_from_env(variables: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given comes first; None counts as left out."""
    options = {name: value for name, value in given.items() if value is not None}
    is_url_given, own = "url" in options, os.environ.get("RELAY_URL", "").strip()
    if is_url_given and "api_key" not in options and own not in ("", options["url"]):
        raise invalid_input("Give `api_key` with `url`: RELAY_API_KEY belongs to RELAY_URL.")
    for option, variable in variables.items():
        text = os.environ.get(variable)
        value = (text or "").strip()
        if option in _never_empty and option not in options and text is not None and not value:
            raise invalid_input(f"{variable} is empty. Set it to {_never_empty[option]}, or unset it.")
        # The address of a hub belongs to RELAY_URL.
        if value and option not in options and not (option == "hub_url" and is_url_given):
            options[option] = value.split(",") if option == "expert" else value
        if option in ("url", "api_key") and option not in options:
            raise invalid_input(f"Set {variable}, or give `{option}`.")
    return options
