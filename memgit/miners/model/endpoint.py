"""One question over HTTP: bounded in time and size, tried again where that can help, the key in one header only.

Nothing that an endpoint answers is trusted, and nothing of it is shown before what looks like a secret is masked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from memgit.errors import UsageError
from memgit.evidence.findings import mask
from memgit.miners.model.port import ModelFailed, ModelUnavailable
from memgit.text.layout import line

SECONDS = 600.0
"""Seconds for one answer, all tries and pauses together."""

TRIES = 5
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds between two tries: doubled each time, or what the endpoint asks for, up to the longest."""

MOST = 8_000_000
"""Bytes of an answer that are read."""

_CHUNK = 65_536
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Endpoint:
    """Where questions are sent. ``key_name`` is the environment variable that ``key`` came from."""

    url: str
    key: str = field(default="", repr=False)
    key_name: str = ""
    seconds: float = SECONDS
    pause: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc.rpartition("@")[2]

    def post(self, path: str, headers: Mapping[str, str], body: Mapping[str, object]) -> dict[str, Any]:
        """The JSON object that the endpoint answers with.

        Raises Refused for an answer that complains of the request, ModelUnavailable where no question will be answered,
        else ModelFailed.
        """
        data, limit = json.dumps(body).encode(), self.now() + self.seconds
        wait = FIRST_PAUSE
        for left in reversed(range(TRIES)):
            try:
                return self._object(self._once(path, headers, data, limit))
            except _Again as passing:
                pause = wait if passing.after is None else passing.after
                if not left or pause > LONGEST_PAUSE or self.now() + pause >= limit:
                    raise ModelFailed(
                        f"{self.host} gave no answer: {passing.why}.", "Run the pass again later; answers are kept."
                    ) from None
                self.pause(pause)
                wait = min(2 * wait, LONGEST_PAUSE)
        raise AssertionError("the last try returns or raises")

    def _once(self, path: str, headers: Mapping[str, str], data: bytes, limit: float) -> bytes:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import Request, build_opener

        request = Request(
            self.url.rstrip("/") + path, data, {"content-type": "application/json", **headers}, method="POST"
        )
        try:
            with build_opener(_no_redirects()).open(request, timeout=max(0.01, limit - self.now())) as response:
                return self._read(response, limit)
        except HTTPError as answer:
            with answer:
                raise self._complaint(answer.code, answer.headers, answer.read(_CHUNK)) from None
        except URLError as failure:
            raise self._unreachable(failure.reason) from None
        except OSError as failure:
            raise self._unreachable(failure) from None
        except (HTTPException, ValueError) as failure:
            raise ModelFailed(f"{self.host} does not speak HTTP as it should: {type(failure).__name__}.") from None

    def _read(self, response: Any, limit: float) -> bytes:
        """The body, piece by piece, so that an endpoint that drips is held to the limit, too."""
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > MOST:
                raise ModelFailed(f"{self.host} sent more than {MOST:,} bytes, which is no answer.")
            if self.now() > limit:
                raise TimeoutError
        return b"".join(parts)

    def _object(self, data: bytes) -> dict[str, Any]:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        raise ModelFailed(f"{self.host} answered with something that is no JSON object.", "Is that the right URL?")

    def _complaint(self, code: int, headers: Any, body: bytes) -> Exception:
        said = self._told(body)
        match code:
            case 401 | 403:
                named = f"the key in {self.key_name}" if self.key else "a question without a key"
                return ModelUnavailable(
                    f"{self.host} refused {named} ({code}).", f"Put a valid key into {self.key_name}, and export it."
                )
            case 407:
                return ModelUnavailable("The proxy wants somebody to log in (407).", "Look at HTTPS_PROXY.")
            case _ if 300 <= code < 400:
                to = urlsplit(headers.get("location", "")).netloc or "another address"
                return ModelUnavailable(
                    f"{self.host} redirects to {line(to)[:80]}; the key was not sent there.",
                    "If that is right, set api.url.",
                )
            case _ if code in _PASSING:
                return _Again(f"it answered {code}{f', {said}' if said else ''}", _after(headers.get("retry-after")))
            case _:
                return Refused(code, said, self.host)

    def _unreachable(self, reason: object) -> Exception:
        import ssl

        match reason:
            case TimeoutError():
                return _Again(f"nothing came within {self.seconds:g} seconds")
            case ssl.SSLError():
                return ModelUnavailable(
                    f"No safe connection to {self.host}: {line(str(reason))[:120]}.", "Look at its certificate."
                )
            case ConnectionRefusedError():
                return ModelUnavailable(f"Nothing listens at {self.host}.", "Start the server, or look at api.url.")
            case ConnectionError():
                return _Again("it broke the connection off")
            case _:
                return ModelUnavailable(
                    f"{self.host} cannot be reached: {line(str(reason))[:120]}.", "Look at api.url and the network."
                )

    def _told(self, body: bytes) -> str:
        """What an endpoint complains of, in one short line without the key or anything that looks like one."""
        try:
            error = json.loads(body).get("error", "")
            said = error.get("message", "") if isinstance(error, dict) else error
        except (ValueError, AttributeError, RecursionError):
            said = ""
        text = str(said).replace(self.key, "[key]") if self.key else str(said)
        return line(mask(text).text)[:200].rstrip(".")


class Refused(ModelFailed):
    """The endpoint found fault with the question itself."""

    def __init__(self, status: int, said: str, host: str) -> None:
        super().__init__(f"{host} refused the question ({status}){f': {said}' if said else ''}.")
        self.status = status
        self.said = said


class _Again(Exception):
    """A failure that may pass; ``after`` are the seconds that the endpoint asks for."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.after = after


def checked_url(url: str) -> str:
    """The URL if a key and prose may go there: https, or this machine. Raises UsageError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{line(url)[:80]!r} is no web address.", "Give one like https://host/v1.")
    if parts.username or parts.password:
        raise UsageError("api.url holds a user name or password.", "Leave them out; keys come from the environment.")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise UsageError(f"{parts.hostname} would be asked without encryption.", "Use https, or a server of your own.")
    return url


def is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in _LOOPBACK


def _no_redirects() -> Any:
    from urllib.request import HTTPRedirectHandler

    class NoRedirects(HTTPRedirectHandler):
        """A key is for one host: where it is sent on to is told, not followed."""

        def redirect_request(self, *_: Any, **__: Any) -> None:
            return None

    return NoRedirects()


def _after(value: str | None) -> float | None:
    """The seconds of a Retry-After header, given as a number or as a time."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
