import { describe, expect, it } from "vitest";
import { parseTenant } from "#base/kernel/tenant.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { readTraceId } from "#base/queues/envelope.ts";
import { decodeMail, encodeMail } from "#features/access/queue.ts";
import { decodeAccountTask, encodeAccountTask } from "#features/accounts/queue.ts";
import { decodeEvent, encodeEvent } from "#features/delivery/event-queue.ts";
import { encodeEndpointTask, encodeRetry } from "#features/delivery/queue.ts";
import { decodeErasure, encodeErasure } from "#features/erasure/queue.ts";
import { decodeProfile, encodeProfile } from "#features/inbox/profile-queue.ts";
import { decodeInbound, encodeInbound } from "#features/inbox/queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { decodeRealtime, encodeRealtime } from "#features/realtime/queue.ts";
import { decodeUpload, encodeUpload } from "#features/uploads/queue.ts";
import { decodeEndpointTask, decodeRetry } from "../../support/pipeline/deliveries-messages.ts";
import rows from "./queue-messages.json" with { type: "json" };

const tenant = parseTenant("demo") ?? expect.unreachable("demo is a tenant");
const [endpointId, eventUlid] = ["01M7ZAN532DXZZ1TKP6RZ0YEPG", "01M7ZAN533DXZZ1TKP6RZ0YEPH"];
const account = { platform: "messenger", externalId: "1" } as const;
const conversation = conversationId({ tenant, account, participantId: "2" });
const erasureId = "ab".repeat(32);
const at = 1_790_000_000_000;
const event = { tenant, eventUlid, type: "message.received", source: null, repeated: false } as const;
const source = { conversationId: conversation, position: "p1" };

const connection = { tenant, account, connectionId: eventUlid };
const disconnectTask = {
  op: "disconnect",
  ...connection,
  reason: "user",
  actor: "console:u_1",
  userId: "u_1",
  ip: "203.0.113.7",
  at,
} as const;

type Codec = readonly [encode: (message: never) => string, decode: (text: string) => object | null];

const codecs: Readonly<Record<string, Codec>> = {
  accounts: [encodeAccountTask, decodeAccountTask],
  "endpoint tasks": [encodeEndpointTask, decodeEndpointTask],
  erasures: [encodeErasure, decodeErasure],
  events: [encodeEvent, decodeEvent],
  inbound: [encodeInbound, decodeInbound],
  mails: [encodeMail, decodeMail],
  profiles: [encodeProfile, decodeProfile],
  realtime: [encodeRealtime, decodeRealtime],
  retries: [encodeRetry, decodeRetry],
  uploads: [encodeUpload, decodeUpload],
};

interface Row {
  readonly queue: string;
  readonly name: string;
  /** Null for a queue that the release before did not have. */
  readonly v1: string | null;
  readonly v2: string;
  /** `bytes` are in base64. */
  readonly message: { readonly bytes?: string | null };
}

/** Each queue's messages: what the release before this one sent, what this one sends, and what both mean. */
const messages = (rows as readonly Row[]).map(({ queue, message, ...row }) => {
  const [encode, decode] = codecs[queue] ?? expect.unreachable(`${queue} is a queue`);
  const bytes = message.bytes ? { bytes: Buffer.from(message.bytes, "base64") } : {};
  return { ...row, encode, decode, message: { ...message, ...bytes } as object };
});

describe.each(messages)("a queue message: $name", ({ v1, v2, message, encode, decode }) => {
  it("a queue message is written in words, with its version", () => {
    expect(encode(message as never)).toBe(v2);
    expect(decode(v2)).toStrictEqual(message);
  });

  it.skipIf(v1 === null)("a queue message is read as the release before wrote it", () => {
    expect(decode(v1 ?? "")).toStrictEqual(message);
  });

  it.each(["", "null", "[]", "{}", '"text"', "{", '{"v":2}', '{"v":1}'])(
    "a queue message is not read from %s",
    (text) => {
      expect(decode(text)).toBeNull();
    },
  );

  it("a queue message is not read from another version or another tenant's slug", () => {
    expect(decode(v2.replace('"v":2', '"v":3'))).toBeNull();
    if ("tenant" in message) {
      expect(decode(v2.replace('"demo"', '"Not a slug"'))).toBeNull();
      if (v1 !== null) expect(decode(v1.replace('"demo"', '"Not a slug"'))).toBeNull();
    }
  });

  it("a queue message is read by the worker of its own queue alone", () => {
    const others = messages.filter((other) => other.decode !== decode);
    expect(others.filter((other) => other.decode(v2)).map(({ name }) => name)).toEqual([]);
  });
});

