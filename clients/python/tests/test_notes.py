"""Parts that do not matter to a decision."""

from __future__ import annotations

import pytest
from conftest import Tenant

from expert_relay import Accept, ExpertRequest, RelayError
from expert_relay._crypto.frame import Part
from expert_relay._thread.message import ReadMessage
from expert_relay._thread.parts_to_send import make_parts

form = {"type": "object", "properties": {}}
accepts = '{"action":"accept","content":{},"decidedAt":"2026-11-28T12:00:00Z"}'


def send(request: ExpertRequest, text: str, kind: int, answer: str | None = None) -> None:
    """As an expert's client of a later version does."""
    inner = request._async  # pyright: ignore[reportPrivateUsage]
    of = inner.form.of if inner.form and answer else None
    parts = (*make_parts(answer_of=of, answer=answer), Part(kind, b"x"))
    sender = inner._sender  # pyright: ignore[reportPrivateUsage]
    request._portal.run(lambda: sender.send(text, parts=parts))  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(("kind", "counts"), [(4, False), (63, False), (64, True), (199, True), (255, True)])
def test_an_answer_beside_one(tenant: Tenant, kind: int, counts: bool) -> None:
    conversation = tenant.relay().ask("May I?", form=form)
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    send(request, "Only this once.", kind, accepts)
    request.refresh()
    assert request.decision == ("accepted" if counts else "open")
    if counts:
        decision = conversation.wait_for_decision(60)
        assert (decision.action, decision.comment, decision.has_unknown_part) == ("accept", "Only this once.", True)
    else:
        conversation.refresh()
        with pytest.raises(RelayError, match="No answer"):
            conversation.wait_for_decision(0.5)


@pytest.mark.parametrize(("kind", "is_answer"), [(4, True), (64, False)])
def test_alone_a_note_is_no_answer(tenant: Tenant, kind: int, is_answer: bool) -> None:
    conversation = tenant.relay().ask("May I?")
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    send(request, "", kind)
    request.answer("Yes.")
    assert conversation.wait_for_answer(60).text == ("" if is_answer else "Yes.")
    other = conversation.wait_for_answer(60, include_early=True)
    assert (other.text, other.is_note) == (("Yes.", False) if is_answer else ("", True))
    assert [one.is_note for one in conversation.messages()] == [not is_answer, False]


def test_alone_a_note_is_no_reply(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("May I?", form=form)
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    send(request, "", 64)
    request.answer("Well.")
    request.answer("", decision=Accept())
    replies: list[str] = []
    assert conversation.wait_for_decision(60, on_reply=lambda reply: replies.append(reply.text)).action == "accept"
    assert replies == ["Well."]
    assert conversation.wait_for_answer(60, include_early=True).is_note


@pytest.mark.parametrize(("parts", "is_note"), [((), False), ((Part(64, b""),), True)])
def test_an_empty_message_is_no_note(parts: tuple[Part, ...], is_note: bool) -> None:
    """Only a client of another make sends one."""
    assert ReadMessage("provider", "m", "", "sequenced", parts=parts).is_note is is_note
