"""What a client keeps longer than it exists."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from ._crypto.encoding import to_base64, to_utf8

# Beyond this number, the values that were not written or remembered for the longest time are forgotten.
_max_values = 100_000


class Values(Protocol):
    """What a part of a store can do."""

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


class Store(Values, Protocol):
    """Keeps texts under names. An agent keeps its conversations, with their private keys, the expert that it knows, and what was
    decided; an expert the keys, the question and the reference code of each request. Use one store for all clients of a user on a machine:
    the SDK keeps their values apart, and finds what an API key knew before it was rotated. `FileStore` is one in files.

    >>> class DictStore:
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
    ...
    ...     def delete(self, name: str) -> None:
    ...         self.values.pop(name, None)
    ...
    ...     def names(self, prefix: str) -> list[str]:
    ...         return [name for name in self.values if name.startswith(prefix)]
    """

    def delete(self, name: str) -> None:
        """Removes the value of a name, if it has one."""
        ...

    def names(self, prefix: str) -> Sequence[str]:
        """The names that have a value and begin with this."""
        ...


class MemoryStore:
    """A store that lasts as long as the process. Clients that share one know the same experts and requests.

    >>> store = MemoryStore()
    >>> relays = [Relay(url, api_key, store=store) for api_key in api_keys]
    """

    def __init__(self) -> None:
        self._values: OrderedDict[str, str] = OrderedDict()

    def get(self, name: str) -> str | None:
        """See `Store.get`."""
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        """See `Store.set`."""
        self._keep(name, value)

    def remember(self, name: str, value: str) -> str:
        """See `Store.remember`."""
        return self._keep(name, self._values.get(name, value))

    def delete(self, name: str) -> None:
        """See `Store.delete`."""
        self._values.pop(name, None)

    def names(self, prefix: str) -> list[str]:
        """See `Store.names`."""
        return [name for name in self._values if name.startswith(prefix)]

    def _keep(self, name: str, value: str) -> str:
        self._values[name] = value
        self._values.move_to_end(name)
        if len(self._values) > _max_values:
            self._values.popitem(last=False)
        return value


class PartOfStore:
    """The part of a store whose names begin with a prefix."""

    def __init__(self, values: Values, prefix: str) -> None:
        self._values, self._prefix = values, prefix

    def get(self, name: str) -> str | None:
        return self._values.get(f"{self._prefix}:{name}")

    def set(self, name: str, value: str) -> None:
        self._values.set(f"{self._prefix}:{name}", value)

    def remember(self, name: str, value: str) -> str:
        return self._values.remember(f"{self._prefix}:{name}", value)


class ListInValues:
    """A list of texts under numbered names, each of which stands there once. Two processes that add at the same time lose none."""

    def __init__(self, values: Values, name: str) -> None:
        self._values, self._name = values, name

    def all(self) -> list[str]:
        texts: list[str] = []
        while (text := self._values.get(f"{self._name}:{len(texts)}")) is not None:
            texts.append(text)
        return texts

    def add(self, text: str) -> None:
        index = 0
        while self._values.remember(f"{self._name}:{index}", text) != text:
            index += 1

    def replace(self, index: int, text: str) -> None:
        self._values.set(f"{self._name}:{index}", text)


class ContinuedValues:
    """Values that take over those of earlier ones where there are none yet."""

    def __init__(self, values: Values, earlier: Values) -> None:
        self._values, self._earlier = values, earlier

    def get(self, name: str) -> str | None:
        known = self._values.get(name)
        if known is not None:
            return known
        before = self._earlier.get(name)
        return None if before is None else self._values.remember(name, before)

    def set(self, name: str, value: str) -> None:
        self._values.set(name, value)

    def remember(self, name: str, value: str) -> str:
        earlier = self._earlier.get(name)
        return self._values.remember(name, value if earlier is None else earlier)


def values_of_key(store: Values, api_key: str) -> Values:
    """Not of the user's id, which comes from the relay: it could lie, and the client would forget what it remembers."""
    return PartOfStore(store, digest_of_name(api_key))


def digest_of_name(text: str) -> str:
    """Of what is too long or too private for a name."""
    return to_base64(hashlib.sha256(to_utf8(text)).digest())
