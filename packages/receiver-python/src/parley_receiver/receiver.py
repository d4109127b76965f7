"""A receiver of Parley's webhooks, for any framework."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .signature import InvalidSignature, check_secrets, verify_webhook
from .store import ClaimState, EventStore

BODY_BYTES_MAX = 1_000_000
_POLL_SECONDS = 0.25
_RETRY_AFTER_SECONDS = 5
_REASONS = {
    204: "No Content",
    400: "Bad Request",
    401: "Unauthorized",
    405: "Method Not Allowed",
    413: "Content Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}

log = logging.getLogger("parley_receiver")

Outcome = Literal["processed", "duplicate", "ignored", "refused", "busy", "failed"]


@dataclass(frozen=True)
class Event:
    """An event in its envelope. `data` has the fields that docs/guides/events of a deployment lists for the type."""

    id: str
    type: str
    api_version: str
    created_at: str
    """ISO 8601."""
    tenant_id: str
    data: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Response:
    """What the framework answers."""

    status: int
    outcome: Outcome
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Event], Any]


class Receiver:
    """Verifies deliveries, and calls the function of each event once.

    secret: the signing secret, whs_…; a list of both while you rotate it. Raises ValueError for another form.
    store: MemoryStore() in one process, your database in several.
    claim_seconds: how long a process may work on an event. Then a retry is processed, too.
    remember_seconds: how long the store remembers a processed event. Eight days are longer than any retry.
    wait_seconds: how long a delivery waits while another one of the same event is processed.
    clock: seconds since 1970.
    """

    def __init__(
        self,
        secret: str | Sequence[str] | None,
        store: EventStore,
        *,
        claim_seconds: float = 300,
        remember_seconds: float = 8 * 86_400,
        wait_seconds: float = 8,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = check_secrets(secret)
        self._store = store
        self._claim_seconds = claim_seconds
        self._remember_seconds = remember_seconds
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._handlers: dict[str | None, Handler] = {}

    def on(self, event_type: str) -> Callable[[Handler], Handler]:
        """Register the decorated function for a type of event. An event is processed when it returns."""
        return lambda handler: self._register(event_type, handler)

    def on_other(self, handler: Handler) -> Handler:
        """Register the function for events of all other types, also those of a later version of the API."""
        return self._register(None, handler)

    def _register(self, event_type: str | None, handler: Handler) -> Handler:
        self._handlers[event_type] = handler
        return handler

    def handle(self, body: bytes, headers: Mapping[str, str], method: str = "POST") -> Response:
        """Verify and process one request. Never raises: errors are logged, without the content of the event."""
        if method != "POST":
            return Response(405, "refused", "Webhooks are sent with POST.", {"allow": "POST"})
        try:
            verify_webhook(body, headers, self._secrets, self._clock())
        except InvalidSignature as error:
            log.warning("A request was refused: %s", error)
            return Response(401, "refused", str(error))
        except Exception:
            log.exception("A request failed.")
            return Response(500, "failed", "The receiver failed.")
        event = _parse_event(body)
        if event is None:
            return Response(400, "refused", "The signed body is not an event.")
        try:
            return self._process(event)
        except Exception:
            log.exception("%s %s failed.", event.type, event.id)
            return Response(500, "failed", "The receiver failed.")

    def _process(self, event: Event) -> Response:
        handler = self._handlers.get(event.type) or self._handlers.get(None)
        if handler is None:
            return Response(204, "ignored")
        state = self._claim(event.id)
        if state == "processed":
            return Response(204, "duplicate")
        if state == "processing":
            headers = {"retry-after": str(_RETRY_AFTER_SECONDS)}
            return Response(503, "busy", "Another delivery of this event is in progress.", headers)
        try:
            handler(event)
        except BaseException:
            self._release(event)
            raise
        self._store.complete(event.id, self._remember_seconds)
        return Response(204, "processed")

    def _claim(self, event_id: str) -> ClaimState:
        deadline = time.monotonic() + self._wait_seconds
        while True:
            state = self._store.claim(event_id, self._claim_seconds)
            if state != "processing" or time.monotonic() >= deadline:
                return state
            time.sleep(_POLL_SECONDS)

    def _release(self, event: Event) -> None:
        try:
            self._store.release(event.id)
        except Exception:
            # The claim ends by itself later. The error of the function counts.
            log.exception("%s %s was not released.", event.type, event.id)

    def wsgi(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """A WSGI application: mount it at the path of the endpoint."""
        try:
            length = int(environ.get("CONTENT_LENGTH") or 0)
        except ValueError:
            length = 0
        if length > BODY_BYTES_MAX:
            response = Response(413, "refused", "The body is longer than 1 MB.")
        else:
            body = environ["wsgi.input"].read(length) if length > 0 else b""
            headers = {
                name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")
            }
            response = self.handle(body, headers, environ["REQUEST_METHOD"])
        text = response.body.encode()
        content = [("content-type", "text/plain; charset=utf-8")] if text else []
        status = f"{response.status} {_REASONS[response.status]}"
        start_response(status, [*content, *response.headers.items(), ("content-length", str(len(text)))])
        return [text]


def _parse_event(body: bytes) -> Event | None:
    try:
        value = json.loads(bytes(body))
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if not isinstance(value.get("id"), str) or not isinstance(value.get("type"), str):
        return None
    texts = {name: str(value.get(name, "")) for name in ("id", "type", "api_version", "created_at", "tenant_id")}
    data = value.get("data")
    return Event(**texts, data=data if isinstance(data, dict) else {})
