"""Agents that are killed at any time, or lose what they have stored."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from bot import answering
from conftest import Tenant
from remote import RemoteError
from watching_store import WatchingStore

from expert_relay import ConversationState, FileStore, RelayError

# Ends itself without warning before or after it has saved for the nth time.
agent = """
import os, signal, sys
from expert_relay import FileStore, Relay

folder, kill_at, is_after = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "after"

class KillingStore(FileStore):
    count = 0

    def set(self, name, value):
        if not name.startswith("conversation:"):
            return super().set(name, value)
        self.count += 1
        if self.count == kill_at and not is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        super().set(name, value)
        if self.count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

with Relay.from_env(store=KillingStore(folder)) as relay:
    form = {"type": "object", "properties": {}}
    conversation = relay.ask("Shall I delete `test`?", confidential=True, form=form, once="job-7/delete")
    decision = conversation.wait_for_decision(60)
    print(decision.action, decision.comment, [message.text for message in conversation.messages()])
"""


def run_agent(tenant: Tenant, folder: Path, kill_at: int, when: str) -> tuple[int, str]:
    env = {**os.environ, "RELAY_URL": tenant.url, "RELAY_API_KEY": tenant.consumer_key}
    command = [sys.executable, "-c", agent, str(folder), str(kill_at), when]
    ended = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
    return ended.returncode, ended.stdout


def test_kills_at_every_save(tenant: Tenant, tmp_path: Path) -> None:
    killed = 0
    with answering(tenant):
        for attempt in range(40):
            code, printed = run_agent(tenant, tmp_path, attempt // 2 + 1, ("before", "after")[attempt % 2])
            if code == 0:
                break
            assert code == -signal.SIGKILL
            killed += 1
    assert printed == "accept For now. ['Shall I delete `test`?', 'For now.']\n"
    assert killed >= 2
    assert len(tenant.relay().requests()) == 1
    for folder, _, files in os.walk(tmp_path):
        assert Path(folder) == tmp_path or Path(folder).stat().st_mode & 0o077 == 0
        for file in files:
            assert (Path(folder) / file).stat().st_mode & 0o777 == 0o600
            assert not file.endswith(".new")


def test_every_folder_that_is_made_is_private(tmp_path: Path) -> None:
    first_uses: list[Callable[[FileStore], object]] = [
        lambda store: store.remember("expert", "x"),
        lambda store: store.get("expert"),
        lambda store: store.names(""),
        lambda store: store.set("expert", "x"),
    ]
    for first_use in first_uses:
        made = tmp_path / str(uuid.uuid4())
        store = FileStore(made / "agents" / "one")
        before = os.umask(0o022)
        try:
            first_use(store)
            assert store.names("conversation:") == []
        finally:
            os.umask(before)
        folders = [made, *(one for one in made.rglob("*") if one.is_dir())]
        assert {one.stat().st_mode & 0o777 for one in folders} == {0o700}


class HalvingTransport(httpx.AsyncHTTPTransport):
    """A relay that writes half of a character where an expert has written "half"."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return response
        body = (await response.aread()).replace(b'"half"', b'"half \\ud83d"')
        headers = {name: value for name, value in response.headers.items() if name != "content-length"}
        return httpx.Response(response.status_code, headers=headers, stream=httpx.ByteStream(body))


def test_half_a_character_breaks_no_saving(tenant: Tenant, tmp_path: Path) -> None:
    """TypeScript reads and saves such a text, too."""
    agent = tenant.relay(store=FileStore(tmp_path), transport=HalvingTransport())
    conversation = agent.ask("Which one?", encrypted=False, tags=["half"])
    request = tenant.expert().request(conversation.ref_code)
    request.answer("half", plaintext=True)
    conversation.refresh()
    conversation.send("Please hurry.")
    assert conversation.wait_for_answer(60, include_early=True).text == "half \ud83d"
    request.answer("second", plaintext=True)
    agent.stop()
    later = tenant.relay(store=FileStore(tmp_path), transport=HalvingTransport())
    (state,) = later.conversations()
    resumed = later.resume(state)
    assert [resumed.wait_for_answer(60, include_early=True).text for _ in range(2)][-1] == "second"
    assert later.requests()[0].tags == ("half \ud83d",)


def test_once(tenant: Tenant, tmp_path: Path) -> None:
    store, secret = FileStore(tmp_path / "a"), os.urandom(32)
    with pytest.raises(RelayError) as refused:
        tenant.relay().ask("May I?", once="job-7")
    assert refused.value.code == "invalid_input"
    first = tenant.relay(store=store).ask("May I?", once="job-7")
    assert tenant.relay(store=store).ask("May I?", once="job-7").request_id == first.request_id
    # Without the stored state, the keys are derived again: here by another process that has the secret.
    derived = tenant.relay(secret=store.get("secret")).ask("May I?", once="job-7")
    assert (derived.request_id, derived.id) == (first.request_id, first.id)
    for options in ({"store": store}, {"secret": store.get("secret")}, {"secret": secret}):
        with pytest.raises(RelayError) as refused:
            question = "May I?" if options.get("secret") == secret else "May I too?"
            tenant.relay(**options).ask(question, once="job-7")
        assert refused.value.code == "once_reused"
    expert = tenant.expert()
    expert.request(first.request_id).answer("Yes.")
    assert [one.wait_for_answer(60).text for one in (first, derived)] == ["Yes.", "Yes."]
    first.close()
    assert (len(tenant.relay(store=store).conversations()), len(tenant.relay().requests())) == (0, 1)


