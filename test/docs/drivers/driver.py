# The lines are described in driver.mjs.
import sys
from base64 import b64decode
from datetime import datetime, timezone

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from verify import verify  # noqa: E402

for line in sys.stdin:
    body, timestamp, signature, secret, now = line.rstrip("\n").split("\t")
    headers = {"Svc-Timestamp": timestamp, "Svc-Signature": signature}
    headers = {name: b64decode(value).decode() for name, value in headers.items() if value != "-"}
    at = datetime.fromtimestamp(int(b64decode(now)), timezone.utc)
    print(str(verify(b64decode(body), headers, b64decode(secret).decode(), at)).lower(), flush=True)
