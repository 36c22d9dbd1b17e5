"""Calls the gateway. Calls are repeated after errors, since each contains an id that makes a repetition harmless."""

from __future__ import annotations

import asyncio
import codecs
import ipaddress
import random
import re
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import httpx

from .._errors import RelayError, RelayErrorReason, invalid_input, unexpected
from .._json_text import NOT_JSON, parse_json, write_json
from .._timing import Timing
from .._tracebacks import without_locals
from .problem import problem_error
from .waiting import within

T = TypeVar("T")
OnOutage = Callable[[RelayError | None], None]
"""Gets the error when calls start to fail for a reason that will pass, and None when the relay answers again."""
# Reads the body of a response, which is JSON. Raises when it is not what was asked for.
ReadAnswer = Callable[[Any, httpx.Headers], T]

# Attempts of a call that fails because of the network or overload. Waiting for a rate limit does not count.
_max_attempts = 6
# A thousand conversations must not open a thousand sockets.
_max_concurrent_calls = 6
# In characters. The relay is asked for responses that are not compressed, so this is what crosses the network, too.
_max_answer_length = 2**23
# The share of the rate limit that polling leaves to other calls.
_reserved_share = 0.4


class Api:
    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        timing: Timing,
        on_outage: OnOutage | None,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        self.url = _base_url(url)
        self.timing = timing
        self._on_outage = on_outage
        # No redirects, so that the key goes nowhere else. The limits of time are those of `within`.
        self.client = httpx.AsyncClient(
            transport=transport,
            verify=_ssl_context(),
            follow_redirects=False,
            timeout=None,
            headers={"x-api-key": api_key, "accept-encoding": "identity"},
        )
        self._slots = asyncio.Semaphore(_max_concurrent_calls)
        self._paused_until = 0.0
        self._outage: RelayErrorReason | None = None
        self._outage_since = 0.0
        # The rate limit, as the relay reports it with each response.
        self._left, self._limit, self._window_ends = 1, 0, 0.0
        self.hub_url: str | None = None
        """The hub's address, once a response has named it."""

    async def get(self, path: str, read: Callable[[Any], T]) -> T:
        return await self._call("GET", path, None, lambda content, _: read(content))

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[Any], T],
        again: Callable[[], Awaitable[bool]] | None = None,
    ) -> T:
        """`again` says before each repetition whether it is still wanted."""
        return await self._call("POST", path, _encode(body), lambda content, _: read(content), again=again)

    async def post_for_headers(
        self,
        path: str,
        body: Mapping[str, Any],
        read: ReadAnswer[T],
        is_over: Callable[[], bool],
    ) -> T:
        """`read` gets the headers of the response, too. No attempt begins once `is_over`."""
        return await self._call("POST", path, _encode(body), read, is_over=is_over)

    def backoff(self, attempt: int) -> float:
        """Seconds to wait before attempt number `attempt`, from 0: random, up to a limit that doubles ("full jitter")."""
        return random.random() * min(self.timing.max_backoff, self.timing.backoff * 2.0 ** min(attempt, 30))

    @property
    def polling_wait(self) -> float:
        """Seconds to wait before a polling call. The rest of the limit is reserved for calls that users wait for."""
        is_scarce = self._left <= self._limit * _reserved_share
        return max(0.0, self._window_ends - time.monotonic()) if is_scarce else 0.0

    async def close(self) -> None:
        await self.client.aclose()

    async def _call(
        self,
        method: str,
        path: str,
        content: bytes | None,
        read: ReadAnswer[T],
        *,
        is_over: Callable[[], bool] = lambda: False,
        again: Callable[[], Awaitable[bool]] | None = None,
    ) -> T:
        retry_until = time.monotonic() + self.timing.patience
        failures = 0
        while True:
            started_at = 0.0
            try:
                async with self._slots:
                    await asyncio.sleep(max(0.0, self._paused_until - time.monotonic()))
                    if is_over():
                        raise RelayError("aborted", "The call that needs this has ended.")
                    started_at = time.monotonic()
                    body, headers = await self._attempt(method, path, content)
                result = read(body, headers)
            except RelayError as error:
                if not is_transient(error):
                    if error.status is not None:
                        self._report(None, started_at)
                    raise
                self._report(error, started_at)
                retry_after = error.retry_after
                if error.reason != "rate_limited":
                    failures += 1
                else:
                    # The rate limit counts all calls, so all of them wait, but never longer than `patience`.
                    pause = min(60.0 if retry_after is None else retry_after, self.timing.patience)
                    self._paused_until = time.monotonic() + pause
                wait = max(retry_after or 0.0, self.backoff(failures))
                if failures == _max_attempts or time.monotonic() + wait > retry_until:
                    raise
                await asyncio.sleep(wait)
                if again and not await again():
                    raise
            else:
                self._report(None, started_at)
                return result

    def _report(self, error: RelayError | None, started_at: float) -> None:
        # A response to a call from before the outage does not end it.
        if error is None and started_at < self._outage_since:
            return
        reason = error.reason if error else None
        if reason == self._outage:
            return
        self._outage, self._outage_since = reason, time.monotonic()
        if self._on_outage:
            self._on_outage(without_locals(error) if error else None)

    async def _attempt(self, method: str, path: str, content: bytes | None) -> tuple[Any, httpx.Headers]:
        if self.client.is_closed:
            raise client_stopped()
        headers = {"content-type": "application/json"} if content is not None else {}
        request = self.client.build_request(method, self.url + path, content=content, headers=headers)
        try:
            response, text = await within(self.timing.call, self._exchange(request), TimeoutError)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise RelayError(
                "unreachable", f"The relay at {self.url} cannot be reached. Check the address and the network."
            ) from error
        self._read_limit(response.headers)
        self.hub_url = response.headers.get("relay-hub", self.hub_url)
        body = parse_json(text)
        if 300 <= response.status_code < 400:
            raise RelayError("unreachable", f"The relay at {self.url} sends calls to another address. Check the address.")
        if not response.is_success:
            raise problem_error(response, body)
        if body is NOT_JSON:
            raise unexpected("JSON")
        return body, response.headers

    async def _exchange(self, request: httpx.Request) -> tuple[httpx.Response, str]:
        response = await self.client.send(request, stream=True)
        try:
            return response, await _read_text(response)
        finally:
            await response.aclose()

    def _read_limit(self, headers: httpx.Headers) -> None:
        found = re.search(r"r=(\d{1,9});t=(\d{1,9})", headers.get("ratelimit", ""))
        if not found:
            return
        quota = re.search(r"q=(\d{1,9})", headers.get("ratelimit-policy", ""))
        self._left, self._limit = int(found[1]), int(quota[1]) if quota else 0
        self._window_ends = time.monotonic() + int(found[2])


