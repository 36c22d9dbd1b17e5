"""LangGraph: an expert answers interrupts. Install `expert-relay[langgraph]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command, Interrupt
from pydantic import Field

from .._agent.answers import OnReply
from .._agent.relay import AsyncRelay
from .._sync.conversation import SyncOnReply, in_caller
from .._sync.relay import Relay
from .._tracebacks import call_without_locals
from .._transport.waiting import all_or_error
from ._ask_expert import AnyRelay, ask_expert, ask_expert_definition
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
    `options`: `timeout`, `agent`, `tools` (those of the agent, so that the expert edits fields, not JSON), and what `ask` takes, such
    as `confidential`.

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
    tools: Sequence[Any] = (),
    agent: str = "the agent",
    on_reply: OnReply | None = None,
    **asking: Any,
) -> Command[Any]:
    """`answer_interrupts` for asyncio.

    >>> command = await aanswer_interrupts(relay, result["__interrupt__"], run=thread_id)
    >>> result = await agent.ainvoke(command, config)
    """

    async def decide(review: Review) -> Any:
        if isinstance(review, InWords):
            return review.answer(await ask_in_words(relay, review.id, review.question, run=run, **asking))
        (decision,) = await decide_tool_calls(relay, [review.call], run=run, agent=agent, on_reply=on_reply, **asking)
        return review.answer(decision)

    async def answer(request: Request) -> Any:
        return request.join(await all_or_error(decide(review) for review in request.reviews))

    refuse_repeated(one.id for one in interrupts)
    # All are read before the first one is asked about.
    schemas = _schemas_of(tools)
    # Versions before 1.2.22 have no schema of the answer.
    requests = [read_interrupt(one.id, one.value, getattr(one, "response_schema", None), schemas) for one in interrupts]
    answers = await all_or_error(answer(request) for request in requests)
    return Command(resume={one.id: given for one, given in zip(interrupts, answers, strict=True)})


Question = Annotated[str, Field(description=ask_expert_definition["parameters"]["properties"]["question"]["description"])]
CallId = Annotated[str, InjectedToolCallId]


def ask_expert_tool(relay: AnyRelay, *, run: str, **options: Any) -> BaseTool:
    """A tool with which the model asks an expert when it is stuck. With an `AsyncRelay` it is for `ainvoke` and `astream` only.
    `options`: `timeout`, and what `ask` takes, such as `confidential`.

    >>> agent = create_agent(model, [ask_expert_tool(relay, run=thread_id)], checkpointer=checkpointer)
    """

    name, description = ask_expert_definition["name"], ask_expert_definition["description"]
    if isinstance(relay, Relay):

        def ask(question: Question, tool_call_id: CallId) -> str:
            return relay.run(lambda client: ask_expert(client, question, run=run, id=tool_call_id, **options))

        return StructuredTool.from_function(ask, name=name, description=description)

    async def ask_async(question: Question, tool_call_id: CallId) -> str:
        return await ask_expert(relay, question, run=run, id=tool_call_id, **options)

    return StructuredTool.from_function(coroutine=ask_async, name=name, description=description)


def _schemas_of(tools: Sequence[Any]) -> Schemas:
    functions = [convert_to_openai_tool(tool)["function"] for tool in tools]
    return {one["name"]: one["parameters"] for one in functions}
