"""An agent's connection to the relay."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Union, overload
from urllib.parse import quote

import httpx

from .._crypto.keys import once_id
from .._crypto.parts import File
from .._environment import AGENT_VARIABLES, RelayOptions, options_from_env
from .._errors import RelayError, invalid_input
from .._forms.content import Content, Form
from .._forms.to_form import FormOrModel, to_form
from .._json_text import utf16_length, write_json
from .._requests import (
    ListedRequest,
    RequestState,
    RequestStatus,
    WhoAmI,
    list_requests,
    read_listed,
    read_state,
    read_who_am_i,
)
from .._store import MemoryStore, PartOfStore, Store, digest_of_name, values_of_key
from .._thread.draft import Draft
from .._timing import Timing
from .._tracebacks import hides_locals
from .._transport.api import Api, OnOutage, origin_of
from .._transport.hub_stream import TopicBeginning
from .._transport.shape import members
from .abandonment import Abandonment, Closings
from .answers import OnReply
from .approvals import AsyncApproval, AsyncChoice, decided
from .ask_and_wait import ask_and_wait
from .conversation import AsyncConversation
from .conversation_state import ConversationState, new_state
from .conversations import Conversations
from .known_experts import KnownExperts
from .named_questions import NamedQuestions
from .once import describe_question
from .options import AskingOptions, QuestionOptions, read_fingerprints
from .stored_conversations import StoredConversations
from .submission import ContextMessage, make_submission

if TYPE_CHECKING:
    from typing_extensions import Unpack

M = TypeVar("M")
Option = Union[str, tuple[str, str]]
"""A value, or a value with the title that people read."""

# Many agents share one address and its calls.
_timing = Timing(recheck=600.0)


@hides_locals
class AsyncRelay:
    """Connects an agent to the relay. It makes no calls and opens no connection before the first question.

    >>> async with AsyncRelay.from_env() as relay:
    ...     conversation = await relay.ask("May I remove the lock file?")
    ...     answer = await conversation.wait_for_answer(timeout=600)
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        expert: str | Sequence[str] | None = None,
        accept_new_expert: bool = False,
        accept_unprotected: bool = False,
        agent_name: str | None = None,
        store: Store | None = None,
        secret: bytes | str | None = None,
        hub_url: str | None = None,
        on_outage: OnOutage | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        timing: Timing | None = None,
    ) -> None:
        """`expert`: the fingerprint of the only expert who may answer, or of several. `accept_new_expert`: for another expert than
        those whom other API keys in the `store` know at this relay. `accept_unprotected`: for experts who use a client without this
        protocol; it admits what the relay could have written or replaced. `agent_name`: shown to the expert, who signs it with the
        question. `store` keeps conversations, so that a restarted agent continues: see `FileStore`. A conversation is stored before the
        question and before each message is sent. `secret`: the 32 bytes from which the keys of questions with a name (`once`) are
        derived; by default the `store` keeps them. `on_outage` is called once with the error
        when calls start to fail for a reason that will pass, and once with None when the relay answers again."""
        if not api_key.startswith("hs_") or api_key.startswith("hs_prov_"):
            empty = "" if api_key else ", and this one is empty"
            raise RelayError("invalid_key", f"An agent's `api_key` begins with hs_, not hs_prov_{empty}.")
        if agent_name is not None and not 1 <= utf16_length(agent_name) <= 100:
            raise invalid_input("An `agent_name` has 1 to 100 characters.")
        given = read_fingerprints(expert)
        self._api = Api(url, api_key, timing=timing or _timing, on_outage=on_outage, transport=transport)
        self._agent_name = agent_name
        self._accept_unprotected, self._is_expert_given = accept_unprotected, given is not None
        whole = store or MemoryStore()
        origin = origin_of(self._api.url)
        here = PartOfStore(whole, digest_of_name(origin))
        self._stored = StoredConversations(store, here)
        experts = KnownExperts(
            given, accepts_new=accept_new_expert, here=here, key_values=values_of_key(whole, api_key)
        )
        self._conversations = Conversations(
            self._api,
            api_key,
            hub_url=hub_url,
            experts=experts,
            accept_unprotected=accept_unprotected,
            store=whole,
            here=here,
            owner=digest_of_name(write_json([origin, api_key])),
            save=self._save_state,
        )
        self._named_questions = NamedQuestions(self._conversations, self._stored, store, secret)
        self._closings = Closings(self._api)

    @classmethod
    def from_env(
        cls, *, url: str | None = None, api_key: str | None = None, **options: Unpack[RelayOptions]
    ) -> AsyncRelay:
        """Reads `RELAY_URL`, `RELAY_API_KEY`, and, where they are set, `RELAY_HUB_URL`, `RELAY_EXPERT`, `RELAY_AGENT_NAME` and
        `RELAY_AGENT_SECRET`. What is given as an option comes first. An empty `RELAY_EXPERT` or
        `RELAY_AGENT_SECRET` is an error, and so is another `url` without an `api_key`.

        >>> relay = AsyncRelay.from_env(agent_name="deploy bot")
        """
        return cls(**options_from_env(AGENT_VARIABLES, {"url": url, "api_key": api_key, **options}))

    @overload
    async def ask(
        self, question: str | None = None, *, form: type[M], **asking: Unpack[QuestionOptions]
    ) -> AsyncConversation[M]: ...

    @overload
    async def ask(
        self, question: str | None = None, *, form: Form | None = None, **asking: Unpack[QuestionOptions]
    ) -> AsyncConversation[Content]: ...

    async def ask(
        self, question: str | None = None, *, form: FormOrModel | None = None, **asking: Unpack[QuestionOptions]
    ) -> AsyncConversation[Any]:
        """Asks. Without `confidential` the relay can read the question: only what follows is encrypted. With it, question,
        `messages` and `form` are the first encrypted message, once the expert has picked the request up. `messages` came before
        the question; the relay keeps the last 10. `form` is a dict or a Pydantic model that the expert is to fill in: see
        `wait_for_decision`. `files`: at most 8, 700,000 bytes together, always encrypted. `expires_in`: after how many
        seconds the conversation expires, from 60 to the relay's own limit. `tags`: at most 10 words by which the expert
        sorts requests; the relay can read them. `plaintext` is for clients without encryption. `once` is a name of 1 to 255 bytes
        for this question of this run, such as `job-7/approve-deploy`: the first call with it asks, and every later one, also of
        another process or after a crash, continues with the same request. It needs a `store` or a `secret`, unless `encrypted` is
        False. The relay sees a digest of it.

        >>> conversation = await relay.ask("May I remove the lock file?", tags=["deploy"])
        """
        return await self._ask(question, form, None, **asking)

    async def _ask(
        self,
        question: str | None,
        form: FormOrModel | None,
        abandonment: Abandonment | None,
        *,
        messages: Sequence[ContextMessage] = (),
        files: Sequence[File] = (),
        confidential: bool = False,
        expires_in: int | None = None,
        tags: Sequence[str] | None = None,
        encrypted: bool = True,
        plaintext: str | None = None,
        once: str | None = None,
    ) -> AsyncConversation[Any]:
        if not encrypted and self._is_expert_given and not self._accept_unprotected:
            raise invalid_input(
                "Plain text proves nothing: ask encrypted, leave out `expert`, or set `accept_unprotected`."
            )
        conversation_id, keys, question_id = self._named_questions.identify(once, encrypted)
        body, first = make_submission(
            question,
            messages=messages,
            plaintext=plaintext,
            answer_form=None if form is None else write_json(to_form(form)),
            files=files,
            is_confidential=confidential,
            keys=keys,
            idempotency_key=conversation_id if once is None else once_id(once),
            agent_name=self._agent_name,
            expires_in=expires_in,
            tags=tags,
        )
        drafts = [Draft(question_id or str(uuid.uuid4()), first[0], parts=first[1]).export()] if first else []
        named = None if once is None else describe_question(once, question_id, body, drafts)
        before = await self._named_questions.find_same(named) if named else None
        if before:
            return await self._conversations.resume(before, form)
        state = new_state(
            conversation_id,
            self._conversations.owner,
            body,
            drafts,
            named=named,
            keys=keys,
            is_confidential=confidential,
        )
        await self._save_state(state)
        if named:
            self._stored.note_name(named["name"], conversation_id)
        # A question with a name may have been asked before, and may have answers.
        beginning = None if named else TopicBeginning(since=self._conversations.position)
        return await self._conversations.submit_and_open(state, form, beginning=beginning, abandonment=abandonment)

    async def approve(
        self, question: str, *, on_reply: OnReply | None = None, **asking: Unpack[AskingOptions]
    ) -> AsyncApproval:
        """Asks for an approval, and waits for it. A timeout, an end without a decision and an invalid answer raise: they are
        neither approved nor declined. `asking`: see `AskingOptions`.

        >>> approval = await relay.approve("Delete the database `test`?", timeout=600)
        >>> if approval.approved:
        ...     delete_database()
        """
        form: dict[str, Any] = {"type": "object", "properties": {}}
        decision, conversation = await ask_and_wait(self._ask, self._closings, question, form, on_reply, **asking)
        return AsyncApproval(
            **decided(decision), approved=decision.action == "accept", conversation=conversation
        )

    async def choose(
        self,
        question: str,
        options: Sequence[Option],
        *,
        on_reply: OnReply | None = None,
        **asking: Unpack[AskingOptions],
    ) -> AsyncChoice:
        """Asks for one of several options, each a value or a value with a title, and waits for it, as `approve` does.

        >>> choice = await relay.choose("Deploy to which region?", ["eu", ("us", "United States")], timeout=600)
        >>> if choice.value is not None:
        ...     deploy_to(choice.value)
        """
        titled = [(one, one) if isinstance(one, str) else one for one in options]
        one_of = [{"const": value, "title": title} for value, title in titled]
        choice = {"type": "string", "title": "Choice", "oneOf": one_of}
        form = {"type": "object", "properties": {"choice": choice}, "required": ["choice"]}
        decision, conversation = await ask_and_wait(self._ask, self._closings, question, form, on_reply, **asking)
        content = decision.content if decision.action == "accept" else None
        value = content["choice"] if content else None
        return AsyncChoice(**decided(decision), declined=content is None, value=value, conversation=conversation)

    async def resume(self, conversation: ConversationState | str) -> AsyncConversation[Content]:
        """Continues a conversation that was exported, or one of the store by its id.

        >>> conversation = await relay.resume(json.loads(saved))
        """
        state = self._stored.find(conversation) if isinstance(conversation, str) else conversation
        if state is None:
            raise RelayError("not_found", "The store has no conversation with this id.")
        return await self._conversations.resume(state)

    async def conversations(self) -> list[ConversationState]:
        """The stored conversations that may go on, those that end first at the beginning. Damaged ones are left out: `resume` reports
        them.

        >>> waiting = [await relay.resume(state) for state in await relay.conversations()]
        """
        return self._stored.ongoing()

    async def forget(self, id: str) -> None:
        """Removes a conversation from the store, with its private keys.

        >>> await relay.forget(conversation.id)
        """
        self._stored.forget(id)

    async def find_named(self, name: str) -> ConversationState | None:
        """The conversation of a question with this name (`once`) in the store, if this API key may read it: it has asked, or is the
        rotated key of one that has.

        >>> state = await relay.find_named("job-7/approve-deploy")
        >>> if state is not None:
        ...     conversation = await relay.resume(state)
        """
        return await self._named_questions.find(name)

    async def whoami(self) -> WhoAmI:
        """To whom the API key belongs."""
        return await self._api.get("/api/v1/whoami", read_who_am_i)

    async def requests(self, status: RequestStatus | None = None, limit: int | None = None) -> list[ListedRequest]:
        """The requests of this key, newest first; with `limit` at most so many.

        >>> newest = await relay.requests("responded", limit=20)
        """
        return await list_requests(self._api, read_listed, status=status, limit=limit)

    async def find_by_ref(self, ref_code: str) -> RequestState:
        """The state of a request of this key, by its reference code."""
        path = f"/api/v1/requests/by-ref/{quote(ref_code, safe='')}"
        return await self._api.get(path, lambda answer: read_state(members(answer)))

    async def stop(self) -> None:
        """Ends all waiting and all streams, also what begins later. Conversations stay open: resume them with a new client."""
        await self._closings.finish()
        await self._conversations.stop()
        await self._api.close()

    async def __aenter__(self) -> AsyncRelay:
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _save_state(self, state: ConversationState) -> None:
        self._stored.save(state)
