"""What a message is to carry, and whether it could be sent."""

from __future__ import annotations

from collections.abc import Sequence

from .._crypto.encoding import from_base64, to_utf8
from .._crypto.frame import Part, too_large
from .._crypto.parts import ANSWER_KIND, AnswerPart, File, check_parts, write_parts
from .._errors import invalid_input
from .._json_text import text_of, write_json
from .side import Side


def make_parts(
    *, form: str | None = None, answer_of: str | None = None, answer: str | None = None, files: Sequence[File] = ()
) -> tuple[Part, ...]:
    """What a message is to carry besides its text. `answer_of` names the form, in base64."""
    written = None if answer is None else AnswerPart(from_base64(answer_of) or b"", answer)
    return write_parts(form=form, answer=written, files=files)


def check_message(text: object, parts: Sequence[Part], side: Side, is_plain: bool) -> None:
    """Refuses a message that could not be sent later."""
    check_parts(parts, side.role)
    if is_plain and any(part.kind != ANSWER_KIND for part in parts):
        raise invalid_input("Files and forms need encryption: leave them out.")
    if is_plain and parts and side.agent_sent_keys:
        raise invalid_input("The agent takes only an encrypted answer to its form. Give the expert its `root`.")
    check_text(text, parts, is_plain)


def check_text(text: object, parts: Sequence[Part], is_plain: bool) -> None:
    given = text_of(text)
    if given is None or (not given and (is_plain or not parts)):
        raise invalid_input("Give a text that is not empty.")
    to_utf8(given)
    length = len(to_utf8(write_json(given) if is_plain else given))
    # JSON escapes a byte of the answer with at most six.
    beside = sum(len(part.body) * (6 if is_plain else 1) for part in parts)
    # The call must stay below 1 MiB, as JSON or encrypted and in base64.
    most = (1_040_000 if is_plain else 775_000) - beside
    if length > most:
        raise too_large(length, most)
