"""Requests, as the relay describes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard, TypeVar
from urllib.parse import urlencode

from ._errors import invalid_input, unexpected
from ._json_text import Members, is_list, is_object, text_of, to_well_formed
from ._transport.api import Api
from ._transport.shape import count, list_of, matching, members, optional_text, text

T = TypeVar("T")
RequestStatus = Literal["pending", "responded", "closed", "expired"]

_statuses: dict[str, RequestStatus] = {
    "pending": "pending",
    "responded": "responded",
    "closed": "closed",
    "expired": "expired",
}
# These texts are shown inside our own sentences to people and models, so they must not be sentences themselves.
_ref_code = re.compile("HS-[0-9A-Z]{1,32}")
_time = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z")
# An id becomes part of addresses, and must differ from a reference code.
_request_id = re.compile(r"(?!hs-)[A-Za-z0-9_-]{1,200}", re.IGNORECASE | re.ASCII)
_user_id = re.compile("[A-Za-z0-9_-]{1,200}")
_page_size = 200
# A longer list is refused before it fills the memory. Counted are the characters of all questions, 500 more for each request and
# 100,000 for each page.
_max_total_length = 200_000_000


@dataclass(frozen=True)
class RequestState:
    """The state of a request.

    >>> print(relay.find_by_ref("HS-7KQ2M9XD").status)
    """

    request_id: str
    ref_code: str
    """The code that people use, such as `HS-7KQ2M9XD`."""
    status: RequestStatus
    response_count: int
    """Answers of the expert so far."""
    created_at: str
    """ISO 8601, UTC."""
    expires_at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True)
class Follows:
    """What an agent sends automatically after the pick-up.

    >>> if request.missing_parts and request.missing_parts.question:
    ...     (first, *others) = request.receive()
    """

    files: int
    question: bool
    """Whether the question of a confidential request follows."""


Party = Literal["agent", "expert"]
"""The two sides of a conversation. The relay calls them `consumer` and `provider`."""

_parties: dict[str, Party] = {"consumer": "agent", "provider": "expert"}


def party_of(role: str) -> Party:
    return _parties[role]


@dataclass(frozen=True)
class RequestNotes:
    """What the relay states about a request besides. Nothing of it is encrypted or signed."""

    tags: tuple[str, ...]
    """The agent's words for sorting."""
    closed_by: Party | None
    close_reason: str | None
    follows: Follows | None


NO_NOTES = RequestNotes((), None, None, None)


@dataclass(frozen=True)
class ListedRequest(RequestState):
    """A request in an agent's list, with the beginning of its question as the relay states it: nothing checks it.

    >>> for one in relay.requests("responded"):
    ...     print(one.ref_code, one.question)
    """

    question: str
    message_count: int
    """Messages of both sides. The question is none."""
    tags: tuple[str, ...]
    closed_by: Party | None
    close_reason: str | None
    follows: Follows | None


@dataclass(frozen=True)
class WhoAmI:
    """To whom a key belongs.

    >>> print(relay.whoami().name)
    """

    kind: Literal["consumer", "provider"]
    name: str
    user_id: str
    """The expert that the key belongs to."""
    topics: tuple[str, ...]


@dataclass(frozen=True)
class AskedRequest:
    """The request, as last seen."""

    request_id: str
    ref_code: str
    status: RequestStatus
    expires_at: str
    response_count: int
    erased_at: str | None = None

    def export(self) -> Members:
        return {
            "requestId": self.request_id,
            "refCode": self.ref_code,
            "status": self.status,
            "expiresAt": self.expires_at,
            "responseCount": self.response_count,
            **({} if self.erased_at is None else {"erasedAt": self.erased_at}),
        }


def has_ended(status: RequestStatus) -> bool:
    """Both states are final."""
    return status in ("closed", "expired")


def read_status(body: Members) -> RequestStatus:
    status = _statuses.get(text(body, "status"))
    if status is None:
        raise unexpected("pending or responded or closed or expired as `status`")
    return status


def read_time(body: Members, name: str) -> str:
    return matching(body, name, _time)


def read_request_id(body: Members) -> str:
    return matching(body, "requestId", _request_id)