def _encode(body: Mapping[str, Any]) -> bytes:
    return write_json(body).encode("utf-8")


async def _read_text(response: httpx.Response) -> str:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise unexpected("a response that is not compressed")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces: list[str] = []
    length = 0
    async for chunk in response.aiter_raw():
        pieces.append(decoder.decode(chunk))
        length += len(pieces[-1])
        if length > _max_answer_length:
            raise RelayError(
                "answer_too_large", "The answer is not a relay's: expected at most 8 MiB. Check the address."
            )
    return "".join(pieces) + decoder.decode(b"", True)


def client_stopped() -> RelayError:
    return RelayError("aborted", "The client was stopped. Make a new one to go on.")


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed later."""
    return is_outage(error) or (isinstance(error, RelayError) and error.reason == "unexpected_answer")


def is_outage(error: BaseException) -> bool:
    """Whether an error is temporary, however long it lasts."""
    return isinstance(error, RelayError) and error.reason in ("unreachable", "rate_limited")


def is_http_url(url: str) -> bool:
    """Whether calls can be made to it. Not with a user name or a password, which errors would show."""
    try:
        parsed = httpx.URL(url)
        if _ipv4.fullmatch(parsed.host):
            socket.inet_aton(parsed.host)
        return parsed.scheme in ("http", "https") and parsed.host != "" and parsed.userinfo == b""
    except (httpx.InvalidURL, ValueError, OSError):
        return False


def invalid_url(name: str) -> RelayError:
    return invalid_input(f"`{name}` must be an http(s) address without a user name and a password.")


def origin_of(url: str) -> str:
    """The one spelling of scheme, host and port: `URL.origin` of JavaScript."""
    parsed = httpx.URL(url)
    host = parsed.raw_host.decode("ascii")
    if _ipv4.fullmatch(host):
        host = socket.inet_ntoa(socket.inet_aton(host))
    elif ":" in host:
        address = ipaddress.IPv6Address(host)
        mapped = address.ipv4_mapped
        words = divmod(int(mapped), 2**16) if mapped else ()
        host = f"[::ffff:{words[0]:x}:{words[1]:x}]" if words else f"[{address}]"
    return f"{parsed.scheme}://{host}" if parsed.port is None else f"{parsed.scheme}://{host}:{parsed.port}"


# Such as 127.0.0.1, and 127.1, which is the same.
_number = "(?:0x[0-9a-f]+|[0-9]+)"
_ipv4 = re.compile(rf"{_number}(?:\.{_number}){{0,3}}")


@lru_cache
def _ssl_context() -> ssl.SSLContext:
    """Reading the certificates of the authorities takes longer than a call."""
    return httpx.create_ssl_context()


def _base_url(url: str) -> str:
    if not is_http_url(url):
        raise invalid_url("url")
    return url.split("#")[0].split("?")[0].rstrip("/")
