"""An expert's connection to the relay, for programs that block."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .._crypto.parts import File
from .._environment import EXPERT_VARIABLES, ExpertOptions, options_from_env
from .._errors import RelayError
from .._expert.describe_pending import PendingAnswer
from .._expert.expert import AsyncExpert
from .._expert.list_questions import ListedQuestion
from .._expert.request import AsyncExpertRequest
from .._expert.write_decision import Accept, CountedDecision, Decline, RequestForm
from .._forms.answer import DecisionState
from .._requests import Follows, RequestStatus, WhoAmI
from .._thread.conversation_base import ConversationBase, Described
from .._thread.message import Message
from .._thread.sender import SendResult
from .._tracebacks import hides_locals
from .portal import Portal, call_in_caller

if TYPE_CHECKING:
    from typing_extensions import Unpack


@hides_locals
class Expert:
    """Connects an expert to the relay. It makes no calls and opens no connection before one of its methods is called.

    >>> with Expert.from_env(root=root) as expert:
    ...     for request in expert.requests():
    ...         request.answer(f"You asked: {request.question}")
    """

    def __init__(self, url: str, api_key: str, **options: Unpack[ExpertOptions]) -> None:
        """The options of `AsyncExpert`. `store` and `on_outage` are called in another thread."""
        self._portal = Portal()
        self._async = AsyncExpert(url, api_key, **options)

    @classmethod
    def from_env(
        cls, *, url: str | None = None, api_key: str | None = None, **options: Unpack[ExpertOptions]
    ) -> Expert:
        """Reads `RELAY_URL`, `RELAY_API_KEY`, and, where it is set, `RELAY_HUB_URL`. What is given as an option comes first.

        >>> expert = Expert.from_env(root=root, store=FileStore(".expert"))
        """
        return cls(**options_from_env(EXPERT_VARIABLES, {"url": url, "api_key": api_key, **options}))

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the expert's identity, which agents compare. None without a root."""
        return self._async.fingerprint

    def requests(self, *, filter: Callable[[ExpertRequest], bool] | None = None) -> Iterator[ExpertRequest]:
        """Open requests, each when it is complete, and again when its agent has reopened it: see `AsyncExpert.requests`.

        >>> for request in expert.requests(filter=lambda request: request.question.startswith("Restart ")):
        ...     request.answer("Not before 18:00.")
        """

        def is_wanted(request: AsyncExpertRequest) -> Awaitable[bool]:
            assert filter
            return call_in_caller(filter, ExpertRequest(self._portal, request))

        for request in self._portal.iterate(lambda: self._async.requests(filter=is_wanted if filter else None)):
            yield ExpertRequest(self._portal, request)

    def list(self, status: RequestStatus | None = None, limit: int | None = None) -> list[ListedQuestion]:
        """The requests of this expert, those with the newest activity first: see `AsyncExpert.list`.

        >>> for listed in expert.list("pending"):
        ...     print(listed.ref_code, listed.refused or listed.question)
        """
        return self._portal.run(lambda: self._async.list(status, limit))

    def request(self, request_id_or_ref_code: str) -> ExpertRequest:
        """One request, by its id or its reference code.

        >>> request = expert.request("HS-7KQ2M9XD")
        """
        return ExpertRequest(self._portal, self._portal.run(lambda: self._async.request(request_id_or_ref_code)))

    def whoami(self) -> WhoAmI:
        """To whom the API key belongs."""
        return self._portal.run(self._async.whoami)

    def stop(self) -> None:
        """Ends all waiting and all streams."""
        self._portal.run(self._async.stop)

    def __enter__(self) -> Expert:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()


