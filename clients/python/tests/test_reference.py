"""The doc comments of what is public: each class and function has an example, whose members and options exist."""

from __future__ import annotations

import ast
import inspect
from doctest import DocTestParser
from typing import Any

import pytest

import expert_relay
from expert_relay import adapters

blocking = {
    "relay": expert_relay.Relay,
    "conversation": expert_relay.Conversation,
    "approval": expert_relay.Approval,
    "choice": expert_relay.Choice,
    "answer": expert_relay.Answer,
    "decision": expert_relay.Accepted,
    "expert": expert_relay.Expert,
    "request": expert_relay.ExpertRequest,
    "message": expert_relay.Message,
    "listed": expert_relay.ListedQuestion,
    "error": expert_relay.RelayError,
}
asynchronous = {
    **blocking,
    "relay": expert_relay.AsyncRelay,
    "conversation": expert_relay.AsyncConversation,
    "approval": expert_relay.AsyncApproval,
    "choice": expert_relay.AsyncChoice,
    "expert": expert_relay.AsyncExpert,
    "request": expert_relay.AsyncExpertRequest,
}
variables_of = {expert_relay: blocking, adapters: {**asynchronous, "decision": adapters.ToolDecision}}
public = [
    pytest.param(getattr(module, name), variables, id=name)
    for module, variables in variables_of.items()
    for name in module.__all__
    if inspect.isclass(getattr(module, name)) or inspect.isfunction(getattr(module, name))
]


def example_of(text: str) -> str:
    return "".join(example.source for example in DocTestParser().get_examples(text))


def members_of(owner: type[Any]) -> list[tuple[str, Any]]:
    """The public methods and properties that this package has given a class."""
    members = {name: member for one in owner.__mro__[-2::-1] if one.__module__.startswith("expert_relay") for name, member in vars(one).items()}
    kinds = (property, classmethod, type(example_of))
    return [(name, member) for name, member in members.items() if not name.startswith("_") and isinstance(member, kinds)]


def attributes_of(owner: type[Any]) -> set[str]:
    return {*dir(owner)}.union(*(getattr(one, "__annotations__", ()) for one in owner.__mro__))


def check(source: str, variables: dict[str, Any]) -> None:
    for node in ast.walk(compile(source, "example", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)):
        used = node.func if isinstance(node, ast.Call) else node
        if not isinstance(used, ast.Attribute) or not isinstance(used.value, ast.Name) or used.value.id not in variables:
            continue
        owner = variables[used.value.id]
        assert used.attr in attributes_of(owner), ast.unparse(used)
        if isinstance(node, ast.Call):
            options = {option.arg for option in node.keywords if option.arg}
            assert options <= {*inspect.signature(getattr(owner, used.attr)).parameters, *expert_relay.AskingOptions.__annotations__}


@pytest.mark.parametrize(("one", "variables"), public)
def test_the_doc_comment(one: Any, variables: dict[str, Any]) -> None:
    if one.__name__.startswith("Async"):
        variables = asynchronous
    example = example_of(one.__doc__ or "")
    assert example
    check(example, variables)
    for name, member in members_of(one) if inspect.isclass(one) else ():
        text = inspect.getdoc(member)
        assert text, name
        check(example_of(text), variables)
