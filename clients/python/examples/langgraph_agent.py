"""An agent of LangChain that asks an expert when it is stuck, and before it removes logs. Kill it, and start it again: it asks nothing
twice.

pip install "expert-relay[langgraph]" "langchain[openai]" langgraph-checkpoint-sqlite
python langgraph_agent.py job-7
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver

from expert_relay import FileStore, Relay
from expert_relay.adapters.langgraph import answer_interrupts, ask_expert_tool


def remove_logs(path: str, days: int) -> str:
    """Removes the logs in a folder that are older than some days."""
    print(f"Removing logs in {path!r}.")
    return f"Removed the logs in {path} that are older than {days} days."


def run(model: Any, job: str, review: HumanInTheLoopMiddleware[Any], timeout: float = 600) -> list[Any]:
    with (
        closing(sqlite3.connect("agent.sqlite", check_same_thread=False)) as database,
        Relay.from_env(store=FileStore(".agent")) as relay,
    ):
        tools = [remove_logs, ask_expert_tool(relay, run=job, timeout=timeout)]
        agent = create_agent(model, tools, middleware=[review], checkpointer=SqliteSaver(database))
        thread: RunnableConfig = {"configurable": {"thread_id": job}}
        has_begun = bool(agent.get_state(thread).values)
        result = agent.invoke(None if has_begun else {"messages": [HumanMessage("Remove the old logs.")]}, thread)
        while "__interrupt__" in result:
            answers = answer_interrupts(relay, result["__interrupt__"], run=job, timeout=timeout, tools=tools)
            result = agent.invoke(answers, thread)
        return list(result["messages"])


if __name__ == "__main__":
    print(run("openai:gpt-5", sys.argv[1], HumanInTheLoopMiddleware({"remove_logs": True}))[-1].text)
