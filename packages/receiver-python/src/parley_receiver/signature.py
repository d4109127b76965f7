"""The signature of a delivery, as docs/guides/webhooks of a deployment describes it."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Mapping, Sequence

TOLERANCE_SECONDS = 300
_SECRET = re.compile(r"whs_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_TIMESTAMP = re.compile(r"[0-9]{1,12}")


class InvalidSignature(Exception):
    """A request that Parley did not sign with the secret, or that is too old."""


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    now: float | None = None,
) -> None:
    """Verify the signature and the timestamp of a delivery.

    body: the raw bytes, before any parser (Flask: request.get_data(), Django and Starlette: request.body).
    headers: the headers of the request; names in any case.
    secret: the signing secret, whs_…; a list of both while you rotate it.
    now: seconds since 1970. Default: the time of this machine.

    Raises InvalidSignature, TypeError for a parsed body and ValueError for a secret of another form.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("The body is parsed. Pass the raw bytes of the request, before any body parser.")
    secrets = check_secrets(secret)
    values = {name.lower(): value for name, value in headers.items()}
    signature = values.get("svc-signature")
    if signature is None:
        raise InvalidSignature("Missing signature headers. Pass the headers of the request.")
    timestamp = values.get("svc-timestamp", "")
    if not _TIMESTAMP.fullmatch(timestamp):
        raise InvalidSignature("The timestamp is not a number of seconds.")
    if abs(int(time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidSignature("The timestamp is more than 300 seconds from the current time.")
    signed = timestamp.encode() + b"." + bytes(body)
    candidates = [part.strip() for part in signature.encode(errors="replace").split(b",")]
    is_valid = False
    for one in secrets:
        expected = b"v1=" + hmac.new(one.encode(), signed, hashlib.sha256).hexdigest().encode()
        for candidate in candidates:
            is_valid |= hmac.compare_digest(candidate, expected)
    if not is_valid:
        raise InvalidSignature("The signature does not match the body and the secret.")


def check_secrets(secret: str | Sequence[str] | None) -> Sequence[str]:
    """An empty or mistyped secret must never be the key of a digest."""
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if secrets and all(isinstance(one, str) and _SECRET.fullmatch(one) for one in secrets):
        return secrets
    raise ValueError("Missing or invalid signing secret. Pass the whole secret of the endpoint: whs_ and base64.")
