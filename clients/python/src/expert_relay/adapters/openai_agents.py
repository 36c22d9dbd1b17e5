"""OpenAI Agents SDK: an expert approves tools with `needs_approval`. Install `expert-relay[openai-agents]`."""

from __future__ import annotations

from typing import Any

from agents import FunctionTool, RunState, ToolApprovalItem
from agents.tool_context import ToolContext

from .._agent.relay import AsyncRelay
from .._errors import invalid_input
from .._json_text import Members, is_object, object_of
from .._tracebacks import call_without_locals
from ._ask_expert import ask_expert, ask_expert_definition
from ._tool_approval import decide_tool_calls
from ._tool_question import ToolCall, parse_arguments


@call_without_locals
async def answer_interruptions(relay: AsyncRelay, state: RunState[Any, Any], *, run: str, **options: Any) -> None:
    """Asks an expert about each call that has interrupted a run, and approves or rejects it in the state. The SDK cannot run a tool
    with other arguments than those of the model: the expert declines, and says in the comment, which the model gets, what is
    allowed. `run` names this run. `options`: `timeout`, `agent`, `on_reply`, and what `ask`
    takes, such as `confidential`.

    Raises a `RelayError` if one is not decided: then the state is unchanged, and the same call continues later, also in another
    process with `RunState.from_string`.

    >>> result = await Runner.run(agent, "Remove the old logs.")
    >>> while result.interruptions:
    ...     state = result.to_state()
    ...     await answer_interruptions(relay, state, run="job-7")
    ...     result = await Runner.run(agent, state)
    """
    items = state.get_interruptions()
    calls = [_call_of(item) for item in items]
    decisions = await decide_tool_calls(relay, calls, run=run, **options)
    for item, decision in zip(items, decisions, strict=True):
        if decision.action == "approve":
            state.approve(item)
        else:
            state.reject(item, rejection_message=decision.refusal)


def ask_expert_tool(relay: AsyncRelay, *, run: str, **options: Any) -> FunctionTool:
    """A tool with which the model asks an expert when it is stuck. `options`: `timeout`, and what `ask` takes, such as `confidential`.

    >>> agent = Agent("Cleaner", tools=[ask_expert_tool(relay, run="job-7")])
    """

    async def ask(context: ToolContext[Any], arguments: str) -> str:
        question = object_of(parse_arguments(arguments)).get("question", "")
        return await ask_expert(relay, question, run=run, id=context.tool_call_id, **options)

    name, description, parameters = (ask_expert_definition[one] for one in ("name", "description", "parameters"))
    return FunctionTool(name, description, parameters, ask)


def _call_of(item: ToolApprovalItem) -> ToolCall:
    if item.call_id is None:
        raise invalid_input("A call without an id cannot be asked about once: ask with `relay.ask`.")
    raw = _members_of(item.raw_item)
    # Early versions know no namespaces of tools.
    qualified: str | None = getattr(item, "qualified_name", None)
    name, server = qualified or item.name or str(raw.get("type")), raw.get("server_label")
    # Two hosted MCP servers may have tools of one name.
    tool = f"{server}.{name}" if isinstance(server, str) else name
    return ToolCall(item.call_id, tool, _arguments_of(item, raw), can_edit=False)


def _arguments_of(item: ToolApprovalItem, raw: Members) -> Members:
    if item.arguments is None:
        # A shell, a patch and a computer have no arguments, but members of their own.
        return {name: member for name, member in raw.items() if name not in ("type", "id", "call_id", "status")}
    # Another program may read the text in another way: then it is shown as it is.
    given = parse_arguments(item.arguments or "{}")
    return given if is_object(given) else {"input": item.arguments}


def _members_of(raw: object) -> Members:
    """Of a dict, or of a model of Pydantic."""
    dump: Any = getattr(raw, "model_dump", None)
    return dict(dump(mode="json", exclude_none=True)) if dump else object_of(raw)
