"""The data that the tests of all languages share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

root = Path(os.environ.get("RELAY_REPOSITORY") or Path(__file__).parents[3])


def read(path: str) -> Any:
    return json.loads((root / path).read_text(encoding="utf-8"))
