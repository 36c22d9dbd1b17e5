"""The conversations that a store keeps."""

from __future__ import annotations

import json

from .._crypto.keys import once_id
from .._errors import RelayError, invalid_input
from .._json_text import object_of, write_json
from .._store import ListInValues, Store, Values
from .conversation_state import ConversationState, check_version, is_state

_prefix = "conversation:"


class StoredConversations:
    """The conversations that a store keeps, each as the JSON of its state. Without a store there are none."""

    def __init__(self, store: Store | None, here: Values) -> None:
        self._store, self._here = store, here

    def find(self, id: str) -> ConversationState | None:
        text = self._store.get(_name_of(id)) if self._store else None
        return None if text is None else _parse_state(text, id)

    def save(self, state: ConversationState) -> None:
        if self._store:
            self._store.set(_name_of(state["id"]), write_json(state))

    def forget(self, id: str) -> None:
        if self._store:
            self._store.delete(_name_of(id))

    def ongoing(self) -> list[ConversationState]:
        """Those that may go on, those that end first at the beginning."""
        names = self._store.names(_prefix) if self._store else ()
        found = [self._find_intact(name[len(_prefix) :]) for name in names]
        return sorted((state for state in found if state and _may_go_on(state)), key=_end_of)

    def _find_intact(self, id: str) -> ConversationState | None:
        """One damaged value must not keep the other conversations."""
        try:
            return self.find(id)
        except RelayError as error:
            if error.code != "invalid_input":
                raise
            return None

    def ids_of(self, name: str) -> list[str]:
        """Under which ids the conversations of a named question are stored: one for each API key, so that a rotated key finds that of the
        one before."""
        return self._ids_under(name).all()

    def note_name(self, name: str, id: str) -> None:
        self._ids_under(name).add(id)

    def _ids_under(self, name: str) -> ListInValues:
        return ListInValues(self._here, f"once:{once_id(name)}")


def _name_of(id: str) -> str:
    return f"{_prefix}{id}"


def _parse_state(text: str, id: str) -> ConversationState:
    state: object = None
    try:
        state = json.loads(text)
    except ValueError:
        pass
    check_version(state)
    if is_state(state):
        return state
    raise invalid_input(
        f"The stored conversation {id} is damaged: put it back from a backup, or remove it with `forget`."
    )


def _may_go_on(state: ConversationState) -> bool:
    status = object_of(state.get("request")).get("status")
    waiting = object_of(state.get("thread")).get("messages")
    return status not in ("closed", "expired") or bool(waiting)


def _end_of(state: ConversationState) -> str:
    """Those that may not have reached the relay come last."""
    return str(object_of(state.get("request")).get("expiresAt", "9"))
