"""LangGraph: an expert answers interrupts. Install `expert-relay[langgraph]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.types import Command, Interrupt

from .._agent.relay import AsyncRelay
from .._sync.conversation import SyncOnReply, in_caller
from .._sync.relay import Relay
from .._tracebacks import call_without_locals
from .._transport.waiting import all_or_error
from ._interrupts import InWords, Request, Review, Schemas, read_interrupt
from ._tool_approval import ask_in_words, decide_tool_calls, refuse_repeated


@call_without_locals
def answer_interrupts(
    relay: Relay,
    interrupts: Sequence[Interrupt[Any]],
    *,
    run: str,
    on_reply: SyncOnReply | None = None,
    **options: Any,
) -> Command[Any]:
    """Asks an expert about everything for which a graph was interrupted, and returns the command with which it goes on: tool calls of
    `HumanInTheLoopMiddleware`, requests in the form of Agent Inbox, and questions that are a text. `run` is the id of the thread.
    `options`: `timeout`, `agent`, `schemas` (JSON Schemas of arguments by the names of tools, so that the expert edits fields, not
    JSON), and what `ask` takes, such as `confidential`.

    Raises a `RelayError` if one is not answered: then the thread stays interrupted, and the same call continues later.

    >>> result = agent.invoke(messages, config)
    >>> while "__interrupt__" in result:
    ...     result = agent.invoke(answer_interrupts(relay, result["__interrupt__"], run=thread_id), config)
    """
    report = in_caller(on_reply)
    return relay.run(lambda client: aanswer_interrupts(client, interrupts, run=run, on_reply=report, **options))


@call_without_locals
async def aanswer_interrupts(
    relay: AsyncRelay,
    interrupts: Sequence[Interrupt[Any]],
    *,
    run: str,
    schemas: Schemas | None = None,
    **options: Any,
) -> Command[Any]:
    """`answer_interrupts` for asyncio.

    >>> command = await aanswer_interrupts(relay, result["__interrupt__"], run=thread_id)
    >>> result = await agent.ainvoke(command, config)
    """

    async def decide(review: Review) -> Any:
        if isinstance(review, InWords):
            return review.answer(await ask_in_words(relay, review.id, review.question, run=run, **options))
        (decision,) = await decide_tool_calls(relay, [review.call], run=run, **options)
        return review.answer(decision)

    async def answer(request: Request) -> Any:
        return request.join(await all_or_error(decide(review) for review in request.reviews))

    refuse_repeated(one.id for one in interrupts)
    # All are read before the first one is asked about.
    requests = [read_interrupt(one.id, one.value, one.response_schema, schemas or {}) for one in interrupts]
    answers = await all_or_error(answer(request) for request in requests)
    return Command(resume={one.id: given for one, given in zip(interrupts, answers, strict=True)})
