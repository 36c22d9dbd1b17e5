"""Answers a request at once. After a refusal it does what that says: it reads, and answers again."""

from __future__ import annotations

import base64
import json
import sys

from expert_relay import Accept, Expert, RelayError

ref_code, root, content = sys.argv[1], base64.b64decode(sys.argv[2]), json.loads(sys.argv[3])
with Expert.from_env(root=root) as expert:
    request = expert.request(ref_code)
    decision = None if content is None else Accept(content)
    try:
        request.answer("Because.", decision=decision)
    except RelayError as error:
        if error.code not in ("newer_message", "invalid_input"):
            raise
        print(error, file=sys.stderr)
        request.discard()
        request.receive()
        request.answer("Because.", decision=decision)
