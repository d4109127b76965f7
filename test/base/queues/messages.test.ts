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

const tenant = parseTenant("demo") ?? expect.unreachable("demo is a tenant");
const [endpointId, eventUlid] = ["01M7ZAN532DXZZ1TKP6RZ0YEPG", "01M7ZAN533DXZZ1TKP6RZ0YEPH"];
const account = { platform: "messenger", externalId: "1" } as const;
const conversation = conversationId({ tenant, account, participantId: "2" });
const erasureId = "ab".repeat(32);
const at = 1_790_000_000_000;
const event = { tenant, eventUlid, type: "message.received", source: null, repeated: false } as const;
const source = { conversationId: conversation, position: "p1" };
const retry = { tenant, endpointId, eventUlid, attempt: 3 };

const connection = { tenant, account, connectionId: eventUlid };
const disconnectTask = {
  op: "let_go",
  ...connection,
  reason: "user",
  actor: "console:u_1",
  userId: "u_1",
  ip: "203.0.113.7",
  at,
} as const;
const gapTask = { op: "fill_gap", ...connection, since: at, until: at + 1, after: null, done: 0 } as const;

/** Each queue's messages: what the release before this one sent, what this one sends, and what both mean. */
const messages = [
  {
    name: "inbound bytes",
    v1: `{"v":1,"at":${at},"gz":"aGk="}`,
    v2: `{"v":2,"received_at":${at},"gzip":"aGk="}`,
    message: { receivedAt: at, bytes: Buffer.from("hi"), file: null },
    encode: encodeInbound,
    decode: decodeInbound,
  },
  {
    name: "inbound file",
    v1: `{"v":1,"at":${at},"file":"inbound/x.json.gz"}`,
    v2: `{"v":2,"received_at":${at},"file":"inbound/x.json.gz"}`,
    message: { receivedAt: at, bytes: null, file: "inbound/x.json.gz" },
    encode: encodeInbound,
    decode: decodeInbound,
  },
  {
    name: "event of an answer",
    v1: null,
    v2: `{"v":2,"tenant":"demo","event_ulid":"${eventUlid}","event_type":"message.sent","source":{"conversation_id":"${conversation}","position":"p1"},"uncounted":true,"answered_after":60000}`,
    message: { ...event, type: "message.sent", source, repeated: false, uncounted: true, answeredAfter: 60_000 },
    encode: encodeEvent,
    decode: decodeEvent,
  },
  {
    name: "event of a message",
    v1: `{"v":1,"t":"demo","e":"${eventUlid}","ty":"message.received","c":"${conversation}","p":"p1","r":1,"k":1,"z":1}`,
    v2: `{"v":2,"tenant":"demo","event_ulid":"${eventUlid}","event_type":"message.received","source":{"conversation_id":"${conversation}","position":"p1"},"repeated":true,"uncounted":true,"test":true}`,
    message: { ...event, source, repeated: true, uncounted: true, test: true },
    encode: encodeEvent,
    decode: decodeEvent,
  },
  {
    name: "event with a stored body",
    v1: `{"v":1,"t":"demo","e":"${eventUlid}","ty":"webhook.paused","x":"${endpointId}"}`,
    v2: `{"v":2,"tenant":"demo","event_ulid":"${eventUlid}","event_type":"webhook.paused","excluded_endpoint_id":"${endpointId}"}`,
    message: { ...event, type: "webhook.paused", excludedEndpointId: endpointId },
    encode: encodeEvent,
    decode: decodeEvent,
  },
  {
    name: "attempt",
    v1: `{"v":1,"t":"demo","w":"${endpointId}","e":"${eventUlid}","n":3,"q":1,"po":2}`,
    v2: `{"v":2,"kind":"attempt","tenant":"demo","endpoint_id":"${endpointId}","event_ulid":"${eventUlid}","attempt":3,"manual":true,"deferrals":2}`,
    message: { ...retry, manual: true, deferrals: 2 },
    encode: encodeRetry,
    decode: decodeRetry,
  },
  {
    name: "probe",
    v1: `{"v":1,"t":"demo","w":"${endpointId}","step":"probe","probe":${at},"after":"${eventUlid}"}`,
    v2: `{"v":2,"kind":"probe","tenant":"demo","endpoint_id":"${endpointId}","probe_due_at":${at},"after_event_ulid":"${eventUlid}"}`,
    message: { tenant, endpointId, kind: "probe", probe: at, after: eventUlid },
    encode: encodeEndpointTask,
    decode: decodeEndpointTask,
  },
  {
    name: "drain",
    v1: `{"v":1,"t":"demo","w":"${endpointId}","step":"drain","after":null,"page":50,"again":true}`,
    v2: `{"v":2,"kind":"drain","tenant":"demo","endpoint_id":"${endpointId}","page_size":50,"repeat":true}`,
    message: { tenant, endpointId, kind: "drain", after: null, pageSize: 50, repeat: true },
    encode: encodeEndpointTask,
    decode: decodeEndpointTask,
  },
  {
    name: "warn",
    v1: `{"v":1,"t":"demo","w":"${endpointId}","step":"failing","since":${at}}`,
    v2: `{"v":2,"kind":"warn","tenant":"demo","endpoint_id":"${endpointId}","failing_since":${at}}`,
    message: { tenant, endpointId, kind: "warn", since: at },
    encode: encodeEndpointTask,
    decode: decodeEndpointTask,
  },
  {
    name: "profile",
    v1: `{"v":1,"t":"demo","c":"${conversation}"}`,
    v2: `{"v":2,"tenant":"demo","conversation_id":"${conversation}"}`,
    message: { tenant, conversationId: conversation },
    encode: encodeProfile,
    decode: decodeProfile,
  },
  {
    name: "erasure",
    v1: `{"v":1,"t":"demo","er":"${erasureId}"}`,
    v2: `{"v":2,"tenant":"demo","erasure_id":"${erasureId}"}`,
    message: { tenant, erasureId },
    encode: encodeErasure,
    decode: decodeErasure,
  },
  {
    name: "mail with a sign-in link",
    v1: null,
    v2: `{"v":2,"kind":"sign_in","login_id":"${erasureId}"}`,
    message: { kind: "sign_in", loginId: erasureId },
    encode: encodeMail,
    decode: decodeMail,
  },
  {
    name: "mail of an invite",
    v1: null,
    v2: `{"v":2,"kind":"invite","tenant":"demo","invite_id":"inv_${eventUlid}"}`,
    message: { kind: "invite", tenant, inviteId: `inv_${eventUlid}` },
    encode: encodeMail,
    decode: decodeMail,
  },
  {
    name: "upload",
    v1: null,
    v2: `{"v":2,"tenant":"demo","upload_id":"upl_${eventUlid}"}`,
    message: { tenant, uploadId: `upl_${eventUlid}` },
    encode: encodeUpload,
    decode: decodeUpload,
  },
  {
    name: "connection to finish",
    v1: null,
    v2: `{"v":2,"tenant":"demo","account":"messenger#1","connection_id":"${eventUlid}","op":"finish_connect"}`,
    message: { op: "finish_connect", ...connection },
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "account to disconnect",
    v1: null,
    v2: `{"v":2,"tenant":"demo","account":"messenger#1","connection_id":"${eventUlid}","user_id":"u_1","op":"let_go","reason":"user","actor":"console:u_1","ip":"203.0.113.7","at":${at}}`,
    message: disconnectTask,
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "check of an account",
    v1: null,
    v2: '{"v":2,"tenant":"demo","account":"messenger#1","op":"check"}',
    message: { op: "check", tenant, account },
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "subscription of a page",
    v1: null,
    v2: '{"v":2,"tenant":"demo","account":"messenger#1","page_id":"1","op":"reconcile_subscription"}',
    message: { op: "reconcile_subscription", tenant, account, pageId: "1" },
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "subscription of an account of Instagram Login",
    v1: null,
    v2: '{"v":2,"tenant":"demo","account":"messenger#1","page_id":null,"op":"reconcile_subscription"}',
    message: { op: "reconcile_subscription", tenant, account, pageId: null },
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "gap to fill",
    v1: null,
    v2: `{"v":2,"tenant":"demo","account":"messenger#1","connection_id":"${eventUlid}","op":"fill_gap","since":${at},"until":${at + 1},"after":null,"done":0}`,
    message: gapTask,
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "conversations of an account to erase",
    v1: null,
    v2: '{"v":2,"tenant":"demo","account":"messenger#1","op":"erase_conversations","code":null,"after":null,"erased":true}',
    message: { op: "erase_conversations", tenant, account, code: null, after: null, erased: true },
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "conversations of an account to erase in a run",
    v1: null,
    v2: `{"v":2,"tenant":"demo","account":"messenger#1","op":"erase_conversations","code":"c","run":"${eventUlid}","after":null,"erased":false}`,
    message: { op: "erase_conversations", tenant, account, code: "c", run: eventUlid, after: null, erased: false },
    encode: encodeAccountTask,
    decode: decodeAccountTask,
  },
  {
    name: "events for sockets",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"events","events":[{"event_ulid":"${eventUlid}","event_type":"message.sent","source":{"conversation_id":"${conversation}","position":"p1"},"test":true},{"event_ulid":"${endpointId}","event_type":"webhook.paused"}]}`,
    message: {
      tenant,
      kind: "events",
      events: [
        { eventUlid, type: "message.sent", source, test: true },
        { eventUlid: endpointId, type: "webhook.paused", source: null },
      ],
    },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "conversation for sockets",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"conversation","subject_id":"${conversation}","event_ulid":"${eventUlid}"}`,
    message: { tenant, kind: "conversation", conversationId: conversation, eventUlid },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "erased conversation for sockets",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"conversation","subject_id":"${conversation}","event_ulid":"${eventUlid}","erased":true}`,
    message: { tenant, kind: "conversation", conversationId: conversation, eventUlid, erased: true },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "held message for sockets",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"hold","subject_id":"hold_${eventUlid}","event_ulid":"${endpointId}"}`,
    message: { tenant, kind: "hold", holdId: `hold_${eventUlid}`, eventUlid: endpointId },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "upload for one socket",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"upload","subject_id":"upl_${eventUlid}","event_ulid":"${endpointId}","connection_ids":["c-1"]}`,
    message: { tenant, kind: "upload", uploadId: `upl_${eventUlid}`, eventUlid: endpointId, connectionIds: ["c-1"] },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "upload for sockets",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"upload","subject_id":"upl_${eventUlid}","event_ulid":"${endpointId}"}`,
    message: { tenant, kind: "upload", uploadId: `upl_${eventUlid}`, eventUlid: endpointId },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "first frame of a socket",
    v1: null,
    v2: '{"v":2,"tenant":"demo","kind":"hello","connection_id":"c1="}',
    message: { tenant, kind: "hello", connectionId: "c1=" },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "sockets to close",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"close","connection_ids":["c1="]}`,
    message: { tenant, kind: "close", connectionIds: ["c1="] },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
  {
    name: "sockets to check",
    v1: null,
    v2: `{"v":2,"tenant":"demo","kind":"recheck","connection_ids":["c1="]}`,
    message: { tenant, kind: "recheck", connectionIds: ["c1="] },
    encode: encodeRealtime,
    decode: decodeRealtime,
  },
] as readonly {
  name: string;
  /** Null for a queue that the release before did not have. */
  v1: string | null;
  v2: string;
  message: object;
  encode: (message: never) => string;
  decode: (text: string) => object | null;
}[];

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
