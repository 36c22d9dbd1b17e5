"""The newest form of a conversation, which alone can be answered, and the answers to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .._crypto.channel import Channel
from .._crypto.encoding import to_base64
from .._crypto.frame import Part
from .._crypto.parts import read_parts
from .._errors import not_as_exported
from .._forms.answer import GivenAnswer, Standing, decide
from .._forms.check_form import read_form
from .._json_text import Members, is_list, is_object
from .crossed import is_crossed
from .message import ReadMessage, restore_message, whole_number
from .side import OpenForm, Side


class FormTracker:
    def __init__(self, side: Side, saved: Members) -> None:
        self._side = side
        self._form: OpenForm | None = None
        form: Any = saved.get("form")
        answers: Any = saved.get("answers") or ()
        if form is not None:
            if not is_object(form) or not all(isinstance(form.get(name), str) for name in ("of", "text")):
                raise not_as_exported()
            self._form = OpenForm(form["of"], form["text"])
        if not is_list(answers):
            raise not_as_exported()
        self.answers = [restore_message(one) for one in answers]
        # When this agent has sealed its newest message, in milliseconds since 1970.
        self._sealed_at = whole_number(saved.get("sealedAt"))

    @property
    def form(self) -> OpenForm | None:
        return self._form or self._side.form

    @property
    def readable_form(self) -> dict[str, Any] | None:
        """None if it cannot be shown."""
        return read_form(self.form.text) if self.form else None

    def export(self) -> Members:
        form = self._form
        return {
            **({"form": {"of": form.of, "text": form.text}} if form else {}),
            "answers": [one.export() for one in self.answers],
            **({} if self._sealed_at is None else {"sealedAt": self._sealed_at}),
        }

    def note_own(self, of: str | None, parts: Sequence[Part]) -> None:
        """Notes a message that this agent has sealed."""
        self._sealed_at = int(time.time() * 1_000)
        self._note_agents(of, parts)

    def _note_agents(self, of: str | None, parts: Sequence[Part]) -> None:
        self.answers = [replace(one, is_followed=True) for one in self.answers]
        text = read_parts(parts, "consumer").form if of is not None else None
        if of is not None and text is not None:
            self._form, self.answers = OpenForm(of, text), []

    def note(self, message: ReadMessage) -> None:
        """Notes a message in the order of the list."""
        if message.role == "consumer":
            self._note_agents(message.hash, message.parts)
            return
        answer, form = message.known_parts().answer, self.form
        if answer and form and to_base64(answer.of) == form.of:
            self.answers.append(replace(message, sealed_before=self._sealed_at))

    def standing(
        self, channel: Channel | None, others: Sequence[str], is_refused: Callable[[str], bool] = lambda _: False
    ) -> Standing | None:
        """What the answers amount to. `others` has the hashes of the other side's messages."""
        form = self.form
        if form is None:
            return None
        seen: list[Any] = channel.state()["seen"] if channel and self.answers else []
        names = {entry[0] for entry in seen}
        by_agent = set(others) if self._side.role == "provider" else names - set(others)

        def given(message: ReadMessage) -> GivenAnswer:
            known = message.known_parts()
            is_sequenced = message.protection == "sequenced" and self._side.is_signed
            is_plain = message.protection == "plaintext"
            return GivenAnswer(
                message_id=message.message_id,
                json=known.answer.json if known.answer else "",
                is_proven=is_sequenced if self._side.agent_sent_keys else is_plain,
                # Plain text does not say what it had seen.
                is_crossed=message.hash is not None and is_crossed(seen, by_agent, message.hash),
                is_uncertain=known.is_uncertain,
            )

        return decide(form.text, [given(one) for one in self.answers], is_refused)
