"""The properties that the conversations of both sides have in common, for asyncio and for programs that block."""

from __future__ import annotations

from dataclasses import dataclass

from .._requests import AskedRequest, Party, RequestNotes, RequestStatus


@dataclass(frozen=True)
class Described:
    ref_code: str
    """As it was first stated: a relay that changes it is refused."""
    request: AskedRequest
    """As last seen."""
    notes: RequestNotes


class ConversationBase:
    def _described(self) -> Described:
        raise NotImplementedError

    @property
    def request_id(self) -> str:
        """The id of the request at the relay."""
        return self._described().request.request_id

    @property
    def ref_code(self) -> str:
        """The code that people use, such as `HS-7KQ2M9XD`."""
        return self._described().ref_code

    @property
    def status(self) -> RequestStatus:
        """As last seen."""
        return self._described().request.status

    @property
    def expires_at(self) -> str:
        """ISO 8601, UTC."""
        return self._described().request.expires_at

    @property
    def response_count(self) -> int:
        """As last seen, including answers that were not returned yet."""
        return self._described().request.response_count

    @property
    def erased_at(self) -> str | None:
        """When the relay erased the messages, some time after the end. ISO 8601, UTC."""
        return self._described().request.erased_at

    @property
    def closed_by(self) -> Party | None:
        """Which side closed the conversation, as the relay states it."""
        return self._described().notes.closed_by

    @property
    def close_reason(self) -> str | None:
        """Why, as the relay states it: neither encrypted nor signed."""
        return self._described().notes.close_reason
