import hashlib
import hmac
import json
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request
from base64 import b64encode
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from parley_receiver import Event, InvalidSignature, MemoryStore, Receiver, verify_webhook  # noqa: E402

SECRET = "whs_" + b64encode(b"\3" * 32).decode()
OTHER_SECRET = "whs_" + b64encode(b"\4" * 32).decode()


def signed(event_id, event_type="message.received", secret=SECRET, now=None):
    """A delivery as Parley signs it."""
    value = {
        "id": event_id,
        "type": event_type,
        "api_version": "1.0.0",
        "created_at": "2026-11-29T15:00:00.000Z",
        "tenant_id": "demo",
        "data": {"message": {"text": "Grüße 👩🏽‍🚀"}},
    }
    body = json.dumps(value, ensure_ascii=False).encode()
    timestamp = str(int(time.time() if now is None else now))
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return body, {"Svc-Signature": f"v1={digest}", "Svc-Timestamp": timestamp}


def quiet(case, level="WARNING"):
    return case.assertLogs("parley_receiver", level)


class ReceiverTest(unittest.TestCase):
    def setUp(self):
        self.received = []
        self.receiver = Receiver(SECRET, MemoryStore())
        self.receiver.on("message.received")(self.received.append)

    def test_a_signed_delivery_is_processed_once(self):
        outcomes = [self.receiver.handle(*signed("evt_1")) for _ in range(2)]
        self.assertEqual([(one.status, one.outcome) for one in outcomes], [(204, "processed"), (204, "duplicate")])
        [event] = self.received
        self.assertEqual((event.id, event.data["message"]["text"]), ("evt_1", "Grüße 👩🏽‍🚀"))

    def test_deliveries_that_are_not_signed_with_the_secret_are_refused(self):
        body, headers = signed("evt_1")
        requests = [
            signed("evt_1", secret=OTHER_SECRET),
            signed("evt_1", now=time.time() - 302),
            (body + b" ", headers),
            (body, {}),
        ]
        for request in requests:
            with quiet(self):
                self.assertEqual(self.receiver.handle(*request).status, 401)
        self.assertEqual(self.received, [])

    def test_either_secret_is_accepted_while_it_is_rotated(self):
        receiver = Receiver([SECRET, OTHER_SECRET], MemoryStore())
        for secret in (SECRET, OTHER_SECRET):
            self.assertEqual(receiver.handle(*signed("evt_1", secret=secret)).status, 204)

    def test_other_types_are_accepted_and_reach_the_function_for_them(self):
        self.assertEqual(self.receiver.handle(*signed("evt_1", "later.type")).outcome, "ignored")
        others = []
        self.receiver.on_other(others.append)
        self.assertEqual(self.receiver.handle(*signed("evt_2", "later.type")).outcome, "processed")
        self.assertEqual([event.type for event in others], ["later.type"])

    def test_a_failed_function_gives_500_and_its_retry_is_processed(self):
        calls = []

        @self.receiver.on("message.received")
        def fail_once(event: Event) -> None:
            calls.append(event.id)
            if len(calls) == 1:
                raise RuntimeError("The database is away.")

        with quiet(self, "ERROR") as logs:
            response = self.receiver.handle(*signed("evt_1"))
        self.assertEqual((response.status, response.body), (500, "The receiver failed."))
        self.assertNotIn("Grüße", "".join(logs.output))
        self.assertEqual(self.receiver.handle(*signed("evt_1")).outcome, "processed")

    def test_a_second_delivery_waits_for_the_first(self):
        finish = threading.Event()
        self.receiver.on("message.received")(lambda event: (self.received.append(event), finish.wait(5)))
        outcomes = []
        threads = [
            threading.Thread(target=lambda: outcomes.append(self.receiver.handle(*signed("evt_1")).outcome))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        finish.set()
        for thread in threads:
            thread.join()
        self.assertEqual((sorted(outcomes), len(self.received)), (["duplicate", "processed"], 1))

    def test_a_second_delivery_gets_503_when_the_first_is_not_done_in_time(self):
        store = MemoryStore()
        receiver = Receiver(SECRET, store, wait_seconds=0)
        receiver.on_other(self.received.append)
        store.claim("evt_1", 300)
        response = receiver.handle(*signed("evt_1"))
        self.assertEqual((response.status, response.headers), (503, {"retry-after": "5"}))

    def test_a_failing_store_gives_500(self):
        class Failing(MemoryStore):
            def claim(self, event_id, seconds):
                raise OSError("away")

        receiver = Receiver(SECRET, Failing())
        receiver.on_other(self.received.append)
        with quiet(self, "ERROR"):
            self.assertEqual(receiver.handle(*signed("evt_1")).status, 500)

    def test_a_missing_or_mistyped_secret_is_an_error_at_once(self):
        for secret in (None, "", "secret", "whs_", [], [SECRET, ""], SECRET + "\n"):
            with self.assertRaisesRegex(ValueError, "^Missing or invalid signing secret"):
                Receiver(secret, MemoryStore())

    def test_a_parsed_body_is_named(self):
        _, headers = signed("evt_1")
        for body in ({"id": "evt_1"}, "text"):
            with self.assertRaisesRegex(TypeError, "^The body is parsed"):
                verify_webhook(body, headers, SECRET)

    def test_a_signed_body_that_is_no_event_gets_400(self):
        timestamp = str(int(time.time()))
        for body in (b"", b"[]", b"{}", b"\xff", b'{"id":1,"type":"a"}'):
            digest = hmac.new(SECRET.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers = {"svc-signature": f"v1={digest}", "svc-timestamp": timestamp}
            self.assertEqual(self.receiver.handle(body, headers).status, 400)

    def test_verify_webhook_raises_for_another_signature(self):
        body, headers = signed("evt_1", secret=OTHER_SECRET)
        with self.assertRaises(InvalidSignature):
            verify_webhook(body, headers, SECRET)


class MemoryStoreTest(unittest.TestCase):
    def test_a_claim_ends_and_an_event_is_remembered_for_the_seconds_of_its_completion(self):
        now = [0.0]
        store = MemoryStore(clock=lambda: now[0])
        self.assertEqual([store.claim("a", 10), store.claim("a", 10)], ["claimed", "processing"])
        now[0] = 10
        self.assertEqual(store.claim("a", 10), "claimed")
        store.complete("a", 100)
        self.assertEqual(store.claim("a", 10), "processed")
        now[0] = 110
        self.assertEqual(store.claim("a", 10), "claimed")

    def test_the_oldest_events_are_forgotten_beyond_its_size(self):
        store = MemoryStore(max_events=2)
        for event_id in ("a", "b", "c"):
            store.complete(event_id, 100)
        self.assertEqual([store.claim(one, 10) for one in ("c", "b", "a")], ["processed", "processed", "claimed"])


class WsgiTest(unittest.TestCase):
    """The application in a server of the standard library."""

    def setUp(self):
        class Silent(WSGIRequestHandler):
            def log_message(self, *_):
                pass

        self.received = []
        receiver = Receiver(SECRET, MemoryStore())
        receiver.on_other(self.received.append)
        self.server = make_server("127.0.0.1", 0, receiver.wsgi, handler_class=Silent)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def post(self, body, headers):
        url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        request = urllib.request.Request(url, body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def test_a_server_receives_a_delivery_and_refuses_a_changed_one(self):
        body, headers = signed("evt_1")
        self.assertEqual(self.post(body, headers), 204)
        with quiet(self):
            self.assertEqual(self.post(body + b" ", headers), 401)
        self.assertEqual(len(self.received), 1)

    def test_a_body_of_more_than_1_mb_gets_413_unread(self):
        answers = []
        environ = {"CONTENT_LENGTH": "1000001", "REQUEST_METHOD": "POST"}
        receiver = Receiver(SECRET, MemoryStore())
        receiver.wsgi(environ, lambda status, headers: answers.append(status))
        self.assertEqual(answers, ["413 Content Too Large"])


if __name__ == "__main__":
    unittest.main()
