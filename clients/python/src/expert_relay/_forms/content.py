"""What an expert has filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._json_text import is_integer, is_list, is_number, is_object, is_text, write_json
from .formats import FORMATS

Form = Mapping[str, Any]
"""A flat JSON Schema object, as MCP has it for elicitation. One without properties asks for an approval: docs/forms.md."""
Content = dict[str, Any]
"""What an expert has filled in. Fields that were left empty are absent."""


@dataclass(frozen=True)
class ContentProblem:
    """Something that a person must change in a field."""

    name: str
    """The field's name; empty where the content as a whole is wrong."""
    message: str


@dataclass(frozen=True)
class FieldOption:
    """One option of a choice."""

    value: str
    title: str
    """What people read: the value itself, if the form gives no title."""


def is_approval(form: Form) -> bool:
    """Whether a form has no fields: the expert approves or declines.

    >>> is_approval({"type": "object", "properties": {}})
    True
    """
    return not form["properties"]


def options_of(field: Mapping[str, Any]) -> list[FieldOption]:
    """The options of a choice, in their order. Other fields have none."""
    choice: Mapping[str, Any] = field["items"] if field["type"] == "array" else field
    if "enum" in choice:
        return [FieldOption(value, value) for value in choice["enum"]]
    titled: list[Mapping[str, Any]] = choice.get("oneOf") or choice.get("anyOf") or []
    return [FieldOption(one["const"], one["title"]) for one in titled]


def check_content(form: Form, content: object) -> list[ContentProblem]:
    """What is wrong with a content, one problem for each field: a content without problems is valid."""
    if not is_object(content):
        return [ContentProblem("", "Give an object with the fields.")]
    problems: list[ContentProblem] = []
    for name, field in form["properties"].items():
        problem = problem_of(field, content[name]) if name in content else None
        if name not in content and name in form.get("required", ()):
            problem = "This is required."
        if problem:
            problems.append(ContentProblem(name, problem))
    extra = next((name for name in content if name not in form["properties"]), None)
    if extra is not None:
        problems.append(ContentProblem(extra, "The form has no such field."))
    return problems


def problem_of(field: Mapping[str, Any], value: Any) -> str | None:
    """None when the value is valid."""
    match field["type"]:
        case "boolean":
            return None if isinstance(value, bool) else "Choose yes or no."
        case "number":
            if not is_number(value):
                return "Give a number."
            return _outside(value, field.get("minimum"), field.get("maximum"))
        case "integer":
            if not is_integer(value):
                return "Give a whole number."
            return _outside(value, field.get("minimum"), field.get("maximum"))
        case "array":
            values = [option.value for option in options_of(field)]
            if not is_list(value) or not all(is_text(one) and one in values for one in value):
                return "Choose from the options, each at most once."
            if len(set(value)) < len(value):
                return "Choose from the options, each at most once."
            return _outside(len(value), field.get("minItems"), field.get("maxItems"), "option")
        case _:
            return _problem_of_text(field, value)


def _problem_of_text(field: Mapping[str, Any], value: object) -> str | None:
    if "enum" in field or "oneOf" in field:
        is_option = any(option.value == value for option in options_of(field))
        return None if is_option else "Choose one of the options."
    if not is_text(value):
        return "Give a text."
    if "format" in field:
        matches, expected = FORMATS[field["format"]]
        if not matches(value):
            return expected
    return _outside(len(value), field.get("minLength"), field.get("maxLength"), "character")


def _outside(amount: float, least: float | None, most: float | None, noun: str = "") -> str | None:
    def counted(limit: float) -> str:
        number = write_json(limit)
        return f"{number} {noun}{'' if limit == 1 else 's'}" if noun else number

    if least is not None and amount < least:
        return f"At least {counted(least)}."
    if most is not None and amount > most:
        return f"At most {counted(most)}."
    return None


def describe_content(form: Form, content: Content) -> list[tuple[str, str]]:
    """What was filled in, as labels and values, in words and in the order of the form. The words are those of the agent and the
    expert: show them as any other foreign text."""
    return [
        (field.get("title", name), _in_words(field, content[name]))
        for name, field in form["properties"].items()
        if name in content
    ]


def _quoted(option: str) -> str:
    """One option of several: one that has a comma must not look like two, and one that is called "none" not like no option."""
    return write_json(option) if re.search(r'[",\n]|^none\Z', option) else option


def _in_words(field: Mapping[str, Any], value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    titles = {option.value: option.title for option in options_of(field)}
    if is_list(value):
        return ", ".join(_quoted(titles.get(one, str(one))) for one in value) or "none"
    return titles.get(value, value) if is_text(value) else write_json(value)
