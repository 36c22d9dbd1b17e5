"""The tool with which a model asks an expert, whatever framework it uses."""

from __future__ import annotations

from typing import Any, Union

from .._agent.abandonment import close_in_time
from .._agent.conversation import AsyncConversation
from .._agent.relay import AsyncRelay
from .._errors import RelayError, has_code, invalid_input
from .._forms.content import Content
from .._sync.relay import Relay
from .._tracebacks import call_without_locals
from ._tool_approval import name_of

AnyRelay = Union[Relay, AsyncRelay]

ask_expert_definition: dict[str, Any] = {
    "name": "ask_expert",
    "description": (
        "Asks a human expert a question, and returns the answer in words, which may take hours. Use it when you are stuck, when you "
        "are not sure about something that is hard to undo, or when you need a decision or knowledge that only a person has; not for "
        "what you can find out by yourself.\n"
        "Follow the answer. If it does not settle your question, ask again with what is missing. A result that begins with "
        '"No answer:" is neither a yes nor a no.'
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "question": {
                "type": "string",
                "description": (
                    "What you need to know. The expert sees only this text: say what you want to do, what you have tried, what "
                    "happened, and what you would do next. No passwords, keys or other secrets."
                ),
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    },
}
"""What a model reads about the tool: its name, its description, and the JSON Schema of its arguments."""


@call_without_locals
async def ask_expert(
    relay: AsyncRelay, question: str, *, run: str, id: str | None, timeout: float | None = None, **asking: Any
) -> str:
    """Asks an expert what a model wants to know in a call of its tool, and waits for the answer. `run` is the name of this run of the
    agent, the same after a restart: it and the `id` of the call are the name of the question (`once`), so the relay needs a `store`
    or a `secret`. `asking`: what `AsyncRelay.ask` takes besides, such as `confidential`. Where no answer comes, the model gets a
    sentence that says so: after `timeout`, which also closes the question, and where the conversation ends without an answer.

    Raises a `RelayError` for all else, such as `unavailable`: then the question stays open, and the same call continues with it.

    >>> answer = await ask_expert(relay, "Which region?", run="job-7", id="call-1", timeout=600)
    """
    if not id:
        raise invalid_input("A call without an id cannot be asked about once: ask with `relay.ask`.")
    conversation: AsyncConversation[Content] = await relay.ask(question, once=name_of(run, id), **asking)
    try:
        answer = await conversation.wait_for_answer(timeout)
    except RelayError as error:
        if not has_code(error, "timeout", "closed", "expired", "withdrawn"):
            raise
        if error.code == "timeout":
            await close_in_time(conversation, "The agent does not wait any longer.")
        return _no_answer
    not_shown = f"\n\n(Files that came with it and are not shown: {len(answer.files)}.)" if answer.files else ""
    return (answer.text + not_shown).strip()


_no_answer = (
    "No answer: the expert has not answered in time, or has closed the question. This is neither a yes nor a no. "
    "Do nothing that depends on it, and report what is open."
)
