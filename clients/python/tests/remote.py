"""The process that runs the relay, with the TypeScript SDK as the other side: test/python/serve-relay.ts."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

import httpx

from expert_relay import Timing

quick = Timing(
    backoff=0.02, max_backoff=0.1, patience=30, opening=0.5, silence=2, poll=0.2, recheck=0.8, call=30
)
"""Short waits. The limits for what must happen are long, since a machine may be busy."""


_client = httpx.Client(verify=False, timeout=120)


class RemoteError(Exception):
    """The code of a `RelayError` of the TypeScript SDK."""


class Remote:
    """An object of that process, or its functions."""

    def __init__(self, number: int | None = None) -> None:
        self._number = number

    def call(self, method: str, *args: Any) -> Any:
        body = {"method": method, "args": _encode(args), **({} if self._number is None else {"object": self._number})}
        # With escapes, since lies may have half of a character.
        answer = _client.post(os.environ["PYTHON_TEST_CONTROL"], content=json.dumps(body)).json()
        if "error" in answer:
            raise RemoteError(answer["error"])
        return _decode(answer["value"])


def _encode(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Remote):
        return {"$object": value._number}  # pyright: ignore[reportPrivateUsage]
    if isinstance(value, dict):
        return {name: _encode(member) for name, member in value.items()}
    return [_encode(one) for one in value] if isinstance(value, (list, tuple)) else value


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        if "$object" in value:
            return Remote(value["$object"])
        if "$bytes" in value:
            return base64.b64decode(value["$bytes"])
        return {name: _decode(member) for name, member in value.items()}
    return [_decode(one) for one in value] if isinstance(value, list) else value
