"""The error for a response with an error status."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import groupby
from typing import cast

import httpx

from .._errors import RelayError, RelayErrorName, code_of_reason
from .._json_text import Members, is_list, is_object, object_of, text_of

_by_status: dict[int, RelayErrorName] = {
    400: "invalid_input",
    401: "invalid_key",
    403: "invalid_key",
    404: "not_found",
    408: "unreachable",
    409: "conflict",
    412: "conflict",
    413: "too_large",
    415: "invalid_input",
    422: "conflict",
    428: "conflict",
    429: "rate_limited",
}
_ends: dict[str | None, RelayErrorName] = {"conversation_closed": "closed", "conversation_expired": "expired"}


def problem_error(response: httpx.Response, body: object) -> RelayError:
    problem = object_of(body)
    status = response.status_code
    name = _name_of(status, text_of(problem.get("error")))
    quoted = _quotable(problem)
    why = f'The relay says: "{quoted}"' if quoted else "The relay did not say why: ask its operator."
    return RelayError(
        name, f"{why} (HTTP {status})", status=status, retry_after=_retry_after(response.headers)
    )


def _name_of(status: int, problem: str | None) -> RelayErrorName:
    """The relay's own name of an error counts only as a reason of what its status says."""
    if problem in _ends:
        return _ends[problem]
    name = _by_status.get(status, "unreachable" if status >= 500 else "unexpected_answer")
    return cast(RelayErrorName, problem) if code_of_reason.get(problem or "") == name else name


def _quotable(body: Members) -> str:
    """It is quoted on one line, without control characters: a terminal or a model may read it."""
    fields = body.get("fields")
    listed = [one for one in fields if is_object(one)] if is_list(fields) else []
    title = text_of(body.get("title"))
    texts = [title and f"{title}.", text_of(body.get("detail"))]
    for one in listed:
        path, message = text_of(one.get("path")), text_of(one.get("message"))
        texts.append(f"{path}: {message}" if path is not None and message is not None else None)
    joined = " ".join(text for text in texts if text)
    is_gap = [one == '"' or unicodedata.category(one)[0] in "CZ" for one in joined]
    groups = groupby(zip(joined, is_gap, strict=True), key=lambda pair: pair[1])
    shown = "".join(" " if gap else "".join(one for one, _ in group) for gap, group in groups)
    return shown[:500].strip()


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds, or a date that is compared with the relay's own clock, since ours may be wrong."""
    text = headers.get("retry-after", "")
    if text.isascii() and text.isdigit() and len(text) <= 6:
        return float(text)
    then, now = _date(text), _date(headers.get("date", ""))
    return max(0.0, (then - now).total_seconds()) if then and now else None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return date if date.tzinfo else None
