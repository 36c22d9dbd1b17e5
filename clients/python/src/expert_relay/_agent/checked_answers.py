"""The answers to a form, checked for the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._crypto.history import missing
from .._errors import RelayError, invalid_input
from .._forms.answer import FormAnswer, unreadable_answer
from .._forms.check_form import parse_form
from .._forms.to_form import FormOrModel, read_content, to_form
from .._json_text import Members, write_json
from .._thread.form_tracker import FormTracker
from .._thread.message import Message, ReadMessage, describe
from .answers import Accepted, Decision, Declined
from .decision_age import age_error


@dataclass(frozen=True)
class _Checked:
    """An answer whose content was checked."""

    message: Message
    answer: FormAnswer
    content: Any
    sealed_before: float | None


class CheckedAnswers:
    """The answers to the newest form, each checked once against the form, and against the model that it was made of."""

    def __init__(
        self, tracker: FormTracker, schemas: Sequence[FormOrModel], given: FormOrModel | None, valid_for: float | None
    ) -> None:
        """`schemas`: what forms of this conversation were made of, where this process knows it. `given`: what the program says that the
        newest one was made of."""
        self._tracker, self._schemas, self._given, self._valid_for = tracker, schemas, given, valid_for
        self._checked: dict[str, _Checked | RelayError] = {}

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._checked

    def check_new(self) -> None:
        form = self._tracker.form
        for one in self._tracker.answers:
            if form and one.message_id not in self._checked:
                self._check(one, form.text)

    def error_of(self, message_id: str) -> RelayError | None:
        """Why an answer does not count."""
        one = self._checked.get(message_id)
        if one is None or isinstance(one, RelayError):
            return one
        # Not once for all: time passes while the program waits.
        return age_error(one.answer, one.sealed_before, self._valid_for)

    def decision_in(self, message_id: str) -> Decision[Any]:
        """Raises why the answer does not count."""
        checked, error = self._checked.get(message_id), self.error_of(message_id)
        if error:
            raise error
        if not isinstance(checked, _Checked):
            # Another process has read it.
            raise missing()
        message, answer = checked.message, checked.answer
        is_plain = message.protection == "plaintext"
        decided: Members = {
            "comment": (answer.comment or "") if is_plain else message.text,
            "decided_at": answer.decided_at,
            "message_id": message.message_id,
            "created_at": message.created_at,
            "protection": message.protection,
            "files": message.files,
            "has_unknown_part": message.has_unknown_part,
        }
        return Declined(**decided) if answer.action == "decline" else Accepted(**decided, content=checked.content)

    def _check(self, one: ReadMessage, form_text: str) -> None:
        message = describe(one)
        try:
            if not message.answer:
                raise unreadable_answer()
            content = None
            if message.answer.action == "accept":
                content = read_content(self._schema_of(form_text), parse_form(form_text), message.answer.content)
            sealed_before = None if one.sealed_before is None else one.sealed_before / 1_000
            self._checked[one.message_id] = _Checked(message, message.answer, content, sealed_before)
        except RelayError as error:
            if error.code != "answer_invalid":
                raise
            self._checked[one.message_id] = error

    def _schema_of(self, form_text: str) -> FormOrModel:
        """What the form was made of, where it is known. After a restart only the form itself is."""
        for schema in reversed(self._schemas if self._given is None else [self._given]):
            if write_json(to_form(schema)) == form_text:
                return schema
        if self._given is not None:
            raise invalid_input(
                "The newest form of this conversation was not made of this `form`: give the one that was sent last, or none."
            )
        return parse_form(form_text)
