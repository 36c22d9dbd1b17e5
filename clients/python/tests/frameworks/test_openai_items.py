"""What is shown of the calls of the OpenAI Agents SDK: all that would run."""

from __future__ import annotations

from typing import Any

import pytest
from agents import Agent, ToolApprovalItem
from openai.types.responses import ResponseFunctionToolCall
from openai.types.responses.response_output_item import McpApprovalRequest

from expert_relay.adapters.openai_agents import _call_of

shell = {"type": "shell_call", "call_id": "1", "status": "completed", "action": {"commands": ["rm -rf /"]}}
patch = {"type": "apply_patch_call", "call_id": "1", "operation": {"type": "delete_file", "path": "/etc/hosts"}}
custom = {"type": "custom_tool_call", "call_id": "1", "name": "sql", "input": "DROP TABLE users"}


def mcp(arguments: str) -> McpApprovalRequest:
    return McpApprovalRequest(
        id="1", name="pay", server_label="bank", type="mcp_approval_request", arguments=arguments
    )


def function(arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(name="pay", call_id="1", type="function_call", arguments=arguments)


@pytest.mark.parametrize(
    ("raw", "tool", "shown"),
    [
        (shell, "shell_call", {"action": {"commands": ["rm -rf /"]}}),
        (patch, "apply_patch_call", {"operation": {"type": "delete_file", "path": "/etc/hosts"}}),
        (custom, "sql", {"input": "DROP TABLE users"}),
        (mcp('{"account": 9007199254740993}'), "bank.pay", {"account": 9007199254740993}),
        (mcp('{"a": 17, "a": 18}'), "bank.pay", {"input": '{"a": 17, "a": 18}'}),
        (mcp('{"a": 0.10000000000000000555}'), "bank.pay", {"input": '{"a": 0.10000000000000000555}'}),
        (function('{"a": 1}'), "pay", {"a": 1}),
        (function('{"a": '), "pay", {"input": '{"a": '}),
        (function(""), "pay", {}),
    ],
    ids=["shell", "patch", "custom", "MCP", "two of a name", "many digits", "function", "no JSON", "nothing"],
)
def test_all_that_would_run_is_shown(raw: Any, tool: str, shown: object) -> None:
    call = _call_of(ToolApprovalItem(Agent("Cleaner"), raw))
    assert (call.id, call.tool, call.arguments) == ("1", tool, shown)
