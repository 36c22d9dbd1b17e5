"""Which forms are valid: docs/forms.md."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .._errors import RelayError
from .._json_text import (
    NOT_JSON,
    Members,
    is_integer,
    is_list,
    is_number,
    is_object,
    is_text,
    parse_json,
    write_json,
)
from .content import Form, problem_of
from .formats import FORMATS

_max_bytes = 8_192
_max_fields = 20
_max_options = 50
_name = re.compile("(?!(?:constructor|prototype)$)[A-Za-z][A-Za-z0-9_]{0,63}")
WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

# Returns the member, without what is not part of a form, or raises. `None` leaves the member out.
Check = Callable[[Any, str], Any]


def invalid_form(path: str, sentence: str) -> RelayError:
    return RelayError("invalid_form", f"{path or 'form'}: {sentence}")


def _refuse(path: str, sentence: str) -> NoReturn:
    raise invalid_form(path, sentence)


def member_path(path: str, name: str | int) -> str:
    """The path of a member. Names of foreign forms may contain anything: each UTF-16 unit counts for itself."""
    shown = re.sub("[^A-Za-z0-9_$-]", lambda one: "??" if one[0] > "\uffff" else "?", str(name)[:64])[:64]
    return f"{path}.{shown}" if path else shown


def fits(text: str, most: int) -> bool:
    """Whether a text has at most so many bytes in UTF-8."""
    return len(text) <= most and len(text.encode("utf-8", "surrogatepass")) <= most


def parse_form(json: str) -> dict[str, Any]:
    """Reads a form from JSON text. Its error, `invalid_form`, names the path of the member that is not allowed."""
    if not fits(json, _max_bytes):
        _refuse("", f"This has more than {_max_bytes} bytes.")
    value = parse_json(json)
    if value is NOT_JSON:
        _refuse("", "This is not JSON.")
    return _read_form(value)


def check_form(value: object) -> dict[str, Any]:
    """Checks a value, and returns a copy that has the members of a form alone."""
    form = _read_form(value)
    if not fits(write_json(form), _max_bytes):
        _refuse("", f"This has more than {_max_bytes} bytes.")
    return form


def read_form(json: str) -> dict[str, Any] | None:
    """None when the form cannot be shown: then it can only be declined."""
    try:
        return parse_form(json)
    except RelayError as error:
        if error.reason == "invalid_form":
            return None
        raise


def _read_form(value: object) -> dict[str, Any]:
    def names(value: Any, path: str) -> list[Any]:
        return list(value) if is_list(value) else _refuse(path, "This must be a list.")

    checks = {"$schema": _left_out, "type": _only("object"), "properties": _read_properties, "required": names}
    form = _read_members(value, "", checks)
    _require_members(form, "", "type", "properties")
    required = form.get("required", [])
    for index, name in enumerate(required):
        if not isinstance(name, str) or name not in form["properties"]:
            _refuse(f"required.{index}", "There is no property with this name.")
    _check_distinct(required, lambda index: f"required.{index}")
    return form


def _read_members(value: object, path: str, checks: dict[str, Check]) -> dict[str, Any]:
    if not is_object(value):
        _refuse(path, "This must be an object.")
    copy: dict[str, Any] = {}
    for name, member in value.items():
        at = member_path(path, name)
        if name not in checks:
            _refuse(at, f"This is not allowed in a form. What is allowed here: {', '.join(checks)}.")
        checked = checks[name](member, at)
        if checked is not None:
            copy[name] = checked
    return copy


def _left_out(_value: object, _path: str) -> None:
    return None


def _require_members(members: Members, path: str, *names: str) -> None:
    for name in names:
        if name not in members:
            _refuse(member_path(path, name), "This is missing.")


def _read_properties(value: object, path: str) -> dict[str, Any]:
    if not is_object(value):
        _refuse(path, "This must be an object.")
    if len(value) > _max_fields:
        _refuse(path, f"A form has at most {_max_fields} fields.")
    fields: dict[str, Any] = {}
    for name, field in value.items():
        at = member_path(path, name)
        if not _name.fullmatch(name):
            _refuse(at, "A name has 1 to 64 letters, digits and underscores, and begins with a letter.")
        fields[name] = _read_field(field, at)
    return fields


def _read_field(value: object, path: str) -> dict[str, Any]:
    members = _members_of(value) if is_object(value) else {}
    if members is None:
        _refuse(member_path(path, "type"), "This must be the type of a field: string, number, integer, boolean or array.")
    field = _read_members(value, path, {**_labels, **members})
    _require_members(field, path, "type", *(["items"] if "items" in members else []))
    for least, most in _ranges:
        if least in field and most in field and field[least] > field[most]:
            _refuse(f"{path}.{most}", f"This is less than {least}.")
    if "default" in field:
        problem = problem_of(field, field["default"])
        if problem:
            _refuse(f"{path}.default", problem)
    return field


_ranges = (("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems"))


def _members_of(field: Members) -> dict[str, Check] | None:
    """The members of a field that depend on its type."""
    match field.get("type"):
        case "string":
            if "enum" in field:
                return {"enum": _values}
            if "oneOf" in field:
                return {"oneOf": _titled_options}
            return {"minLength": _size, "maxLength": _size, "format": _only(*FORMATS)}
        case "number":
            return {"minimum": _number, "maximum": _number}
        case "integer":
            return {"minimum": _integer, "maximum": _integer}
        case "boolean":
            return {}
        case "array":
            return {"minItems": _size, "maxItems": _size, "items": _read_items}
        case _:
            return None


def _only(*allowed: str) -> Check:
    def check(value: object, path: str) -> object:
        is_allowed = isinstance(value, str) and value in allowed
        return value if is_allowed else _refuse(path, f"This must be: {', '.join(allowed)}.")

    return check


def _numeric(is_valid: Callable[[object], bool], expected: str) -> Check:
    return lambda value, path: value if is_valid(value) else _refuse(path, f"This must be a {expected}.")


_number = _numeric(is_number, "number")
_integer = _numeric(is_integer, "whole number")
_size = _numeric(lambda value: is_integer(value) and value >= 0, "whole number from 0 on")


def _text(max_length: int, *, may_be_blank: bool) -> Callable[[object, str], str]:
    def check(value: object, path: str) -> str:
        if not is_text(value) or (not may_be_blank and not value.strip(WHITE_SPACE)):
            _refuse(path, "This must be a text that can be read.")
        if len(value) > max_length:
            _refuse(path, f"This has more than {max_length} characters.")
        return value

    return check


def _unchanged(value: object, path: str) -> object:
    if value is None:
        _refuse(path, "This is not allowed in a form.")
    return value


_title = _text(200, may_be_blank=False)
_labels: dict[str, Check] = {
    "type": _unchanged,
    "title": _title,
    "description": _text(1_000, may_be_blank=True),
    "default": _unchanged,
}


def _read_items(value: object, path: str) -> dict[str, Any]:
    if is_object(value) and "anyOf" in value:
        return _read_members(value, path, {"anyOf": _titled_options})
    items = _read_members(value, path, {"type": _only("string"), "enum": _values})
    _require_members(items, path, "type", "enum")
    return items


def _values(value: object, path: str) -> list[str]:
    values = _list(value, path, _title)
    _check_distinct([_as_shown(one) for one in values], lambda index: f"{path}.{index}")
    return values


def _titled_options(value: object, path: str) -> list[dict[str, Any]]:
    def option(one: object, at: str) -> dict[str, Any]:
        members = _read_members(one, at, {"const": _title, "title": _title})
        _require_members(members, at, "const", "title")
        return members

    options = _list(value, path, option)
    _check_distinct([one["const"] for one in options], lambda index: f"{path}.{index}.const")
    _check_distinct([_as_shown(one["title"]) for one in options], lambda index: f"{path}.{index}.title")
    return options


def _as_shown(label: str) -> str:
    """Two options that differ in less cannot be distinguished by the person who chooses."""
    return unicodedata.normalize("NFC", label).strip(WHITE_SPACE)


def _list(value: object, path: str, read: Callable[[Any, str], Any]) -> list[Any]:
    if not is_list(value) or not 1 <= len(value) <= _max_options:
        _refuse(path, f"This must be a list of 1 to {_max_options} options.")
    return [read(one, f"{path}.{index}") for index, one in enumerate(value)]


def _check_distinct(texts: Sequence[str], path_of: Callable[[int], str]) -> None:
    for index, one in enumerate(texts):
        if one in texts[:index]:
            _refuse(path_of(index), "This is there twice.")


def check_labels(form: Form) -> None:
    """Labels with these characters could be shown as something else. Readers replace them, and an agent does not send them."""

    def check(value: object, path: str) -> None:
        if is_object(value):
            for name, member in value.items():
                check(member, f"{path}.{name}")
        elif is_list(value):
            for index, member in enumerate(value):
                check(member, f"{path}.{index}")
        elif any(unicodedata.category(one) == "Cc" or one in "\u202d\u202e" for one in str(value)):
            _refuse(path, "This has a line break, a control character or a direction override.")

    for name, field in form["properties"].items():
        check({key: member for key, member in field.items() if key != "default"}, f"properties.{name}")
