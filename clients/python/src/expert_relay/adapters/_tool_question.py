"""A tool call as a question to an expert: docs/frameworks.md has the form, docs/adapters.json the cases."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

from .._errors import RelayError
from .._forms.content import Content
from .._forms.to_form import to_form
from .._json_text import (
    as_javascript,
    is_double,
    is_list,
    is_object,
    is_same_decimal,
    object_of,
)

# More could not be read before it is approved.
_most_characters = 60_000


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool that a model wants to make.

    >>> call = ToolCall("call-1", "delete_rows", {"table": "logs", "before": "2026-01-01"})
    """

    id: str
    """Unique in the run."""
    tool: str
    arguments: Mapping[str, Any]
    schema: Mapping[str, Any] | None = None
    """JSON Schema of the arguments, if it is known."""
    description: str = ""
    """What the program says about the call. The expert is shown it before the question."""
    can_edit: bool = True
    """Whether the tool can run with other arguments."""


@dataclass(frozen=True)
class ArgumentsForm:
    """The form in which an expert approves a call, and may change its arguments."""

    form: dict[str, Any]
    read: Callable[[Content], Any]
    """The arguments in an answer. None for a text that is not JSON."""


def describe_call(call: ToolCall, agent: str, form: ArgumentsForm) -> str:
    """The question, in Markdown. Raises `invalid_input` for a call that cannot be shown in full."""
    text = "\n\n".join(
        [
            f"May {_in_line(agent)} run {_name(call)}?",
            _block(show_json(call.arguments)),
            "It runs with the arguments as you leave them below. The agent gets your comment only if you decline."
            if form.form["properties"]
            else "The agent gets your comment only if you decline.",
        ]
    )
    if len(text) > _most_characters:
        raise RelayError(
            "invalid_input",
            f"The call of {_in_line(call.tool)} is too long to be shown to an expert in full. Nothing was asked. Let the model make a "
            "shorter call.",
        )
    return text


def ask_for_words(call: ToolCall) -> str:
    """The question about a call that the expert answers in place of the tool."""
    question = f"The agent calls {_name(call)}. Its result is what you answer:"
    return "\n\n".join([question, _block(show_json(call.arguments)), *([call.description] if call.description else [])])


def form_for(call: ToolCall) -> ArgumentsForm:
    """The fields of the arguments where a form can have them, else their JSON in one field. Arguments that do not fit into a form
    either can be approved or declined."""
    approval = ArgumentsForm({"type": "object", "properties": {}}, lambda _: call.arguments)
    if not call.can_edit or not call.arguments or not _is_json(call.arguments):
        return approval
    described = {
        "type": "string",
        "title": "Arguments",
        "description": "As JSON.",
        "default": show_json(call.arguments),
    }
    as_json = {"type": "object", "properties": {"arguments": described}, "required": ["arguments"]}
    fields = ArgumentsForm(_fields_of(call) or {}, lambda content: content)
    text = ArgumentsForm(as_json, lambda content: _read_edited(content["arguments"]))
    for one in (fields, text):
        try:
            return ArgumentsForm(to_form(one.form), one.read)
        except RelayError as error:
            if error.reason != "invalid_form":
                raise
    return approval


