import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { listAllMessages } from "../support/api-calls.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { countWrites, failureLines, listBucketKeys, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import {
  demoAccountIds,
  hubSignature,
  newMessageId,
  newPersonId,
  postSigned,
  postWebhook,
  textEntry,
  wireBytes,
} from "../support/platform-webhooks.ts";

const BODY_BYTES_MAX = 5 * 1024 * 1024;
const stack = openedOnce(openSharedStack);

function webhookBytes(text = "hello", mid = newMessageId(), at = Date.now()): Buffer {
  return wireBytes("page", [textEntry(demoAccountIds.messenger, newPersonId(), mid, text, at)]);
}

function post(bytes: Uint8Array, headers: Record<string, string>, path = "/webhooks/messenger"): Promise<ApiResponse> {
  const body = new Uint8Array(bytes);
  return stack.request(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}

function readRefusal({ status, body, headers }: ApiResponse): unknown[] {
  return [status, body.ok, body.error.code, headers.get("x-correlation-id") !== null];
}

describe("a webhook whose signature does not match", () => {
  const bytes = webhookBytes();
  const meta = () => stack.info.platform_secrets.meta;
  const cases: Record<string, () => Record<string, string>> = {
    "has none": () => ({}),
    "is empty": () => ({ "x-hub-signature-256": "" }),
    "has only the legacy header": () => ({ "x-hub-signature": hubSignature(bytes, meta()).replace("sha256", "sha1") }),
    "is signed with another secret": () => ({ "x-hub-signature-256": hubSignature(bytes, "not the secret") }),
    "is signed over other bytes": () => ({ "x-hub-signature-256": hubSignature(webhookBytes("other"), meta()) }),
    "has no algorithm prefix": () => ({ "x-hub-signature-256": hubSignature(bytes, meta()).slice(7) }),
    "is truncated": () => ({ "x-hub-signature-256": hubSignature(bytes, meta()).slice(0, -1) }),
    "is signed with the verify token": () => ({
      "x-hub-signature-256": hubSignature(bytes, stack.info.platform_secrets.verify_token),
    }),
  };

  it.each(Object.entries(cases))(
    "a webhook whose signature does not match because it %s is 401 and stores nothing",
    async (_, headers) => {
      const before = countWrites(stack.dataDir);
      expect(readRefusal(await post(bytes, headers()))).toEqual([401, false, "signature_invalid", true]);
      expect(countWrites(stack.dataDir)).toEqual(before);
      expect(await listAllMessages(stack)).toEqual([]);
    },
  );

  it("a webhook whose signature does not match because its body was re-serialized is 401", async () => {
    const escaped = webhookBytes("Grüße");
    const reserialized = Buffer.from(JSON.stringify(JSON.parse(escaped.toString("utf8"))));
    const headers = { "x-hub-signature-256": hubSignature(escaped, meta()) };
    expect(readRefusal(await post(reserialized, headers))).toEqual([401, false, "signature_invalid", true]);
  });
});

const shake = (query: Record<string, string>, platform = "instagram"): Promise<ApiResponse> =>
  stack.request(`/webhooks/${platform}?${new URLSearchParams(query)}`);
const right = (): Record<string, string> => ({
  "hub.mode": "subscribe",
  "hub.verify_token": stack.info.platform_secrets.verify_token,
  "hub.challenge": "1158201444",
});

it.each(["instagram", "messenger"])(
  "the subscription handshake with the right token returns the challenge to %s as plain text",
  async (platform) => {
    const { status, text, headers } = await shake(right(), platform);
    expect([status, text, headers.get("content-type")]).toEqual([200, "1158201444", "text/plain; charset=utf-8"]);
    expect(headers.get("x-correlation-id")).toMatch(/\S/);
  },
);

it("the subscription handshake of the simulator succeeds with the right token and fails with a wrong one", async () => {
  expect(await stack.sim("POST", "/verify", { object: "page" })).toMatchObject({ verified: true, receiver: 200 });
  const wrong = { object: "page", verify_token: "wrong" };
  expect(await stack.sim("POST", "/verify", wrong)).toMatchObject({ verified: false, receiver: 403 });
});

it.each(["hub.mode", "hub.verify_token", "hub.challenge"])(
  "the subscription handshake with a wrong or missing %s is 403",
  async (name) => {
    const { [name]: _, ...missing } = right();
    expect(readRefusal(await shake(missing))).toEqual([403, false, "forbidden", true]);
    expect(readRefusal(await shake({ ...right(), [name]: "" }))).toEqual([403, false, "forbidden", true]);
    if (name === "hub.challenge") return;
    expect(readRefusal(await shake({ ...right(), [name]: "wrong" }))).toEqual([403, false, "forbidden", true]);
  },
);

it("the subscription handshake of an unknown platform is 404, for GET and POST", async () => {
  expect(readRefusal(await shake(right(), "telegram"))).toEqual([404, false, "route_not_found", true]);
  const bytes = webhookBytes();
  const headers = { "x-hub-signature-256": hubSignature(bytes, stack.info.platform_secrets.meta) };
  expect(readRefusal(await post(bytes, headers, "/webhooks/telegram"))).toEqual([404, false, "route_not_found", true]);
});

it("a signed webhook for an account that is not connected is accepted, counted, and creates no message", async () => {
  const at = await stack.now();
  const entries = [1, 2].map(() => textEntry("17841499999999999", newPersonId(), newMessageId("instagram"), "hi", at));
  expect((await postWebhook(stack, "instagram", entries)).status).toBe(200);
  await waitUntilIdle(stack);
  expect(stack.log()).toContain('"event":"account.unknown","platform":"instagram","updates":2');
  expect(await listAllMessages(stack)).toEqual([]);
});

it.each([
  "",
  "not JSON",
  "[]",
  "null",
  "{}",
  '{"object":"page"}',
  '{"object":"whatsapp","entry":[]}',
  '{"object":"page","entry":[null,1,{}]}',
])("a signed webhook with the body %j is accepted and stores no message", async (text) => {
  const { status } = await postSigned(stack, "page", Buffer.from(text));
  expect(status).toBe(200);
});

it("a signed webhook of any kind above caused no failure", async () => {
  await waitUntilIdle(stack);
  expect(failureLines(stack.log())).toEqual([]);
  expect(await listAllMessages(stack)).toEqual([]);
});

it("a signed webhook of 3 MB is accepted and stored completely", async () => {
  const person = newPersonId();
  const texts = new Map(Array.from({ length: 160 }, () => [newMessageId(), randomBytes(14_500).toString("base64")]));
  const at = await stack.now();
  const entries = [...texts].map(([mid, text], n) => textEntry(demoAccountIds.messenger, person, mid, text, at + n));
  const bytes = wireBytes("page", entries);
  expect(bytes.length).toBeGreaterThan(3_000_000);
  expect((await postSigned(stack, "page", bytes)).status).toBe(200);
  await waitUntilIdle(stack, 60);
  const messages = await listAllMessages(stack);
  expect(messages).toHaveLength(texts.size);
  for (const { id, text } of messages) expect(text === texts.get(id), id).toBe(true);
  expect(listBucketKeys(stack.dataDir).filter((key) => key.startsWith("inbound/"))).toEqual([]);
});

it("a signed webhook of exactly 5 MiB is accepted; one byte more is 413 and stores nothing", async () => {
  const mid = newMessageId();
  const json = webhookBytes("the largest", mid, await stack.now());
  const padded = (size: number): Buffer => Buffer.concat([json, Buffer.alloc(size - json.length, " ")]);
  const before = countWrites(stack.dataDir);
  const tooLarge = await postSigned(stack, "page", padded(BODY_BYTES_MAX + 1));
  expect(readRefusal(tooLarge)).toEqual([413, false, "payload_too_large", true]);
  expect(countWrites(stack.dataDir)).toEqual(before);
  expect((await postSigned(stack, "page", padded(BODY_BYTES_MAX))).status).toBe(200);
  await waitUntilIdle(stack);
  const id = encodeURIComponent(mid);
  expect((await stack.api("GET", `/v1/messages/${id}`)).body.data.message.text).toBe("the largest");
});
