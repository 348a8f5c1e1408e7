"""An HTTP endpoint on loopback that answers what a test wrote down, and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer: status, headers and body. ``until`` holds it back till the test says so."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    until: Event | None = None

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@dataclass
class Stub:
    """What is answered, in turn (the last for ever) or by a function of the request, and what came."""

    url: str
    script: Sequence[Reply] | Callable[[Asked], Reply]
    asked: list[Asked] = field(default_factory=list)

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if callable(self.script):
            return self.script(asked)
        return self.script[min(len(self.asked), len(self.script)) - 1]


@contextmanager
def stub(script: Sequence[Reply] | Callable[[Asked], Reply]) -> Iterator[Stub]:
    """The endpoint, listening on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            reply = made.reply(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, raw))
            if reply.until:
                reply.until.wait(30)
            self.send_response(reply.status)
            for name, value in {"content-length": str(len(reply.data)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.data)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that gave up is no error of the endpoint."""

    server = Server(("127.0.0.1", 0), Handler)
    made = Stub(f"http://127.0.0.1:{server.server_address[1]}", script)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def messages(text: str = "", *, called: Any = None, stop: str = "tool_use") -> dict[str, Any]:
    """An answer in the shape of Anthropic's Messages."""
    block = (
        {"type": "text", "text": text} if called is None else {"type": "tool_use", "name": "answer", "input": called}
    )
    return {"content": [block], "stop_reason": stop, "usage": {"input_tokens": 100, "output_tokens": 20}}


def chat(text: str, *, finish: str = "stop") -> dict[str, Any]:
    """An answer in the shape of chat completions."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
