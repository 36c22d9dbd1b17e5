"""Texts that are to be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from .._crypto.frame import Part
from .._errors import RelayErrorCode, RelayErrorReason, not_as_exported
from .._json_text import Members, is_list, is_object
from .message import export_parts, restore_parts

DraftState = Literal["waiting", "held", "refused"]
"""What has to happen before it is sent: nothing, its author's decision, or another content."""


@dataclass(eq=False)
class Draft:
    """A text that is to be sent. It links to what was shown when it was written."""

    message_id: str
    text: str
    shown: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    is_plain: bool | None = None
    """Whether it may be sent as plain text. There may have been keys when it was written and none now."""
    is_held_if_newer: bool = False
    """Whether it waits for its author while the other side has written something that the author was not shown."""
    given_at: tuple[float, ...] | None = None
    """When the author gave it to this process, by `clocks`. None for one that was restored."""
    code: RelayErrorCode | None = None
    """Why the relay has refused its content, with `reason`."""
    reason: RelayErrorReason | None = None

    def export(self) -> Members:
        return {
            "messageId": self.message_id,
            "text": self.text,
            "shown": list(self.shown),
            **({} if self.is_plain is None else {"isPlain": self.is_plain}),
            **({"isHeldIfNewer": True} if self.is_held_if_newer else {}),
            **({"parts": export_parts(self.parts)} if self.parts else {}),
        }


def restore_draft(saved: object) -> Draft:
    if not is_object(saved) or not isinstance(saved.get("messageId"), str) or not isinstance(saved.get("text"), str):
        raise not_as_exported()
    shown = saved.get("shown")
    if not is_list(shown) or not all(isinstance(one, str) for one in shown):
        raise not_as_exported()
    return Draft(
        message_id=saved["messageId"],
        text=saved["text"],
        shown=tuple(shown),
        parts=restore_parts(saved.get("parts")),
        is_plain=saved.get("isPlain"),
        is_held_if_newer=saved.get("isHeldIfNewer") is True,
    )


class SharedTexts(Protocol):
    """Texts that several processes of one side may send. `seal` gives the message as the first of them has encrypted it."""

    def write_text(self, draft: Members) -> None: ...

    def waiting_texts(self) -> list[Members]: ...

    def settle_text(self, message_id: str, *, is_sent: bool) -> None: ...

    def seal(self, message_id: str, body: Members) -> Members: ...


def as_it_is(_message_id: str, body: Members) -> Members:
    return body