def test_a_store_removes_the_conversations_that_were_not_written_for_a_month_and_nothing_else(tmp_path: Path) -> None:
    old = FileStore(tmp_path)
    for name in ("conversation:1", "key:expert", "here:expert:0", "secret", "root", "here:code:HS-1"):
        old.set(name, name)
    (tmp_path / "notes.json").write_text("of another program")
    # One that cannot be removed keeps no others.
    (tmp_path / "conversation.2.value").mkdir()
    for file in tmp_path.iterdir():
        os.utime(file, (time.time() - 34 * 86_400,) * 2)
    store = FileStore(tmp_path)
    for value in ("1", "2"):
        store.set("conversation:3", value)
        assert store.get("conversation:3") == value
    left = ["conversation:2", "conversation:3", "here:expert:0", "key:expert", "root", "secret"]
    assert sorted(store.names("")) == left
    assert (tmp_path / "notes.json").exists()


def test_the_other_conversations_are_listed_although_a_file_is_damaged(tenant: Tenant, tmp_path: Path) -> None:
    relay = tenant.relay(store=FileStore(tmp_path))
    conversation = relay.ask("Intact?")
    for damaged in (b'{"version": 1', b"\xff\xfe", b'"{}"'):
        id = str(uuid.uuid4())
        (tmp_path / f"conversation.{id}.value").write_bytes(damaged)
        with pytest.raises(RelayError, match="is damaged"):
            relay.resume(id)
    FileStore(tmp_path).set(f"conversation:{id}", json.dumps({"version": 1, "id": id}))
    with pytest.raises(RelayError, match="Another version"):
        relay.resume(id)
    assert [state["id"] for state in relay.conversations()] == [conversation.id]
    relay.forget(conversation.id)
    with pytest.raises(RelayError, match="no conversation with this id"):
        relay.resume(conversation.id)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "Give that unchanged, or start again"),
        ({"version": 2, "id": "x"}, "Give that unchanged, or start again"),
        ({"version": 1, "id": "x", "submission": {"question": "Once?"}}, "Another version of the SDK saved this: resume it there"),
    ],
    ids=["empty", "without a question", "of another version"],
)
def test_what_is_not_a_saved_conversation_is_refused(tenant: Tenant, state: Any, message: str) -> None:
    with pytest.raises(RelayError, match=message) as refused:
        tenant.relay().resume(state)
    assert refused.value.code == "invalid_input"


def test_a_store_that_fails_at_the_close_hides_no_decision(tenant: Tenant) -> None:
    def save(state: ConversationState) -> None:
        if state.get("request", {}).get("status") == "closed":
            raise OSError("The disk is full.")

    with answering(tenant):
        approval = tenant.relay(store=WatchingStore(save)).approve("Deploy?", timeout=60)
    assert (approval.approved, approval.comment) == (True, "For now.")
    assert approval.conversation.status == "closed"


def test_a_question_with_a_name_stays_open(tenant: Tenant, tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    with answering(tenant):
        tenant.relay(store=store).approve("Deploy?", once="deploy", timeout=60)
        again = tenant.relay(store=store).approve("Deploy?", once="deploy", timeout=60)
        again.conversation.send("And tomorrow?")
        assert (again.approved, again.conversation.wait_for_answer(60).text) == (True, "Yes.")
    named = tenant.relay(store=store).find_named("deploy")
    assert named is not None
    assert named["id"] == again.conversation.id
    assert tenant.relay(store=store).find_named("remove") is None
    again.conversation.close()
    assert tenant.relay(store=store).approve("Deploy?", once="deploy", timeout=60).comment == "For now."
    assert tenant.relay(store=store).conversations() == []


def test_saved_states_are_those_of_typescript(tenant: Tenant) -> None:
    expert, there = tenant.expert(), tenant.typescript_relay()
    begun = there.call("ask", {"question": "Is Ada's raise approved?", "confidential": True})
    begun.call("refresh")
    conversation = tenant.relay().resume(json.loads(json.dumps(begun.call("export"))))
    assert conversation.unsent == ["Is Ada's raise approved?"]
    request = expert.request(conversation.request_id)
    request.pick_up()
    conversation.refresh()
    assert next(iter(request.messages())).text == "Is Ada's raise approved?"
    request.answer("It is.")
    assert conversation.wait_for_answer(60).text == "It is."
    conversation.send("Thank you.")
    back = there.call("resume", conversation.export())
    back.call("send", "And goodbye.")
    texts = [message.text for message in conversation.messages()]
    assert texts == ["Is Ada's raise approved?", "It is.", "Thank you.", "And goodbye."]
    with pytest.raises(RemoteError, match="invalid_input"):
        there.call("resume", {**conversation.export(), "submissionDigest": "?"})


def test_outages(tenant: Tenant) -> None:
    proxy = tenant.remote.call("proxy")
    outages: list[str | None] = []
    relay = tenant.relay(
        url=proxy.call("url"), on_outage=lambda error: outages.append(error.reason if error else None)
    )
    conversation = relay.ask("May I?")
    proxy.call("cut")
    tenant.expert().request(conversation.request_id).answer("Yes.")
    with pytest.raises(RelayError) as late:
        conversation.wait_for_answer(0.5)
    assert late.value.code == "timeout"
    proxy.call("restore")
    assert conversation.wait_for_answer(60).text == "Yes."
    assert outages[:2] == ["unreachable", None]
