import { afterEach, beforeEach, expect, test } from "vitest";
import { MINUTE } from "../../../shared/kernel/time.ts";
import { type Bench, startBench } from "./support/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.close());

const signed = { authorization: "AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/ses/aws4_request" };
const mail = (subject: string) => ({
  FromEmailAddress: "no-reply@example.test",
  Destination: { ToAddresses: ["a@example.test"] },
  Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: `text of ${subject}` } } } },
});
const send = (body: object, headers = {}, path = "/v2/email/outbound-emails") =>
  fetch(bench.emulators.url + path, { method: "POST", headers: { ...signed, ...headers }, body: JSON.stringify(body) });

test("mails wait in the outbox with their time, the newest first, also after a restart", async () => {
  const first = await send(mail("one"));
  bench.turn(MINUTE);
  await send(mail("two"));
  const expected = [
    { at: bench.now(), subject: "two", text: "text of two", html: null },
    { at: bench.now() - MINUTE, subject: "one", from: "no-reply@example.test", to: ["a@example.test"], cc: [] },
  ];
  expect(bench.emulators.mail.list()).toMatchObject(expected);
  expect(await first.json()).toEqual({ MessageId: bench.emulators.mail.list()[1]?.id });
  bench = await bench.restart();
  expect(bench.emulators.mail.list()).toMatchObject(expected);
});

test("a mail without recipient or of another form is refused and not kept", async () => {
  const refused = [{ ...mail("x"), Destination: {} }, { ...mail("x"), Content: { Raw: { Data: "" } } }, {}];
  for (const body of refused) {
    const response = await send(body);
    expect([response.status, response.headers.get("x-amzn-errortype")]).toEqual([400, "BadRequestException"]);
  }
  expect(bench.emulators.mail.list()).toEqual([]);
});

test("an unsigned mail is refused, and another path is named as not emulated", async () => {
  const unsigned = await fetch(`${bench.emulators.url}/v2/email/outbound-emails`, { method: "POST", body: "{}" });
  expect(unsigned.status).toBe(403);
  const other = await send({}, {}, "/v2/email/templates");
  expect(other.status).toBe(404);
  expect(await other.text()).toContain("POST /v2/email/templates is not emulated");
});
