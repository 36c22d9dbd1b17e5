"""OpenAI Agents SDK: an expert approves tools with `needs_approval`. Install `expert-relay[openai-agents]`."""

from __future__ import annotations

from typing import Any

from agents import RunState, ToolApprovalItem

from ..agent.relay import AsyncRelay
from ..errors import invalid_input
from ..json_text import is_object
from .tool_approval import decide_tool_calls
from .tool_question import ToolCall, parse_arguments


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


def _call_of(item: ToolApprovalItem) -> ToolCall:
    if item.call_id is None:
        raise invalid_input("A call without an id cannot be asked about once.")
    name = item.qualified_name or item.name or item.type
    given = parse_arguments(item.arguments or "{}")
    arguments = given if is_object(given) else {"input": item.arguments}
    return ToolCall(item.call_id, name, arguments, can_edit=False)
