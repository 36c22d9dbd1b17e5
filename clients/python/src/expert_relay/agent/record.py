"""What each process of an agent must know of one conversation, whichever of them has learned it: docs/crypto.md."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..errors import RelayError
from ..json_text import Members, is_list, is_object, parse_json, write_json
from ..memory import Memory


class Record:
    """The facts of one conversation, in a memory in which the first write of a name counts."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def decision(self, of: str) -> str | None:
        """The message whose decision about this form was returned to a program."""
        if self.contradiction(of):
            return self._memory.get(f"declined:{of}")
        return self._memory.get(f"decided:{of}")

    def contradiction(self, of: str) -> list[str]:
        """The answers to this form that contradict each other. Only a decline counts besides."""
        first = parse_json(self._memory.get(f"decided:{of}") or "")
        return [one for one in first if isinstance(one, str)] if is_list(first) else []

    def return_decision(self, of: str, message_id: str, *, is_decline: bool) -> str | None:
        """The message that decides for all processes. None after a contradiction that it does not end."""
        self._memory.remember(f"decided:{of}", message_id)
        if self.contradiction(of) and is_decline:
            self._memory.remember(f"declined:{of}", message_id)
        return self.decision(of)

    def contradict(self, of: str, message_ids: Sequence[str]) -> None:
        """Has no effect after a decision."""
        self._memory.remember(f"decided:{of}", write_json(list(message_ids)))

    @property
    def is_withdrawn(self) -> bool:
        """Whether the agent has closed the question before it had a decision, or an answer."""
        return self._memory.get("withdrawn") is not None

    def withdraw(self) -> None:
        self._memory.remember("withdrawn", "yes")

    def write_text(self, draft: Members) -> None:
        """A text of the agent that waits, before it is encrypted."""
        at, written = 0, write_json({"draft": draft})
        while self._memory.remember(f"text:{at}", written) != written:
            at += 1

    def waiting_texts(self) -> list[Members]:
        return [text["draft"] for text in self._texts() if is_object(text.get("draft"))]

    def sent_texts(self) -> list[str]:
        """The ids of those that the relay has accepted."""
        return [str(text["sent"]) for text in self._texts() if "sent" in text]

    def settle_text(self, message_id: str, *, is_sent: bool) -> None:
        """It was accepted by the relay, or taken back before it was sent."""
        for at, text in enumerate(self._texts()):
            draft = text.get("draft")
            if is_object(draft) and draft.get("messageId") == message_id:
                self._memory.set(f"text:{at}", write_json({"sent": message_id} if is_sent else {}))

    def _texts(self) -> list[Members]:
        texts: list[Members] = []
        while (text := self._memory.get(f"text:{len(texts)}")) is not None:
            texts.append(json.loads(text))
        return texts

    def seal(self, message_id: str, body: Members) -> Members:
        """The message as it is sent: that of the first process that has encrypted this text."""
        first: Members = json.loads(self._memory.remember(f"sealed:{message_id}", write_json(body)))
        return first


def withdrawn() -> RelayError:
    return RelayError("withdrawn", "This agent has closed the question before it was answered: ask a new one.")


def contradiction() -> RelayError:
    return RelayError(
        "answer_conflict",
        "The expert has accepted with different contents. None of them counts: send the form again with `ask_again`, or ask in words.",
    )
