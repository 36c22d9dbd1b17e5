"""What each process of an agent must know of one conversation, whichever of them has learned it: docs/crypto-storage.md."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .._errors import RelayError
from .._json_text import Members, is_list, is_object, object_of, parse_json, write_json
from .._store import ListInValues, Values


class SharedFacts:
    """The facts of one conversation, in a store in which the first write of a name counts. The names are those of the TypeScript SDK."""

    def __init__(self, values: Values, request_id: str) -> None:
        self._values, self._outbox = values, ListInValues(values, f"outbox:{request_id}")

    def decision(self, of: str) -> str | None:
        """The message whose decision about this form was returned to a program."""
        outcome = self._outcome(of)
        return outcome if isinstance(outcome, str) else self._values.get(f"declined:{of}")

    def is_contradicted(self, of: str) -> bool:
        """Whether some process has reported a contradiction. Only a decline counts then."""
        return is_list(self._outcome(of))

    def return_decision(self, of: str, message_id: str, *, is_decline: bool) -> str | None:
        """The message that decides for all processes. None after a contradiction that it does not end."""
        self._values.remember(f"outcome:{of}", write_json(message_id))
        if is_decline and self.is_contradicted(of):
            self._values.remember(f"declined:{of}", message_id)
        return self.decision(of)

    def contradict(self, of: str, message_ids: Sequence[str]) -> None:
        """Has no effect after a decision."""
        self._values.remember(f"outcome:{of}", write_json(list(message_ids)))

    def _outcome(self, of: str) -> object:
        """The message that decided, or those that contradict each other: one value, so that processes that find one of the two each agree."""
        return parse_json(self._values.get(f"outcome:{of}") or "null")

    @property
    def is_withdrawn(self) -> bool:
        """Whether the agent has closed the question without a decision."""
        return self._values.get("withdrawn") is not None

    def withdraw(self) -> None:
        self._values.remember("withdrawn", "1")

    def write_text(self, draft: Members) -> None:
        """A text of the agent that waits, before it is encrypted."""
        self._outbox.add(write_json(draft))

    def waiting_texts(self) -> list[Members]:
        return [text for text in self._texts() if "messageId" in text]

    def sent_texts(self) -> list[str]:
        """The ids of those that the relay has accepted."""
        return [str(text["accepted"]) for text in self._texts() if "accepted" in text]

    def settle_text(self, message_id: str, *, is_sent: bool) -> None:
        """It was accepted by the relay, or taken back before it was sent."""
        for at, text in enumerate(self._texts()):
            if text.get("messageId") == message_id:
                self._outbox.replace(at, write_json({"accepted": message_id} if is_sent else None))

    def _texts(self) -> list[Members]:
        """In place of one that was taken back there is an empty one."""
        return [object_of(json.loads(text)) for text in self._outbox.all()]

    def seal(self, message_id: str, body: Members) -> Members:
        """The message as it is sent: that of the first process that has encrypted this text."""
        first: object = json.loads(self._values.remember(f"sealed:{message_id}", write_json(body)))
        return first if is_object(first) else body


def withdrawn() -> RelayError:
    return RelayError("withdrawn", "This agent has closed the question without a decision: none counts any more. Ask a new one.")


def contradiction() -> RelayError:
    return RelayError(
        "answer_conflict",
        "The expert has accepted with different contents. None of them counts: send the form again with `ask_again`, or ask in words.",
    )
