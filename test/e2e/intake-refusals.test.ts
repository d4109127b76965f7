import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "./support/answers.ts";
import { failuresIn, filesOf, untilIdle, writesOf } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import {
  accountIds,
  inbound,
  newMid,
  newPerson,
  postSigned,
  signatureOf,
  textEntry,
  wireBytes,
} from "./support/platform.ts";
import { allMessages } from "./support/read-all.ts";

const BODY_BYTES_MAX = 5 * 1024 * 1024;

let stack: RunningLocal;
beforeAll(async () => {
  stack = await startLocal();
});
afterAll(() => stack?.stop());

function webhook(text = "hello", mid = newMid()): Buffer {
  return wireBytes("page", [textEntry(accountIds.messenger, newPerson(), mid, text, Date.now())]);
}

function post(bytes: Uint8Array, headers: Record<string, string>, path = "/webhooks/messenger"): Promise<Answer> {
  const body = new Uint8Array(bytes);
  return stack.request(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}

function refusalOf({ status, body, headers }: Answer): unknown[] {
  return [status, body.ok, body.error.code, headers.get("x-correlation-id") !== null];
}

describe("a webhook whose signature does not match", () => {
  const bytes = webhook();
  const meta = () => stack.local.platform_secrets.meta;
  const cases: Record<string, () => Record<string, string>> = {
    "has none": () => ({}),
    "is empty": () => ({ "x-hub-signature-256": "" }),
    "has only the old header": () => ({ "x-hub-signature": signatureOf(bytes, meta()).replace("sha256", "sha1") }),
    "is signed with another secret": () => ({ "x-hub-signature-256": signatureOf(bytes, "not the secret") }),
    "is signed over other bytes": () => ({ "x-hub-signature-256": signatureOf(webhook("other"), meta()) }),
    "has no algorithm before it": () => ({ "x-hub-signature-256": signatureOf(bytes, meta()).slice(7) }),
    "is cut short": () => ({ "x-hub-signature-256": signatureOf(bytes, meta()).slice(0, -1) }),
    "is signed with the verify token": () => ({
      "x-hub-signature-256": signatureOf(bytes, stack.local.platform_secrets.verify_token),
    }),
  };

  it.each(Object.entries(cases))("because it %s is 401 and leaves nothing", async (_, headers) => {
    const before = writesOf(stack.dataDir);
    expect(refusalOf(await post(bytes, headers()))).toEqual([401, false, "signature_invalid", true]);
    expect(writesOf(stack.dataDir)).toEqual(before);
    expect(await allMessages(stack)).toEqual([]);
  });

  it("because its bytes were written anew on the way is 401", async () => {
    const escaped = webhook("Grüße");
    const anew = Buffer.from(JSON.stringify(JSON.parse(escaped.toString("utf8"))));
    const headers = { "x-hub-signature-256": signatureOf(escaped, meta()) };
    expect(refusalOf(await post(anew, headers))).toEqual([401, false, "signature_invalid", true]);
  });
});

describe("the handshake", () => {
  const shake = (query: Record<string, string>, platform = "instagram"): Promise<Answer> =>
    stack.request(`/webhooks/${platform}?${new URLSearchParams(query)}`);
  const right = (): Record<string, string> => ({
    "hub.mode": "subscribe",
    "hub.verify_token": stack.local.platform_secrets.verify_token,
    "hub.challenge": "1158201444",
  });

  it.each(["instagram", "messenger"])(
    "with the right token answers %s with its challenge as plain text",
    async (platform) => {
      const { status, text, headers } = await shake(right(), platform);
      expect([status, text, headers.get("content-type")]).toEqual([200, "1158201444", "text/plain; charset=utf-8"]);
      expect(headers.get("x-correlation-id")).toMatch(/\S/);
    },
  );

  it("of the simulator, as a platform makes it, succeeds and with a wrong token fails", async () => {
    expect(await stack.sim("POST", "/verify", { object: "page" })).toMatchObject({ verified: true, receiver: 200 });
    const wrong = { object: "page", verify_token: "wrong" };
    expect(await stack.sim("POST", "/verify", wrong)).toMatchObject({ verified: false, receiver: 403 });
  });

  it.each(["hub.mode", "hub.verify_token", "hub.challenge"])("with a wrong or missing %s is 403", async (name) => {
    const { [name]: _, ...missing } = right();
    expect(refusalOf(await shake(missing))).toEqual([403, false, "forbidden", true]);
    expect(refusalOf(await shake({ ...right(), [name]: "" }))).toEqual([403, false, "forbidden", true]);
    if (name === "hub.challenge") return;
    expect(refusalOf(await shake({ ...right(), [name]: "wrong" }))).toEqual([403, false, "forbidden", true]);
  });

  it("of a platform that there is not is 404, for GET and POST", async () => {
    expect(refusalOf(await shake(right(), "telegram"))).toEqual([404, false, "route_not_found", true]);
    const bytes = webhook();
    const headers = { "x-hub-signature-256": signatureOf(bytes, stack.local.platform_secrets.meta) };
    expect(refusalOf(await post(bytes, headers, "/webhooks/telegram"))).toEqual([404, false, "route_not_found", true]);
  });
});

describe("what is signed", () => {
  it("is taken when it tells of an account that nobody connected, is counted, and leaves no message", async () => {
    const entries = [1, 2].map(() =>
      textEntry("17841499999999999", newPerson(), newMid("instagram"), "hi", Date.now()),
    );
    expect((await inbound(stack, "instagram", entries)).status).toBe(200);
    await untilIdle(stack);
    expect(stack.log()).toContain('{"event":"unknown_account","platform":"instagram","updates":2}');
    expect(await allMessages(stack)).toEqual([]);
  });

  it.each([
    "",
    "no JSON",
    "[]",
    "null",
    "{}",
    '{"object":"page"}',
    '{"object":"whatsapp","entry":[]}',
    '{"object":"page","entry":[null,1,{}]}',
  ])("is taken and leaves nothing when it is %j", async (text) => {
    const { status } = await postSigned(stack, "page", Buffer.from(text));
    expect(status).toBe(200);
  });

  it("and none of it was a failure", async () => {
    await untilIdle(stack);
    expect(failuresIn(stack.log())).toEqual([]);
    expect(await allMessages(stack)).toEqual([]);
  });

  it("is taken and kept whole when it is 3 MB", async () => {
    const person = newPerson();
    const texts = new Map(Array.from({ length: 160 }, () => [newMid(), randomBytes(14_500).toString("base64")]));
    const at = Date.now();
    const entries = [...texts].map(([mid, text], n) => textEntry(accountIds.messenger, person, mid, text, at + n));
    const bytes = wireBytes("page", entries);
    expect(bytes.length).toBeGreaterThan(3_000_000);
    expect((await postSigned(stack, "page", bytes)).status).toBe(200);
    await untilIdle(stack, 60);
    const messages = await allMessages(stack);
    expect(messages).toHaveLength(texts.size);
    for (const { id, text } of messages) expect(text === texts.get(id), id).toBe(true);
    expect(filesOf(stack.dataDir).filter((key) => key.startsWith("inbound/"))).toEqual([]);
  });

  it("is taken at 5 MiB to the byte, and 413 with nothing kept one byte later", async () => {
    const mid = newMid();
    const json = webhook("the largest", mid);
    const padded = (size: number): Buffer => Buffer.concat([json, Buffer.alloc(size - json.length, " ")]);
    const before = writesOf(stack.dataDir);
    const tooLarge = await postSigned(stack, "page", padded(BODY_BYTES_MAX + 1));
    expect(refusalOf(tooLarge)).toEqual([413, false, "payload_too_large", true]);
    expect(writesOf(stack.dataDir)).toEqual(before);
    expect((await postSigned(stack, "page", padded(BODY_BYTES_MAX))).status).toBe(200);
    await untilIdle(stack);
    const id = encodeURIComponent(mid);
    expect((await stack.api("GET", `/v1/messages/${id}`)).body.data.message.text).toBe("the largest");
  });
});