it("an erasure's message names the start that it was sent before", () => {
  const message = { tenant, erasureId, op: endpointId };
  const body = `{"v":2,"tenant":"demo","erasure_id":"${erasureId}","op":"${endpointId}"}`;
  expect(encodeErasure(message)).toBe(body);
  expect(decodeErasure(body)).toStrictEqual(message);
});

it.each([
  ["a login id of another length", `{"v":2,"kind":"sign_in","login_id":"ab"}`],
  ["an address", `{"v":2,"kind":"sign_in","login_id":"person@example.com"}`],
  ["an invite id without its prefix", `{"v":2,"kind":"invite","tenant":"demo","invite_id":"${eventUlid}"}`],
  ["an invite of no tenant", `{"v":2,"kind":"invite","invite_id":"inv_${eventUlid}"}`],
  ["another kind", `{"v":2,"kind":"news","login_id":"${erasureId}"}`],
])("a mail with %s is not read", (_, body) => {
  expect(decodeMail(body)).toBeNull();
});

it.each([
  ["of no account", encodeAccountTask(disconnectTask).replace("messenger#1", "messenger")],
  ["of another platform", encodeAccountTask(disconnectTask).replace("messenger", "telegram")],
  ["of no connection", encodeAccountTask(disconnectTask).replace(eventUlid, "1")],
  ["with another reason", encodeAccountTask(disconnectTask).replace('"user"', '"whim"')],
  ["with another operation", encodeAccountTask(disconnectTask).replace("let_go", "rename")],
])("a task %s is not read", (_, body) => {
  expect(decodeAccountTask(body)).toBeNull();
});

const pushed = { tenant, kind: "conversation", conversationId: conversation, eventUlid } as const;
it.each([
  ["a conversation of another tenant", encodeRealtime(pushed).replace("CONV#demo", "CONV#other")],
  [
    "an event of another tenant's conversation",
    encodeRealtime({
      tenant,
      kind: "events",
      events: [{ eventUlid, type: "message.sent", source: { ...source, conversationId: "CONV#other#messenger#1#2" } }],
    }),
  ],
  ["no events", encodeRealtime({ tenant, kind: "events", events: [] })],
  ["eleven events", encodeRealtime({ tenant, kind: "events", events: Array(11).fill({ ...event, source }) })],
  ["another kind", encodeRealtime(pushed).replace('"conversation"', '"news"')],
])("a message for sockets with %s is not read", (_, body) => {
  expect(decodeRealtime(body)).toBeNull();
});

it("a task names an account from before connections had ids", () => {
  const earlier = { ...disconnectTask, connectionId: "" };
  expect(decodeAccountTask(encodeAccountTask(earlier))).toStrictEqual(earlier);
});

const traced = messages.filter(({ encode }) => (encode as unknown) !== encodeEndpointTask);

it.each(traced)("the trace id comes from the work that sends the message: $name", ({ encode, decode, message }) => {
  const body = runWithTrace("request-1", () => encode(message as never));
  expect(decode(body)).toStrictEqual({ ...message, traceId: "request-1" });
  expect(readTraceId(body)).toBe("request-1");
});

it.each(traced)("the trace id of the message itself goes before it: $name", ({ encode, message }) => {
  const body = runWithTrace("request-2", () => encode({ ...message, traceId: "request-1" } as never));
  expect(readTraceId(body)).toBe("request-1");
});

it("the trace id is absent from an endpoint task, which serves many requests", () => {
  const task = { tenant, endpointId, kind: "warn", since: at } as const;
  expect(runWithTrace("request-1", () => encodeEndpointTask(task))).toBe(encodeEndpointTask(task));
});

it.each(['"a b"', "1", `"${"x".repeat(101)}"`, '"<script>"'])(
  "the trace id is refused in another form: %s",
  (value) => {
    const body = `{"v":2,"tenant":"demo","erasure_id":"${erasureId}","trace_id":${value}}`;
    expect([decodeErasure(body), readTraceId(body)]).toEqual([null, undefined]);
  },
);
