"""Approves what a rule allows, end-to-end encrypted, and leaves everything else to a person. Run it with RELAY_URL and a provider key as
RELAY_API_KEY."""

from __future__ import annotations

import re
import secrets
import sys

from expert_relay import Accept, Decline, Expert, ExpertRequest, FileStore, RelayError, is_approval


def may_approve(request: ExpertRequest) -> bool:
    """The rule. It compares all that was asked: a part that looks harmless says nothing about the rest."""
    form = request.form.form if request.form else None
    is_asked = form is not None and is_approval(form) and request.decision in ("open", "reopened")
    # A person looks at files, and reads what is confidential.
    is_all = request.encrypted and not request.context and not request.missing_parts and not request.received
    return is_asked and is_all and re.fullmatch(r"Restart [a-z-]{1,40} in staging\?", request.question) is not None


def is_for_bot(request: ExpertRequest) -> bool:
    # What is not picked up, a person picks up with other keys.
    if may_approve(request) and not request.is_picked_up and request.response_count == 0:
        return True
    print(f"{request.ref_code} is left to a person.", flush=True)
    return False


store = FileStore(sys.argv[1] if len(sys.argv) > 1 else ".relay/approval-bot")
root = bytes.fromhex(store.remember("root", secrets.token_hex(32)))
with Expert.from_env(root=root, store=store) as expert:
    print(f"I am {expert.fingerprint}. Waiting for approvals; Ctrl-C ends.", flush=True)
    for request in expert.requests(filter=is_for_bot):
        form = request.form
        assert form
        try:
            if may_approve(request):
                request.answer("Approved by a rule: staging may be restarted.", decision=Accept(of=form.of))
                print(f"{request.ref_code} is approved.", flush=True)
            else:
                # The agent has written at the same time as the approval, which therefore does not count.
                comment = "A rule read only the question, and you have written more. Ask again."
                request.answer(comment, decision=Decline(of=form.of))
                print(f"{request.ref_code} is declined.", flush=True)
        except RelayError as error:
            # An error in one request must not stop the others.
            print(f"{request.ref_code} is not approved. {error}", flush=True)
