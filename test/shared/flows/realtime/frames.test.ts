import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createKey } from "../../../../shared/flows/access/keys.ts";
import { receiveFrame } from "../../../../shared/flows/realtime/frames.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { frameChecker } from "../../../support/conformance/check-frame.ts";
import { readServedDocument } from "../../../support/conformance/document.ts";
import { openTestEnv, type TestEnv } from "../support/test-env.ts";
import { openStreamFixture, type StreamFixture } from "./support/stream-fixture.ts";

let testEnv: TestEnv;
let stream: StreamFixture;
let tenant: TenantId;
let connectionId: string;
beforeAll(async () => {
  testEnv = await openTestEnv();
  stream = openStreamFixture(testEnv);
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  testEnv.advance(MINUTE);
  stream.frames.length = 0;
  tenant = await stream.team.newTenant();
  const key = await createKey(stream.ports, tenant, { scope: "live", label: "", actor: "cli" }, testEnv.now());
  if (isRefusal(key)) throw new Error("The key was not created.");
  connectionId = await stream.open({ kind: "tenant_key", keyId: key.id, tenant, scope: "live" }, tenant);
});

const checkFrame = frameChecker(readServedDocument());
const PING = '{ "type": "ping" }';
const send = (text: string | null) => receiveFrame(stream.ports, { connectionId, text, now: testEnv.now() });

it("a ping is answered, and any other frame is ignored", async () => {
  const others = [
    null,
    "",
    "ping",
    "null",
    '"ping"',
    "[]",
    "{}",
    '{ "type": "pong" }',
    '{ "type": ["ping"] }',
    '{ "type": "ping"',
    "[".repeat(4_096),
    `${'{"a":'.repeat(600)}1${"}".repeat(600)}`,
    "\u0000",
  ];
  for (const text of others) await send(text);
  expect(stream.frames).toEqual([]);
  const pings = [PING, '{"extra":1,"type":"ping"}'];
  for (const text of pings) await send(text);
  // The document declares exactly what is answered.
  const isDeclared = (text: string | null) => checkFrame("client", text ?? "").length === 0;
  expect(others.filter(isDeclared)).toEqual([]);
  expect(pings.filter(isDeclared)).toEqual(pings);
  expect(stream.frames).toEqual(Array(2).fill({ connectionId, text: '{"type":"pong"}' }));
  expect(stream.isOpen(connectionId)).toBe(true);
});

it("a frame over 4 KB closes its connection", async () => {
  const ping = (bytes: number) => `{ "type": "ping", "text": "${"ä".repeat((bytes - 30) / 2)}" }`;
  expect(Buffer.byteLength(ping(4_096))).toBe(4_096);
  await send(ping(4_096));
  expect([stream.isOpen(connectionId), stream.frames.length]).toEqual([true, 1]);
  await send(ping(4_098));
  expect(stream.isOpen(connectionId)).toBe(false);
  expect(await stream.ports.sockets.listAll(tenant)).toEqual([]);
  expect(await stream.ports.sockets.presence(tenant)).toMatchObject({ count: 0 });
});

it("sixty frames in a minute are accepted, and one more closes the connection", async () => {
  for (let i = 0; i < 60; i++) await send(i % 2 === 0 ? PING : "no JSON");
  expect([stream.isOpen(connectionId), stream.frames.length]).toEqual([true, 30]);
  testEnv.advance(MINUTE);
  await Promise.all(Array.from({ length: 60 }, () => send(PING)));
  expect([stream.isOpen(connectionId), stream.frames.length]).toEqual([true, 90]);
  await send(null);
  expect(stream.isOpen(connectionId)).toBe(false);
  expect(await stream.ports.sockets.listAll(tenant)).toEqual([]);
});

it("a flood of frames at once, right after the handshake, closes its connection, and none is a fault", async () => {
  const results = await Promise.allSettled(Array.from({ length: 90 }, () => send(PING)));
  expect(results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []))).toEqual([]);
  expect(stream.isOpen(connectionId)).toBe(false);
  expect(stream.frames.length).toBeLessThanOrEqual(60);
  expect(await stream.ports.sockets.listAll(tenant)).toEqual([]);
  expect(await stream.ports.sockets.presence(tenant)).toMatchObject({ count: 0 });
});

it("a frame of a connection without a socket is no fault", async () => {
  await receiveFrame(stream.ports, { connectionId: "unknown", text: PING, now: testEnv.now() });
  await receiveFrame(stream.ports, { connectionId: "unknown", text: "a".repeat(5_000), now: testEnv.now() });
  expect(stream.frames).toEqual([]);
});
