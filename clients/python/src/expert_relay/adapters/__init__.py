"""Adapters for agent frameworks, each in a module of its own: docs/frameworks.md."""

from ._tool_approval import ToolDecision, decide_tool_calls
from ._tool_question import ToolCall

__all__ = ["ToolCall", "ToolDecision", "decide_tool_calls"]
