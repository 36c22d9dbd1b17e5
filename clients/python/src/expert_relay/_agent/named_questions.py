"""The stored questions with a name of one agent."""

from __future__ import annotations

import uuid

from .._crypto.keys import OwnKeys, make_agent_keys, once_keys
from .._errors import RelayError
from .._json_text import object_of, text_of
from .._store import Store
from .conversation_state import ConversationState, Named
from .conversations import Conversations
from .once import once_reused, read_secret, stored_id, stored_secret, without_secret
from .stored_conversations import StoredConversations


class NamedQuestions:
    def __init__(
        self,
        conversations: Conversations,
        stored: StoredConversations,
        store: Store | None,
        secret: bytes | str | None,
    ) -> None:
        self._conversations, self._stored, self._store = conversations, stored, store
        self._secret = None if secret is None else read_secret(secret)

    async def find(self, name: str) -> ConversationState | None:
        """The stored conversation of a name: of this API key, or of another one that had it before it was rotated."""
        found = self._stored.find(stored_id(self._conversations.owner, name))
        for other in () if found else self._stored.ids_of(name):
            state = self._stored.find(other)
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

    async def find_same(self, named: Named) -> ConversationState | None:
        """The stored conversation of this question. Raises `once_reused` if its name was used for another one."""
        found = await self.find(named["name"])
        if found and object_of(found.get("once")).get("digest") != named["digest"]:
            raise once_reused(named["name"])
        return found

    def identify(self, name: str | None, encrypted: bool) -> tuple[str, OwnKeys | None, str | None]:
        """The id of the conversation, its keys, and the id of the question's first message."""
        if name is None:
            return str(uuid.uuid4()), make_agent_keys() if encrypted else None, None
        id = stored_id(self._conversations.owner, name)
        if not encrypted:
            return id, None, None
        secret = self._secret or (stored_secret(self._store) if self._store else None)
        if secret is None:
            raise without_secret()
        derived = once_keys(secret, name)
        return id, derived.keys, derived.question_id
