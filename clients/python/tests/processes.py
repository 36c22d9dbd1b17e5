"""The processes of an agent behind a relay that may lie."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import Conversation, ExpertRequest, FileStore, MemoryStore, Relay, RelayError

form = {"type": "object", "properties": {"region": {"type": "string", "enum": ["eu", "us"]}}, "required": ["region"]}
approval = {"type": "object", "properties": {}}
WAIT = "WAIT: the volume still has data!"


class Liar(httpx.AsyncHTTPTransport):
    """Hides messages of the list, answers to messages with a status, and to a close as if it was done."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[str] = set()
        self.status: int | None = None
        self.swallows_close = False
        self.calls: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.calls.append(path)
        if self.status is not None and "/message/" in path:
            return as_answer(self.status, {"error": "x", "title": "x"})
        if self.swallows_close and "/close/" in path:
            id = path.rpartition("/")[2]
            return as_answer(200, {"requestId": id, "refCode": "HS-1", "status": "closed", "closedAt": "2026-11-28T12:00:00Z"})
        response = await super().handle_async_request(request)
        if not self.hidden or "/messages/" not in path:
            return response
        body = json.loads(await response.aread())
        body["messages"] = [one for one in body["messages"] if one["messageId"] not in self.hidden]
        return as_answer(response.status_code, body)


def as_answer(status: int, body: object) -> httpx.Response:
    return httpx.Response(status, stream=httpx.ByteStream(json.dumps(body).encode()))


class Agent:
    """The processes of an agent. `named`: a question with a name; otherwise processes continue with what was saved or exported."""

    def __init__(self, tenant: Tenant, folder: Path, *, named: bool, form: Any = form) -> None:
        self.tenant, self.folder, self.named, self.form = tenant, folder, named, form
        self.liar = Liar()
        self.store = FileStore(folder)
        self.name = str(uuid.uuid4())
        self.first = self.relay().ask("Where?", form=form, once=self.name if named else None)

    def relay(self, **options: Any) -> Relay:
        given = {"store": FileStore(self.folder), "transport": self.liar, "timing": replace(quick, patience=0)}
        return self.tenant.relay(**{**given, **options})

    def start(self) -> Conversation:
        """The next process, or one beside."""
        if self.named:
            return self.relay().ask("Where?", form=self.form, once=self.name)
        return self.relay().resume(self.first.id)

    def move(self) -> Conversation:
        """Another machine, without the store."""
        return self.relay(store=MemoryStore()).resume(json.loads(json.dumps(self.first.export())))

    def late(self, way: str, running: Conversation) -> Conversation:
        """The process of this column. `running` has run since before the fact."""
        if way == "next":
            return self.start()
        return self.move() if way == "export" else {"same": self.first, "running": running}[way]

    def device(self) -> ExpertRequest:
        """One of the expert's: each with a store of its own."""
        return self.tenant.expert(store=MemoryStore()).request(self.first.request_id)


ways = pytest.mark.parametrize("way", ["same", "next", "running", "export"])
both = pytest.mark.parametrize("named", [True, False], ids=["named", "saved"])


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(RelayError) as raised:
        call()
    return raised.value.code


def wait(conversation: Conversation, timeout: float = 60) -> str:
    """What the program is told."""
    try:
        decision = conversation.wait_for_decision(timeout)
    except RelayError as error:
        return error.code
    return f"{decision.action} {decision.content['region'] if decision.content else ''}".strip()


def messages_of(request: ExpertRequest, count: int) -> list[Any]:
    messages = iter(request.messages())
    return [next(messages) for _ in range(count)]
