"""Asks an expert about the tool calls of an agent, whatever framework it uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from .._agent.abandonment import close_in_time
from .._agent.answers import Decision, OnReply
from .._agent.conversation import AsyncConversation
from .._agent.relay import AsyncRelay
from .._agent.submission import ContextMessage
from .._errors import invalid_input
from .._forms.content import Content
from .._json_text import Members, is_object
from .._transport.waiting import all_or_error
from ._tool_question import ArgumentsForm, ToolCall, describe_call, form_for, is_same


@dataclass(frozen=True)
class ToolDecision:
    """What an expert has decided about a tool call.

    >>> (decision,) = await decide_tool_calls(relay, [call], run="job-7")
    >>> if decision.action == "edit":
    ...     print("With other arguments:", decision.arguments)
    """

    action: Literal["approve", "edit", "decline"]
    comment: str
    """What the expert wrote beside it; may be empty."""
    arguments: Members | None = None
    """With `edit`: the tool may run with these arguments, and not with those of the call."""

    @property
    def refusal(self) -> str:
        """What the model gets about a call that the expert has declined."""
        return "The expert has declined this call" + (f": {self.comment}" if self.comment else ".")


async def decide_tool_calls(
    relay: AsyncRelay,
    calls: Sequence[ToolCall],
    *,
    run: str,
    agent: str = "the agent",
    timeout: float | None = None,
    on_reply: OnReply | None = None,
    **asking: Any,
) -> list[ToolDecision]:
    """Asks an expert about each call, all at the same time, and waits for all decisions. They are in the order of the calls. `run` is
    the name of this run of the agent, the same after a restart: it and the id of a call are the name of the question (`once`), so
    the relay needs a `store` or a `secret`. `agent`: how the agent is called in the question. `asking`: what `AsyncRelay.ask` takes
    besides, such as `confidential`.

    Raises what `wait_for_decision` raises: then nothing is approved and nothing declined. The questions stay open, and a later
    call with the same `run` continues with them.

    >>> call = ToolCall("call-1", "delete_rows", {"table": "logs"})
    >>> (decision,) = await decide_tool_calls(relay, [call], run="job-7", timeout=600)
    >>> result = decision.refusal if decision.action == "decline" else delete_rows(**(decision.arguments or call.arguments))
    """
    refuse_repeated(call.id for call in calls)
    options: dict[str, Any] = {"agent": agent, "timeout": timeout, "on_reply": on_reply, **asking}
    return await all_or_error(decide_call(relay, call, name_of(run, call.id), **options) for call in calls)


async def decide_call(
    relay: AsyncRelay,
    call: ToolCall,
    once: str | None,
    *,
    agent: str = "the agent",
    timeout: float | None = None,
    on_reply: OnReply | None = None,
    messages: Sequence[ContextMessage] = (),
    **asking: Any,
) -> ToolDecision:
    """Asks about one call. With a name (`once`), a later process continues with the question after an error; without one, it is closed."""
    form = form_for(call)
    described: ContextMessage = {"role": "assistant", "content": call.description}
    conversation: AsyncConversation = await relay.ask(
        describe_call(call, agent, form),
        messages=[*messages, described] if call.description else messages,
        form=form.form,
        once=once,
        **asking,
    )
    decided: ToolDecision | None = None
    try:
        while True:
            decision = await conversation.wait_for_decision(timeout, on_reply=on_reply)
            decided = read_decision(decision, call, form)
            if decided:
                return decided
            await conversation.send(_not_arguments, form=form.form)
    finally:
        # Nothing about a decision changes any more, so each later run gets the same one.
        if decided or once is None:
            await close_in_time(conversation)


async def ask_in_words(
    relay: AsyncRelay,
    id: str,
    question: str,
    *,
    run: str,
    timeout: float | None = None,
    **asking: Any,
) -> str:
    """Asks a question of a run that is answered in words. The conversation stays open: after a crash it has the answer again."""
    conversation: AsyncConversation = await relay.ask(question, once=name_of(run, id), **asking)
    return (await conversation.wait_for_answer(timeout)).text


_not_arguments = (
    "The arguments are not a JSON object, or have a number with more digits than programs keep, or two members of one name. "
    "Nothing has run."
)


def refuse_repeated(ids: Iterable[str]) -> None:
    """The decision about one call would count for the other one, too."""
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            raise invalid_input(
                f"Two tool calls that wait have the id {id}: it is not clear which one would run. "
                "Nothing was asked. Let the model call them again."
            )
        seen.add(id)


def name_of(run: str, id: str) -> str:
    """The name of the question about a call (`once`)."""
    return "/".join(quote(one, safe="!~*'()") for one in (run, id))


def read_decision(decision: Decision[Content], call: ToolCall, form: ArgumentsForm) -> ToolDecision | None:
    """None when the expert has accepted what cannot be arguments."""
    comment = decision.comment
    if decision.action == "decline":
        return ToolDecision("decline", comment)
    arguments = form.read(decision.content)
    if is_same(arguments, call.arguments):
        return ToolDecision("approve", comment)
    return ToolDecision("edit", comment, arguments) if is_object(arguments) else None
