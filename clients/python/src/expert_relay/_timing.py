"""How long things may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Waiting times, in seconds. For unusual networks, and for tests.

    >>> relay = Relay.from_env(timing=Timing(poll=10.0))
    """

    call: float = 30.0
    """One attempt of a call, including its whole answer."""
    patience: float = 150.0
    """How long a call is repeated: up to five times after network errors and overload, and after rate limits."""
    backoff: float = 0.25
    """The first wait before a repetition is at most twice this. The limit doubles each time, up to `max_backoff`."""
    max_backoff: float = 15.0
    silence: float = 38.0
    """A stream that is silent for this long is opened again: two and a half heartbeats."""
    opening: float = 10.0
    """A new stream must send something within this time."""
    gather: float = 0.01
    """How long new topics are collected before a stream is opened for them."""
    poll: float = 3.0
    """How often a conversation is read while no stream is connected."""
    recheck: float = 60.0
    """How often it is read while a stream is connected, in case that an event was lost. An agent without `timing`: 600."""
    decision: float = 600.0
    """How long after an expert has written it, an answer to a form is sent without asking again."""
    parts: float = 30.0
    """How long an expert's answer waits, after the pick-up, for what the agent has announced."""
