"""What a side has sent itself is linked, from whichever of its processes: the relay cannot drop it alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from conftest import Tenant
from remote import quick

from expert_relay import Accept, Decline, Expert, ExpertRequest, FileStore, MemoryStore, RelayError, Store
from expert_relay._expert.expert_side import ExpertSide
from expert_relay._expert.request_memory import FirstVersion, RequestMemory

form = {"type": "object", "properties": {}}


class Hiding(httpx.AsyncHTTPTransport):
    """Leaves messages out of the list. `hides` gets each message with its position."""

    hides: Callable[[int, dict[str, Any]], bool] | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if not self.hides or "/messages/" not in request.url.path:
            return response
        body = json.loads(await response.aread())
        hides = self.hides
        body["messages"] = [one for at, one in enumerate(body["messages"]) if not hides(at, one)]
        headers = {"content-type": "application/json"}
        return httpx.Response(response.status_code, headers=headers, stream=httpx.ByteStream(json.dumps(body).encode()))


def is_first(at: int, _message: dict[str, Any]) -> bool:
    return at == 0


class Desk:
    """The processes of one expert."""

    def __init__(self, tenant: Tenant, folder: Path) -> None:
        self._tenant, self._store = tenant, FileStore(folder)

    def expert(self, store: Store | None = None, **options: Any) -> Expert:
        return self._tenant.expert(store=store or self._store, **options)

    def requests(self, way: str, request_id: str) -> Iterator[ExpertRequest]:
        """One for each answer."""
        expert = self.expert()
        request = expert.request(request_id)
        yield request
        if way == "the same process":
            yield request
        elif way == "another object":
            yield expert.request(request_id)
        elif way == "the next process":
            expert.stop()
            yield self.expert().request(request_id)
        elif way == "another device":
            yield self.expert(MemoryStore()).request(request_id)


ways = ["the same process", "another object", "the next process", "another device"]


@pytest.mark.parametrize("way", ways)
def test_an_answer_before_is_linked(tenant: Tenant, tmp_path: Path, way: str) -> None:
    network = Hiding()
    conversation = tenant.relay(transport=network).ask("Delete PRODUCTION?", form=form)
    requests = Desk(tenant, tmp_path).requests(way, conversation.request_id)
    next(requests).answer("Only after the backup! Not before.")
    next(requests).answer("ok", decision=Accept())
    network.hides = is_first
    with pytest.raises(RelayError) as refused:
        conversation.wait_for_decision(60)
    assert refused.value.reason == "message_missing"


@pytest.mark.parametrize("way", ways)
def test_a_decline_before_an_accept_cannot_be_dropped(tenant: Tenant, tmp_path: Path, way: str) -> None:
    network = Hiding()
    conversation = tenant.relay(transport=network).ask("Delete PRODUCTION?", form=form)
    requests = Desk(tenant, tmp_path).requests(way, conversation.request_id)
    next(requests).answer("No.", decision=Decline())
    next(requests).answer("ok", decision=Accept())
    network.hides = is_first
    with pytest.raises(RelayError) as refused:
        conversation.wait_for_decision(60)
    assert refused.value.reason == "message_missing"
    network.hides = None
    assert tenant.relay().resume(conversation.export()).wait_for_decision(60).action == "decline"


def test_what_another_process_sends_while_this_one_reads() -> None:
    """It is missed in lists that are read afterwards, and not in earlier ones."""
    requests = RequestMemory(MemoryStore())
    requests.remember(FirstVersion("r", None, "s"))
    one, other = (ExpertSide("r", None, requests) for _ in range(2))

    def state_of(*names: str) -> Any:
        return {"seen": [[name, 0] for name in names], "ends": list(names), "unlisted": []}

    def channel_of(*names: str) -> Any:
        return SimpleNamespace(ends=names, seen=names)

    other.remember_ends(channel_of("sent"))
    one.remember_ends(channel_of("listed"))
    one.check_history(state_of("listed"))
    assert one.has_unread(channel_of("listed"))
    one.read_store()
    with pytest.raises(RelayError) as refused:
        one.check_history(state_of("listed"))
    assert refused.value.reason == "message_missing"
    one.check_history(state_of("listed", "sent"))


class Racing(MemoryStore):
    """Another process stores its ends directly before this one would."""

    other: Callable[[], None] | None = None

    def remember(self, name: str, value: str) -> str:
        other = self.other
        if other and name.startswith("ends:"):
            self.other = None
            other()
        return super().remember(name, value)


def test_what_two_processes_send_in_the_same_moment() -> None:
    store = Racing()
    RequestMemory(store).remember(FirstVersion("r", None, "s"))
    one, other = (ExpertSide("r", None, RequestMemory(store)) for _ in range(2))
    for side in (one, other):
        side.read_store()
    store.other = lambda: other.remember_ends(SimpleNamespace(ends=("theirs",), seen=("theirs",)))  # type: ignore[arg-type]
    one.remember_ends(SimpleNamespace(ends=("ours",), seen=("ours",)))  # type: ignore[arg-type]
    stored = RequestMemory(store).recall("r")
    assert stored and set(stored.ends or ()) == {"ours", "theirs"}


@pytest.mark.parametrize("is_picked_up", [True, False])
def test_two_processes_that_have_read_before(tenant: Tenant, tmp_path: Path, is_picked_up: bool) -> None:
    """The second one has read the list less than a second ago: the store says that it must read it again."""
    network = Hiding()
    conversation = tenant.relay(transport=network).ask("Delete PRODUCTION?", form=form)
    desk = Desk(tenant, tmp_path)
    first, second = (desk.expert().request(conversation.request_id) for _ in range(2))
    if is_picked_up:
        for one in (first, second):
            one.pick_up()
            one.refresh()
    first.answer("Only after the backup!")
    second.answer("ok", decision=Accept())
    network.hides = is_first
    with pytest.raises(RelayError) as refused:
        conversation.wait_for_decision(60)
    assert refused.value.reason == "message_missing"


class Losing(httpx.AsyncHTTPTransport):
    """The answer to a message is lost, also where the relay has taken it."""

    arrives = True

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        is_message = "/message/" in request.url.path
        if self.arrives or not is_message:
            response = await super().handle_async_request(request)
            if not is_message:
                return response
        raise httpx.ConnectError("The network is gone.")


@pytest.mark.parametrize("arrives", [True, False])
def test_a_text_whose_process_was_killed(tenant: Tenant, tmp_path: Path, arrives: bool) -> None:
    """A program with a provider key gets the error, and has the text itself. What has arrived is linked."""
    network, losing = Hiding(), Losing()
    losing.arrives = arrives
    conversation = tenant.relay(transport=network).ask("Delete PRODUCTION?", form=form)
    desk = Desk(tenant, tmp_path)
    with pytest.raises(RelayError):
        desk.expert(transport=losing, timing=replace(quick, patience=0)).request(conversation.request_id).answer("Only after the backup!")
    later = desk.expert().request(conversation.request_id)
    assert later.pending == []
    later.answer("ok", decision=Accept())
    network.hides = is_first if arrives else None
    if arrives:
        with pytest.raises(RelayError) as refused:
            conversation.wait_for_decision(60)
        assert refused.value.reason == "message_missing"
    else:
        assert conversation.wait_for_decision(60).action == "accept"


def test_one_that_the_relay_hides_from_its_own_side(tenant: Tenant, tmp_path: Path) -> None:
    conversation = tenant.relay().ask("Delete PRODUCTION?", form=form)
    desk, network = Desk(tenant, tmp_path), Hiding()
    desk.expert().request(conversation.request_id).answer("Only after the backup!")
    late = desk.expert(transport=network)
    network.hides = is_first
    with pytest.raises(RelayError) as refused:
        late.request(conversation.request_id).answer("ok", decision=Accept())
    assert refused.value.reason in ("message_missing", "keys_changed")
    assert [one.text for one in conversation.messages()] == ["Only after the backup!"]


def test_what_two_processes_send_at_once_stays_stored(tenant: Tenant, tmp_path: Path) -> None:
    """The last one that stores has not read what the other one has sent."""
    conversation = tenant.relay().ask("Delete PRODUCTION?")
    desk, network = Desk(tenant, tmp_path), Hiding()
    first, second = desk.expert().request(conversation.request_id), desk.expert(transport=network).request(conversation.request_id)
    for one in (first, second):
        one.pick_up()
    network.hides = lambda _at, message: message["messageId"] in sent
    sent: list[str] = []
    sent.append(first.answer("First.").message_id)
    with pytest.raises(RelayError) as refused:
        second.answer("Second.")
    assert refused.value.reason in ("message_missing", "keys_changed")


@pytest.mark.parametrize("even_if_newer", [False, True])
def test_one_after_a_message_that_was_not_shown_here(tenant: Tenant, tmp_path: Path, even_if_newer: bool) -> None:
    conversation = tenant.relay().ask("Delete test?")
    desk = Desk(tenant, tmp_path)
    other = desk.expert(MemoryStore()).request(conversation.request_id)
    here = desk.expert().request(conversation.request_id)
    other.answer("Yes.")
    conversation.wait_for_answer(60)
    conversation.send("And PRODUCTION?")
    other.refresh()
    list_of(other, 2)
    other.answer("No!")
    here.refresh()
    if not even_if_newer:
        with pytest.raises(RelayError) as held:
            here.answer("Go on.")
        assert held.value.code == "newer_message"
        return
    assert here.answer("Go on.", even_if_newer=True).is_sent
    answers = [conversation.wait_for_answer(60, include_early=True) for _ in range(2)]
    # It is not linked to "No!": that would say that the question about PRODUCTION was seen.
    assert [(one.text, one.seen_your_last) for one in answers] == [("No!", True), ("Go on.", False)]


def list_of(request: ExpertRequest, count: int) -> list[str]:
    messages = iter(request.messages())
    return [next(messages).text for _ in range(count)]


@pytest.mark.parametrize("named", [True, False])
def test_an_agents_own_message_of_another_process(tenant: Tenant, tmp_path: Path, named: bool) -> None:
    def start() -> Any:
        relay = tenant.relay(store=FileStore(tmp_path / "agent"))
        return relay.ask("Delete test?", once="job-7" if named else None)

    conversation = start()
    network = Hiding()
    request = tenant.expert(transport=network).request(conversation.request_id)
    request.answer("Which one?")
    conversation.wait_for_answer(60)
    conversation.send("WAIT: the first one has data.")
    second = start() if named else tenant.relay().resume(conversation.export())
    second.send("The second one.")
    network.hides = lambda at, _message: at == 1
    with pytest.raises(RelayError) as refused:
        request.refresh()
    assert refused.value.reason == "message_missing"
