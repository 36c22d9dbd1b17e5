"""What every adapter promises: the properties of docs/adapters.json."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Tenant
from data import read
from programs import Calls, Results, programs

from expert_relay import Accept, Decline, Expert, ExpertRequest, RelayError

Row = dict[str, Any]
properties: list[Row] = read("docs/adapters.json")["properties"]
patience = 60.0
# The SDK has no way to run a call with other arguments.
no_edits = ["OpenAI Agents SDK"]
cases = [
    pytest.param(name, row, id=f"{name}: {row['name']}")
    for name in programs
    for row in properties
    if not (row.get("edits") and name in no_edits)
]


@pytest.fixture
def in_folder(tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """An agent in an empty folder, with its environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAY_URL", tenant.url)
    monkeypatch.setenv("RELAY_API_KEY", tenant.consumer_key)
    return tenant


class Answering(threading.Thread):
    """An expert who decides about each call as its row says."""

    def __init__(self, expert: Expert, row: Row) -> None:
        super().__init__()
        self._expert, self._row = expert, row
        self.questions: list[str] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            for request in self._expert.requests():
                self._answer(request)
                if len(self.questions) == len(self._row["calls"]):
                    return
        except BaseException as error:  # noqa: BLE001
            self.error = error

    def _answer(self, request: ExpertRequest) -> None:
        arguments = json.loads(request.question.split("```json\n")[1].split("\n```")[0])
        decision = self._row["decisions"][self._row["calls"].index(arguments)]
        comment = decision.get("comment", "")
        self.questions.append(request.question)
        if decision["action"] == "decline":
            request.answer(comment, decision=Decline())
            return
        assert request.form and request.form.form
        fields = request.form.form["properties"]
        prefilled = {name: field["default"] for name, field in fields.items()}
        changed = {**arguments, **decision.get("change", {})}
        content = {"arguments": json.dumps(changed)} if "arguments" in fields else {**prefilled, **decision.get("change", {})}
        request.answer(comment, decision=Accept(content if fields else {}))


def answered(tenant: Tenant, row: Row) -> Answering:
    expert = Answering(tenant.expert(), row)
    expert.start()
    return expert


def run_late(name: str, calls: Calls) -> None:
    """A run that has no decision in time."""
    with pytest.raises(RelayError) as late:
        programs[name](calls, "job-7", 0.3)
    assert late.value.code == "timeout"


def run_killed(tenant: Tenant, name: str, calls: Calls) -> None:
    """A run whose process is killed while it waits for its decisions."""
    process = start(name, calls)
    relay = tenant.relay()
    while len(relay.requests()) < len(calls):
        assert process.poll() is None
        # Each look is a call, and the process loads its framework for seconds.
        time.sleep(0.5)
    process.kill()
    assert process.communicate()[0] == ""


def start(name: str, calls: Calls) -> subprocess.Popen[str]:
    program = Path(__file__).with_name("programs.py")
    command = [sys.executable, str(program), name, json.dumps(calls)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("name", "row"), cases)
def test_property(in_folder: Tenant, name: str, row: Row, capfd: pytest.CaptureFixture[str]) -> None:
    calls: Calls = row["calls"]
    if row.get("when") == "timeout":
        run_late(name, calls)
    if row.get("when") == "killed":
        run_killed(in_folder, name, calls)
    assert "Removing" not in capfd.readouterr().out
    expert = answered(in_folder, row)
    results = programs[name](calls, "job-7", patience)
    expert.join()
    assert expert.error is None
    check_results(row, results)
    # Only what the expert has approved was run, and each call was asked about once.
    assert capfd.readouterr().out.count("Removing") == len(row.get("results", []))
    requests = in_folder.relay().requests()
    assert [one.status for one in requests] == ["closed"] * len(calls)
    closing = "It runs with the arguments as you leave them below. " * (name not in no_edits)
    closing += "The agent gets your comment only if you decline."
    assert sorted(expert.questions) == sorted(shown(call) + closing for call in calls)


def check_results(row: Row, results: Results) -> None:
    """In the order of the calls."""
    expected, declined = iter(row.get("results", [])), iter(row.get("declined", []))
    for call, result in zip(row["calls"], results, strict=True):
        decision = row["decisions"][row["calls"].index(call)]
        if decision["action"] == "accept":
            assert next(expected) in result
            assert not decision.get("comment") or decision["comment"] not in result
        else:
            assert next(declined) in result
            assert "Removed" not in result


def shown(call: Row) -> str:
    text = json.dumps(call, indent=2, ensure_ascii=False)
    for hidden in "\u202e\u200b":
        text = text.replace(hidden, json.dumps(hidden)[1:-1])
    return f"May the agent run `remove_logs`?\n\n```json\n{text}\n```\n\n"
