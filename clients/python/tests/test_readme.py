"""The README as a new user types it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from bot import answering
from conftest import Tenant
from data import root

readme = (root / "clients/python/README.md").read_text(encoding="utf-8")
blocks: list[str] = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def block_with(words: str) -> str:
    (found,) = (block for block in blocks if words in block)
    return found


class User:
    """Somebody in an empty folder with the environment of an agent."""

    def __init__(self, tenant: Tenant, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "RELAY_URL": tenant.url,
            "RELAY_API_KEY": tenant.consumer_key,
        }

    def start(self, program: str, *args: str) -> subprocess.Popen[str]:
        (self.folder / "program.py").write_text(program, encoding="utf-8")
        command = [sys.executable, "-W", "error", "program.py", *args]
        return subprocess.Popen(command, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, text=True)

    def run(self, program: str, *args: str) -> str:
        process = self.start(program, *args)
        printed, _ = process.communicate(timeout=120)
        assert process.returncode == 0, printed
        return printed


def test_each_block_is_tested() -> None:
    assert len(blocks) == 9


def test_asking(tenant: Tenant, tmp_path: Path) -> None:
    user = User(tenant, tmp_path)
    with answering(tenant):
        first = block_with('relay = Relay.from_env()\nconversation = relay.ask')
        assert user.run(first + block_with("And the cache?")) == "Yes.\nYes.\n"
        assert user.run(block_with("async def main")) == "Yes.\n"
        assert user.run(block_with("relay.choose(")) == "It is deleted. For now.\nus\n"
        assert user.run(block_with("class Plan")) == "eu 3\n"
        removed = "Removed the logs in /var/log/app that are older than 30 days.\n"
        assert user.run(block_with("@require_approval")) == removed


def test_surviving_a_kill(tenant: Tenant, tmp_path: Path) -> None:
    user, program = User(tenant, tmp_path), block_with("FileStore(\".agent\")")
    assert len(program.strip().splitlines()) <= 25
    relay = tenant.relay()
    killed = user.start(program, "4711")
    while not relay.requests():
        assert killed.poll() is None
        time.sleep(0.05)
    killed.kill()
    killed.communicate()
    with answering(tenant):
        printed = user.run(program, "4711")
    assert printed == "Deploying 4711. For now.\nThe expert says: Yes.\n"
    # The killed process and the next one have asked one question, not two.
    assert len(relay.requests()) == 2


def test_answering(tenant: Tenant, tmp_path: Path) -> None:
    conversation = tenant.relay().ask("Is it stale?")
    user = User(tenant, tmp_path)
    user.env["RELAY_API_KEY"] = tenant.provider_key
    user.run(block_with("Expert.from_env("))
    assert conversation.wait_for_answer(60).text == "You asked: Is it stale?"