def is_request_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and _request_id.fullmatch(value) is not None


def read_submitted(body: Members) -> AskedRequest:
    """The answer to a submit."""
    return AskedRequest(
        read_request_id(body), matching(body, "refCode", _ref_code), read_status(body), read_time(body, "expiresAt"), 0
    )


def read_state(body: Members) -> RequestState:
    return RequestState(
        request_id=read_request_id(body),
        ref_code=matching(body, "refCode", _ref_code),
        status=read_status(body),
        response_count=count(body, "responseCount"),
        created_at=read_time(body, "createdAt"),
        expires_at=read_time(body, "expiresAt"),
    )


def read_notes(body: Members) -> RequestNotes:
    """What is not of this form is left out, and so is the end of a request that is not closed."""
    tags, reason, side = body.get("tags"), text_of(body.get("closeReason")), body.get("closedBy")
    # A character of a tag may be two units of UTF-16 in other languages.
    words = [tag for tag in tags if isinstance(tag, str) and len(tag) <= 80] if is_list(tags) else []
    follows = _read_follows(body.get("follows"))
    if body.get("status") != "closed":
        return RequestNotes(tuple(words[:10]), None, None, follows)
    return RequestNotes(tuple(words[:10]), _parties.get(side) if isinstance(side, str) else None, None if reason is None else reason[:500], follows)


def _read_follows(value: object) -> Follows | None:
    if not is_object(value):
        return None
    files, question = value.get("files"), value.get("question") is True
    known = files if isinstance(files, int) and not isinstance(files, bool) and 0 < files <= 16 else 0
    return Follows(known, question) if known or question else None


def read_who_am_i(answer: object) -> WhoAmI:
    body = members(answer)
    topics, kind = body.get("topics"), text(body, "kind")
    if kind not in ("consumer", "provider"):
        raise unexpected("consumer or provider as `kind`")
    named = tuple(one for one in topics if isinstance(one, str)) if is_list(topics) else ()
    return WhoAmI("consumer" if kind == "consumer" else "provider", text(body, "name"), matching(body, "userId", _user_id), named)


def read_listed(body: Members) -> ListedRequest:
    state = read_state(body)
    return ListedRequest(**vars(state), **vars(read_notes(body)), question=text(body, "question"), message_count=count(body, "messageCount"))


async def list_requests(
    api: Api,
    read: Callable[[Members], T],
    *,
    status: RequestStatus | Literal["pending,responded"] | None = None,
    limit: int | None = None,
    content: bool = False,
) -> list[T]:
    """The requests that a key may see: of an expert those with the newest activity first, of an agent the newest first. With `limit` at
    most so many. `content`: with their whole content."""
    if limit is not None and limit < 1:
        raise invalid_input("`limit` must be a whole number from 1 on.")
    query: dict[str, str] = {"limit": str(min(_page_size, limit or _page_size))}
    if status:
        query["status"] = status
    if content:
        query["content"] = "true"
    seen: set[str] = set()
    listed: list[T] = []
    length = 0

    def read_one(body: Members) -> T:
        nonlocal length
        length += _length_of(body) + 500
        return read(body)

    def read_page(answer: Any) -> tuple[list[T], str | None]:
        body = members(answer)
        return list_of(body, "requests", read_one), optional_text(body, "next")

    while length < _max_total_length:
        page, after = await api.get(f"/api/v1/requests?{urlencode(query)}", read_page)
        listed += page
        # A cursor that was seen before would make the list endless.
        if after is None or after in seen or (limit is not None and len(listed) >= limit):
            return listed[:limit]
        seen.add(after)
        length += len(after) + 100_000
        query["after"] = to_well_formed(after)
    raise unexpected("a shorter list")


def _length_of(body: Members) -> int:
    """The characters of a request's question and context."""
    context = body.get("context")
    said = [one.get("content") for one in context if is_object(one)] if is_list(context) else []
    return sum(len(text_of(one) or "") for one in (body.get("question"), body.get("plaintext"), *said))


async def list_open(api: Api) -> list[ListedRequest]:
    """The open requests, oldest first."""
    listed = await list_requests(api, read_listed, status="pending,responded")
    return sorted(listed, key=lambda one: one.created_at)
