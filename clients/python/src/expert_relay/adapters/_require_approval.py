"""Functions that run only when an expert has approved the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast, get_type_hints

from .._agent.relay import AsyncRelay
from .._errors import invalid_input
from .._json_text import Members
from .._sync.conversation import in_caller
from .._sync.relay import Relay
from .._tracebacks import call_without_locals
from ._ask_expert import AnyRelay
from ._tool_approval import ToolDecision, decide_call
from ._tool_question import ToolCall

P = ParamSpec("P")
R = TypeVar("R")


class DeclinedError(Exception):
    """The expert has declined the call of a function, which has not run. The message is what a model may get.

    >>> try:
    ...     remove_logs("/var/log/app", 30)
    ... except DeclinedError as declined:
    ...     print(declined.comment)
    """

    __module__ = "expert_relay.adapters"

    def __init__(self, decision: ToolDecision) -> None:
        super().__init__(decision.refusal)
        self.comment = decision.comment


def require_approval(
    relay: AnyRelay, *, once: Callable[..., str] | None = None, on_reply: Any = None, **options: Any
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: the function runs only when an expert has approved the call, and with the arguments as the expert has left them. An
    `async` function needs an `AsyncRelay`, another one a `Relay`. `once` gets the arguments and names the question: an equal call of
    that name is the same question, also after a restart, and needs a `store` or a `secret`. Without it, each call is a new question.
    `options`: `timeout`, `agent`, and what `ask` takes, such as `confidential`.

    The function raises `DeclinedError` if the expert has declined, and a `RelayError` if nothing is decided: then nothing has run,
    either.

    >>> @require_approval(relay, once=lambda path, days: f"job-7/{path}")
    ... def remove_logs(path: str, days: int) -> str:
    ...     return f"Removed the logs in {path} that are older than {days} days."
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature, schema = inspect.signature(function), _schema_of(function)
        name = getattr(function, "__name__", "function")

        def call_of(*args: Any, **named: Any) -> ToolCall:
            given = signature.bind(*args, **named).arguments
            return ToolCall("", name, given, schema, can_edit=schema is not None)

        async def decide(client: AsyncRelay, report: Any, args: Any, named: Any) -> Members | None:
            """The arguments of the expert, if they are others."""
            call = call_of(*args, **named)
            decision = await decide_call(
                client, call, once(*args, **named) if once else None, on_reply=report, **options
            )
            if decision.action == "decline":
                raise DeclinedError(decision)
            return decision.arguments

        @wraps(function)
        async def call_async(*args: Any, **named: Any) -> Any:
            edited = await approved(args, named)
            return await cast(Any, function)(*args, **named) if edited is None else await cast(Any, function)(**edited)

        @wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            edited = approved_blocking(args, named)
            return function(*args, **named) if edited is None else cast(Any, function)(**edited)

        @call_without_locals
        async def approved(args: Any, named: Any) -> Members | None:
            return await decide(cast(AsyncRelay, relay), on_reply, args, named)

        @call_without_locals
        def approved_blocking(args: Any, named: Any) -> Members | None:
            return cast(Relay, relay).run(lambda client: decide(client, in_caller(on_reply), args, named))

        is_async = inspect.iscoroutinefunction(function)
        if is_async != isinstance(relay, AsyncRelay):
            raise invalid_input("An `async` function needs an `AsyncRelay`, and another one a `Relay`.")
        return cast("Callable[P, R]", call_async if is_async else call)

    return decorate


_types = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _schema_of(function: Callable[..., Any]) -> dict[str, Any] | None:
    """The JSON Schema of the arguments, if all can be given by their names. One of another type is edited as JSON."""
    parameters = inspect.signature(function).parameters.values()
    if not all(one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) for one in parameters):
        return None
    hints = get_type_hints(function)
    types = {one.name: _types.get(hints.get(one.name, object)) for one in parameters}
    required = [one.name for one in parameters if one.default is one.empty]
    return {
        "type": "object",
        "properties": {name: {"type": type} if type else {} for name, type in types.items()},
        "required": required,
    }
