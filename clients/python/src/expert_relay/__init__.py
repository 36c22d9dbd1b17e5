"""Ask a human expert and get a verified answer, end-to-end encrypted; or be the expert.

`Relay` is an agent's connection, `Expert` an expert's. Both block; `AsyncRelay` and `AsyncExpert` are for asyncio.
"""

from .agent.answers import Answer, Decision
from .agent.approvals import Approval, AsyncApproval, AsyncChoice, Choice
from .agent.conversation import AsyncConversation
from .agent.conversation_state import State, Verification
from .agent.options import ConversationStore
from .agent.relay import AsyncRelay
from .agent.submission import ContextMessage
from .crypto.parts import File
from .crypto.submission import CONFIDENTIAL_QUESTION
from .errors import RelayError, RelayErrorCode
from .expert.expert import AsyncExpert
from .expert.list_questions import ListedQuestion
from .expert.request import AsyncExpertRequest
from .expert.write_decision import Accept, CountedDecision, Decline, RequestForm
from .file_store import FileMemory, FileStore
from .forms.to_form import FormOrModel
from .memory import Memory, ProcessMemory
from .requests import Follows, ListedRequest, RequestState, RequestStatus, WhoAmI
from .sync.conversation import Conversation
from .sync.expert import Expert, ExpertRequest
from .sync.relay import Relay
from .thread.message import Message, Protection
from .thread.sender import Sending
from .timing import Timing

__all__ = [
    "CONFIDENTIAL_QUESTION",
    "Accept",
    "Answer",
    "Approval",
    "AsyncApproval",
    "AsyncChoice",
    "AsyncConversation",
    "AsyncExpert",
    "AsyncExpertRequest",
    "AsyncRelay",
    "Choice",
    "ContextMessage",
    "Conversation",
    "ConversationStore",
    "CountedDecision",
    "Decision",
    "Decline",
    "Expert",
    "ExpertRequest",
    "File",
    "FileMemory",
    "FileStore",
    "Follows",
    "FormOrModel",
    "ListedQuestion",
    "ListedRequest",
    "Memory",
    "Message",
    "ProcessMemory",
    "Protection",
    "Relay",
    "RelayError",
    "RelayErrorCode",
    "RequestForm",
    "RequestState",
    "RequestStatus",
    "Sending",
    "State",
    "Timing",
    "Verification",
    "WhoAmI",
]