@hides_locals
class ExpertRequest(ConversationBase):
    """A request for help, as the expert sees it: see `AsyncExpertRequest`.

    >>> request = expert.request("HS-7KQ2M9XD")
    >>> for message in request.messages():
    ...     if message.sender == "agent":
    ...         request.answer(f"You said: {message.text}")
    """

    def __init__(self, portal: Portal, request: AsyncExpertRequest) -> None:
        self._portal, self._async = portal, request

    def _described(self) -> Described:
        return self._async._described()  # pyright: ignore[reportPrivateUsage]

    @property
    def agent(self) -> str | None:
        """The name of the agent's key, as the relay states it: nothing checks it. None where the question is refused."""
        return self._async.agent

    @property
    def agent_name(self) -> str | None:
        """The name that the agent gave itself. It is signed with the question."""
        return self._async.agent_name

    @property
    def question(self) -> str:
        """It is not encrypted: the relay can read it. It is empty once the relay has erased the content, and where it is refused."""
        return self._async.question

    @property
    def context(self) -> tuple[dict[str, str], ...]:
        """What was said before the question: each has a `role` and a `content`."""
        return self._async.context

    @property
    def plaintext(self) -> str | None:
        """What the agent wrote for clients without encryption."""
        return self._async.plaintext

    @property
    def answer_form(self) -> dict[str, Any] | None:
        """The form that came with the question, signed with it. A later message may have replaced it: see `form`."""
        return self._async.answer_form

    @property
    def form(self) -> RequestForm | None:
        """The newest form of the agent, as last read: only this one can be answered."""
        return self._portal.read(lambda: self._async.form)

    @property
    def decision(self) -> DecisionState | None:
        """What this expert's answers to `form` amount to: see `AsyncExpertRequest.decision`."""
        return self._portal.read(lambda: self._async.decision)

    @property
    def decisions(self) -> tuple[CountedDecision, ...]:
        """This expert's answers to `form` that count, in order: see `AsyncExpertRequest.decisions`."""
        return self._portal.read(lambda: self._async.decisions)

    @property
    def is_reopened(self) -> bool:
        """Whether the agent does not count your newest answer, since it wrote at the same time: answer again."""
        return self._portal.read(lambda: self._async.is_reopened)

    @property
    def missing_parts(self) -> Follows | None:
        """The announced files or confidential question that have not arrived yet. An answer waits for them."""
        return self._async.missing_parts

    @property
    def received(self) -> tuple[Message, ...]:
        """The agent's messages that `Expert.requests` or `receive` has returned, in order. They count as shown."""
        return self._async.received

    @property
    def encrypted(self) -> bool:
        """Whether the agent has sent keys. Then answers can be encrypted."""
        return self._async.encrypted

    @property
    def is_picked_up(self) -> bool:
        """Whether this expert's keys were sent to the agent."""
        return self._async.is_picked_up

    @property
    def refused(self) -> RelayError | None:
        """Why this request is refused: then nothing can be read or sent, and every call raises this error."""
        return self._async.refused

    @property
    def created_at(self) -> str:
        """ISO 8601, UTC."""
        return self._async.created_at

    @property
    def tags(self) -> tuple[str, ...]:
        """The agent's words for sorting, as the relay states them."""
        return self._async.tags

    @property
    def pending(self) -> list[PendingAnswer]:
        """Answers that were not sent yet."""
        return self._portal.read(lambda: self._async.pending)

    def messages(self) -> Iterator[Message]:
        """All messages of both sides, decrypted, then new ones as they come. It ends with the conversation.

        >>> for message in request.messages():
        ...     print(message.sender, message.text)
        """
        return self._portal.iterate(self._async.messages)

    def receive(self) -> tuple[Message, ...]:
        """Returns `received`, with all that has arrived: see `AsyncExpertRequest.receive`.

        >>> files = [file for message in request.receive() for file in message.files]
        """
        return self._portal.run(self._async.receive)

    def pick_up(self) -> None:
        """Sends this expert's keys, so that both sides can encrypt."""
        self._portal.run(self._async.pick_up)

    def answer(
        self,
        text: str,
        *,
        decision: Accept | Decline | None = None,
        files: Sequence[File] = (),
        shown: Sequence[str] | None = None,
        plaintext: bool = False,
        even_if_newer: bool = False,
        without_parts: bool = False,
        message_id: str | None = None,
    ) -> SendResult:
        """Sends an answer: see `AsyncExpertRequest.answer`.

        >>> if request.form:
        ...     request.answer("Only this once.", decision=Accept(of=request.form.of))
        """
        return self._portal.run(
            lambda: self._async.answer(
                text,
                decision=decision,
                files=files,
                shown=shown,
                plaintext=plaintext,
                even_if_newer=even_if_newer,
                without_parts=without_parts,
                message_id=message_id,
            )
        )

    def discard(self, message_ids: Collection[str] | None = None) -> list[str]:
        """Removes all answers from `pending`, or those with these ids: see `AsyncExpertRequest.discard`."""
        return self._portal.run(lambda: self._async.discard(message_ids))

    def refresh(self) -> None:
        """Reads new messages and the status once, without waiting, and sends what waits."""
        self._portal.run(self._async.refresh)

    def close(self, reason: str | None = None) -> None:
        """Ends the conversation for both sides. The agent gets the `reason`, which is not encrypted."""
        self._portal.run(lambda: self._async.close(reason))
