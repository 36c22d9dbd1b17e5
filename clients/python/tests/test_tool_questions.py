"""A tool call as a question, and the answers to it: docs/adapters.json."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from data import read

from expert_relay import Accepted, RelayError
from expert_relay._forms.content import check_content
from expert_relay.adapters import ToolCall
from expert_relay.adapters._tool_approval import decide_tool_calls, name_of, read_decision
from expert_relay.adapters._tool_question import ask_for_words, describe_call, form_for, telling_argument

Row = dict[str, Any]
cases: Row = read("docs/adapters.json")
questions: dict[str, Row] = {row["name"]: row for row in cases["questions"]}


def call_of(row: Row) -> ToolCall:
    return ToolCall("1", row["tool"], row["arguments"], row.get("schema"), can_edit=row.get("canEdit", True))


@pytest.mark.parametrize("name", questions)
def test_question_about(name: str) -> None:
    row = questions[name]
    call = call_of(row)
    form = form_for(call)
    assert describe_call(call, row.get("agent", "the agent"), form).split("\n") == row["question"]
    assert form.form == row["form"]
    # The form as it is prefilled approves the call.
    prefilled = {name: field["default"] for name, field in form.form["properties"].items() if "default" in field}
    assert check_content(form.form, prefilled) == []
    decided = read_decision(accepted(prefilled), call, form)
    assert decided and (decided.action, decided.arguments) == ("approve", None)


@pytest.mark.parametrize("row", cases["tellingArguments"], ids=lambda row: row["name"])
def test_telling_argument(row: Row) -> None:
    assert telling_argument(row["arguments"]) == row["shown"]


def test_a_call_that_is_answered_in_words_says_what_it_is_about() -> None:
    assert ask_for_words(ToolCall("1", "look_up", {"name": "Ada"})).startswith("The agent calls `look_up` with `Ada`.")


@pytest.mark.parametrize("row", cases["answers"], ids=lambda row: row["name"])
def test_answer(row: Row) -> None:
    call = call_of(questions[row["call"]])
    form = form_for(call)
    assert check_content(form.form, row["content"]) == []
    decided = read_decision(accepted(row["content"]), call, form)
    match row["arguments"]:
        case "unchanged":
            assert decided and decided.action == "approve"
        case "invalid":
            assert decided is None
        case arguments:
            assert decided and (decided.action, decided.arguments) == ("edit", arguments)


def accepted(content: Row) -> Accepted[Any]:
    return Accepted("", "", "", "", "sequenced", (), content)


def test_names() -> None:
    for row in cases["names"]:
        assert name_of(row["run"], row["id"]) == row["name"]


def test_what_cannot_be_shown_is_not_asked() -> None:
    call = ToolCall("1", "write", {"text": "x" * 60_000})
    with pytest.raises(RelayError, match="too long") as refused:
        describe_call(call, "the agent", form_for(call))
    assert refused.value.code == "invalid_input"


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "x" * 8_192},
        {"value": float("nan")},
        {"value": {1, 2}},
        {"value": (1, {2: 3})},
    ],
    ids=["too long", "not a number", "no JSON", "other names than texts"],
)
def test_what_no_form_keeps_can_be_approved_alone(arguments: Row) -> None:
    call = ToolCall("1", "write", arguments)
    form = form_for(call)
    assert form.form["properties"] == {}
    assert "only if you decline" in describe_call(call, "the agent", form)


def test_large_numbers_stay_as_they_are() -> None:
    """A form has doubles only."""
    number = 2**60 + 1
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    call = ToolCall("1", "delete", {"id": number}, schema)
    form = form_for(call)
    assert str(number) in describe_call(call, "the agent", form)
    decided = read_decision(accepted({"arguments": f'{{"id": {number + 1}}}'}), call, form)
    assert decided and decided.arguments == {"id": number + 1}


@pytest.mark.parametrize("number", [10**21, 10**23, 5 * 10**22, 2**60 + 1, -(10**21), 1e21, 1e-7, 0.1, 1.5])
def test_an_edit_of_one_argument_changes_no_number(number: float) -> None:
    call = ToolCall("1", "pay", {"wei": number, "to": ["a", {"b": number}]}, None)
    default = form_for(call).form["properties"]["arguments"]["default"]
    decided = read_decision(accepted({"arguments": default.replace('"a"', '"b"')}), call, form_for(call))
    assert decided and decided.action == "edit"
    assert repr(decided.arguments) == repr({"wei": number, "to": ["b", {"b": number}]})


@pytest.mark.parametrize("number", [2**53 + 1, 2**60, 1234567890123456789, -(2**53) - 1])
@pytest.mark.parametrize("type", ["integer", "number"])
def test_a_number_that_a_control_would_change_is_edited_as_json(number: int, type: str) -> None:
    """An expert's client in JavaScript writes 2**60 as 1152921504606847000."""
    call = ToolCall("1", "ban", {"user": number}, {"type": "object", "properties": {"user": {"type": type}}})
    form = form_for(call)
    assert list(form.form["properties"]) == ["arguments"]
    decided = read_decision(accepted({"arguments": form.form["properties"]["arguments"]["default"]}), call, form)
    assert decided and decided.action == "approve"


def test_a_limit_that_a_form_cannot_have_is_edited_as_json() -> None:
    field = {"type": "number", "minimum": 0, "maximum": 2**60}
    form = form_for(ToolCall("1", "pay", {"amount": 5}, {"type": "object", "properties": {"amount": field}}))
    assert list(form.form["properties"]) == ["arguments"]


def test_of_two_calls_with_one_id_none_is_asked_about() -> None:
    """One decision would count for both."""
    calls = [ToolCall("1", "wipe", {"path": path}) for path in ("/tmp/a", "/srv")]
    relay: Any = None
    with pytest.raises(RelayError, match="the id 1") as refused:
        asyncio.run(decide_tool_calls(relay, calls, run="same"))
    assert refused.value.code == "invalid_input"


@pytest.mark.parametrize("hidden", list("\u00a0\u00ad\u034f\u061c\u115f\u200b\u202e\u2028\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\U000e0041"))
def test_hidden_characters_are_escapes(hidden: str) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    call = ToolCall("1", f"delete{hidden}", {"path": f"/a{hidden}b", f"k{hidden}": 1}, schema)
    form = form_for(call)
    assert hidden not in describe_call(call, f"bot{hidden}", form)
    assert hidden not in form.form["properties"]["arguments"]["default"]
