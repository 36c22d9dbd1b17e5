"""Both bots of clients/python/examples, and every way to ask: the agent gets an answer, or the request is left to a person."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Tenant
from data import root

from expert_relay import File, RelayError

log = File("log.txt", b"It hangs.", "text/plain")
approval = {"type": "object", "properties": {}}


@contextmanager
def running(tenant: Tenant, folder: Path, name: str) -> Iterator[Callable[[str], list[str]]]:
    env = {**os.environ, "RELAY_URL": tenant.url, "RELAY_API_KEY": tenant.provider_key}
    command = [sys.executable, str(root / "clients/python/examples" / f"{name}.py"), str(folder)]
    bot = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)

    def until(words: str) -> list[str]:
        lines: list[str] = []
        assert bot.stdout
        for line in bot.stdout:
            lines.append(line)
            if words in line:
                return lines
        raise AssertionError(f"It has not printed {words!r}, but {lines}")

    until("I am ")
    try:
        yield until
    finally:
        bot.kill()
        bot.communicate()


ways: dict[str, dict[str, Any]] = {
    "a question": {},
    "with a file": {"files": [log]},
    "confidential": {"confidential": True},
    "confidential, with a file": {"confidential": True, "files": [log]},
    "with a name": {"once": "job-7", "files": [log]},
}


def test_the_expert_bot(tenant: Tenant, tmp_path: Path) -> None:
    with running(tenant, tmp_path / "bot", "expert_bot"):
        relay = tenant.relay(secret=os.urandom(32))
        for asked in ways.values():
            files = " I have read log.txt." if "files" in asked else ""
            answer = relay.ask("Why?", **asked).wait_for_answer(60)
            assert answer.text == f"You asked: Why?{files} I am only an example, but I would wait."
            assert answer.seen_your_last


def test_the_expert_bot_after_a_restart(tenant: Tenant, tmp_path: Path) -> None:
    conversation = tenant.relay().ask("Why?", confidential=True)
    for _ in range(2):
        with running(tenant, tmp_path / "bot", "expert_bot"):
            if not conversation.response_count:
                conversation.wait_for_answer(60)
            tenant.relay().ask("And now?").wait_for_answer(60)
    conversation.refresh()
    assert conversation.response_count == 1


@pytest.mark.parametrize("asked", ways.values(), ids=ways)
def test_the_approval_bot(tenant: Tenant, tmp_path: Path, asked: dict[str, Any]) -> None:
    with running(tenant, tmp_path / "bot", "approval_bot") as until:
        relay = tenant.relay(secret=os.urandom(32))
        conversation = relay.ask("Restart web in staging?", form=approval, **asked)
        if asked:
            # A person looks at files, and reads what is confidential.
            until(f"{conversation.ref_code} is left to a person.")
            conversation.refresh()
            assert not conversation.is_picked_up
        else:
            assert conversation.wait_for_decision(60).action == "accept"
        with pytest.raises(RelayError, match="No answer"):
            relay.approve("Restart web in production?", timeout=1)
