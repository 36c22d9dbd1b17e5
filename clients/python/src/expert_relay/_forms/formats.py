"""The formats of texts, to the character: docs/forms.md."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

_label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_email = re.compile(
    rf"(?!\.|.*\.[.@])[a-z0-9_.!#$%&'*+/=?^`{{|}}~-]{{1,64}}@(?:{_label}\.)+{_label}", re.IGNORECASE | re.ASCII
)
_uri = re.compile(
    r"[a-z][a-z0-9+.-]*:[-a-z0-9_.~:/?@!$&'()*+,;=\[\]%]+(?:#[-a-z0-9_.~:/?@!$&'()*+,;=%]*)?", re.IGNORECASE | re.ASCII
)
_wrong_escape = re.compile("%(?![0-9a-f]{2})", re.IGNORECASE | re.ASCII)
_date = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_date_time = re.compile(
    r"(.{10})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)


def is_email(text: str) -> bool:
    return len(text) <= 254 and _email.fullmatch(text) is not None


def is_uri(text: str) -> bool:
    return _uri.fullmatch(text) is not None and _wrong_escape.search(text) is None


def is_date(text: str) -> bool:
    parts = _date.fullmatch(text)
    if not parts:
        return False
    year, month, day = (int(part) for part in parts.groups())
    try:
        # The Gregorian calendar repeats every 400 years, and Python has no year 0.
        date(year or 400, month, day)
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    parts = _date_time.fullmatch(text)
    return parts is not None and is_date(parts[1])


FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "email": (is_email, "Give an email address, such as ada@example.com."),
    "uri": (is_uri, "Give an address, such as https://example.com."),
    "date": (is_date, "Give a date, such as 2026-11-23."),
    "date-time": (
        is_date_time,
        "Give a date and time with seconds and offset, such as 2026-11-23T16:01:00Z.",
    ),
}
"""Each format with its check, and with the sentence for a text that is not of the format."""
