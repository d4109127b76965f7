"""Receives the webhooks of Parley: signatures, de-duplication and events."""

from .receiver import Event, Receiver, Response
from .signature import InvalidSignature, verify_webhook
from .store import ClaimState, EventStore, MemoryStore

__all__ = [
    "ClaimState",
    "Event",
    "EventStore",
    "InvalidSignature",
    "MemoryStore",
    "Receiver",
    "Response",
    "verify_webhook",
]
