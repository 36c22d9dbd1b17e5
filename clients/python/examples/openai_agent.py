"""An agent of the OpenAI Agents SDK that asks an expert when it is stuck, and before it removes logs. Kill it, and start it again.

pip install "expert-relay[openai-agents]"
python openai_agent.py job-7
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from agents import Agent, Runner, RunState, function_tool

from expert_relay import AsyncRelay, FileStore
from expert_relay.adapters.openai_agents import answer_interruptions, ask_expert_tool


@function_tool(needs_approval=True)
def remove_logs(path: str, days: int) -> str:
    """Removes the logs in a folder that are older than some days."""
    print(f"Removing logs in {path!r}.")
    return f"Removed the logs in {path} that are older than {days} days."


async def run(model: Any, job: str, timeout: float = 600) -> str:
    async with AsyncRelay.from_env(store=FileStore(".agent")) as relay:
        tools = [remove_logs, ask_expert_tool(relay, run=job, timeout=timeout)]
        agent = Agent(name="Janitor", model=model, tools=[*tools])
        saved = Path(f"{job}.json")
        state = await RunState.from_string(agent, saved.read_text()) if saved.exists() else None
        while True:
            if state:
                await answer_interruptions(relay, state, run=job, timeout=timeout)
            result = await Runner.run(agent, state or "Remove the old logs.")
            if not result.interruptions:
                saved.unlink(missing_ok=True)
                return str(result.final_output)
            state = result.to_state()
            saved.write_text(state.to_string())


if __name__ == "__main__":
    print(asyncio.run(run("gpt-5", sys.argv[1])))
