"""What a client remembers longer than it exists."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Protocol

from ._crypto.encoding import to_base64, to_utf8

# Beyond this number, the values that were not written or remembered for the longest time are forgotten.
_max_values = 100_000


class Memory(Protocol):
    """Remembers texts: for an agent the first expert, and the codes and outcomes of its questions, for an expert the keys, the
    question and the reference code of each request. Use one memory for all clients of a user on a machine: the SDK keeps their values apart, and
    finds what an API key knew before it was rotated. `FileStore` has one in files.

    >>> class DictMemory:
    ...     def __init__(self) -> None:
    ...         self.values: dict[str, str] = {}
    ...
    ...     def get(self, name: str) -> str | None:
    ...         return self.values.get(name)
    ...
    ...     def set(self, name: str, value: str) -> None:
    ...         self.values[name] = value
    ...
    ...     def remember(self, name: str, value: str) -> str:
    ...         return self.values.setdefault(name, value)
    """

    def get(self, name: str) -> str | None:
        """The value of a name."""
        ...

    def set(self, name: str, value: str) -> None:
        """Replaces the value of a name."""
        ...

    def remember(self, name: str, value: str) -> str:
        """Stores a value unless the name has one already, and returns the stored one. It is atomic: two clients that call it at
        the same time both get the value of the first."""
        ...


class ProcessMemory:
    """A memory that lasts as long as the process. Clients that share one know the same experts and requests.

    >>> memory = ProcessMemory()
    >>> relays = [Relay(url, api_key, memory=memory) for api_key in api_keys]
    """

    def __init__(self) -> None:
        self._values: OrderedDict[str, str] = OrderedDict()

    def get(self, name: str) -> str | None:
        """See `Memory.get`."""
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        """See `Memory.set`."""
        self._store(name, value)

    def remember(self, name: str, value: str) -> str:
        """See `Memory.remember`."""
        return self._store(name, self._values.get(name, value))

    def _store(self, name: str, value: str) -> str:
        self._values[name] = value
        self._values.move_to_end(name)
        if len(self._values) > _max_values:
            self._values.popitem(last=False)
        return value


class PartOfMemory:
    """The part of a memory whose names begin with a prefix."""

    def __init__(self, memory: Memory, prefix: str) -> None:
        self._memory, self._prefix = memory, prefix

    def get(self, name: str) -> str | None:
        return self._memory.get(f"{self._prefix}:{name}")

    def set(self, name: str, value: str) -> None:
        self._memory.set(f"{self._prefix}:{name}", value)

    def remember(self, name: str, value: str) -> str:
        return self._memory.remember(f"{self._prefix}:{name}", value)


class ContinuedMemory:
    """A memory that takes over the values of an earlier one where it has none yet."""

    def __init__(self, memory: Memory, earlier: Memory) -> None:
        self._memory, self._earlier = memory, earlier

    def get(self, name: str) -> str | None:
        known = self._memory.get(name)
        if known is not None:
            return known
        before = self._earlier.get(name)
        return None if before is None else self._memory.remember(name, before)

    def set(self, name: str, value: str) -> None:
        self._memory.set(name, value)

    def remember(self, name: str, value: str) -> str:
        earlier = self._earlier.get(name)
        return self._memory.remember(name, value if earlier is None else earlier)


def memory_of_key(memory: Memory, api_key: str) -> Memory:
    """Not of the user's id, which comes from the relay: it could lie, and the client would forget what it remembers."""
    return PartOfMemory(memory, digest_of_key(api_key))


def digest_of_key(api_key: str) -> str:
    return to_base64(hashlib.sha256(to_utf8(api_key)).digest())
