"""What an expert remembers of requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .._crypto.key_exchange import keys_changed, question_altered
from .._crypto.public_key import PublicKeys, parse_public_keys
from .._errors import RelayError, refusal
from .._json_text import Members, write_json
from .._store import Values
from .._thread.page import Head, Pair
from .question import digest_question


@dataclass(frozen=True)
class FirstVersion:
    """What never changes of a request, from the first time that it was shown."""

    request_id: str
    keys: Pair | None
    """The agent's keys as PEM; None when the agent sent none."""
    submission: str
    """The digest of the question and its code, base64."""

    def write(self) -> str:
        keys = {"sign": self.keys.sign, "encrypt": self.keys.encrypt} if self.keys else None
        return write_json({"requestId": self.request_id, "keys": keys, "submission": self.submission})


@dataclass(frozen=True)
class Remembered(FirstVersion):
    """What is remembered of a request that was opened."""

    ends: tuple[str, ...] | None = None
    """After the pick-up: of the messages that the relay has listed or accepted, those to which no other message links."""


def _read(text: str) -> Remembered:
    saved: Members = json.loads(text)
    keys = saved["keys"]
    return Remembered(saved["requestId"], Pair(keys["sign"], keys["encrypt"]) if keys else None, saved["submission"])


def first_version_of(head: Head) -> FirstVersion:
    peer = parse_pair(head.consumer_keys) if head.consumer_keys else None
    keys = Pair(peer.sign.pem, peer.encrypt.pem) if peer else None
    return FirstVersion(head.state.request_id, keys, digest_question(head))


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

    def __init__(self, values: Values) -> None:
        self._values = values
        # How each request was shown, whatever its code is now. A list does not store it, since one write for each request is enough.
        self._versions: dict[str, FirstVersion] = {}
        # The newest version of the ends that is known, by request.
        self._numbers: dict[str, int] = {}

    def recall(self, request_id: str) -> Remembered | None:
        kept = self._values.get(f"request:{request_id}")
        return None if kept is None else replace(_read(kept), ends=self._newest_ends(request_id)[1])

    def change_ends(self, request_id: str, change: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Replaces the ends by what `change` makes of those that are stored. Two clients at the same time lose none."""
        while True:
            number, ends = self._newest_ends(request_id)
            text = write_json(list(change(ends or ())))
            if self._values.remember(_name_of_ends(request_id, number + 1), text) == text:
                return

    def _newest_ends(self, request_id: str) -> tuple[int, tuple[str, ...] | None]:
        """The versions are numbered from 0, and the first write of a number counts."""
        number = self._numbers.get(request_id, -1)
        newest = None if number < 0 else self._values.get(_name_of_ends(request_id, number))
        step, grows = 1, True
        while step > 0:
            text = self._values.get(_name_of_ends(request_id, number + step))
            if text is None:
                grows = False
            else:
                number, newest = number + step, text
            step = step * 2 if grows else step // 2
        self._numbers[request_id] = number
        return number, None if newest is None else tuple(json.loads(newest))

    def remember(self, shown: FirstVersion) -> Remembered:
        """Returns the first value of this request."""
        return _read(self._values.remember(f"request:{shown.request_id}", shown.write()))

    def check(self, head: Head) -> FirstVersion:
        """Compares a request with what was shown before, and remembers it: before any of it is shown."""
        request_id = head.state.request_id
        shown, code = first_version_of(head), normalize_code(head.state.ref_code)
        compare_with_first(self._versions.get(request_id, shown), shown)
        first = self._values.get(f"code:{code}")
        if first is None:
            opened = self.recall(request_id)
            if opened:
                compare_with_first(opened, shown)
            first = self._values.remember(f"code:{code}", shown.write())
        known = _read(first)
        if known.request_id != request_id:
            raise _code_changed(head.state.ref_code)
        compare_with_first(known, shown)
        self._versions[request_id] = shown
        return shown


def _name_of_ends(request_id: str, number: int) -> str:
    return f"ends:{request_id}:{number}"


def _code_changed(ref_code: str) -> RelayError:
    return refusal(
        "question_altered",
        f"Another question was shown under {ref_code} before, or this one under another code.",
    )
