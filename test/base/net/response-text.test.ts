import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { responseText } from "#base/net/responses.ts";
import { type Respond, startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

test.each([
  ["an empty body", "", null],
  ["a text", "no such user\r\n\tid 7", "no such user\r\n\tid 7"],
  ["a body with a control character", "a\u0000b", null],
  ["a body in Latin-1", Buffer.from("caf\xe9", "latin1"), null],
  ["a compressed body", gzipSync("hello"), null],
  ["a character that is cut", Buffer.from(`${"x".repeat(255)}ü`).subarray(0, 256), "x".repeat(255)],
])("the text of a response of %s", (_name, body, text) => {
  expect(responseText(Buffer.from(body))).toBe(text);
});

test.each([
  `whs_${"A".repeat(43)}=`,
  `whsec_${"b/+".repeat(14)}`,
  "svc_live_0123456789abcdef",
  "svc_test_0123456789abcdef",
  `v1=${"0f".repeat(32)}`,
  `v1,${"a+/".repeat(14)}=`,
  "Bearer eyJhbGciOi.eyJzdWIi-x_y",
  "basic dXNlcjpwYXNz",
  // Cut off at the end.
  "whs_A",
])("the text of a response names no secret: %s", (secret) => {
  expect(responseText(Buffer.from(`{"got":"${secret}"}`))).toBe('{"got":"[redacted]"}');
  expect(responseText(Buffer.from(`got ${secret}`))).toBe("got [redacted]");
});

test("the text of a response has at most 256 bytes, also after a redaction, and ends with a whole character", () => {
  const text = responseText(Buffer.from(`whs_A ${"é".repeat(125)}`)) ?? "";
  expect(text.startsWith("[redacted] é")).toBe(true);
  expect(text.endsWith("é")).toBe(true);
  expect(Buffer.byteLength(text)).toBe(255);
});

async function attempt(respond: Respond): Promise<AttemptOutcome> {
  const receiver = await startReceiver(respond);
  return openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
}

test.each([200, 404, 500])("an attempt's outcome has the first 256 bytes of a %s", async (status) => {
  const outcome = await attempt((response) => {
    response.writeHead(status);
    for (let part = 0; part < 100; part++) response.write(`part ${part};`);
    response.end();
  });
  const whole = Array.from({ length: 100 }, (_, part) => `part ${part};`).join("");
  expect(outcome).toMatchObject({ kind: "answered", status, response: whole.slice(0, 256) });
});

test("an attempt's outcome has what arrived of an error whose body breaks off", async () => {
  const outcome = await attempt((response, _request, socket) => {
    response.writeHead(500, { "content-length": 100 });
    response.write("it broke", () => socket.destroy());
  });
  expect(outcome).toMatchObject({ kind: "answered", status: 500, response: "it broke" });
});

test.each([
  ["an empty body", ""],
  ["a body that is no text", Buffer.from([0, 1, 2])],
])("an attempt's outcome has no text of %s", async (_name, body) => {
  const outcome = await attempt((response) => void response.end(body));
  expect(outcome).toMatchObject({ kind: "answered", status: 200 });
  expect(outcome).not.toHaveProperty("response");
});
