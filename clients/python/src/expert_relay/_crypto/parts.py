"""The parts of a message whose meaning is known: a form, an answer to a form, files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._errors import RelayError, invalid_input
from .encoding import ByteReader, encode_tuple, from_utf8, to_utf8
from .frame import Part, malformed_frame
from .key_exchange import Role

FORM_KIND, ANSWER_KIND, FILE_KIND = 1, 2, 3
FIRST_NOTE_KIND = 64
"""Parts from this kind on are notes: they change nothing of what their message means."""

_link_length = 32
_max_form_bytes = 8_192
_max_answer_bytes = 65_536
_max_files = 8
_max_name_bytes = 255
_max_media_type_bytes = 127
# All files of a message together. The text beside them may then have 75,000 bytes.
_max_file_bytes = 700_000
# The names of RFC 6838, without parameters.
_token = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"
_media_type = re.compile(f"{_token}/{_token}")


@dataclass(frozen=True)
class File:
    """A file of a message. Of a received one, name and type are its sender's words: make them safe before you use them.

    >>> conversation.send("The log:", files=[File("log.txt", Path("deploy.log").read_bytes(), "text/plain")])
    """

    name: str
    """1 to 255 bytes in UTF-8."""
    bytes: bytes
    media_type: str = "application/octet-stream"
    """`type/subtype`."""


@dataclass(frozen=True)
class AnswerPart:
    of: bytes
    """32 bytes that name the form: the digest of the submit that has it, or the hash of the message that has it."""
    json: str


@dataclass(frozen=True)
class KnownParts:
    form: str | None = None
    """JSON text."""
    answer: AnswerPart | None = None
    files: tuple[File, ...] = ()
    has_unknown: bool = False
    is_uncertain: bool = False
    """Whether such a part could change what the message means, since it is no note. Then an answer does not count."""


def write_parts(
    *, form: str | None = None, answer: AnswerPart | None = None, files: Sequence[File] = ()
) -> tuple[Part, ...]:
    parts: list[Part] = []
    if form is not None:
        parts.append(Part(FORM_KIND, _limited(form, _max_form_bytes)))
    if answer is not None:
        if len(answer.of) != _link_length:
            raise invalid_input("Give the `of` of a form: 32 bytes.")
        parts.append(Part(ANSWER_KIND, answer.of + _limited(answer.json, _max_answer_bytes)))
    size = sum(len(file.bytes) for file in files)
    if size > _max_file_bytes:
        raise RelayError(
            "message_too_large",
            f"The files have {size} bytes, a message at most {_max_file_bytes}. Send them in several messages.",
        )
    parts += (Part(FILE_KIND, encode_tuple(file.name, file.media_type) + file.bytes) for file in files)
    return tuple(parts)


def _limited(json: str, most: int) -> bytes:
    data = to_utf8(json)
    if len(data) <= most:
        return data
    raise invalid_input(f"The form or answer has {len(data)} bytes as JSON: shorten it to {most}.")


def check_parts(parts: Sequence[Part], role: Role) -> None:
    """Refuses a message that this role cannot send."""
    read_parts(parts, role, lambda why: invalid_input(f"This message {why}."))


def read_parts(
    parts: Sequence[Part], role: Role, refused: Callable[[str], RelayError] = malformed_frame
) -> KnownParts:
    def bodies_of(kind: int, most: int) -> list[bytes]:
        bodies = [part.body for part in parts if part.kind == kind]
        if len(bodies) > most:
            raise refused("has parts that its side cannot send, or too many")
        return bodies

    def text_of(data: bytes) -> str:
        text = from_utf8(data)
        if text is None:
            raise refused("has a part that is not UTF-8")
        return text

    def reader(body: bytes) -> ByteReader:
        return ByteReader(body, refused("has a part that is cut off"))

    def read_answer(body: bytes) -> AnswerPart:
        rest = reader(body)
        return AnswerPart(rest.take(_link_length), text_of(rest.rest()))

    def read_file(body: bytes) -> File:
        rest = reader(body)
        name, media_type = rest.take_sized(), text_of(rest.take_sized())
        is_named = 0 < len(name) <= _max_name_bytes
        if not is_named or len(media_type) > _max_media_type_bytes or not _media_type.fullmatch(media_type):
            raise refused("has a file without a valid name, or without a type like image/png")
        return File(text_of(name), rest.rest(), media_type)

    is_agent = role == "consumer"
    forms = bodies_of(FORM_KIND, 1 if is_agent else 0)
    answers = bodies_of(ANSWER_KIND, 0 if is_agent else 1)
    files = tuple(read_file(body) for body in bodies_of(FILE_KIND, _max_files))
    unknown = [part.kind for part in parts if part.kind not in (FORM_KIND, ANSWER_KIND, FILE_KIND)]
    return KnownParts(
        form=text_of(forms[0]) if forms else None,
        answer=read_answer(answers[0]) if answers else None,
        files=files,
        has_unknown=bool(unknown),
        is_uncertain=any(kind < FIRST_NOTE_KIND for kind in unknown),
    )
