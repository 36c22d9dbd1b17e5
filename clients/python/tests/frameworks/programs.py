"""The examples for frameworks, with a scripted model: it makes the calls of each turn, and then reports the results that it got."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

Call = Mapping[str, Any]
Turns = Sequence[Sequence[Call]]
Results = list[str]

sys.path.append(str(Path(__file__).parents[2] / "examples"))


def id_of(turn: int, index: int) -> str:
    return f"call_{turn}_{index}"


def name_of(call: Call) -> str:
    return "ask_expert" if "question" in call else "remove_logs"


def calls_of(turns: Turns, results: Collection[str]) -> list[tuple[str, Call]]:
    """The calls of the first turn that has no results, with their ids."""
    for number, calls in enumerate(turns):
        if id_of(number, 0) not in results:
            return [(id_of(number, index), call) for index, call in enumerate(calls)]
    return []


def in_order(turns: Turns, results: Mapping[str, str]) -> Results:
    return [results[id_of(number, index)] for number, calls in enumerate(turns) for index in range(len(calls))]


def of_middleware(mode: str | None) -> Callable[[Turns, str, float], Results]:
    def run_agent(turns: Turns, job: str, timeout: float) -> Results:
        import langgraph_agent
        from langchain.agents.middleware import HumanInTheLoopMiddleware
        from langchain_core.language_models import BaseChatModel
        from langchain_core.messages import AIMessage, ToolMessage
        from langchain_core.outputs import ChatGeneration, ChatResult

        def results_in(messages: Any) -> dict[str, str]:
            return {one.tool_call_id: one.text for one in messages if isinstance(one, ToolMessage)}

        class Model(BaseChatModel):
            @property
            def _llm_type(self) -> str:
                return "scripted"

            def bind_tools(self, *_: Any, **__: Any) -> Any:
                return self

            def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
                made = [
                    {"name": name_of(call), "args": dict(call), "id": id} for id, call in calls_of(turns, results_in(messages))
                ]
                return ChatResult(generations=[ChatGeneration(message=AIMessage("Done.", tool_calls=made))])

        # Versions before langchain 1.4 have no modes.
        review: Any = HumanInTheLoopMiddleware({"remove_logs": True}, **({"interrupt_mode": mode} if mode else {}))  # type: ignore[arg-type]
        return in_order(turns, results_in(langgraph_agent.run(Model(), job, review, timeout)))

    return run_agent


def inbox(turns: Turns, job: str, timeout: float) -> Results:
    import inbox_graph

    results: dict[str, str] = {}
    for number, calls in enumerate(turns):
        made = {id_of(number, index): dict(call) for index, call in enumerate(calls)}
        results.update(inbox_graph.run(made, f"{job}-{number}", timeout))
    return in_order(turns, results)


def openai_agents(turns: Turns, job: str, timeout: float) -> Results:
    import openai_agent
    from agents import Model, ModelResponse, Usage, set_tracing_disabled
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    set_tracing_disabled(True)
    results: dict[str, str] = {}

    class Scripted(Model):
        async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
            got = [one for one in given["input"] if one.get("type") == "function_call_output"]
            results.update({one["call_id"]: one["output"] for one in got})
            text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
            message = ResponseOutputMessage(
                id="1", type="message", role="assistant", status="completed", content=[text]
            )
            made = [
                ResponseFunctionToolCall(
                    type="function_call", call_id=id, name=name_of(call), arguments=json.dumps(call)
                )
                for id, call in calls_of(turns, results)
            ]
            return ModelResponse(output=[*made] or [message], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    asyncio.run(openai_agent.run(Scripted(), job, timeout))
    return in_order(turns, results)


def pydantic_ai(turns: Turns, job: str, timeout: float) -> Results:
    import pydantic_agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    results: dict[str, str] = {}

    def respond(messages: Any, _: Any) -> ModelResponse:
        got = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        results.update({part.tool_call_id: str(part.content) for part in got})
        made = [ToolCallPart(name_of(call), dict(call), tool_call_id=id) for id, call in calls_of(turns, results)]
        return ModelResponse(parts=made or [TextPart("Done.")])

    pydantic_agent.run(FunctionModel(respond), job, timeout)
    return in_order(turns, results)


programs: dict[str, Callable[[Turns, str, float], Results]] = {
    "LangGraph, batched": of_middleware(None),
    "LangGraph, per call": of_middleware("per_call"),
    "LangGraph, Agent Inbox": inbox,
    "OpenAI Agents SDK": openai_agents,
    "Pydantic AI": pydantic_ai,
}

if __name__ == "__main__":
    print(json.dumps(programs[sys.argv[1]](json.loads(sys.argv[2]), "job-7", 60)))
