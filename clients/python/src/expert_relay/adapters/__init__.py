"""Adapters for agent frameworks, each in a module of its own: docs/frameworks.md."""

from ._ask_expert import ask_expert, ask_expert_definition
from ._require_approval import DeclinedError, require_approval
from ._tool_approval import ToolDecision, decide_tool_calls
from ._tool_question import ToolCall

__all__ = [
    "DeclinedError",
    "ToolCall",
    "ToolDecision",
    "ask_expert",
    "ask_expert_definition",
    "decide_tool_calls",
    "require_approval",
]
