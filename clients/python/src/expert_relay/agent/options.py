"""Options of an agent's client."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, Union

from ..crypto.fingerprint import parse_fingerprint
from ..errors import invalid_input
from ..memory import Memory
from .conversation_state import State

Save = Callable[[State], Union[None, Awaitable[None]]]


class ConversationStore(Protocol):
    """Keeps the states of conversations, which contain the private keys: see `FileStore`."""

    def save(self, state: State) -> None:
        """Replaces the state with the same `id`."""
        ...

    def find(self, id: str) -> State | None: ...

    def secret(self) -> bytes:
        """32 random bytes, always the same ones."""
        ...

    @property
    def memory(self) -> Memory: ...


def read_fingerprints(expert: str | Sequence[str] | None) -> list[str] | None:
    if expert is None:
        return None
    given = [expert] if isinstance(expert, str) else list(expert)
    if not given:
        raise invalid_input("Give at least one fingerprint as `expert`, or leave it out.")
    return [parse_fingerprint(one) for one in given]


def options_from_env(options: Mapping[str, Any]) -> dict[str, Any]:
    names = {
        "url": "RELAY_URL",
        "api_key": "RELAY_API_KEY",
        "hub_url": "RELAY_HUB_URL",
        "expert": "RELAY_EXPERT",
        "agent_name": "RELAY_AGENT_NAME",
        "secret": "RELAY_AGENT_SECRET",
    }
    found: dict[str, Any] = {}
    for option, variable in names.items():
        value = os.environ.get(variable, "").strip()
        if value:
            found[option] = value.split(",") if option == "expert" else value
    merged = {**found, **options}
    for option in ("url", "api_key"):
        if option not in merged:
            raise invalid_input(f"Set {names[option]}, or give `{option}`.")
    return merged
