"""Forms from JSON Schema and from Pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard, runtime_checkable

from .._errors import RelayError
from .._json_text import MAX_SAFE_INTEGER, Members, is_list, is_object, list_in, object_of
from .check_form import check_form, check_labels, invalid_form
from .content import Form, check_content


@runtime_checkable
class Model(Protocol):
    """A class that Pydantic 2 made, or one that has the same two methods."""

    def model_json_schema(self, *, mode: Any = ...) -> dict[str, Any]: ...

    def model_validate(self, obj: Any) -> Any: ...


FormOrModel = Form | type[Any]
"""A form as a dict, or a Pydantic model."""


def is_model(schema: object) -> TypeGuard[Model]:
    return isinstance(schema, type) and isinstance(schema, Model)


def to_form(schema: FormOrModel) -> dict[str, Any]:
    """The form that an agent sends. Its error, `invalid_form`, names the path of what cannot be part of a form."""
    form = check_form(_form_of(schema))
    check_labels(form)
    return form


def _form_of(schema: object) -> object:
    if is_model(schema):
        return _convert(schema)
    if isinstance(schema, type):
        raise invalid_form("", "Give a dict or a Pydantic model.")
    return dict(schema) if isinstance(schema, Mapping) else schema  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _convert(model: Model) -> Members:
    """The JSON Schema of a model as forms have it. What has no place in a form stays, and is refused with its path."""
    root = model.model_json_schema(mode="serialization")
    given = model.model_json_schema(mode="validation")
    definitions: Members = root.get("$defs", {})
    required = [name for name in root.get("required", ())]
    properties: Members = {}
    for name, field in root.get("properties", {}).items():
        if field != given.get("properties", {}).get(name):
            raise invalid_form(
                f"properties.{name}", "The model changes what the expert gives: change it after the answer."
            )
        properties[name] = _convert_field(field, definitions)
        # The program gets what the expert has chosen, so a prefilled field is not left out.
        if "default" in properties[name] and name not in required:
            required.append(name)
    dropped = ("$schema", "$defs", "title", "description", "additionalProperties")
    others = {name: member for name, member in root.items() if name not in dropped}
    in_order = [name for name in properties if name in required]
    return {**others, "properties": properties, "required": in_order}


def _convert_field(field: Members, definitions: Members) -> Members:
    field = _resolved(field, definitions)
    # `X | None` with the default None: an optional field.
    options = field.get("anyOf")
    if is_list(options) and {"type": "null"} in options and field.get("default", 0) is None:
        others = [one for one in options if one != {"type": "null"}]
        if len(others) == 1:
            labels = {name: member for name, member in field.items() if name not in ("anyOf", "default")}
            field = {**_resolved(others[0], definitions), **labels}
    field = _as_choice(field)
    if is_object(field.get("items")):
        field = {**field, "items": _without_labels(_as_choice(_resolved(field["items"], definitions)))}
    field = {name: member for name, member in field.items() if name != "uniqueItems" or member is not True}
    # The pattern of a format says the same as the format.
    if "format" in field:
        field.pop("pattern", None)
    if field.get("type") == "integer":
        for name, limit in (("minimum", -MAX_SAFE_INTEGER), ("maximum", MAX_SAFE_INTEGER)):
            if field.get(name) == limit:
                del field[name]
    return field


def _resolved(field: Members, definitions: Members) -> Members:
    """A field with the definition that it refers to, such as that of an enumeration."""
    reference = field.get("$ref")
    name = reference.removeprefix("#/$defs/") if isinstance(reference, str) else None
    if name is None or not is_object(definitions.get(name)):
        return field
    own = {key: member for key, member in field.items() if key != "$ref"}
    definition = definitions[name]
    if "enum" in definition or "const" in definition:
        # Its description is that of the class, written for programmers.
        definition = {key: member for key, member in definition.items() if key != "description"}
    return {**definition, **own}


def _as_choice(field: Members) -> Members:
    """One possible value is a choice with one option."""
    if "const" not in field:
        return field
    others = {name: member for name, member in field.items() if name != "const"}
    return {"type": "string", **others, "enum": [field["const"]]}


def _without_labels(items: Members) -> Members:
    return {name: member for name, member in items.items() if name not in ("title", "description")}


def read_content(schema: FormOrModel, form: Form, content: object) -> Any:
    """The content of an answer as the program gets it: checked against the form that was sent and, where the form was made of a
    model, as an instance of it. Raises `answer_invalid`."""
    problems = check_content(form, content)
    if problems:
        raise _answer_invalid(problems[0].name, problems[0].message)
    if not is_model(schema):
        return content
    try:
        return schema.model_validate(content)
    except ValueError as error:
        # Pydantic's own error, which is a ValueError, names the fields.
        errors: Any = getattr(error, "errors", None)
        first = object_of(next(iter(errors()), None)) if errors else {}
        path = ".".join(str(one) for one in list_in(first.get("loc")))
        raise _answer_invalid(path, str(first.get("msg", error))) from error


def _answer_invalid(name: str, sentence: str) -> RelayError:
    return RelayError("answer_invalid", f"{name or 'answer'}: {sentence}")
