"""Files that were cut off at any position, and those of processes that were killed while they wrote."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from expert_relay import FileStore, RelayError, State


def make_state() -> State:
    return {"version": 1, "id": str(uuid.uuid4()), "submission": {"question": "Läuft es? \U0001f642"}}


def every_cut(file: Path, use: Callable[[], object]) -> None:
    """At each position the file gives an error that names it, and keeps its bytes. Whole, it gives what it gave before."""
    whole, before = file.read_bytes(), use()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(RelayError) as error:
            use()
        assert error.value.code == "invalid_input"
        assert str(file) in str(error.value) and "put it back" in str(error.value)
        assert file.read_bytes() == whole[:length]
    file.write_bytes(whole)
    assert use() == before


def test_a_conversation_that_was_cut_off(tmp_path: Path) -> None:
    store, cut, other = FileStore(tmp_path), make_state(), make_state()
    store.save(cut)
    store.save(other)
    every_cut(tmp_path / f"{cut['id']}.json", lambda: FileStore(tmp_path).find(cut["id"]))
    assert {one["id"] for one in store.list()} == {cut["id"], other["id"]}
    (tmp_path / f"{cut['id']}.json").write_bytes(b"")
    assert store.list() == [other]


def test_a_secret_that_was_cut_off(tmp_path: Path) -> None:
    FileStore(tmp_path).secret()
    every_cut(tmp_path / "secret", lambda: FileStore(tmp_path).secret())


# Ends itself without warning when half of the file was written.
writer = """
import os, signal, sys
from expert_relay import FileStore

def kill(file):
    os.ftruncate(file, os.fstat(file).st_size // 2)
    os.kill(os.getpid(), signal.SIGKILL)

store, value = FileStore(sys.argv[1]), {"version": 1, "id": sys.argv[3], "submission": {}}
os.fsync = kill
{"state": lambda: store.save(value), "secret": store.secret, "memory": lambda: store.memory.set("expert", "new")}[sys.argv[2]]()
"""


@pytest.mark.parametrize("what", ["state", "secret", "memory"])
def test_a_kill_in_the_middle_of_a_write(tmp_path: Path, what: str) -> None:
    store, state = FileStore(tmp_path), make_state()
    store.save(state)
    store.memory.set("expert", "old")
    killed = subprocess.run([sys.executable, "-c", writer, str(tmp_path), what, state["id"]], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.rglob("*.new")
    later = FileStore(tmp_path)
    assert (later.find(state["id"]), later.list(), later.memory.get("expert")) == (state, [state], "old")
    assert later.secret() == FileStore(tmp_path).secret()
    # Another process may still write it. The file of one that was killed is removed a day later.
    assert left.exists()
    os.utime(left, (time.time() - 25 * 3_600,) * 2)
    later = FileStore(tmp_path)
    assert (later.find(state["id"]), later.memory.get("expert")) == (state, "old")
    assert not left.exists()
