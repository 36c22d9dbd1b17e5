"""Options of an agent's client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypedDict, Union

from .._crypto.fingerprint import parse_fingerprint
from .._crypto.parts import File
from .._errors import invalid_input
from .._memory import Memory
from .conversation_state import State
from .submission import ContextMessage

Save = Callable[[State], Union[None, Awaitable[None]]]


class AskOptions(TypedDict, total=False):
    """What `AsyncRelay.ask` takes besides the question and its form.

    >>> asking: AskOptions = {"confidential": True, "tags": ["deploy"], "expires_in": 3_600}
    >>> conversation = relay.ask("May I deploy?", **asking)
    """

    messages: Sequence[ContextMessage]
    files: Sequence[File]
    confidential: bool
    expires_in: int | None
    tags: Sequence[str] | None
    encrypted: bool
    plaintext: str | None
    once: str | None


class ConversationStore(Protocol):
    """Keeps the states of conversations, which contain the private keys: see `FileStore`.

    >>> class DictStore:
    ...     def __init__(self) -> None:
    ...         self.states: dict[str, State] = {}
    ...         self.memory = ProcessMemory()
    ...         self._secret = os.urandom(32)
    ...
    ...     def save(self, state: State) -> None:
    ...         self.states[state["id"]] = state
    ...
    ...     def find(self, id: str) -> State | None:
    ...         return self.states.get(id)
    ...
    ...     def secret(self) -> bytes:
    ...         return self._secret
    """

    def save(self, state: State) -> None:
        """Replaces the state with the same `id`."""
        ...

    def find(self, id: str) -> State | None:
        """The state that was saved last with this `id`."""
        ...

    def secret(self) -> bytes:
        """32 random bytes, always the same ones."""
        ...

    @property
    def memory(self) -> Memory:
        """Where the client remembers experts and the codes of questions, unless it is given another memory."""
        ...


def read_fingerprints(expert: str | Sequence[str] | None) -> list[str] | None:
    if expert is None:
        return None
    given = [expert] if isinstance(expert, str) else list(expert)
    if not given:
        raise invalid_input("Give at least one fingerprint as `expert`, or leave it out.")
    return [parse_fingerprint(one) for one in given]
