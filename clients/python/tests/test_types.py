"""What type checkers know: mypy and pyright read this file, besides that it runs."""

from __future__ import annotations

from typing import Literal

from conftest import Tenant
from pydantic import BaseModel
from typing_extensions import assert_type

from expert_relay import Accept, Accepted, Decision, Declined


class Plan(BaseModel):
    region: Literal["eu", "us"]


def region_of(decision: Decision[Plan]) -> str:
    if decision.action == "accept":
        assert_type(decision, Accepted[Plan])
        return assert_type(decision.content, Plan).region
    assert_type(decision, Declined)
    assert_type(decision.content, None)
    return decision.comment


def test_a_decision_is_narrowed_by_its_action(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("Where?", form=Plan)
    tenant.expert().request(conversation.request_id).answer("", decision=Accept({"region": "eu"}))
    decision = assert_type(conversation.wait_for_decision(60, form=Plan), Decision[Plan])
    assert region_of(decision) == "eu"
