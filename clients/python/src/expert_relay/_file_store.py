"""Keeps conversations in files. The TypeScript SDK's `createFileStore` has the same files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ._agent.conversation_state import State, check_state
from ._crypto.encoding import from_base64, to_base64
from ._errors import RelayError, invalid_input
from ._json_text import object_of, write_json
from ._memory import Memory

# A relay keeps a conversation no longer by default: three days, and thirty days of retention.
_kept_for = 33 * 24 * 3_600
# No write takes this long.
_abandoned_after = 24 * 3_600
_temporary_file = re.compile(r".+\.[0-9a-f-]{36}\.new")
_state_file = re.compile(r"([0-9a-f-]{36})\.json")


class FileStore:
    """Keeps conversations in a folder that only this user can read: one file for each, replaced as a whole, so that a process may
    be killed at any time. Files that were not written for 33 days are removed. The folder belongs to one agent at one relay.

    >>> relay = Relay(url, api_key, store=FileStore(".agent"))
    >>> relay.approve("Deploy 4711?", once="deploy 4711").approved
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = _PrivateFolder(Path(path))
        self._memory = FileMemory(Path(path) / "memory")
        self._is_clean = False

    @property
    def memory(self) -> Memory:
        """Remembers experts and the codes of questions."""
        return self._memory

    def save(self, state: State) -> None:
        """Replaces the state with the same `id`."""
        self._folder.write(_name_of(state["id"]), write_json(state))
        if not self._is_clean:
            self._is_clean = True
            # The state is saved. The next process cleans again.
            with suppress(OSError):
                self._remove_old()

    def find(self, id: str) -> State | None:
        """The state that was saved last with this `id`."""
        name = _name_of(id)
        try:
            text = self._folder.read(name)
            return None if text is None else check_state(json.loads(text))
        except (ValueError, RelayError) as error:
            raise _damaged(self._folder.path / name) from error

    def list(self) -> list[State]:
        """The conversations that may go on, those that end first at the beginning. One whose file is damaged is left out: `find`
        reports it."""
        names = (_state_file.fullmatch(name) for name in self._folder.names())
        found = [self._find_intact(name[1]) for name in names if name]
        return sorted((state for state in found if state and _may_go_on(state)), key=_end_of)

    def _find_intact(self, id: str) -> State | None:
        """One damaged file must not keep the other conversations."""
        try:
            return self.find(id)
        except RelayError as error:
            if error.code != "invalid_input":
                raise
            return None

    def forget(self, id: str) -> None:
        """Removes the state with this `id`, and with it the keys."""
        self._folder.remove(_name_of(id))

    def secret(self) -> bytes:
        """32 random bytes, always the same ones: the keys of questions with a name (`once`) are derived from them."""
        secret = from_base64(self._folder.write_first("secret", to_base64(os.urandom(32))))
        if secret is None or len(secret) != 32:
            raise invalid_input(f"The file {self._folder.path / 'secret'} was changed: put it back.")
        return secret

    def _remove_old(self) -> None:
        oldest = time.time() - _kept_for
        for name in self._folder.names():
            # Another process may have removed it. One that cannot be removed must not keep the others.
            with suppress(OSError):
                if _state_file.fullmatch(name) and self._folder.written_at(name) < oldest:
                    self._folder.remove(name)


class FileMemory:
    """A memory in a folder of its own, one file for each value. Processes may share it.

    >>> expert = Expert.from_env(root=root, memory=FileMemory(".expert/memory"))
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = _PrivateFolder(Path(path))

    def get(self, name: str) -> str | None:
        """See `Memory.get`."""
        return self._folder.read(_file_of(name))

    def set(self, name: str, value: str) -> None:
        """See `Memory.set`."""
        self._folder.write(_file_of(name), value)

    def remember(self, name: str, value: str) -> str:
        """See `Memory.remember`."""
        return self._folder.write_first(_file_of(name), value)


def _file_of(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8")).hexdigest()


def _name_of(id: str) -> str:
    """An id becomes the name of a file."""
    name = f"{id}.json"
    if not _state_file.fullmatch(name):
        raise invalid_input("This is not the id of a conversation: give the `id` of one that was saved.")
    return name


def _may_go_on(state: State) -> bool:
    status = object_of(state.get("request")).get("status")
    waiting = object_of(state.get("thread")).get("messages")
    return status not in ("closed", "expired") or bool(waiting)


def _end_of(state: State) -> str:
    """Those that may not have reached the relay come last."""
    return str(object_of(state.get("request")).get("expiresAt", "9"))


def _damaged(path: Path) -> RelayError:
    return invalid_input(f"The file {path} cannot be used: put it back from a backup, or move it away.")


class _PrivateFolder:
    """A folder whose files only this user can read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_made = False

    def _make(self) -> None:
        """Makes the folder at its first use. It is an error if other users can enter it."""
        if self._is_made:
            return
        # With `parents=True` only the last folder would get the mode.
        missing = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
        # Windows has no such modes.
        if os.name == "posix" and self.path.stat().st_mode & 0o077:
            raise invalid_input(
                f"Other users can enter the folder {self.path}, which has private keys. Close it: chmod 700 '{self.path}'"
            )
        self._is_made = True
        self._remove_abandoned()

    def _remove_abandoned(self) -> None:
        """Removes the temporary files of processes that were killed while they wrote: they may have private keys."""
        for name in os.listdir(self.path):
            # Another process may be writing, or may have removed it.
            with suppress(OSError):
                if _temporary_file.fullmatch(name) and self.written_at(name) < time.time() - _abandoned_after:
                    self.remove(name)

    def read(self, name: str) -> str | None:
        self._make()
        try:
            with (self.path / name).open(encoding="utf-8", newline="") as opened:
                return opened.read()
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise _damaged(self.path / name) from error

    def write(self, name: str, text: str) -> None:
        """Readers see the old or the new text, never a part, also after a crash."""
        self._publish(name, text, os.replace)

    def write_first(self, name: str, text: str) -> str:
        """Writes unless there is a file, and returns what it has then: of several processes, the first one counts."""
        before = self.read(name)
        if before is not None:
            return before
        with suppress(FileExistsError):
            self._publish(name, text, os.link)
        written = self.read(name)
        return text if written is None else written

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        self._make()
        return os.listdir(self.path)

    def written_at(self, name: str) -> float:
        return (self.path / name).stat().st_mtime

    def _sync(self) -> None:
        """So that a power cut does not bring the old file back."""
        # Windows opens no folders.
        if os.name != "posix":
            return
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _publish(self, name: str, text: str, move: Callable[[Path, Path], None]) -> None:
        """Writes to a temporary file, and then moves it into its place."""
        self._make()
        draft = self.path / f"{name}.{uuid.uuid4()}.new"
        try:
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w", encoding="utf-8", newline="") as opened:
                opened.write(text)
                opened.flush()
                os.fsync(opened.fileno())
            move(draft, self.path / name)
            self._sync()
        finally:
            draft.unlink(missing_ok=True)
