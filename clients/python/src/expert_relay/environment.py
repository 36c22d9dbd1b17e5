"""Reads the options of clients from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .errors import invalid_input

EXPERT_VARIABLES = {"url": "RELAY_URL", "api_key": "RELAY_API_KEY", "hub_url": "RELAY_HUB_URL"}
AGENT_VARIABLES = {
    **EXPERT_VARIABLES,
    "expert": "RELAY_EXPERT",
    "agent_name": "RELAY_AGENT_NAME",
    "secret": "RELAY_AGENT_SECRET",
}


def options_from_env(variables: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given comes first. A variable that is set and empty is an error: with an empty `RELAY_EXPERT` any expert could
    answer."""
    options = dict(given)
    for option, variable in variables.items():
        if option in given:
            continue
        value = os.environ.get(variable)
        if value is None and option in ("url", "api_key"):
            raise invalid_input(f"Set {variable}, or give `{option}`.")
        if value is None:
            continue
        if not value.strip():
            raise invalid_input(f"{variable} is set, but empty: give it a value, or unset it.")
        options[option] = value.split(",") if option == "expert" else value.strip()
    return options
