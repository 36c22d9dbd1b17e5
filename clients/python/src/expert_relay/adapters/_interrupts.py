"""What graphs of LangGraph interrupt with, and the values with which they go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from .._errors import invalid_input
from .._json_text import Members, is_list, list_in, object_of
from ._tool_approval import ToolDecision
from ._tool_question import ToolCall, ask_for_words

Schemas = Mapping[str, Mapping[str, Any]]
"""JSON Schemas of the arguments, by the names of tools."""


@dataclass(frozen=True)
class InWords:
    """A question that the expert answers in words."""

    id: str
    question: str
    answer: Callable[[str], Any]


@dataclass(frozen=True)
class InForm:
    """A tool call that the expert decides about."""

    call: ToolCall
    answer: Callable[[ToolDecision], Any]


Review = Union[InWords, InForm]


@dataclass(frozen=True)
class Request:
    """All that the expert is asked about in one interrupt."""

    reviews: Sequence[Review]
    join: Callable[[list[Any]], Any]


def read_interrupt(id: str, value: object, response_schema: object, schemas: Schemas) -> Request:
    if isinstance(value, str):
        return Request([InWords(id, value, str)], _only)
    request = object_of(value)
    if "action_requests" in request and "review_configs" in request:
        rules = {one["action_name"]: one["allowed_decisions"] for one in request["review_configs"]}
        actions = [
            _review_action(f"{id}/{index}", action, rules[action["name"]], schemas.get(action["name"]))
            for index, action in enumerate(request["action_requests"])
        ]
        return Request(actions, lambda decisions: {"decisions": decisions})
    if request.get("type") == "tool_approval":
        allowed, schema = _read_response_schema(object_of(response_schema))
        return Request([_review_action(id, request, allowed, schemas.get(request["name"], schema))], _only)
    asked = value if is_list(value) else [value]
    if asked and all("action_request" in object_of(one) and "config" in object_of(one) for one in asked):
        inbox = [_review_inbox(f"{id}/{index}", one, schemas) for index, one in enumerate(asked)]
        return Request(inbox, lambda responses: responses)
    raise invalid_input(
        "This interrupt is neither of `HumanInTheLoopMiddleware`, nor in the form of Agent Inbox, nor a text. Ask about it with "
        "`decide_tool_calls` or `relay.ask`, and resume the graph with the answer."
    )


def _only(answers: list[Any]) -> Any:
    return answers[0]


def _review_action(
    id: str, action: Members, allowed: Sequence[str], schema: Mapping[str, Any] | None
) -> Review:
    """A call that `HumanInTheLoopMiddleware` has stopped."""
    name, arguments = action["name"], action["args"]
    description = str(action.get("description", ""))
    if f"Tool: {name}\nArgs: {arguments}" in description:
        # The middleware's own words repeat what the question shows.
        description = ""
    call = ToolCall(id, name, arguments, schema, description, can_edit="edit" in allowed)

    def edit(decision: ToolDecision) -> Members:
        edited = arguments if decision.arguments is None else decision.arguments
        return {"type": "edit", "edited_action": {"name": name, "args": edited}}

    def reject(decision: ToolDecision) -> Members:
        return {"type": "reject", "message": decision.refusal}

    def respond(text: str) -> Members:
        return {"type": "respond", "message": text}

    answers: dict[str, Callable[[ToolDecision], Any]] = {
        "approve": lambda _: {"type": "approve"},
        "edit": edit,
        "reject": reject,
        "respond": lambda decision: respond(decision.refusal),
    }
    return _review(call, {kind: answers[kind] for kind in allowed if kind in answers}, "reject", respond)


def _review_inbox(id: str, request: Members, schemas: Schemas) -> Review:
    """A request in the form of Agent Inbox: `HumanInterrupt`, answered by a `HumanResponse`."""
    action, config = request["action_request"], request["config"]
    arguments = action["args"]
    schema, description = schemas.get(action["action"]), str(request.get("description") or "")
    can_edit = bool(config.get("allow_edit"))
    call = ToolCall(id, action["action"], arguments, schema, description, can_edit)

    def edit(decision: ToolDecision) -> Members:
        edited = arguments if decision.arguments is None else decision.arguments
        return {"type": "edit", "args": {**action, "args": edited}}

    def respond(text: str) -> Members:
        return {"type": "response", "args": text}

    answers: dict[str, Callable[[ToolDecision], Any]] = {
        "approve": lambda _: {"type": "accept", "args": None},
        "edit": edit,
        "reject": lambda _: {"type": "ignore", "args": None},
        "respond": lambda decision: respond(decision.refusal),
    }
    rules = {"approve": "allow_accept", "edit": "allow_edit", "reject": "allow_ignore", "respond": "allow_respond"}
    allowed = {kind: answer for kind, answer in answers.items() if config.get(rules[kind])}
    # A response has the comment, and an ignored call has not.
    return _review(call, allowed, "respond", respond)


def _review(
    call: ToolCall,
    allowed: Mapping[str, Callable[[ToolDecision], Any]],
    refusing: str,
    respond: Callable[[str], Any],
) -> Review:
    """Approving without a change may be an edit with the same arguments. Declining is `refusing` where that is allowed."""
    approve, edit = allowed.get("approve") or allowed.get("edit"), allowed.get("edit")
    decline = allowed.get(refusing) or allowed.get("reject") or allowed.get("respond")
    if not approve:
        if "respond" not in allowed:
            raise invalid_input(f"The tool {call.tool} may be neither approved nor answered. Ask about it with `relay.ask`.")
        return InWords(call.id, ask_for_words(call), respond)

    def answer(decision: ToolDecision) -> Any:
        chosen = {"approve": approve, "edit": edit, "decline": decline}[decision.action]
        if not chosen:
            raise invalid_input(f"The expert has declined {call.tool}, which its configuration does not allow: change it.")
        return chosen(decision)

    return InForm(call, answer)


def _read_response_schema(schema: Members) -> tuple[Sequence[str], Mapping[str, Any] | None]:
    """The decisions that the middleware allows for a call, and the schema of its arguments: for programs it has them only here."""
    mapping = object_of(object_of(schema.get("discriminator")).get("mapping"))
    one = object_of(object_of(schema.get("properties")).get("type")).get("const")
    definitions = object_of(schema.get("$defs"))
    edited = object_of(object_of(definitions.get("EditedAction")).get("properties"))
    arguments = object_of(edited.get("args"))
    name = str(arguments.get("$ref", "")).removeprefix("#/$defs/")
    return list(mapping) or list_in([one] if one else []), definitions.get(name, arguments) or None
