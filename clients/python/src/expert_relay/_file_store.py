"""A store in files. The TypeScript SDK's `createFileStore` has the same files."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

from ._errors import RelayError, invalid_input
from ._json_text import write_json

# A relay keeps a conversation no longer by default: three days, and thirty days of retention.
_kept_for = 33 * 24 * 3_600
# What belongs to one conversation or request. Known experts, secrets and what a program keeps itself stay.
_passing = re.compile(
    "(^|:)(conversation|once|code|outbox|sealed|outcome|declined|withdrawn|request|ends|shown)(:|$)"
)
# No write takes this long.
_abandoned_after = 24 * 3_600
_temporary_file = re.compile(r".+\.[0-9a-f-]{36}\.new")
_suffix = ".value"


class FileStore:
    """A store in a folder that only this user can read: one file for each value, replaced as a whole, so that a process may be killed
    at any time. What belongs to one conversation is removed once it was not written for 33 days.

    >>> relay = Relay(url, api_key, store=FileStore(".agent"))
    >>> relay.approve("Deploy 4711?", once="deploy 4711").approved
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = _PrivateFolder(Path(path))
        self._is_clean = False

    def get(self, name: str) -> str | None:
        """See `Store.get`."""
        text = self._folder.read(_file_of(name))
        return None if text is None else self._parse(text, name)

    def set(self, name: str, value: str) -> None:
        """See `Store.set`."""
        self._folder.write(_file_of(name), write_json(value))
        self._clean()

    def remember(self, name: str, value: str) -> str:
        """See `Store.remember`."""
        text = self._folder.write_first(_file_of(name), write_json(value))
        self._clean()
        return self._parse(text, name)

    def delete(self, name: str) -> None:
        """See `Store.delete`."""
        self._folder.remove(_file_of(name))

    def names(self, prefix: str) -> list[str]:
        """See `Store.names`."""
        return [name for name in self._all_names() if name.startswith(prefix)]

    def _all_names(self) -> list[str]:
        return [_name_of(file) for file in self._folder.names() if file.endswith(_suffix)]

    def _parse(self, text: str, name: str) -> str:
        """A part of a value would look like another value, as if the relay lied."""
        try:
            value = json.loads(text)
        except ValueError as error:
            raise _damaged(self._folder.path / _file_of(name)) from error
        if not isinstance(value, str):
            raise _damaged(self._folder.path / _file_of(name))
        return value

    def _clean(self) -> None:
        if self._is_clean:
            return
        self._is_clean = True
        # The value is stored. The next process cleans again.
        with suppress(OSError):
            self._remove_old()

    def _remove_old(self) -> None:
        oldest = time.time() - _kept_for
        for name in filter(_passing.search, self._all_names()):
            # Another process may have removed it. One that cannot be removed must not keep the others.
            with suppress(OSError):
                if self._folder.written_at(_file_of(name)) < oldest:
                    self._folder.remove(_file_of(name))


def _file_of(name: str) -> str:
    """Windows allows no colons in the names of files."""
    file = quote(name, safe="~!*'()").replace(".", "%2E").replace("%3A", ".")
    if len(file) > 200:
        raise invalid_input(f"The name of a stored value is too long: {name}.")
    return f"{file}{_suffix}"


def _name_of(file: str) -> str:
    return unquote(file[: -len(_suffix)].replace(".", ":"))


def _damaged(path: Path) -> RelayError:
    return invalid_input(f"The file {path} is damaged: put it back from a backup, or remove it.")


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
