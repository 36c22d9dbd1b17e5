"""JSON as the TypeScript SDK writes it."""

from __future__ import annotations

import json
import random
import struct
from typing import Any

import pytest
from conftest import Tenant

from expert_relay._json_text import NOT_JSON, parse_json, write_json


def random_doubles(count: int) -> list[float]:
    chance = random.Random(4711)
    doubles = (struct.unpack("d", chance.randbytes(8))[0] for _ in range(count))
    short = (chance.randrange(10 ** chance.randrange(1, 18)) * 10.0 ** chance.randrange(-12, 6) for _ in range(count))
    return [one for one in (*doubles, *short) if one == one and abs(one) != float("inf")]


@pytest.mark.parametrize(
    "value",
    [
        [0.0, -0.0, 1.0, -1.0, 100.0, 2.5, 0.1, -12345.678, 1e-5, 1e-6, 1e-7, 0.000001234, 123e-20, 5e-324],
        [1e15, 1e16, 123456789012345680000.0, 1e20, 1e21, 1.25e21, 1e22, 1e23, 1.5e300, 1.7976931348623157e308],
        [0, -7, 2**53 - 1, 2**53, 10**16, 10**20, 10**21, 10**22, 2.0**60, True, None],
        random_doubles(2_000),
        {"1.0": "1.0e-07", 'a"1.50': ['\\"', 1.0, "\\", 2.0, "\n\u2028\x7f\x1f"]},
        ["half \ud83d", {"\udc00": "\ud83d\ude00"[1:]}, "😀"],
    ],
    ids=["small", "large", "integers", "any", "texts", "halves of characters"],
)
def test_is_written_as_in_javascript(tenant: Tenant, value: Any) -> None:
    written = write_json(value)
    assert written == tenant.remote.call("rewriteJson", json.dumps(value))
    written.encode("utf-8")
    assert parse_json(written) == value


@pytest.mark.parametrize("number", [2**53 + 1, 2**60, -(10**17) - 1, 10**400])
def test_an_integer_that_javascript_would_change_stays(number: int) -> None:
    assert write_json([number]) == f"[{number}]"


def test_other_json_is_none() -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json(float("nan"))
    assert parse_json("[NaN]") is NOT_JSON
