"""What `approve` and `choose` share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from .._errors import invalid_input
from .._forms.to_form import FormOrModel
from .._transport.waiting import raise_if_late, timed_out, within
from .abandonment import Abandonment, Closings
from .answers import Decision, OnReply
from .conversation import AsyncConversation
from .decision_age import check_valid_for
from .options import QuestionOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

Ask = Callable[..., Coroutine[Any, Any, AsyncConversation]]


async def ask_and_wait(
    ask: Ask,
    closings: Closings,
    question: str,
    form: FormOrModel,
    on_reply: OnReply | None,
    /,
    *,
    timeout: float | None = None,
    valid_for: float | None = None,
    keep_open: bool = False,
    **asking: Unpack[QuestionOptions],
) -> tuple[Decision[Any], AsyncConversation]:
    """Asks with a form, and waits for the decision. The question is closed at the end, unless a later run may continue it."""
    if "form" in asking:
        raise invalid_input("There is no option `form` here: `ask` takes forms.")
    check_valid_for(valid_for)
    started_at = time.time()
    abandonment = Abandonment()
    began = asyncio.ensure_future(ask(question, form, abandonment, **asking))

    async def wait() -> tuple[Decision[Any], AsyncConversation]:
        conversation = await asyncio.shield(began)
        decision = await conversation.wait_for_decision(on_reply=on_reply, valid_for=valid_for)
        raise_if_late(started_at, timeout)
        return decision, conversation

    try:
        return await within(timeout, wait(), lambda: timed_out(timeout))
    finally:
        # A later run continues a question with a name.
        if not keep_open and asking.get("once") is None:
            await closings.close(began, abandonment)
        elif began.cancel():
            await asyncio.wait({began})
