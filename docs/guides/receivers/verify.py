import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime

TOLERANCE_SECONDS = 300


def verify(raw_body: bytes, headers: Mapping[str, str], secret: str, now: datetime) -> bool:
    """Verify the signature and the timestamp.

    raw_body: the unparsed body (Flask: request.get_data(), Django and Starlette: request.body).
    now: an aware datetime, such as datetime.now(timezone.utc).
    """
    header_values = {name.lower(): value for name, value in headers.items()}
    timestamp = header_values.get("svc-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(int(now.timestamp()) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = timestamp.encode() + b"." + raw_body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    expected = f"v1={digest}".encode()
    parts = header_values.get("svc-signature", "").encode(errors="replace").split(b",")
    return any(hmac.compare_digest(part.strip(), expected) for part in parts)
