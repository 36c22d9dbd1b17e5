"""An expert that answers everything."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conftest import Tenant
from remote import quick

from expert_relay import Accept, AsyncExpert, AsyncExpertRequest, RelayError

contents: dict[str, Any] = {"choice": "us", "region": "eu", "count": 3}


async def answer(request: AsyncExpertRequest) -> None:
    form = request.form.form if request.form else None
    if form is None or request.decision == "accepted":
        await request.answer("Yes.", even_if_newer=True)
        return
    prefilled = {name: field["default"] for name, field in form["properties"].items() if "default" in field}
    content = {**prefilled, **{name: contents[name] for name in form["properties"] if name in contents}}
    await request.answer("For now.", decision=Accept(content), even_if_newer=True)


async def serve(request: AsyncExpertRequest) -> None:
    await request.pick_up()
    if not request.question.startswith("A confidential question"):
        await answer(request)
    async for message in request.messages():
        if message.sender == "agent":
            await answer(request)


@contextmanager
def answering(tenant: Tenant) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    serving: set[asyncio.Task[None]] = set()

    async def run() -> None:
        async with AsyncExpert(tenant.url, tenant.provider_key, root=tenant.root, timing=quick) as expert:
            async for request in expert.requests():
                serving.add(asyncio.ensure_future(serve(request)))

    main = loop.create_task(run())

    def work() -> None:
        try:
            loop.run_until_complete(main)
        except (asyncio.CancelledError, RelayError):
            pass
        while tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    loop.call_soon_threadsafe(main.cancel)
    thread.join()
