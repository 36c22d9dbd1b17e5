"""Asks as its argument says, prints the reference code, and in the end what the agent got."""

from __future__ import annotations

import json
import sys

from expert_relay import File, Relay, RelayError

asked = json.loads(sys.argv[1])
asked["files"] = [File(name, text.encode(), "text/plain") for name, text in asked["files"]]
form = asked.get("form")
with Relay.from_env() as relay:
    conversation = relay.ask(asked.pop("question"), **asked)
    print(conversation.ref_code, file=sys.stderr, flush=True)
    try:
        got = conversation.wait_for_decision(60).content if form else conversation.wait_for_answer(60).text
    except RelayError as error:
        got = error.code
    print(json.dumps(got))
