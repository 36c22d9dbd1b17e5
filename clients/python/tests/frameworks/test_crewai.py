"""The example for CrewAI has the properties of the adapters, except for parallel calls and edits: a flow asks about one step."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Tenant
from test_properties import Row, answered, in_folder, properties

from expert_relay import RelayError

__all__ = ["in_folder"]

examples = Path(__file__).parents[2] / "examples"
sys.path.append(str(examples))
rows = [row for row in properties if row.get("when")]


@pytest.mark.parametrize("row", rows, ids=lambda row: row["name"])
def test_property(in_folder: Tenant, row: Row, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    monkeypatch.setenv("HOME", str(Path.cwd()))
    import crewai_flow

    relay = in_folder.relay()
    if row.get("when") == "timeout":
        with pytest.raises(RelayError, match="timeout|No answer"):
            crewai_flow.run("job-7", 0.3)
    if row.get("when") == "killed":
        command = [sys.executable, str(examples / "crewai_flow.py"), "job-7"]
        killed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not relay.requests():
            assert killed.poll() is None
            time.sleep(0.1)
        killed.kill()
        killed.wait()
    assert "Removing" not in capfd.readouterr().out
    decision = row["turns"][0][0]
    expert = answered(in_folder, [decision])
    result = crewai_flow.run("job-7", 60)
    expert.join()
    assert expert.error is None
    assert decision["result"] in result
    assert capfd.readouterr().out.count("Removing") == (decision["action"] == "accept")
    assert [one.status for one in relay.requests()] == ["closed"]