def parse_arguments(text: str) -> Any:
    """None when this is not JSON that every program reads in the same way: when it has two members of one name, or a fraction that
    is read as another number. Integers are those of Python, so that large ones stay as they are."""
    try:
        return json.loads(text, parse_float=_exact_float, parse_constant=_refuse, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return None


def _exact_float(text: str) -> float:
    value = float(text)
    return value if is_same_decimal(text, repr(value)) else _refuse(text)


def _distinct(members: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(members)
    return names if len(names) == len(members) else _refuse("A name that is there twice")


def _read_edited(text: str) -> Any:
    value = parse_arguments(text)
    return value if _is_json(value) else None


def _names_prototype(text: str) -> bool:
    """The name has a meaning in JavaScript, where the tool may run. In a text, the quotation marks would be escaped."""
    return '"__proto__":' in text


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"{what} is not JSON")


_field_members = {
    *("type", "title", "description", "enum", "oneOf", "items"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
}


def _fields_of(call: ToolCall) -> dict[str, Any] | None:
    """A form from the schema of the tool, filled in with the arguments. None if a control would not keep them as they are."""
    schema = call.schema or {}
    properties = schema.get("properties")
    if not is_object(properties) or not set(call.arguments) <= set(properties):
        return None
    if not all(_fits_control(properties[name], value) for name, value in call.arguments.items()):
        return None
    fields: dict[str, Any] = {}
    for name, field in properties.items():
        if not is_object(field):
            return None
        # A default of the schema would be an argument that the model has not given.
        fields[name] = {member: value for member, value in field.items() if member in _field_members}
        if name in call.arguments:
            fields[name]["default"] = call.arguments[name]
    required = [name for name in schema.get("required", ()) if name in fields]
    return {"type": "object", "properties": fields, "required": required}


def _fits_control(field: object, value: object) -> bool:
    """An empty control is sent as absent, one of a line has no line breaks, hidden characters would be lost at the first change, and
    a number is that of JavaScript."""
    if isinstance(value, str):
        is_line = object_of(field).get("maxLength") is not None
        is_kept = value == value.strip() != "" and not (is_line and "\n" in value)
        return is_kept and not any(_is_hidden(one) for one in value if one not in "\n\t")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return is_double(value)
    return len(value) > 0 if is_list(value) else value is not None


def is_same(one: object, other: object) -> bool:
    """Equal as JSON: 1.0 is 1, but true is not."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(is_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _is_json(value: object) -> bool:
    """Whether JSON keeps the value as it is."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return not _names_prototype(text) and is_same(json.loads(text), value)
    except (TypeError, ValueError, RecursionError):
        return False


def _name(call: ToolCall) -> str:
    """The tool and what says most about the call, since lists show no more of a question."""
    about = telling_argument(call.arguments)
    return f"`{_in_line(call.tool)}`" + (f" with {about}" if about else "")


def telling_argument(arguments: object) -> str:
    """As code in one line: the command or the file, else the first text, else the first number. Empty where there is none."""
    if isinstance(arguments, str):
        return _shorten(arguments)
    given = object_of(arguments)
    values = [given.get("command"), given.get("file_path"), *given.values()]
    texts = (one for one in values if isinstance(one, str))
    numbers = (show_json(one) for one in values if _is_finite(one))
    told = next(chain(texts, numbers), None)
    return "" if told is None else _shorten(told)


def _is_finite(value: object) -> bool:
    """`math.isfinite` raises for an integer that no float can have."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < math.inf


# Of the telling argument.
_most_shown = 100


def _shorten(text: str) -> str:
    """Its first line, with an ellipsis where more follows than white space."""
    trimmed = text.strip(" \t\r\n")
    shown = re.split(r"\r?\n", trimmed, maxsplit=1)[0][:_most_shown]
    return _code(f"{shown}…" if len(shown) < len(trimmed) else shown)


def _code(text: str) -> str:
    """One that does not look like itself in a line is written as JSON."""
    is_hidden = any(hidden for _, hidden in _characters(text))
    is_itself = text and not re.search(r'^[ "]| \Z|`|  |\n', text) and not is_hidden
    line = text if is_itself else show_json(text)
    fence = _fence(line, 1)
    return f"{fence}{line}{fence}"


def show_json(value: object) -> str:
    """JSON in which every character can be seen: those that hide, move or resemble others are written as escapes."""
    text = as_javascript(json.dumps(value, indent=2, ensure_ascii=False, default=repr), keeps_integers=True)
    shown = (json.dumps(one)[1:-1] if hidden and one != "\n" else one for one, hidden in _characters(text))
    return "".join(shown)


def _characters(text: str) -> Iterator[tuple[str, bool]]:
    """Each, and whether it is hidden, or a mark beyond those of any living language."""
    marks = 0
    for one in text:
        marks = marks + 1 if unicodedata.category(one)[0] == "M" else 0
        yield one, _is_hidden(one) or marks > _most_marks


# No letter of a living language has more.
_most_marks = 8
# Default_Ignorable_Code_Point of Unicode, without those of the categories below, and the blank Braille pattern.
_ignorable = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def _is_hidden(one: str) -> bool:
    """Whether a character cannot be seen, or is a space other than the usual one. A DEL is not escaped by JSON."""
    if one == " ":
        return False
    return unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs") or bool(_ignorable.match(one))


def _block(json: str) -> str:
    fence = _fence(json, 3)
    return f"{fence}json\n{json}\n{fence}"


def _fence(text: str, least: int) -> str:
    """Longer than any in the text, so that the text cannot end it."""
    return "`" * max(least, *(len(run) + 1 for run in re.findall("`+", text) or [""]))


def _in_line(text: str) -> str:
    """A name within a line of Markdown."""
    line = re.sub(r"[`\s]+", " ", text).strip()
    return "".join(f"<U+{ord(one):04X}>" if _is_hidden(one) else one for one in line)
