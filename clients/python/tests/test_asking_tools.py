"""What models and functions ask without a framework: `ask_expert` and `require_approval`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Tenant
from data import read

from expert_relay import Accept, AsyncRelay, Decline, ExpertRequest, FileStore, Relay, RelayError
from expert_relay.adapters import DeclinedError, ask_expert, ask_expert_definition, require_approval


@contextmanager
def answering(tenant: Tenant, *answers: Callable[[ExpertRequest], object]) -> Iterator[None]:
    """An expert who answers one request after the other."""

    def run() -> None:
        for answer, request in zip(answers, tenant.expert().requests()):
            answer(request)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()


def accept(change: dict[str, Any] | None = None) -> Callable[[ExpertRequest], object]:
    def answer(request: ExpertRequest) -> None:
        assert request.form and request.form.form
        fields = request.form.form["properties"]
        prefilled = {name: field["default"] for name, field in fields.items() if "default" in field}
        request.answer("", decision=Accept({**prefilled, **(change or {})}))

    return answer


def decline(request: ExpertRequest) -> None:
    request.answer("Ask Ada.", decision=Decline())


def test_the_tool_is_that_of_both_languages() -> None:
    assert ask_expert_definition == read("docs/adapters.json")["askExpert"]


def test_a_model_gets_the_words_of_the_expert_and_asks_once(tenant: Tenant, tmp_path: Path) -> None:
    def ask(id: str, timeout: float) -> str:
        relay = tenant.relay(store=FileStore(tmp_path))
        return relay.run(lambda client: ask_expert(client, "Which region?", run="job-7", id=id, timeout=timeout))

    with answering(tenant, lambda request: request.answer("The eu one.")):
        assert ask("1", 60) == "The eu one."
    assert ask("1", 60) == "The eu one."
    assert ask("2", 0.3).startswith("No answer: ")
    # Also in a later process.
    assert ask("2", 60).startswith("No answer: ")
    assert [one.status for one in tenant.relay().requests()] == ["closed", "responded"]
    with pytest.raises(RelayError) as refused:
        ask("", 60)
    assert refused.value.code == "invalid_input"


def guarded(relay: Relay, made: list[Any], **options: Any) -> Callable[..., str]:
    @require_approval(relay, **options)
    def remove_logs(path: str, days: int = 7) -> str:
        made.append((path, days))
        return path

    return remove_logs


def test_a_function_runs_as_the_expert_has_approved_it(tenant: Tenant) -> None:
    made: list[Any] = []
    remove_logs = guarded(tenant.relay(), made, timeout=60)
    with answering(tenant, accept(), accept({"days": 30}), decline):
        assert remove_logs("/a") == "/a"
        assert remove_logs("/b", days=7) == "/b"
        with pytest.raises(DeclinedError, match="has declined this call: Ask Ada.") as declined:
            remove_logs(path="/c")
    assert declined.value.comment == "Ask Ada."
    assert made == [("/a", 7), ("/b", 30)]


def test_a_name_asks_once_and_without_one_nothing_stays_open(tenant: Tenant, tmp_path: Path) -> None:
    made: list[Any] = []
    named = guarded(tenant.relay(store=FileStore(tmp_path)), made, once=lambda path, days=7: f"remove {path}", timeout=60)
    with answering(tenant, accept()):
        assert named("/a") == "/a"
    assert named("/a") == "/a"
    with pytest.raises(RelayError) as late:
        guarded(tenant.relay(), made, timeout=0.3)("/b")
    assert late.value.code == "timeout"
    assert [one.status for one in tenant.relay().requests()] == ["closed", "closed"]
    assert made == [("/a", 7)] * 2


def test_an_async_function(tenant: Tenant) -> None:
    async def run(client: AsyncRelay) -> str:
        @require_approval(client, timeout=60)
        async def wait(*seconds: int) -> str:
            return f"Waited {seconds}."

        return await wait(1, 2)

    with answering(tenant, accept()):
        assert tenant.relay().run(run) == "Waited (1, 2)."


def test_a_function_and_a_client_of_another_kind() -> None:
    async def wait() -> None: ...

    relay = Relay("http://127.0.0.1:1", "hs_" + "1" * 43)
    with pytest.raises(RelayError, match="AsyncRelay"):
        require_approval(relay)(wait)
    relay.stop()
