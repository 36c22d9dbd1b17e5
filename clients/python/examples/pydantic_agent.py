"""An agent of Pydantic AI that asks an expert when it is stuck, and before it removes logs. Kill it, and start it again.

pip install "expert-relay[pydantic-ai]" "pydantic-ai-slim[openai]"
python pydantic_agent.py job-7
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, Tool
from pydantic_ai.messages import ModelMessage

from expert_relay import FileStore, Relay
from expert_relay.adapters.pydantic_ai import answer_deferred_sync, ask_expert_tool

Paused = TypeAdapter(tuple[list[ModelMessage], DeferredToolRequests])


def remove_logs(path: str, days: int) -> str:
    """Removes the logs in a folder that are older than some days."""
    print(f"Removing logs in {path!r}.")
    return f"Removed the logs in {path} that are older than {days} days."


def run(model: Any, job: str, timeout: float = 600) -> str:
    saved = Path(f"{job}.json")
    requests: str | DeferredToolRequests
    with Relay.from_env(store=FileStore(".agent")) as relay:
        tools = [Tool(remove_logs, requires_approval=True), ask_expert_tool(relay, run=job, timeout=timeout)]
        agent = Agent(model, output_type=[str, DeferredToolRequests], tools=tools)
        if saved.exists():
            messages, requests = Paused.validate_json(saved.read_bytes())
        else:
            result = agent.run_sync("Remove the old logs.")
            messages, requests = result.all_messages(), result.output
        while isinstance(requests, DeferredToolRequests):
            saved.write_bytes(Paused.dump_json((messages, requests)))
            answers = answer_deferred_sync(relay, requests, run=job, timeout=timeout, tools=tools)
            result = agent.run_sync(message_history=messages, deferred_tool_results=answers)
            messages, requests = result.all_messages(), result.output
    saved.unlink(missing_ok=True)
    return requests


if __name__ == "__main__":
    print(run("openai:gpt-5", sys.argv[1]))
