"""An agent's connection to the relay, for programs that block."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._agent.approvals import decided
from .._agent.conversation_state import ConversationState
from .._agent.options import AskingOptions, QuestionOptions
from .._agent.relay import AsyncRelay, Option
from .._environment import AGENT_VARIABLES, RelayOptions, options_from_env
from .._forms.content import Content, Form
from .._forms.to_form import FormOrModel
from .._requests import ListedRequest, RequestState, RequestStatus, WhoAmI
from .._tracebacks import hides_locals
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

    def __init__(self, url: str, api_key: str, **options: Unpack[RelayOptions]) -> None:
        """The options of `AsyncRelay`. `store` and `on_outage` are called in another thread, `on_reply` in the thread that waits."""
        self._portal = Portal()
        self._async = AsyncRelay(url, api_key, **options)

    @classmethod
    def from_env(
        cls, *, url: str | None = None, api_key: str | None = None, **options: Unpack[RelayOptions]
    ) -> Relay:
        """Reads `RELAY_URL`, `RELAY_API_KEY`, and, where they are set, `RELAY_HUB_URL`, `RELAY_EXPERT`, `RELAY_AGENT_NAME` and
        `RELAY_AGENT_SECRET`. What is given as an option comes first. An empty `RELAY_EXPERT` or
        `RELAY_AGENT_SECRET` is an error, and so is another `url` without an `api_key`.

        >>> relay = Relay.from_env(agent_name="deploy bot")
        """
        return cls(**options_from_env(AGENT_VARIABLES, {"url": url, "api_key": api_key, **options}))

    @overload
    def ask(
        self, question: str | None = None, *, form: type[M], **asking: Unpack[QuestionOptions]
    ) -> Conversation[M]: ...

    @overload
    def ask(
        self, question: str | None = None, *, form: Form | None = None, **asking: Unpack[QuestionOptions]
    ) -> Conversation[Content]: ...

    def ask(
        self, question: str | None = None, *, form: FormOrModel | None = None, **asking: Unpack[QuestionOptions]
    ) -> Conversation[Any]:
        """Asks: see `AsyncRelay.ask`.

        >>> conversation = relay.ask("May I remove the lock file?", tags=["deploy"])
        """
        asked = self._portal.run(lambda: self._async.ask(question, form=form, **asking))
        return Conversation(self._portal, asked)

    def approve(
        self, question: str, *, on_reply: SyncOnReply | None = None, **asking: Unpack[AskingOptions]
    ) -> Approval:
        """Asks for an approval, and waits for it: see `AsyncRelay.approve`.

        >>> approval = relay.approve("Delete the database `test`?", timeout=600)
        >>> if approval.approved:
        ...     delete_database()
        """
        report = in_caller(on_reply)

        approval = self._portal.run(lambda: self._async.approve(question, on_reply=report, **asking))
        conversation = Conversation(self._portal, approval.conversation)
        return Approval(**decided(approval), approved=approval.approved, conversation=conversation)

    def choose(
        self,
        question: str,
        options: Sequence[Option],
        *,
        on_reply: SyncOnReply | None = None,
        **asking: Unpack[AskingOptions],
    ) -> Choice:
        """Asks for one of several options, and waits for it: see `AsyncRelay.choose`.

        >>> choice = relay.choose("Deploy to which region?", ["eu", ("us", "United States")], timeout=600)
        >>> if choice.value is not None:
        ...     deploy_to(choice.value)
        """
        report = in_caller(on_reply)

        choice = self._portal.run(lambda: self._async.choose(question, options, on_reply=report, **asking))
        conversation = Conversation(self._portal, choice.conversation)
        return Choice(**decided(choice), declined=choice.declined, value=choice.value, conversation=conversation)

    def run(self, work: Callable[[AsyncRelay], Awaitable[T]]) -> T:
        """Runs asynchronous code with this client, in its event loop, and waits for the result.

        >>> decisions = relay.run(lambda client: decide_tool_calls(client, calls, run="job-7"))
        """
        return self._portal.run(lambda: work(self._async))

    def resume(self, conversation: ConversationState | str) -> Conversation[Content]:
        """Continues a conversation that was exported, or one of the store by its id.

        >>> conversation = relay.resume(json.loads(saved))
        """
        return Conversation(self._portal, self._portal.run(lambda: self._async.resume(conversation)))

    def conversations(self) -> list[ConversationState]:
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

    def find_named(self, name: str) -> ConversationState | None:
        """The conversation of a question with this name (`once`) in the store, if this API key may read it: see
        `AsyncRelay.find_named`.

        >>> state = relay.find_named("job-7/approve-deploy")
        >>> if state is not None:
        ...     conversation = relay.resume(state)
        """
        return self._portal.run(lambda: self._async.find_named(name))

    def whoami(self) -> WhoAmI:
        """To whom the API key belongs."""
        return self._portal.run(self._async.whoami)

    def requests(self, status: RequestStatus | None = None, limit: int | None = None) -> list[ListedRequest]:
        """The requests of this key, newest first; with `limit` at most so many.

        >>> newest = relay.requests("responded", limit=20)
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
