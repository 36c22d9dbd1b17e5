"""The codes and reasons of errors are those of the TypeScript SDK."""

from __future__ import annotations

import re
import traceback
from typing import get_args

import httpx
import pytest
from data import root

from expert_relay import RelayError, RelayErrorCode
from expert_relay._errors import code_of_reason
from expert_relay._transport.problem import problem_error

rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", (root / "docs/sdk-errors.md").read_text("utf-8"), re.MULTILINE)


def test_the_table() -> None:
    assert sorted(code for code, _ in rows) == sorted(get_args(RelayErrorCode))
    assert {reason: code for code, reasons in rows for reason in re.findall(r"`(\w+)`", reasons)} == code_of_reason


@pytest.mark.parametrize(
    ("status", "problem", "code", "reason"),
    [
        (409, "conversation_full", "conflict", "conversation_full"),
        (409, "conversation_closed", "closed", None),
        (429, "too_many_at_once", "unavailable", "rate_limited"),
        (503, "unavailable", "unavailable", "unreachable"),
        (409, "keys_changed", "conflict", None),
    ],
)
def test_what_the_relay_says(status: int, problem: str, code: str, reason: str | None) -> None:
    error = problem_error(httpx.Response(status), {"error": problem})
    assert (error.code, error.reason) == (code, reason)


def test_the_code_of_a_reason() -> None:
    error = RelayError("keys_changed", "They have.")
    assert (error.code, error.reason) == ("untrusted", "keys_changed")


def test_a_traceback_names_the_module_that_programs_import_it_from() -> None:
    (last,) = traceback.format_exception_only(RelayError("timeout", "No answer yet."))
    assert last.startswith("expert_relay.RelayError: ")
