"""What every adapter promises: the properties of docs/adapters.json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Tenant
from data import read
from programs import Turns, programs

from expert_relay import Accept, Decline, Expert, ExpertRequest, RelayError

Row = dict[str, Any]
properties: list[Row] = read("docs/adapters.json")["properties"]
patience = 60.0
# The SDK has no way to run a call with other arguments.
no_edits = ["OpenAI Agents SDK"]
# Its graph has no model.
no_questions = ["LangGraph, Agent Inbox"]
# They stay paused, and continue, as the first one of LangGraph does.
variants = ["LangGraph, per call", "LangGraph, Agent Inbox"]
cases = [
    pytest.param(name, row, id=f"{name}: {row['name']}")
    for name in programs
    for row in properties
    if not (name in variants and row.get("when"))
]
# With other versions of the frameworks, only the first property is tested.
if "FIRST_PROPERTY_OF" in os.environ:
    names = json.loads(os.environ["FIRST_PROPERTY_OF"])
    cases = [pytest.param(name, properties[0], id=name) for name in names]


def calls_for(name: str, row: Row) -> list[list[Row]]:
    """The turns of a row, as far as the framework can have them."""
    return [
        turn
        for turn in row["turns"]
        if not (name in no_edits and any("change" in one for one in turn))
        and not (name in no_questions and any("question" in one["call"] for one in turn))
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

    def __init__(self, expert: Expert, decided: list[Row]) -> None:
        super().__init__()
        self._expert, self._decided = expert, decided
        self.questions: list[str] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            for request in self._expert.requests():
                self._answer(request)
                if len(self.questions) == len(self._decided):
                    return
        except BaseException as error:
            self.error = error

    def _answer(self, request: ExpertRequest) -> None:
        self.questions.append(request.question)
        is_call = "```json" in request.question
        call = json.loads(request.question.split("```json\n")[1].split("\n```")[0]) if is_call else {"question": request.question}
        decision = next(one for one in self._decided if one["call"] == call)
        comment = decision.get("comment", "")
        match decision["action"]:
            case "answer":
                request.answer(comment)
            case "decline":
                request.answer(comment, decision=Decline())
            case _:
                assert request.form and request.form.form
                fields, change = request.form.form["properties"], decision.get("change", {})
                prefilled = {name: field["default"] for name, field in fields.items()}
                content = {"arguments": json.dumps({**call, **change})} if "arguments" in fields else {**prefilled, **change}
                request.answer(comment, decision=Accept(content if fields else {}))


def answered(tenant: Tenant, decided: list[Row]) -> Answering:
    expert = Answering(tenant.expert(), decided)
    expert.start()
    return expert


def run_late(name: str, turns: Turns) -> None:
    """A run that has no decision in time."""
    with pytest.raises(RelayError) as late:
        programs[name](turns, "job-7", 0.3)
    assert late.value.code == "timeout"


def run_killed(tenant: Tenant, name: str, turns: Turns) -> None:
    """A run whose process is killed while it waits for its decisions."""
    process = start(name, turns)
    relay = tenant.relay()
    while len(relay.requests()) < len(turns[0]):
        assert process.poll() is None
        # Each look is a call, and the process loads its framework for seconds.
        time.sleep(0.5)
    process.kill()
    assert process.communicate()[0] == ""


def start(name: str, turns: Turns) -> subprocess.Popen[str]:
    program = Path(__file__).with_name("programs.py")
    command = [sys.executable, str(program), name, json.dumps(turns)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("name", "row"), cases)
def test_property(in_folder: Tenant, name: str, row: Row, capfd: pytest.CaptureFixture[str]) -> None:
    made = calls_for(name, row)
    decided = [one for turn in made for one in turn]
    turns = [[one["call"] for one in turn] for turn in made]
    if row.get("when") == "timeout":
        run_late(name, turns)
    if row.get("when") == "killed":
        run_killed(in_folder, name, turns)
    assert "Removing" not in capfd.readouterr().out
    expert = answered(in_folder, decided)
    results = programs[name](turns, "job-7", patience)
    expert.join()
    assert expert.error is None
    for one, result in zip(decided, results, strict=True):
        assert one["result"] in result
        assert one["action"] != "accept" or one.get("comment", "\0") not in result
    # Only what the expert has approved was run, and each call was asked about once.
    assert capfd.readouterr().out.count("Removing") == sum(one["action"] == "accept" for one in decided)
    statuses = [one.status for one in in_folder.relay().requests()]
    assert sorted(statuses) == sorted("responded" if one["action"] == "answer" else "closed" for one in decided)
    assert sorted(expert.questions) == sorted(shown(one["call"], name not in no_edits) for one in decided)


def shown(call: Row, can_edit: bool) -> str:
    if "question" in call:
        return str(call["question"])
    text, path = json.dumps(call, indent=2, ensure_ascii=False), json.dumps(call["path"])
    for hidden in "\u202e\u200b":
        text = text.replace(hidden, json.dumps(hidden)[1:-1])
    about = path if "\\" in path else call["path"]
    closing = "It runs with the arguments as you leave them below. " * can_edit
    return f"May the agent run `remove_logs` with `{about}`?\n\n```json\n{text}\n```\n\n{closing}The agent gets your comment only if you decline."
