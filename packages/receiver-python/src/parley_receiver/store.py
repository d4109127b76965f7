"""What remembers which events were processed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Literal, Protocol

ClaimState = Literal["claimed", "processing", "processed"]


class EventStore(Protocol):
    """Remembers which events were processed. Processes that share the work share the store."""

    def claim(self, event_id: str, seconds: float) -> ClaimState:
        """Claim an event, atomically: of several callers at the same time one gets "claimed".

        The others get "processing" until it is completed, then "processed". The claim ends after these seconds, in case
        its process died.
        """

    def complete(self, event_id: str, seconds: float) -> None:
        """Store for these seconds that the event was processed."""

    def release(self, event_id: str) -> None:
        """Remove the claim of an event whose processing failed, so that its retry is processed."""


class MemoryStore:
    """A store in the memory of one process, for development and tests: a restart forgets it."""

    def __init__(self, max_events: int = 100_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_events = max_events
        self._clock = clock
        self._lock = Lock()
        self._entries: OrderedDict[str, tuple[bool, float]] = OrderedDict()

    def claim(self, event_id: str, seconds: float) -> ClaimState:
        with self._lock:
            is_processed, ends_at = self._entries.get(event_id, (False, 0.0))
            if event_id in self._entries and ends_at > self._clock():
                return "processed" if is_processed else "processing"
            self._set(event_id, False, seconds)
            return "claimed"

    def complete(self, event_id: str, seconds: float) -> None:
        with self._lock:
            self._set(event_id, True, seconds)

    def release(self, event_id: str) -> None:
        with self._lock:
            self._entries.pop(event_id, None)

    def _set(self, event_id: str, is_processed: bool, seconds: float) -> None:
        self._entries.pop(event_id, None)
        self._entries[event_id] = (is_processed, self._clock() + seconds)
        while len(self._entries) > self._max_events:
            self._entries.popitem(last=False)
