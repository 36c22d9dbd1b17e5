"""What one device knows of the order of a conversation's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from .._errors import RelayError, message_refused, not_as_exported
from .._json_text import is_list, is_object
from .encoding import from_base64, to_base64
from .frame import MAX_LINKS

ChannelState = dict[str, Any]


class History:
    """Every message that was accepted or encrypted here: its hash in base64, how many messages of this side it covers, and the
    positions in this list of the messages that it links to."""

    def __init__(self, state: object = None) -> None:
        self._hashes: list[str] = []
        self._seen: list[tuple[int, tuple[int, ...]]] = []
        self._positions: dict[str, int] = {}
        # Those to which no other message links, in order.
        self._ends: dict[str, None] = {}
        # Those that were encrypted here, without the ones that come before another of these.
        self._sealed: list[str] = []
        self._sealed_before: list[str] = []
        # Those that were encrypted here and not yet listed by the relay, in order.
        self._unlisted: list[str] = []
        # Those that were encrypted here and may never be sent. No message links to them, unless the list shows them after all.
        self._forgotten: list[str] = []
        self._own = 0
        if state is not None:
            self._restore(state)

    def _restore(self, state: object) -> None:
        if not is_object(state) or not is_list(state.get("seen")):
            raise not_as_exported()
        for at, entry in enumerate(state["seen"]):
            if not is_list(entry) or not entry or not _are_hashes(entry[:1]):
                raise not_as_exported()
            numbers = entry[1:]
            if not numbers or not all(isinstance(one, int) and one >= 0 for one in numbers):
                raise not_as_exported()
            covers, links = numbers[0], tuple(numbers[1:])
            if any(link >= at for link in links):
                raise not_as_exported()
            self._hashes.append(entry[0])
            self._positions[entry[0]] = at
            self._seen.append((covers, links))
            self._own = max(self._own, covers)
        self._ends = dict.fromkeys(_checked(state.get("ends")))
        self._sealed = _checked(state.get("sealed"))
        self._unlisted = _checked(state.get("unlisted"))
        self._forgotten = _checked(state.get("forgotten", []))

    @property
    def names(self) -> list[str]:
        return [*self._hashes]

    @property
    def ends(self) -> list[str]:
        return [*self._ends]

    @property
    def unlisted(self) -> list[str]:
        return [*self._unlisted]

    @property
    def forgotten(self) -> list[str]:
        return [*self._forgotten]

    def _position_of(self, name: str) -> int:
        position = self._positions.get(name)
        # A message that was shown or linked to, and that the list does not have.
        if position is None or name in self._forgotten:
            raise missing()
        return position

    def _find_ends(self) -> None:
        """Those to which no other one links, without the forgotten ones."""
        known = [(name, at) for name, at in self._positions.items() if name not in self._forgotten]
        linked = {link for _, at in known for link in self._seen[at][1]}
        self._ends = dict.fromkeys(name for name, at in known if at not in linked)

    def _add(self, name: str, links: Sequence[str], is_own: bool) -> bool:
        before = tuple(self._position_of(link) for link in links)
        if is_own:
            self._own += 1
        covers = self._own if is_own else max((self._seen[at][0] for at in before), default=0)
        self._positions[name] = len(self._seen)
        self._hashes.append(name)
        self._seen.append((covers, before))
        for link in links:
            self._ends.pop(link, None)
        self._ends[name] = None
        return covers == self._own

    def ends_of(self, shown: Sequence[str]) -> list[str]:
        """Of these messages and all before them, those to which no other of them links."""
        named = {self._position_of(name): name for name in shown}
        if not named:
            return []
        before: set[int] = set()
        # A message links only to messages before it, so each is reached after all that link to it.
        for at in range(len(self._seen) - 1, min(named) - 1, -1):
            if at in named or at in before:
                before.update(self._seen[at][1])
        return [named[at] for at in sorted(named) if at not in before]

    def links(self, shown: Sequence[str] | None) -> list[bytes]:
        """The messages to which the next one links: the ends of what was shown, and of what was encrypted here."""
        linked = self.ends if shown is None else self.ends_of([*shown, *self._sealed])
        return [data for end in linked[:MAX_LINKS] if (data := from_base64(end)) is not None]

    def seal(self, digest: bytes, links: Sequence[bytes]) -> None:
        """Adds a message that was encrypted here."""
        name = to_base64(digest)
        self._add(name, [to_base64(link) for link in links], True)
        self._unlisted.append(name)
        self._sealed_before = self._sealed
        self._sealed = self.ends_of([*self._sealed, name])

    def forget_last(self) -> bool:
        """Forgets the last message that was encrypted here, which is not listed: it may never be sent. The next one does not
        link to it. False if a listed message links to it: then the other side has it."""
        name = self._unlisted[-1]
        position = self._position_of(name)
        if any(position in links for _, links in self._seen):
            return False
        self._unlisted.pop()
        self._forgotten.append(name)
        self._find_ends()
        self._sealed = [one for one in self._sealed_before if one != name]
        self._own -= 1
        return True

    def accept(self, digest: bytes, links: Sequence[bytes], is_own: bool) -> bool:
        """Adds a message that the relay lists, or refuses it when it is repeated or earlier ones are missing. Returns whether
        its sender had seen the last message of this side."""
        name = to_base64(digest)
        # It was added when it was encrypted. Messages that were sent in order must be listed in order.
        if name in self._unlisted:
            if self._unlisted[0] != name:
                raise missing()
            self._unlisted.pop(0)
            return True
        if name in self._forgotten:
            self._forgotten.remove(name)
            self._own += 1
            at = self._position_of(name)
            self._seen[at] = self._own, self._seen[at][1]
            self._find_ends()
            return True
        if name in self._positions:
            raise message_refused("message_replayed", "A message was repeated.")
        return self._add(name, [to_base64(link) for link in links], is_own)

    def state(self) -> ChannelState:
        seen = [[name, covers, *links] for name, (covers, links) in zip(self._hashes, self._seen, strict=True)]
        return {
            "seen": seen,
            "ends": self.ends,
            "sealed": list(self._sealed),
            "unlisted": self.unlisted,
            **({"forgotten": [*self._forgotten]} if self._forgotten else {}),
        }


def _are_hashes(values: Sequence[object]) -> TypeGuard[Sequence[str]]:
    return all(len(from_base64(value) or b"") == 32 for value in values)


def _checked(values: object) -> list[str]:
    if not is_list(values) or not _are_hashes(values):
        raise not_as_exported()
    return list(values)


def missing() -> RelayError:
    return message_refused("message_missing", "Earlier messages are missing or out of order.")
