"""Pydantic AI: an expert decides about deferred tools. Install `expert-relay[pydantic-ai]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from pydantic_ai import DeferredToolRequests, DeferredToolResults, RunContext, Tool, ToolApproved, ToolDenied

from .._agent.relay import AsyncRelay
from .._sync.conversation import SyncOnReply, in_caller
from .._sync.relay import Relay
from .._tracebacks import call_without_locals
from ._ask_expert import AnyRelay, ask_expert, ask_expert_definition
from ._tool_approval import ToolDecision, decide_tool_calls
from ._tool_question import ToolCall


@call_without_locals
async def answer_deferred(
    relay: AsyncRelay,
    requests: DeferredToolRequests,
    *,
    run: str,
    tools: Sequence[Tool[Any] | Callable[..., Any]] = (),
    **options: Any,
) -> DeferredToolResults:
    """Asks an expert about each call that needs an approval, and returns the results with which the agent goes on. What the program
    itself must do (`requests.calls`) is not among them. `run` names this run. `options`: `timeout`, `agent`, `on_reply`, and what
    `ask` takes, such as `confidential`. `tools`: those that the agent was made with, so that the expert edits fields, not JSON.

    Raises a `RelayError` if one is not decided: then the same call continues later, with the messages of the run that you have kept.

    >>> result = await agent.run("Remove the old logs.")
    >>> while isinstance(result.output, DeferredToolRequests):
    ...     results = await answer_deferred(relay, result.output, run="job-7")
    ...     result = await agent.run(message_history=result.all_messages(), deferred_tool_results=results)
    """
    known: list[Tool[Any]] = [one if isinstance(one, Tool) else Tool(one) for one in tools]
    schemas = {one.name: one.function_schema.json_schema for one in known}
    calls = [
        ToolCall(one.tool_call_id, one.tool_name, one.args_as_dict(), schemas.get(one.tool_name))
        for one in requests.approvals
    ]
    decisions = await decide_tool_calls(relay, calls, run=run, **options)
    return DeferredToolResults(
        approvals={call.id: _result_of(decision) for call, decision in zip(calls, decisions, strict=True)}
    )


@call_without_locals
def answer_deferred_sync(
    relay: Relay,
    requests: DeferredToolRequests,
    *,
    run: str,
    on_reply: SyncOnReply | None = None,
    **options: Any,
) -> DeferredToolResults:
    """`answer_deferred` for programs that block.

    >>> results = answer_deferred_sync(relay, result.output, run="job-7")
    >>> result = agent.run_sync(message_history=result.all_messages(), deferred_tool_results=results)
    """
    report = in_caller(on_reply)
    return relay.run(lambda client: answer_deferred(client, requests, run=run, on_reply=report, **options))


def _result_of(decision: ToolDecision) -> ToolApproved | ToolDenied:
    if decision.action == "decline":
        return ToolDenied(decision.refusal)
    return ToolApproved(override_args=decision.arguments)


def ask_expert_tool(relay: AnyRelay, *, run: str, **options: Any) -> Tool[Any]:
    """A tool with which the model asks an expert when it is stuck: with a `Relay` for `run_sync`, with an `AsyncRelay` for `run`.
    `options`: `timeout`, and what `ask` takes, such as `confidential`.

    >>> agent = Agent(model, tools=[ask_expert_tool(relay, run="job-7")])
    """

    name, description, parameters = (ask_expert_definition[one] for one in ("name", "description", "parameters"))
    from_schema: Callable[..., Tool[Any]] = cast(Any, Tool).from_schema
    definition = {"name": name, "description": description, "json_schema": parameters, "takes_ctx": True}
    if isinstance(relay, Relay):

        def ask(context: RunContext[Any], question: str) -> str:
            return relay.run(lambda client: ask_expert(client, question, run=run, id=context.tool_call_id, **options))

        return from_schema(ask, **definition)

    async def ask_async(context: RunContext[Any], question: str) -> str:
        return await ask_expert(relay, question, run=run, id=context.tool_call_id, **options)

    return from_schema(ask_async, **definition)
