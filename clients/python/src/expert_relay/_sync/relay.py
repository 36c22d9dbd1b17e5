"""An agent's connection to the relay, for programs that block."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

import httpx

from .._agent.approvals import AsyncApproval, AsyncChoice, decided
from .._agent.conversation_state import State
from .._agent.options import AskOptions
from .._agent.relay import AsyncRelay, Option
from .._agent.submission import ContextMessage
from .._crypto.parts import File
from .._environment import AGENT_VARIABLES, options_from_env
from .._forms.content import Content, Form
from .._forms.to_form import FormOrModel
from .._requests import ListedRequest, RequestState, WhoAmI
from .._store import Store
from .._timing import Timing
from .._tracebacks import hides_locals
from .._transport.api import OnOutage
from .approvals import Approval, Choice
from .conversation import Conversation, SyncOnReply, in_caller
from .portal import Portal

if TYPE_CHECKING:
    from typing_extensions import Unpack

M = TypeVar("M")
T = TypeVar("T")


@hides_locals
class Relay:
    """Connects an agent to the relay. It makes no calls and opens no connection before the first question.

    >>> with Relay.from_env() as relay:
    ...     conversation = relay.ask("May I remove the lock file?")
    ...     answer = conversation.wait_for_answer(timeout=600)
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
        """The options of `AsyncRelay`. `store` and `on_outage` are called in another thread, `on_reply` in the thread that waits."""
        self._portal = Portal()
        self._async = AsyncRelay(
            url,
            api_key,
            expert=expert,
            accept_new_expert=accept_new_expert,
            accept_unprotected=accept_unprotected,
            agent_name=agent_name,
            store=store,
            secret=secret,
            hub_url=hub_url,
            on_outage=on_outage,
            transport=transport,
            timing=timing,
        )

    @classmethod
    def from_env(cls, **options: Any) -> Relay:
        """Reads `RELAY_URL`, `RELAY_API_KEY`, and, where they are set, `RELAY_HUB_URL`, `RELAY_EXPERT`, `RELAY_AGENT_NAME` and
        `RELAY_AGENT_SECRET`. What is given as an option comes first. An empty `RELAY_EXPERT` or
        `RELAY_AGENT_SECRET` is an error, and so is another `url` without an `api_key`.

        >>> relay = Relay.from_env(agent_name="deploy bot")
        """
        return cls(**options_from_env(AGENT_VARIABLES, options))

    @overload
    def ask(
        self, question: str | None = None, *, form: type[M], **asking: Unpack[AskOptions]
    ) -> Conversation[M]: ...

    @overload
    def ask(
        self, question: str | None = None, *, form: Form | None = None, **asking: Unpack[AskOptions]
    ) -> Conversation[Content]: ...

    def ask(
        self,
        question: str | None = None,
        *,
        messages: Sequence[ContextMessage] = (),
        form: FormOrModel | None = None,
        files: Sequence[File] = (),
        confidential: bool = False,
        expires_in: int | None = None,
        tags: Sequence[str] | None = None,
        encrypted: bool = True,
        plaintext: str | None = None,
        once: str | None = None,
    ) -> Conversation[Any]:
        """Asks: see `AsyncRelay.ask`.

        >>> conversation = relay.ask("May I remove the lock file?", tags=["deploy"])
        """
        asked = self._portal.run(
            lambda: self._async.ask(
                question,
                messages=messages,
                form=form,
                files=files,
                confidential=confidential,
                expires_in=expires_in,
                tags=tags,
                encrypted=encrypted,
                plaintext=plaintext,
                once=once,
            )
        )
        return Conversation(self._portal, asked)

    def approve(
        self,
        question: str,
        *,
        timeout: float | None = None,
        on_reply: SyncOnReply | None = None,
        valid_for: float | None = None,
        keep_open: bool = False,
        **asking: Unpack[AskOptions],
    ) -> Approval:
        """Asks for an approval, and waits for it: see `AsyncRelay.approve`.

        >>> approval = relay.approve("Delete the database `test`?", timeout=600)
        >>> if approval.approved:
        ...     delete_database()
        """
        report = in_caller(on_reply)

        async def approve() -> AsyncApproval:
            return await self._async.approve(
                question, timeout=timeout, on_reply=report, valid_for=valid_for, keep_open=keep_open, **asking
            )

        approval = self._portal.run(approve)
        conversation = Conversation(self._portal, approval.conversation)
        return Approval(**decided(approval), approved=approval.approved, conversation=conversation)

    def choose(
        self,
        question: str,
        options: Sequence[Option],
        *,
        timeout: float | None = None,
        on_reply: SyncOnReply | None = None,
        valid_for: float | None = None,
        keep_open: bool = False,
        **asking: Unpack[AskOptions],
    ) -> Choice:
        """Asks for one of several options, and waits for it: see `AsyncRelay.choose`.

        >>> choice = relay.choose("Deploy to which region?", ["eu", ("us", "United States")], timeout=600)
        >>> if not choice.declined:
        ...     deploy_to(choice.value)
        """
        report = in_caller(on_reply)

        async def choose() -> AsyncChoice:
            return await self._async.choose(
                question, options, timeout=timeout, on_reply=report, valid_for=valid_for, keep_open=keep_open, **asking
            )

        choice = self._portal.run(choose)
        conversation = Conversation(self._portal, choice.conversation)
        return Choice(**decided(choice), declined=choice.declined, value=choice.value, conversation=conversation)

    def run(self, work: Callable[[AsyncRelay], Awaitable[T]]) -> T:
        """Runs asynchronous code with this client, in its event loop, and waits for the result.

        >>> decisions = relay.run(lambda client: decide_tool_calls(client, calls, run="job-7"))
        """
        return self._portal.run(lambda: work(self._async))

    def resume(self, conversation: State | str) -> Conversation[Content]:
        """Continues a conversation that was exported, or one of the store by its id.

        >>> conversation = relay.resume(json.loads(saved))
        """
        return Conversation(self._portal, self._portal.run(lambda: self._async.resume(conversation)))

    def conversations(self) -> list[State]:
        """The stored conversations that may go on, those that end first at the beginning. Damaged ones are left out: `resume` reports
        them.

        >>> waiting = [relay.resume(state) for state in relay.conversations()]
        """
        return self._portal.run(self._async.conversations)

    def forget(self, id: str) -> None:
        """Removes a conversation from the store, with its private keys.

        >>> relay.forget(conversation.id)
        """
        self._portal.run(lambda: self._async.forget(id))

    def whoami(self) -> WhoAmI:
        """To whom the API key belongs."""
        return self._portal.run(self._async.whoami)

    def requests(self, status: str | None = None, limit: int | None = None) -> list[ListedRequest]:
        """The requests of this key, newest first; with `limit` at most so many.

        >>> open_requests = relay.requests("pending,responded", limit=20)
        """
        return self._portal.run(lambda: self._async.requests(status, limit))

    def find_by_ref(self, ref_code: str) -> RequestState:
        """The state of a request of this key, by its reference code."""
        return self._portal.run(lambda: self._async.find_by_ref(ref_code))

    def stop(self) -> None:
        """Ends all waiting and all streams, also what begins later. Conversations stay open: resume them with a new client."""
        self._portal.run(self._async.stop)

    def __enter__(self) -> Relay:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()
