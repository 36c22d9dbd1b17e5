"""Conversations between this package and the TypeScript SDK, in both directions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from conftest import Tenant
from pydantic import BaseModel, Field
from remote import Remote, RemoteError

from expert_relay import Accept, Decline, File, FileStore, Message, RelayError, is_approval, verify_receipt

# Long enough for a process that is paused.
patience = 60.0


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Runs something beside the caller, and waits for it."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()
    if errors:
        raise errors[0]


def newest(expert: Remote) -> Remote:
    """The newest open request, once there is one."""
    while True:
        listed = expert.call("list", {"status": "pending"})
        if listed:
            return expert.call("request", listed[0]["requestId"])  # type: ignore[no-any-return]


def test_agent_asks_and_sends(tenant: Tenant) -> None:
    expert, relay = tenant.typescript_expert(), tenant.relay(agent_name="deploy bot", expert=tenant.fingerprint)
    context = [{"role": "user", "content": "The deploy hangs. 😀"}]
    conversation = relay.ask("May I remove the lock file?", messages=context)
    request = expert.call("request", conversation.ref_code.lower())
    assert request.call("question") == "May I remove the lock file?"
    assert (request.call("context"), request.call("agentName")) == (context, "deploy bot")
    with meanwhile(lambda: request.call("answer", "Yes, it is stale.")):
        answer = conversation.wait_for_answer(patience)
    assert (answer.text, answer.protection, answer.seen_your_last) == ("Yes, it is stale.", "sequenced", True)
    assert (conversation.verification, conversation.fingerprint) == ("known", tenant.fingerprint)
    file = File("../log.txt", b"\x00\xff", "text/plain")
    assert conversation.send("Thank you.", files=[file]).is_sent
    shown = remote_messages(tenant, request, 2)
    assert [one["text"] for one in shown] == ["Yes, it is stale.", "Thank you."]
    with meanwhile(lambda: request.call("answer", "Next?")):
        assert conversation.wait_for_answer(patience).text == "Next?"
    assert shown[1]["files"] == [{"name": "../log.txt", "mediaType": "text/plain", "bytes": b"\x00\xff"}]
    assert [(one.sender, one.text) for one in conversation.messages()] == [
        ("expert", "Yes, it is stale."),
        ("agent", "Thank you."),
        ("expert", "Next?"),
    ]
    request.call("close")
    assert list(conversation) == []
    assert conversation.status == "closed"
    with pytest.raises(RelayError, match="closed"):
        conversation.wait_for_answer()


def remote_messages(tenant: Tenant, request: Remote, count: int) -> list[dict[str, Any]]:
    return tenant.remote.call("nextMessages", request, count)  # type: ignore[no-any-return]


def test_agent_asks_confidentially(tenant: Tenant) -> None:
    expert, relay = tenant.typescript_expert(), tenant.relay()
    conversation = relay.ask("Is Ada's raise approved?", confidential=True, files=[File("a.txt", b"Ada")])
    assert conversation.unsent == ["Is Ada's raise approved?"]
    request = expert.call("request", conversation.request_id)
    assert "Ada" not in request.call("question")

    def pick_up_and_answer() -> None:
        request.call("pickUp")
        (message,) = remote_messages(tenant, request, 1)
        assert (message["text"], message["files"][0]["bytes"]) == ("Is Ada's raise approved?", b"Ada")
        request.call("answer", "It is.")

    with meanwhile(pick_up_and_answer):
        assert conversation.wait_for_answer(patience).text == "It is."
    assert conversation.unsent == []


class Plan(BaseModel):
    region: Literal["eu", "us"]
    count: int = Field(ge=1, le=9, title="Instances")
    note: str | None = None


def test_agent_gets_decisions(tenant: Tenant) -> None:
    expert, relay = tenant.typescript_expert(), tenant.relay()
    replies: list[str] = []

    def approve() -> None:
        request = newest(expert)
        request.call("answer", "One moment.")
        request.call("answer", "Only once.", {"decision": {"action": "accept", "content": {}}})
        assert request.call("decision") == "accepted"

    with meanwhile(approve):
        approval = relay.approve(
            "Delete `test`?", timeout=patience, on_reply=lambda reply: replies.append(reply.text)
        )
    assert (approval.approved, approval.comment, replies) == (True, "Only once.", ["One moment."])
    assert approval.conversation.status == "closed"
    with pytest.raises(TypeError):
        bool(approval)

    decline = {"decision": {"action": "decline"}}
    with meanwhile(lambda: newest(expert).call("answer", "", decline)):
        choice = relay.choose("Where?", ["eu", ("us", "United States")], timeout=patience)
    assert (choice.declined, choice.value) == (True, None)
    with pytest.raises(TypeError):
        bool(choice)
    accept = {"decision": {"action": "accept", "content": {"choice": "us"}}}
    with meanwhile(lambda: newest(expert).call("answer", "", accept)):
        assert relay.choose("Where?", ["eu", ("us", "United States")], timeout=patience).value == "us"

    asked = relay.ask("How many?", form=Plan, confidential=True)
    accept = {"decision": {"action": "accept", "content": {"region": "eu", "count": 3}}}

    def fill_in() -> None:
        request = newest(expert)
        request.call("pickUp")
        remote_messages(tenant, request, 1)
        request.call("answer", "", accept)

    with meanwhile(fill_in):
        decision = asked.wait_for_decision(patience, form=Plan)
    assert decision.content == Plan(region="eu", count=3)
    # It is final, also for another process, in either language.
    again = tenant.relay().resume(json.loads(json.dumps(asked.export())))
    assert again.wait_for_decision(form=Plan).content == decision.content
    there = tenant.typescript_relay().call("resume", asked.export())
    assert there.call("waitForDecision")["content"] == {"region": "eu", "count": 3}


def test_the_model_of_the_open_form_is_known_although_a_later_form_could_not_be_sent(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("Where?", form=Plan)
    with pytest.raises(RelayError):
        conversation.send("Or this?", form={"type": "object", "properties": {}}, files=[File("a.bin", bytes(5_000_000))])
    request = tenant.expert().request(conversation.request_id)
    request.answer("", decision=Accept({"region": "eu", "count": 3}))
    assert conversation.wait_for_decision(patience).content == Plan(region="eu", count=3)


def test_timeout_is_not_a_decision(tenant: Tenant) -> None:
    relay = tenant.relay()
    with pytest.raises(RelayError) as late:
        relay.approve("Delete?", timeout=0.2)
    assert late.value.code == "timeout"
    assert [one.status for one in relay.requests()] == ["closed"]
    with pytest.raises(RelayError) as late:
        relay.approve("Delete?", timeout=0.2, keep_open=True)
    assert late.value.code == "timeout"
    assert [one.status for one in relay.requests("pending")] == ["pending"]
    assert [one.status for one in relay.requests(limit=1)] == ["pending"]


def test_expert_answers(tenant: Tenant) -> None:
    expert, agent = tenant.expert(), tenant.typescript_relay(agentName="deploy bot")
    form = {"type": "object", "properties": {}}
    conversation = agent.call("ask", {"question": "May I?", "confidential": True, "form": form})
    got: list[Message] = []

    def answer() -> None:
        for request in expert.requests():
            assert (request.agent_name, request.question[:14]) == ("deploy bot", "A confidential")
            request.pick_up()
            for message in request.messages():
                got.append(message)
                if message.sender == "agent":
                    assert request.form and request.form.form is not None and is_approval(request.form.form)
                    request.answer("For now.", decision=Accept(), files=[File("a.bin", b"\x01")])
                    assert request.decision == "accepted"
                    break
            break

    with meanwhile(answer):
        decision = conversation.call("waitForDecision", {"timeoutMs": int(patience * 1_000)})
    assert (decision["action"], decision["comment"]) == ("accept", "For now.")
    assert decision["files"][0]["bytes"] == b"\x01"
    assert [one.text for one in got] == ["May I?"]


def test_expert_reads_later_and_holds(tenant: Tenant) -> None:
    expert, agent = tenant.expert(), tenant.typescript_relay()
    form = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]}
    conversation = agent.call("ask", {"question": "How many?", "form": form})
    (listed,) = expert.list()
    assert (listed.question, listed.form, listed.answer_form) == ("How many?", "form", form)
    request = expert.request(listed.ref_code.lower())
    request.pick_up()
    with pytest.raises(RelayError) as refused:
        request.answer("", decision=Accept({"count": 0}))
    assert refused.value.code == "invalid_input"
    conversation.call("refresh")
    conversation.call("send", "WAIT: one more thing.")
    assert [one.newest_text for one in expert.list()] == ["WAIT: one more thing."]
    request.refresh()
    # What it has read was not returned to this program, so it was not shown.
    with pytest.raises(RelayError) as refused:
        request.answer("", decision=Decline(), shown=[])
    assert (refused.value.code, [one.state for one in request.pending]) == ("newer_message", ["held"])
    assert request.discard() == [""]
    next(iter(request.messages()))
    request.answer("No.", decision=Decline())
    decision = conversation.call("waitForDecision", {"timeoutMs": int(patience * 1_000)})
    assert (decision["action"], decision["comment"]) == ("decline", "No.")


def test_without_encryption(tenant: Tenant) -> None:
    expert, relay = tenant.typescript_expert(), tenant.relay()
    conversation = relay.ask("May I?", encrypted=False, form={"type": "object", "properties": {}})
    answer = {"decision": {"action": "accept", "content": {}}, "plaintext": True}
    with meanwhile(lambda: newest(expert).call("answer", "Fine.", answer)):
        decision = conversation.wait_for_decision(patience)
    assert (decision.action, decision.comment, decision.protection) == ("accept", "Fine.", "plaintext")
    own = tenant.expert().request(conversation.request_id)
    with pytest.raises(RelayError) as refused:
        own.answer("Well.")
    assert refused.value.code == "invalid_input"


def test_lifetime_tags_and_reason(tenant: Tenant) -> None:
    relay, expert = tenant.relay(), tenant.typescript_expert()
    conversation = relay.ask("May I?", expires_in=1_800, tags=["deploy", "EU west"])
    request = expert.call("request", conversation.ref_code)
    assert (request.call("tags"), request.call("expiresAt")) == (["deploy", "EU west"], conversation.expires_at)
    own = tenant.expert().request(conversation.request_id)
    assert (own.tags, own.closed_by) == (("deploy", "EU west"), None)
    request.call("close", {"reason": "It is settled."})
    own.refresh()
    with pytest.raises(RelayError) as ended:
        conversation.wait_for_answer(patience)
    assert ended.value.code == "closed"
    assert (conversation.closed_by, conversation.close_reason) == ("expert", "It is settled.")
    assert (own.closed_by, own.close_reason) == ("expert", "It is settled.")
    listed = relay.requests()[0]
    assert (listed.tags, listed.close_reason) == (("deploy", "EU west"), "It is settled.")
    with pytest.raises(RelayError) as refused:
        relay.ask("May I?", expires_in=5)
    assert refused.value.code == "invalid_input"
    other = relay.ask("May I?")
    other.close("Never mind.")
    assert expert.call("request", other.ref_code).call("closeReason") == "Never mind."


@pytest.mark.parametrize("changed", [{"expires_in": 3_600}, {"tags": ["b"]}, {"tags": None}])
def test_name_with_another_lifetime_or_tags(tenant: Tenant, changed: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"expires_in": 1_800, "tags": ["a"], "once": "one", "encrypted": False}
    tenant.relay().ask("May I?", **asked)
    with pytest.raises(RelayError) as refused:
        tenant.relay().ask("May I?", **{**asked, **changed})
    assert refused.value.code == "once_reused"


def test_a_name_is_the_same_in_both_languages(tenant: Tenant) -> None:
    def there(**question: Any) -> str:
        asked = tenant.typescript_relay(secret=tenant.root).call("ask", question)
        return asked.call("export")["request"]["requestId"]  # type: ignore[no-any-return]

    relay = tenant.relay(secret=tenant.root)
    named = there(question="May I?", once="job-7", confidential=True)
    assert relay.ask("May I?", once="job-7", confidential=True).request_id == named
    plain = there(question="In clear?", once="clear", encrypted=False)
    assert relay.ask("In clear?", once="clear", encrypted=False).request_id == plain


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"encrypted": False},
        {"confidential": True},
        {"confidential": True, "form": {"type": "object", "properties": {}}},
        {"form": {"type": "object", "properties": {}}, "tags": ["a"]},
        {"messages": [{"role": "user", "content": "Roll it out."}]},
        {"files": [File("a.txt", b"\x00\xff", "text/plain"), File("b", b"")]},
        {"confidential": True, "files": [File("a.txt", b"Ada")]},
    ],
)
def test_a_name_in_one_store_is_the_same_in_both_languages(tenant: Tenant, tmp_path: Path, how: dict[str, Any]) -> None:
    store = tenant.remote.call("store", str(tmp_path))
    files = [{"name": one.name, "bytes": one.bytes, "mediaType": one.media_type} for one in how.get("files", ())]
    question = {"question": "May I?", "once": "job-7", **how, **({"files": files} if files else {})}
    named = tenant.typescript_relay(store=store).call("ask", question)
    asked = tenant.relay(store=FileStore(tmp_path)).ask("May I?", once="job-7", **how)
    assert asked.request_id == named.call("export")["request"]["requestId"]


@pytest.mark.parametrize("number", [1.0, 1e-7, 1e16, 1e21, 2.5])
def test_a_name_is_the_same_whatever_a_language_writes_as_a_number(tenant: Tenant, number: float) -> None:
    form = {"type": "object", "properties": {"share": {"type": "number", "default": number}}}
    agent = tenant.typescript_relay(secret=tenant.root)
    for is_confidential in (False, True):
        asked: dict[str, Any] = {"question": "How much?", "once": f"job-{is_confidential}", "confidential": is_confidential}
        named = agent.call("ask", {**asked, "form": form}).call("export")["request"]["requestId"]
        assert tenant.relay(secret=tenant.root).ask(**asked, form=form).request_id == named


def test_one_store_of_two_languages(tenant: Tenant, tmp_path: Path) -> None:
    """What a process of one language has learned holds in one of the other."""
    store = tenant.remote.call("store", str(tmp_path))
    there, here = tenant.typescript_relay(store=store), tenant.relay(store=FileStore(tmp_path))
    form: dict[str, Any] = {"type": "object", "properties": {}}
    waiting = {"timeoutMs": 60_000}
    asked = there.call("ask", {"question": "First?", "form": form, "once": "first"})
    request = tenant.expert().request(asked.call("requestId"))
    request.answer("Yes.", decision=Accept())
    assert asked.call("waitForDecision", waiting)["action"] == "accept"
    request.answer("No!", decision=Decline())
    assert here.ask("First?", form=form, once="first").wait_for_decision(60).action == "accept"
    second = here.ask("Second?", form=form, once="second")
    request = tenant.expert().request(second.request_id)
    request.answer("Yes.", decision=Accept())
    assert second.wait_for_decision(60).action == "accept"
    request.answer("No!", decision=Decline())
    asked = there.call("ask", {"question": "Second?", "form": form, "once": "second"})
    assert asked.call("waitForDecision", waiting)["action"] == "accept"
    here.ask("Third?", form=form, once="third").close()
    asked = there.call("ask", {"question": "Third?", "form": form, "once": "third"})
    with pytest.raises(RemoteError, match="withdrawn"):
        asked.call("waitForDecision", waiting)
    asked = there.call("ask", {"question": "Fourth?", "form": form, "once": "fourth"})
    asked.call("close")
    with pytest.raises(RelayError) as withdrawn:
        here.ask("Fourth?", form=form, once="fourth").wait_for_decision(60)
    assert withdrawn.value.code == "withdrawn"


def test_a_conversation_goes_on_in_the_other_language_and_back(tenant: Tenant, tmp_path: Path) -> None:
    """What one of them has sent and read is not missing for the other one."""
    there = tenant.typescript_relay(store=tenant.remote.call("store", str(tmp_path)))
    here = tenant.relay(store=FileStore(tmp_path))
    asked = here.ask("May I deploy?")
    request = tenant.expert().request(asked.request_id)
    request.pick_up()

    def accept() -> None:
        request.refresh()
        request.receive()
        request.answer("", decision=Accept())

    for region in ("eu", "us"):
        asked.send(f"To {region}?", form=approval)
        accept()
        assert asked.wait_for_decision(patience).action == "accept"
        continued = there.call("resume", asked.id)
        continued.call("send", f"And to {region} again?", {"form": approval})
        accept()
        assert continued.call("waitForDecision", {"timeoutMs": patience * 1_000})["action"] == "accept"
        asked = here.resume(asked.id)


approval: dict[str, Any] = {"type": "object", "properties": {}}


@pytest.mark.parametrize("whole", [False, True])
def test_receipts_of_python_are_verified_by_typescript(tenant: Tenant, whole: bool) -> None:
    file = File("plan.txt", b"DROP DATABASE test;")
    conversation = tenant.relay(agent_name="deploy bot").ask("May I?", form=approval, files=[file])
    with pytest.raises(RelayError, match="There is no decision yet"):
        conversation.receipt()
    request = tenant.expert().request(conversation.request_id)
    request.pick_up()
    conversation.refresh()
    request.receive()
    request.answer("Only once.", decision=Accept({}))
    conversation.wait_for_decision(patience)
    conversation.close()
    text = conversation.receipt(whole=whole)
    found = tenant.remote.call("verifyReceipt", text, {"fingerprint": tenant.fingerprint})
    assert (found["action"], found["comment"], found["asked"]["question"]) == ("accept", "Only once.", "May I?")
    assert [message.get("text") for message in found["messages"]] == ["" if whole else None, "Only once."]
    assert found["askedAt"] <= found["madeAt"]
    assert verify_receipt(text, fingerprint=tenant.fingerprint).messages[0].files == ((file,) if whole else ())
    with pytest.raises(RelayError) as refused:
        verify_receipt(text.replace("May I?", "May I not?"), fingerprint=tenant.fingerprint)
    assert refused.value.reason == "question_altered"


def test_receipts_of_typescript_are_verified_by_python(tenant: Tenant) -> None:
    conversation = tenant.typescript_relay().call("ask", {"question": "Is it so?", "form": approval, "confidential": True})
    request = tenant.expert().request(conversation.call("requestId"))
    request.pick_up()
    conversation.call("refresh")
    request.receive()
    request.answer("No.", decision=Decline())
    conversation.call("waitForDecision", {"timeoutMs": patience * 1_000})
    found = verify_receipt(conversation.call("receipt"), fingerprint=tenant.fingerprint)
    assert (found.action, found.comment, found.content, found.is_known) == ("decline", "No.", None, True)
    assert [message.text for message in found.messages] == ["Is it so?", "No."]
    assert json.loads(found.form) == approval


def test_plain_text_has_no_receipt(tenant: Tenant) -> None:
    conversation = tenant.relay().ask("May I?", form=approval, encrypted=False)
    with pytest.raises(RelayError, match="not encrypted: the relay could have written its answers"):
        conversation.receipt()
