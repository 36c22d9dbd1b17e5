"""What type checkers know: mypy and pyright read this file, besides that it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_type_hints

from conftest import Tenant
from pydantic import BaseModel
from typing_extensions import assert_type

from expert_relay import (
    Accept,
    Accepted,
    AsyncConversation,
    AsyncRelay,
    Conversation,
    ConversationState,
    Decision,
    Declined,
    FileStore,
)


class Plan(BaseModel):
    region: Literal["eu", "us"]


class Count(BaseModel):
    count: int


def region_of(decision: Decision[Plan]) -> str:
    if decision.action == "accept":
        assert_type(decision, Accepted[Plan])
        return assert_type(decision.content, Plan).region
    assert_type(decision, Declined)
    assert_type(decision.content, None)
    return decision.comment


def test_the_content_is_that_of_the_form_of_the_question(tenant: Tenant) -> None:
    conversation = assert_type(tenant.relay().ask("Where?", form=Plan), Conversation[Plan])
    tenant.expert().request(conversation.request_id).answer("", decision=Accept({"region": "eu"}))
    assert region_of(assert_type(conversation.wait_for_decision(60), Decision[Plan])) == "eu"


def test_the_content_of_a_later_form_is_that_of_the_form_that_is_named(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("Where?", form=Plan)
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    conversation.send("How many?", form=Count)
    request.refresh()
    request.receive()
    request.answer("", decision=Accept({"count": 3}))
    decision = assert_type(conversation.wait_for_decision(60, form=Count), Decision[Count])
    assert decision.action == "accept"
    assert assert_type(decision.content, Count).count == 3


def test_after_a_restart_the_form_is_named_again(tenant: Tenant, tmp_path: Path) -> None:
    relay = tenant.relay(store=FileStore(tmp_path))
    asked = relay.ask("Where?", form=Plan, once="where")
    tenant.expert().request(asked.request_id).answer("", decision=Accept({"region": "eu"}))
    resumed = assert_type(tenant.relay().resume(asked.export()), Conversation[dict[str, Any]])
    assert region_of(assert_type(resumed.wait_for_decision(60, form=Plan), Decision[Plan])) == "eu"
    without = assert_type(tenant.relay().resume(asked.export()).wait_for_decision(60), Decision[dict[str, Any]])
    assert without.content == {"region": "eu"}
    again = assert_type(tenant.relay(store=FileStore(tmp_path)).ask("Where?", form=Plan, once="where"), Conversation[Plan])
    assert region_of(again.wait_for_decision(60)) == "eu"


def test_a_form_as_a_dict_and_a_client_of_asyncio(tenant: Tenant) -> None:
    form = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}

    async def ask(client: AsyncRelay) -> None:
        conversation = assert_type(await client.ask("How many?", form=form), AsyncConversation[dict[str, Any]])
        await conversation.close()
        assert_type(await client.ask("Where?", form=Plan), AsyncConversation[Plan])
        assert_type(await client.ask("Why?"), AsyncConversation[dict[str, Any]])

    tenant.relay().run(ask)


def test_a_program_can_read_the_types_of_a_saved_conversation() -> None:
    assert ConversationState.__required_keys__ == {"version", "id"}
    hints = get_type_hints(ConversationState)
    assert hints["version"] == Literal[2]
    assert hints["once"].__required_keys__ == {"name", "digest"}
