"""A message that was encrypted here, is not listed, and may never be sent: the expert's text that is held."""

from __future__ import annotations

import json

import pytest

from expert_relay import RelayError
from expert_relay._crypto.encoding import to_base64
from expert_relay._crypto.history import History

FIRST, OTHER, OWN, NEXT = 1, 2, 3, 4


def digest(number: int) -> bytes:
    return bytes([number]) * 32


def name(number: int) -> str:
    return to_base64(digest(number))


def with_text(*links: int) -> History:
    """The agent's message, an answer of another device, and a text that links to these."""
    history = History()
    history.accept(digest(FIRST), [], False)
    history.accept(digest(OTHER), [digest(FIRST)], True)
    history.seal(digest(OWN), [digest(link) for link in links])
    return history


def test_what_it_links_to_is_an_end_again() -> None:
    history = with_text(FIRST, OTHER)
    assert history.ends == [name(OWN)]
    assert history.forget_last()
    assert history.ends == [name(OTHER)]
    assert history.links(None) == [digest(OTHER)]


def test_a_listed_message_that_links_to_it_shows_that_the_other_side_has_it() -> None:
    history = with_text(FIRST)
    history.accept(digest(NEXT), [digest(OWN)], False)
    assert not history.forget_last()
    assert history.unlisted == [name(OWN)]


def test_a_message_that_links_to_it_and_a_list_without_it_are_refused() -> None:
    history = with_text(FIRST)
    history.forget_last()
    with pytest.raises(RelayError) as raised:
        history.accept(digest(NEXT), [digest(OWN)], False)
    assert raised.value.reason == "message_missing"


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("order", [[OWN, NEXT], [NEXT, OWN]])
def test_it_arrives_after_all(restarted: bool, order: list[int]) -> None:
    history = with_text(FIRST)
    history.forget_last()
    history.seal(digest(NEXT), [digest(FIRST)])
    if restarted:
        history = History(json.loads(json.dumps(history.state())))
    for one in order:
        assert history.accept(digest(one), [digest(FIRST)], True)
    assert sorted(history.ends) == sorted([name(OTHER), name(OWN), name(NEXT)])
    assert "forgotten" not in history.state()


def test_it_never_arrives() -> None:
    history = with_text(FIRST)
    history.forget_last()
    history.seal(digest(NEXT), [digest(FIRST)])
    history = History(history.state())
    history.seal(digest(5), [digest(NEXT)])
    for one in [NEXT, 5]:
        assert history.accept(digest(one), [], True)
