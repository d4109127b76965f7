import { afterEach, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#local-aws/support/time.ts";
import { signedFetch } from "../../../support/access/signed-fetch.ts";
import { type EmulatorFixture, startEmulatorFixture } from "./support/emulator-fixture.ts";

let fixture: EmulatorFixture;
beforeEach(async () => {
  fixture = await startEmulatorFixture();
});
afterEach(() => fixture.close());

const mail = (subject: string) => ({
  FromEmailAddress: "no-reply@example.test",
  Destination: { ToAddresses: ["a@example.test"] },
  Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: `text of ${subject}` } } } },
});
const send = (body: object, path = "/v2/email/outbound-emails") =>
  signedFetch(fixture.emulators.url + path, { service: "ses", body: JSON.stringify(body) });

test("the outbox lists mails with their time, newest first, also after a restart", async () => {
  const first = await send(mail("one"));
  fixture.advance(MINUTE);
  await send({ ...mail("two"), ConfigurationSetName: "mails" });
  const expected = [
    { at: fixture.now(), subject: "two", configurationSet: "mails", text: "text of two", html: null },
    { at: fixture.now() - MINUTE, subject: "one", from: "no-reply@example.test", to: ["a@example.test"], cc: [] },
  ];
  expect(fixture.emulators.mail.list()).toMatchObject(expected);
  expect(await first.json()).toEqual({ MessageId: fixture.emulators.mail.list()[1]?.id });
  fixture = await fixture.restart();
  expect(fixture.emulators.mail.list()).toMatchObject(expected);
});

test("a mail without a recipient or in another format is rejected and not stored", async () => {
  const refused = [{ ...mail("x"), Destination: {} }, { ...mail("x"), Content: { Raw: { Data: "" } } }, {}];
  for (const body of refused) {
    const response = await send(body);
    expect([response.status, response.headers.get("x-amzn-errortype")]).toEqual([400, "BadRequestException"]);
  }
  expect(fixture.emulators.mail.list()).toEqual([]);
});

test("an unsigned mail is rejected, and the error for another path names it as not emulated", async () => {
  const unsigned = await fetch(`${fixture.emulators.url}/v2/email/outbound-emails`, { method: "POST", body: "{}" });
  expect(unsigned.status).toBe(403);
  const other = await send({}, "/v2/email/templates");
  expect(other.status).toBe(404);
  expect(await other.text()).toContain("POST /v2/email/templates is not emulated");
});
