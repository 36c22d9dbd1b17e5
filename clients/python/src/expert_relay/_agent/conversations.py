"""Begins and continues an agent's conversations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from .._crypto.encoding import from_base64, to_base64
from .._crypto.keys import OwnKeys, restore_agent_keys
from .._crypto.submission import digest_submission
from .._errors import RelayError, not_as_exported, refusal
from .._forms.to_form import FormOrModel
from .._json_text import list_in, object_of, text_of
from .._requests import AskedRequest
from .._store import PartOfStore, Store, Values
from .._thread.draft import restore_draft
from .._thread.follower import Follower
from .._thread.sender import Sender
from .._thread.thread import Thread
from .._transport.api import Api, is_transient
from .._transport.hub import Hub
from .._transport.hub_stream import TopicBeginning
from .._transport.shape import members
from .abandonment import Abandonment
from .agent_side import AgentSide, AgentSideOptions
from .conversation import AsyncConversation
from .conversation_state import ConversationState, check_state, restore_exchange, restore_request
from .known_experts import KnownExperts
from .once import once_reused
from .read_scheduler import Followed, ReadScheduler
from .shared_facts import SharedFacts
from .submission import submit


class Conversations:
    """The conversations of one client. `here`: the part of the store that belongs to the relay's address. `owner`: to whom belongs what
    is stored of a conversation, which is this key at this relay. `save` is called with each state that must survive."""

    def __init__(
        self,
        api: Api,
        api_key: str,
        *,
        hub_url: str | None,
        experts: KnownExperts,
        accept_unprotected: bool,
        store: Store,
        here: Values,
        owner: str,
        save: Callable[[ConversationState], Awaitable[None]],
    ) -> None:
        self._api, self._api_key = api, api_key
        self._experts, self._accept_unprotected = experts, accept_unprotected
        self._store, self._save = store, save
        self._here, self.owner = here, owner
        self._scheduler = ReadScheduler(api)
        self._hub = Hub(api, hub_url, topics_of=_as_they_are, on_event=self._scheduler.on_event)
        self._is_stopped = False

    @property
    def position(self) -> str | None:
        """The position of the event stream now."""
        return self._hub.position

    async def stop(self) -> None:
        self._is_stopped = True
        self._scheduler.stop()
        for one in [*self._scheduler.followed]:
            one.follower.stop(_stopped())
        await self._hub.stop()

    async def resume(self, state: ConversationState, schema: FormOrModel | None = None) -> AsyncConversation:
        state = check_state(state)
        asked = state.get("request")
        if asked is None:
            return await self.submit_and_open(state, schema)
        request = restore_request(asked)
        if state.get("owner", self.owner) != self.owner:
            await self.check_readable(request.request_id)
        return self._open(state, request, schema)

    async def check_readable(self, request_id: str) -> None:
        """Only a key that may read the request gets what was stored for another one: a rotated key may."""
        await self._api.get(f"/api/v1/messages/{request_id}?limit=1", members)

    async def submit_and_open(
        self,
        state: ConversationState,
        schema: FormOrModel | None,
        *,
        beginning: TopicBeginning | None = None,
        abandonment: Abandonment | None = None,
    ) -> AsyncConversation:
        """Submits the question, or makes sure that it was submitted. `schema` is what its form was made of. `beginning`: where the events
        begin of a question that cannot have been asked before, and has no messages yet."""
        body, keys, named = state.get("submission"), state.get("keys"), state.get("once")
        if body is None:
            raise not_as_exported()
        try:
            request, position = await submit(self._api, self._api_key, body, abandonment)
        except RelayError as error:
            if named and error.reason == "idempotency_key_reused":
                raise once_reused(named["name"]) from error
            raise
        # People read an answer by its code: with the code of another question it would look like the answer to that.
        asked = f"{body['idempotencyKey']} {named['digest']}" if named else state["id"] if keys else request.request_id
        if self._here.remember(f"code:{request.ref_code}", asked) != asked:
            raise refusal(
                "question_altered",
                f"The relay gave this question the reference code of another one, {request.ref_code}.",
            )
        opening = state.copy()
        del opening["submission"]
        # The code is part of what the expert signs.
        opening["submissionDigest"] = to_base64(digest_submission(request.ref_code, body))
        if body.get("answerForm") is not None:
            opening["answerForm"] = body["answerForm"]
        if beginning:
            beginning = replace(beginning, start=position)
        conversation = self._open(opening, request, schema, beginning)
        await conversation._save()  # pyright: ignore[reportPrivateUsage]
        return conversation

    def _open(
        self,
        state: ConversationState,
        request: AskedRequest,
        schema: FormOrModel | None,
        beginning: TopicBeginning | None = None,
    ) -> AsyncConversation:
        saved_keys, saved_exchange = state.get("keys"), state.get("exchange")
        saved_sender, saved_thread = object_of(state.get("sender")), object_of(state.get("thread"))
        keys = None if saved_keys is None else restore_agent_keys(saved_keys)
        owner = text_of(state.get("owner")) or self.owner
        facts = SharedFacts(PartOfStore(self._store, f"{owner}:{state['id']}"), request.request_id)
        side = self._make_side(state, request, keys, facts)
        if state.get("withdrawn"):
            facts.withdraw()
        channel = None
        if saved_exchange is not None:
            channel = side.restore(restore_exchange(saved_exchange), saved_thread.get("channel"))
        thread = Thread(
            self._api,
            request.request_id,
            side,
            has_drafts=lambda: sender.has_drafts,
            state=saved_thread,
            channel=channel,
        )
        sender = Sender(
            thread,
            is_plain=lambda: keys is None,
            prepare=lambda: _read_keys(thread, keys),
            save=lambda: conversation._save(),  # pyright: ignore[reportPrivateUsage]
            texts=facts,
            state=saved_sender,
        )
        sender.take_over()

        def listen(refresh: Callable[[], None]) -> Callable[[], None]:
            nonlocal beginning
            # Later calls cannot know what has happened since.
            first, beginning = beginning, None
            topic = f"/svc/requests/{request.request_id}"
            return self._listen(Followed(topic, request.ref_code, thread, sender, side, follower, refresh), first)

        follower = Follower(thread, sender, listen)
        conversation = AsyncConversation(
            api=self._api,
            thread=thread,
            sender=sender,
            follower=follower,
            side=side,
            request=request,
            keys=keys,
            state={**state, "owner": owner},
            schema=schema,
            facts=facts,
            save=self._save,
        )
        return conversation

    def _make_side(
        self, state: ConversationState, request: AskedRequest, keys: OwnKeys | None, facts: SharedFacts
    ) -> AgentSide:
        submission = from_base64(state.get("submissionDigest"))
        if submission is None or len(submission) != 32:
            raise not_as_exported()
        question_id = object_of(state.get("once")).get("questionId")
        drafts = [restore_draft(one) for one in list_in(object_of(state.get("sender")).get("drafts"))]
        asked = AgentSideOptions(
            request_id=request.request_id,
            ref_code=request.ref_code,
            keys=keys,
            submission=submission,
            answer_form=state.get("answerForm"),
            is_confidential=state.get("isConfidential") is True,
            facts=facts,
            first=next((one for one in drafts if one.message_id == question_id), None),
        )
        return AgentSide(asked, self._experts, accept_unprotected=self._accept_unprotected)

    def _listen(self, one: Followed, beginning: TopicBeginning | None) -> Callable[[], None]:
        """Calls back when there may be news of a conversation. Returns a function that stops it."""
        if self._is_stopped:
            one.follower.stop(_stopped())
            return lambda: None
        self._scheduler.followed[one] = None
        unfollow = self._hub.follow(one.topic, lambda: self._scheduler.check(one), beginning)
        # A new conversation has no messages yet.
        if beginning is None:
            self._scheduler.check(one)

        def stop() -> None:
            unfollow()
            self._scheduler.followed.pop(one, None)

        return stop


async def _read_keys(thread: Thread, keys: OwnKeys | None) -> None:
    """The expert's keys may have arrived since the last read. When the relay cannot be reached, the texts wait."""
    if keys and not thread.channel:
        try:
            await thread.read()
        except RelayError as error:
            if not is_transient(error):
                raise


async def _as_they_are(topics: Sequence[str]) -> Sequence[str]:
    return topics


def _stopped() -> RelayError:
    return RelayError("aborted", "The client was stopped. The conversation stays open: resume it.")
