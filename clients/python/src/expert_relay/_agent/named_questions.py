"""The stored questions with a name of one agent."""

from __future__ import annotations

import uuid

from .._crypto.keys import OwnKeys, make_agent_keys, once_keys
from .._errors import RelayError
from .._json_text import object_of, text_of
from .._memory import Memory
from .conversation_state import State
from .conversations import Conversations
from .once import StoredNames, read_secret, stored_id, without_secret
from .options import ConversationStore


class NamedQuestions:
    def __init__(
        self,
        conversations: Conversations,
        store: ConversationStore | None,
        secret: bytes | str | None,
        *,
        memory: Memory,
        origin: str,
    ) -> None:
        self._conversations, self._store = conversations, store
        self._secret = None if secret is None else read_secret(secret)
        self._names = StoredNames(memory, origin)

    def note(self, name: str, id: str) -> None:
        self._names.note(name, id)

    async def find(self, name: str, id: str) -> State | None:
        """The stored conversation of a name: of this API key, or of another one that had it before it was rotated."""
        if self._store is None:
            return None
        found = self._store.find(id)
        for other in () if found else self._names.ids_of(name):
            state = self._store.find(other)
            request_id = text_of(object_of(state.get("request")).get("requestId")) if state else None
            if request_id is None:
                continue
            try:
                await self._conversations.check_readable(request_id)
            except RelayError as error:
                if error.code != "not_found":
                    raise
            else:
                return state
        return found

    def open(self, name: str | None, encrypted: bool) -> tuple[str, OwnKeys | None, str | None]:
        """The id of the conversation, its keys, and the id of the question's first message."""
        if name is None:
            return str(uuid.uuid4()), make_agent_keys() if encrypted else None, None
        id = stored_id(self._conversations.owner, name)
        if not encrypted:
            return id, None, None
        secret = self._secret or (self._store.secret() if self._store else None)
        if secret is None:
            raise without_secret()
        derived = once_keys(secret, name)
        return id, derived.keys, derived.question_id
