"""The texts of one side that wait, or that may have been sent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from operator import sub

from .._errors import not_as_exported
from .._json_text import Members, is_object, list_in
from .draft import Draft, DraftState, SharedTexts, restore_draft
from .message import has_answer
from .thread import Thread


class UnsentTexts:
    """What holds the texts in each state: see `Sender`, which sends them."""

    def __init__(
        self,
        thread: Thread,
        is_plain: Callable[[], bool],
        decision_lasts: float,
        texts: SharedTexts | None,
        state: Members | None,
    ) -> None:
        self._thread, self._is_plain = thread, is_plain
        self._decision_lasts, self._texts = decision_lasts, texts
        saved = state or {}
        self._drafts: list[Draft] = [restore_draft(one) for one in list_in(saved.get("drafts"))]
        # A text that may have been sent. It is sent again unchanged until the relay answers.
        self._outgoing: tuple[Draft, Members] | None = None
        outgoing = saved.get("outgoing")
        if outgoing is not None:
            if not is_object(outgoing) or not is_object(outgoing.get("body")):
                raise not_as_exported()
            self._outgoing = restore_draft(outgoing.get("draft")), outgoing["body"]
        # Texts that the relay has accepted. The list may not show them yet.
        self._accepted: set[str] = set()
        # Texts that were encrypted and are held, or by another process: if they are sent, then as they are, since the relay may have
        # them.
        self._encrypted: dict[str, Members] = {}

    def export(self) -> Members:
        outgoing = self._outgoing
        return {
            **({"outgoing": {"draft": outgoing[0].export(), "body": outgoing[1]}} if outgoing else {}),
            "drafts": [one.export() for one in self._drafts if self._is_unsent(one)],
        }

    @property
    def unsent(self) -> list[Draft]:
        # A client that blocks asks in another thread: a text that becomes the outgoing one meanwhile is in both.
        drafts, outgoing = self._drafts, self._outgoing
        first = [outgoing[0]] if outgoing else []
        return [one for one in (*first, *(one for one in drafts if one not in first)) if self._is_unsent(one)]

    def state_of(self, draft: Draft) -> DraftState:
        return "refused" if draft.code else "held" if self._is_held(draft) else "waiting"

    @property
    def has_drafts(self) -> bool:
        """Whether texts wait to be encrypted, or to be sent as another process has encrypted them: this one's history has none of them."""
        outgoing = self._outgoing
        is_foreign = outgoing is not None and outgoing[0].message_id in self._encrypted and self._is_unsent(outgoing[0])
        return is_foreign or any(not one.code and self._is_unsent(one) for one in self._drafts)

    @property
    def has_outgoing(self) -> bool:
        return self._outgoing is not None

    @property
    def is_due(self) -> bool:
        """Whether a text could be sent now."""
        # An expert does not wait for keys: the expert's client sends them.
        is_expert = self._thread.side.role == "provider"
        return self._outgoing is not None or any(
            self.state_of(one) == "waiting" if is_expert else self._can_seal(one) for one in self._drafts
        )

    def _is_unsent(self, draft: Draft) -> bool:
        # The list may show a message before the call that sent it is answered.
        return draft.message_id not in self._accepted and not self._thread.has(draft.message_id)

    def _is_held(self, draft: Draft) -> bool:
        # A decision from before a restart, or from some time ago: its author may decide otherwise now.
        is_old = has_answer(draft.parts) and _age(draft) > self._decision_lasts
        return is_old or (draft.is_held_if_newer and self._thread.has_newer_than(draft.shown))

    def _can_seal(self, draft: Draft) -> bool:
        has_way = draft.is_plain is not False if self._is_plain() else self._thread.channel is not None
        return has_way and self.state_of(draft) == "waiting"

    def _next_draft(self) -> Draft | None:
        # What the list shows was sent before a restart, or by another process.
        for one in [*self._drafts]:
            if not self._is_unsent(one):
                self._drop(one)
                self._settle(one, is_sent=True)
        return next((one for one in self._drafts if self._can_seal(one)), None)

    def _drop(self, draft: Draft) -> None:
        self._drafts = [one for one in self._drafts if one is not draft]

    def _settle(self, draft: Draft, *, is_sent: bool) -> None:
        if self._texts:
            self._texts.settle_text(draft.message_id, is_sent=is_sent)

    def knows(self, message_id: str) -> bool:
        """Whether this text was encrypted and sent here, or read in the list."""
        is_own = message_id in self._accepted and message_id not in self._encrypted
        return is_own or self._thread.has(message_id)

    def take_over(self) -> bool:
        """Takes over texts that other processes have written and not sent. Returns whether there are any."""
        known = {one.message_id for one in (*self._drafts, *([self._outgoing[0]] if self._outgoing else ()))}
        waiting = [restore_draft(one) for one in self._texts.waiting_texts()] if self._texts else []
        new = [one for one in waiting if one.message_id not in known and self._is_unsent(one)]
        self._drafts = [*self._drafts, *new]
        return bool(new)


def _age(draft: Draft) -> float:
    """In seconds, by the clock that shows more."""
    return math.inf if draft.given_at is None else max(map(sub, clocks(), draft.given_at))


def clocks() -> tuple[float, ...]:
    """The first one can be set back, and the second one stands still while the machine sleeps."""
    return time.time(), time.monotonic()
