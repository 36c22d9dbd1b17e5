"""Ask a human expert and get a verified answer, end-to-end encrypted; or be the expert.

`Relay` is an agent's connection, `Expert` an expert's. Both block; `AsyncRelay` and `AsyncExpert` are for asyncio. What is public is
here and in `expert_relay.adapters`: a module whose name begins with an underscore may change with any version.
"""

from ._agent.answers import Accepted, Answer, Decided, Decision, Declined, OnReply
from ._agent.approvals import AsyncApproval, AsyncChoice
from ._agent.conversation import AsyncConversation
from ._agent.conversation_state import ConversationState, Verification
from ._agent.options import AskingOptions, QuestionOptions
from ._agent.relay import AsyncRelay, Option
from ._agent.submission import ContextMessage
from ._crypto.parts import File
from ._crypto.submission import CONFIDENTIAL_QUESTION
from ._environment import ExpertOptions, RelayOptions
from ._errors import RelayError, RelayErrorCode, RelayErrorName, RelayErrorReason
from ._expert.describe_pending import PendingAnswer
from ._expert.expert import AsyncExpert
from ._expert.list_questions import ListedQuestion
from ._expert.request import AsyncExpertRequest
from ._expert.write_decision import Accept, CountedDecision, Decline, RequestForm
from ._file_store import FileStore
from ._forms.answer import DecisionState, FormAnswer
from ._forms.content import Content, Form, is_approval
from ._forms.to_form import FormOrModel
from ._receipt.verified_receipt import ReceiptEntry, ReceiptQuestion, VerifiedReceipt
from ._receipt.verify_receipt import verify_receipt
from ._requests import Follows, ListedRequest, Party, RequestState, RequestStatus, WhoAmI
from ._store import MemoryStore, Store
from ._sync.approvals import Approval, Choice
from ._sync.conversation import Conversation
from ._sync.expert import Expert, ExpertRequest
from ._sync.relay import Relay
from ._thread.message import Message, Protection
from ._thread.sender import SendResult
from ._timing import Timing
from ._transport.api import OnOutage

__all__ = [
    "CONFIDENTIAL_QUESTION",
    "Accept",
    "Accepted",
    "Answer",
    "Approval",
    "AskingOptions",
    "AsyncApproval",
    "AsyncChoice",
    "AsyncConversation",
    "AsyncExpert",
    "AsyncExpertRequest",
    "AsyncRelay",
    "Choice",
    "Content",
    "ContextMessage",
    "Conversation",
    "ConversationState",
    "CountedDecision",
    "Decided",
    "Decision",
    "DecisionState",
    "Decline",
    "Declined",
    "Expert",
    "ExpertOptions",
    "ExpertRequest",
    "File",
    "FileStore",
    "Follows",
    "Form",
    "FormAnswer",
    "FormOrModel",
    "ListedQuestion",
    "ListedRequest",
    "MemoryStore",
    "Message",
    "OnOutage",
    "OnReply",
    "Option",
    "Party",
    "PendingAnswer",
    "Protection",
    "QuestionOptions",
    "ReceiptEntry",
    "ReceiptQuestion",
    "Relay",
    "RelayError",
    "RelayErrorCode",
    "RelayErrorName",
    "RelayErrorReason",
    "RelayOptions",
    "RequestForm",
    "RequestState",
    "RequestStatus",
    "SendResult",
    "Store",
    "Timing",
    "Verification",
    "VerifiedReceipt",
    "WhoAmI",
    "is_approval",
    "verify_receipt",
]
