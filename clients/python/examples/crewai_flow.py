"""A flow of CrewAI that asks an expert before it removes logs. Kill it, and start it again: it asks nothing twice.

pip install expert-relay crewai
python crewai_flow.py job-7
"""

from __future__ import annotations

import sys
from typing import Any

from crewai.flow import Flow, human_feedback, listen, router, start
from crewai.flow.async_feedback import HumanFeedbackPending, PendingFeedbackContext
from crewai.flow.flow import FlowState
from crewai.flow.persistence import SQLiteFlowPersistence

from expert_relay import FileStore, Relay
from expert_relay.adapters import ToolCall, decide_tool_calls


class AskAfterwards:
    """Ends the process's part of the flow, whose state CrewAI then saves."""

    def request_feedback(self, context: PendingFeedbackContext, flow: Flow[Any]) -> str:
        raise HumanFeedbackPending(context=context)


class State(FlowState):
    plan: dict[str, Any] = {}
    feedback: str = ""


class CleanUp(Flow[State]):
    # Not with `emit`: then a model interprets the words of the expert, and no words are the first outcome.
    @start()
    @human_feedback(message="Before the clean-up.", provider=AskAfterwards())
    def plan(self) -> dict[str, Any]:
        return {"path": "/var/log/a", "days": 7}

    @router(plan)
    def decide(self, reviewed: Any) -> str:
        self.state.plan, self.state.feedback = reviewed.output, reviewed.feedback
        return "approved" if reviewed.feedback == "approve" else "declined"

    @listen("approved")
    def remove_logs(self) -> str:
        print(f"Removing logs in {self.state.plan['path']!r}.")
        return "Removed the logs in {path} that are older than {days} days.".format(**self.state.plan)

    @listen("declined")
    def give_up(self) -> str:
        return self.state.feedback


def run(job: str, timeout: float = 600) -> str:
    saved = SQLiteFlowPersistence("flow.sqlite")
    if not saved.load_pending_feedback(job):
        CleanUp(persistence=saved).kickoff(inputs={"id": job})
    flow = CleanUp.from_pending(job, saved)
    paused = flow.pending_feedback
    assert paused
    call = ToolCall(paused.method_name, "remove_logs", paused.method_output, description=paused.message, can_edit=False)
    with Relay.from_env(store=FileStore(".agent")) as relay:
        (decision,) = relay.run(lambda client: decide_tool_calls(client, [call], run=job, timeout=timeout))
    return str(flow.resume("approve" if decision.action == "approve" else decision.refusal))


if __name__ == "__main__":
    print(run(sys.argv[1]))
