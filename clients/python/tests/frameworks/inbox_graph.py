"""A graph of LangGraph that asks in the form of Agent Inbox, with a task for each call."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Annotated, Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt
from langgraph_agent import remove_logs
from typing_extensions import TypedDict

from expert_relay import FileStore, Relay
from expert_relay.adapters.langgraph import answer_interrupts

everything = dict.fromkeys(("allow_accept", "allow_edit", "allow_respond", "allow_ignore"), True)


def join(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    return {**one, **other}


class State(TypedDict):
    results: Annotated[dict[str, str], join]


def review(call: Any) -> State:
    action = {"action": "remove_logs", "args": call["args"]}
    request = {"action_request": action, "config": everything, "description": "Nightly clean-up."}
    response = interrupt([request])[0]
    match response["type"]:
        case "accept":
            result = remove_logs(**call["args"])
        case "edit":
            result = remove_logs(**response["args"]["args"])
        case _:
            result = str(response["args"])
    return {"results": {call["id"]: result}}


def run(calls: Mapping[str, dict[str, Any]], job: str, timeout: float) -> dict[str, str]:
    builder: Any = StateGraph(State)
    builder.add_node("review", review)
    tasks = [Send("review", {"id": id, "args": args}) for id, args in calls.items()]
    builder.add_conditional_edges(START, lambda _: tasks, ["review"])
    builder.add_edge("review", END)
    with (
        closing(sqlite3.connect("agent.sqlite", check_same_thread=False)) as database,
        Relay.from_env(store=FileStore(".agent")) as relay,
    ):
        graph = builder.compile(checkpointer=SqliteSaver(database))
        thread = {"configurable": {"thread_id": job}}
        result = graph.invoke(None if graph.get_state(thread).next else {"results": {}}, thread)
        while "__interrupt__" in result:
            result = graph.invoke(answer_interrupts(relay, result["__interrupt__"], run=job, timeout=timeout), thread)
        return dict(result["results"])
