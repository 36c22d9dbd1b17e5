"""How old an accept may be whenever it is returned."""

from __future__ import annotations

import time
from typing import Any

import pytest
from conftest import Tenant
from processes import approval, code_of, messages_of

from expert_relay import Accept, Decline, RelayError


@pytest.mark.parametrize(
    ("offset", "valid_for", "told"),
    [
        (-3600, 60, "decision_too_old"),
        (-3600, 7200, "accept"),
        (-3600, None, "accept"),
        (3600, 60, "decision_too_old"),
        (60, 60, "accept"),
    ],
)
def test_how_old_an_accept_may_be(
    tenant: Tenant, offset: float, valid_for: float | None, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime as dates

    from expert_relay._expert import write_decision

    class Shifted(dates.datetime):
        @classmethod
        def now(cls, tz: dates.tzinfo | None = None) -> Any:
            return dates.datetime.now(tz) + dates.timedelta(seconds=offset)

    monkeypatch.setattr(write_decision, "datetime", Shifted)
    state = tenant.relay().ask("May I?", form=approval).export()
    assert abs(state["thread"]["sealedAt"] - time.time() * 1_000) < 60_000
    # An accept is as new as the question that it has seen: this one was asked long ago.
    state["thread"]["sealedAt"] -= 36_000_000
    conversation = tenant.relay().resume(state)
    request = tenant.expert().request(conversation.request_id)
    request.answer("", decision=Accept())
    for _ in range(2 if told == "accept" else 1):
        try:
            assert conversation.wait_for_decision(60, valid_for=valid_for).action == told
        except RelayError as error:
            assert error.code == told
    if told == "accept":
        return
    # It is reported once, and a newer one counts. A decline is never too old.
    assert code_of(lambda: conversation.wait_for_decision(1, valid_for=valid_for)) == "timeout"
    request.answer("No.", decision=Decline(), even_if_newer=True)
    assert conversation.wait_for_decision(60, valid_for=valid_for).action == "decline"


@pytest.mark.parametrize("is_asked_long_ago", [False, True])
def test_an_answer_is_as_young_as_what_it_has_seen(
    tenant: Tenant, is_asked_long_ago: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the expert's device is late."""
    import datetime as dates

    from expert_relay._expert import write_decision

    class Late(dates.datetime):
        @classmethod
        def now(cls, tz: dates.tzinfo | None = None) -> Any:
            return dates.datetime.now(tz) - dates.timedelta(seconds=3600)

    monkeypatch.setattr(write_decision, "datetime", Late)
    conversation = tenant.relay().ask("May I?", form=approval)
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    if is_asked_long_ago:
        state = conversation.export()
        state["thread"]["sealedAt"] -= 36_000_000
        conversation = tenant.relay().resume(state)
        conversation.send("It is about test.")
        request.refresh()
        messages_of(request, 1)
    request.answer("", decision=Accept())
    assert conversation.wait_for_decision(60, valid_for=600).action == "accept"
    assert code_of(lambda: conversation.wait_for_decision(0.5, valid_for=0.001)) == "decision_too_old"
    assert code_of(lambda: conversation.wait_for_decision(valid_for=0)) == "invalid_input"
