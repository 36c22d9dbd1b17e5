"""Files that were cut off at any position, and those of processes that were killed while they wrote."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from expert_relay import FileStore, RelayError


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


def test_a_value_that_was_cut_off(tmp_path: Path) -> None:
    FileStore(tmp_path).set("expert", "Läuft es? \U0001f642")
    every_cut(tmp_path / "expert.value", lambda: FileStore(tmp_path).get("expert"))
    every_cut(tmp_path / "expert.value", lambda: FileStore(tmp_path).remember("expert", "another"))


# Ends itself without warning when half of the file was written.
writer = """
import os, signal, sys
from expert_relay import FileStore

def kill(file):
    os.ftruncate(file, os.fstat(file).st_size // 2)
    os.kill(os.getpid(), signal.SIGKILL)

store = FileStore(sys.argv[1])
os.fsync = kill
{"set": lambda: store.set("expert", "new"), "remember": lambda: store.remember("secret", "new")}[sys.argv[2]]()
"""


@pytest.mark.parametrize("what", ["set", "remember"])
def test_a_kill_in_the_middle_of_a_write(tmp_path: Path, what: str) -> None:
    FileStore(tmp_path).set("expert", "old")
    killed = subprocess.run([sys.executable, "-c", writer, str(tmp_path), what], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.rglob("*.new")
    later = FileStore(tmp_path)
    assert (later.get("expert"), later.names("")) == ("old", ["expert"])
    assert later.remember("secret", "first") == "first"
    # Another process may still write it. The file of one that was killed is removed a day later.
    assert left.exists()
    os.utime(left, (time.time() - 25 * 3_600,) * 2)
    assert FileStore(tmp_path).get("expert") == "old"
    assert not left.exists()
