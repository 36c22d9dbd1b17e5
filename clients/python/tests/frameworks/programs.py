"""The examples for frameworks, with a scripted model: it makes some calls of a tool, and then reports the results that it got."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Calls = Sequence[dict[str, Any]]
Results = list[str]

sys.path.append(str(Path(__file__).parents[2] / "examples"))


def id_of(index: int) -> str:
    return f"call_{index}"


def of_middleware(mode: str) -> Callable[[Calls, str, float], Results]:
    def run_agent(calls: Calls, job: str, timeout: float) -> Results:
        import langgraph_agent
        from langchain.agents.middleware import HumanInTheLoopMiddleware
        from langchain_core.language_models import BaseChatModel
        from langchain_core.messages import AIMessage, ToolMessage
        from langchain_core.outputs import ChatGeneration, ChatResult

        class Model(BaseChatModel):
            @property
            def _llm_type(self) -> str:
                return "scripted"

            def bind_tools(self, *_: Any, **__: Any) -> Any:
                return self

            def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
                made = [
                    {"name": "remove_logs", "args": call, "id": id_of(index)} for index, call in enumerate(calls)
                ]
                has_results = isinstance(messages[-1], ToolMessage)
                message = AIMessage("Done.", tool_calls=[] if has_results else made)
                return ChatResult(generations=[ChatGeneration(message=message)])

        review: Any = HumanInTheLoopMiddleware({"remove_logs": True}, interrupt_mode=mode)  # type: ignore[arg-type]
        messages = langgraph_agent.run(Model(), job, review, timeout)
        results = {one.tool_call_id: one.text for one in messages if isinstance(one, ToolMessage)}
        return [results[id_of(index)] for index in range(len(calls))]

    return run_agent


def inbox(calls: Calls, job: str, timeout: float) -> Results:
    import inbox_graph

    results = inbox_graph.run({id_of(index): call for index, call in enumerate(calls)}, job, timeout)
    return [results[id_of(index)] for index in range(len(calls))]


def openai_agents(calls: Calls, job: str, timeout: float) -> Results:
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
                    type="function_call", call_id=id_of(index), name="remove_logs", arguments=json.dumps(call)
                )
                for index, call in enumerate(calls)
            ]
            return ModelResponse(output=[message] if got else list(made), usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    asyncio.run(openai_agent.run(Scripted(), job, timeout))
    return [results[id_of(index)] for index in range(len(calls))]


def pydantic_ai(calls: Calls, job: str, timeout: float) -> Results:
    import pydantic_agent
    from pydantic_ai import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    results: dict[str, str] = {}

    def respond(messages: Any, _: Any) -> ModelResponse:
        got = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        results.update({part.tool_call_id: str(part.content) for part in got})
        made = [
            ToolCallPart("remove_logs", call, tool_call_id=id_of(index)) for index, call in enumerate(calls)
        ]
        return ModelResponse(parts=[TextPart("Done.")] if got else made)

    pydantic_agent.run(FunctionModel(respond), job, timeout)
    return [results[id_of(index)] for index in range(len(calls))]


programs: dict[str, Callable[[Calls, str, float], Results]] = {
    "LangGraph, batched": of_middleware("batched"),
    "LangGraph, per call": of_middleware("per_call"),
    "LangGraph, Agent Inbox": inbox,
    "OpenAI Agents SDK": openai_agents,
    "Pydantic AI": pydantic_ai,
}

if __name__ == "__main__":
    print(json.dumps(programs[sys.argv[1]](json.loads(sys.argv[2]), "job-7", 60)))
