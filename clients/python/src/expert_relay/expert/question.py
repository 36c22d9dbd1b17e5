"""The unencrypted part of a request, and what an expert remembers of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from ..crypto.encoding import to_base64
from ..crypto.key_exchange import keys_changed, question_altered
from ..crypto.public_key import PublicKeys, parse_public_keys
from ..crypto.submission import digest_submission
from ..errors import RelayError, refusal
from ..json_text import Members, is_list, is_object, write_json
from ..memory import Memory
from ..thread.page import Head, Pair
from ..transport.shape import optional_text


@dataclass(frozen=True)
class Question:
    question: str = ""
    context: tuple[dict[str, str], ...] = ()
    plaintext: str | None = None
    answer_form: str | None = None
    """The form that came with the question, as JSON text. It is signed with the question."""
    agent_name: str | None = None
    """The name that the agent gave itself. It is signed with the question."""


NO_QUESTION = Question()
"""Shown where the relay's question must not be: after a refusal, and after the content was erased."""


def read_question(asked: Members) -> Question:
    context: Any = asked.get("context")
    said = [one for one in context if is_object(one)] if is_list(context) else []
    kept = [one for one in said if isinstance(one.get("role"), str) and isinstance(one.get("content"), str)]
    return Question(
        question=optional_text(asked, "question") or "",
        context=tuple({"role": one["role"], "content": one["content"]} for one in kept),
        plaintext=optional_text(asked, "plaintext"),
        answer_form=optional_text(asked, "answerForm"),
        agent_name=optional_text(asked, "agentName"),
    )


def _digest(head: Head) -> str:
    """The digest of a request's question, which the expert signs in the key exchange."""
    question = read_question(head.asked)
    versions = optional_text(head.asked, "agentVersions")
    try:
        digest = digest_submission(
            head.state.ref_code,
            agent_versions=versions,
            agent_name=question.agent_name,
            question=question.question,
            plaintext=question.plaintext,
            answer_form=question.answer_form,
            messages=question.context,
        )
    except RelayError:
        # A lone surrogate: an agent cannot have sent that.
        raise question_altered() from None
    return to_base64(digest)


@dataclass(frozen=True)
class FirstVersion:
    """What never changes of a request, from the first time that it was shown."""

    request_id: str
    keys: Pair | None
    """The agent's keys as PEM; None when the agent sent none."""
    submission: str
    """The digest of the question and its code, base64."""
    ends: tuple[str, ...] | None = None
    """After the pick-up: of the messages that the relay has listed or accepted, those to which no other message links."""

    def write(self) -> str:
        keys = {"sign": self.keys.sign, "encrypt": self.keys.encrypt} if self.keys else None
        members: Members = {"requestId": self.request_id, "keys": keys, "submission": self.submission}
        return write_json(members if self.ends is None else {**members, "ends": list(self.ends)})


def _read(text: str) -> FirstVersion:
    saved: Members = json.loads(text)
    keys, ends = saved["keys"], saved.get("ends")
    return FirstVersion(
        saved["requestId"],
        Pair(keys["sign"], keys["encrypt"]) if keys else None,
        saved["submission"],
        None if ends is None else tuple(ends),
    )


def first_version_of(head: Head) -> FirstVersion:
    peer = parse_pair(head.consumer_keys) if head.consumer_keys else None
    keys = Pair(peer.sign.pem, peer.encrypt.pem) if peer else None
    return FirstVersion(head.state.request_id, keys, _digest(head))


def parse_pair(pair: Pair) -> PublicKeys:
    return parse_public_keys(pair.sign, pair.encrypt)


def compare_with_first(first: FirstVersion, now: FirstVersion) -> None:
    if first.keys != now.keys:
        raise keys_changed()
    if first.submission != now.submission:
        raise question_altered()


def normalize_code(ref_code: str) -> str:
    """People write codes in upper or lower case, without `HS-`, and with letters for 0 and 1."""
    return ref_code.upper().removeprefix("HS-").replace("O", "0").replace("I", "1").replace("L", "1")


class RequestMemory:
    """What an expert remembers of requests. Each has a value under its code, since people read a question and answer it later by
    its code, and once it was opened one under its id."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        # How each request was shown, whatever its code is now. A list does not store it, since one write for each request is enough.
        self._versions: dict[str, FirstVersion] = {}

    def recall(self, request_id: str) -> FirstVersion | None:
        kept = self._memory.get(f"request:{request_id}")
        return None if kept is None else _read(kept)

    def remember(self, shown: FirstVersion) -> FirstVersion:
        """Returns the first value of this request."""
        return _read(self._memory.remember(f"request:{shown.request_id}", shown.write()))

    def set(self, shown: FirstVersion) -> None:
        self._memory.set(f"request:{shown.request_id}", shown.write())

    def check(self, head: Head) -> FirstVersion:
        """Compares a request with what was shown before, and remembers it: before any of it is shown."""
        request_id = head.state.request_id
        shown, code = first_version_of(head), normalize_code(head.state.ref_code)
        compare_with_first(self._versions.get(request_id, shown), shown)
        first = self._memory.get(f"code:{code}")
        if first is None:
            opened = self.recall(request_id)
            if opened:
                compare_with_first(opened, shown)
            first = self._memory.remember(f"code:{code}", shown.write())
        known = _read(first)
        if known.request_id != request_id:
            raise _code_changed(head.state.ref_code)
        compare_with_first(known, shown)
        self._versions[request_id] = shown
        return shown


def without_ends(shown: FirstVersion) -> FirstVersion:
    return replace(shown, ends=None)


def _code_changed(ref_code: str) -> RelayError:
    return refusal(
        "question_altered",
        f"Another question was shown under {ref_code} before, or this one under another code.",
    )
