import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { createKey } from "#features/access/flows/keys.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { receiveFrame } from "#features/realtime/flows/frames.ts";
import { processHello } from "#features/realtime/flows/push/greet.ts";
import { frameChecker } from "../../../support/conformance/check-frame.ts";
import { readServedDocument } from "../../../support/conformance/document.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { openStreamFixture } from "./support/stream-fixture.ts";

let tenant: TenantId;
let connectionId: string;
let caller: Caller;
const testEnv = openedOnce(openTestEnv);
const stream = openedOnce(() => openStreamFixture(testEnv));
beforeEach(async () => {
  testEnv.advance(MINUTE);
  stream.frames.length = 0;
  tenant = await stream.team.newTenant();
  const key = await createKey(
    stream.ports,
    tenant,
    { scope: "live", label: "", author: { actor: "cli" } },
    testEnv.now(),
  );
  if (isRefusal(key)) throw new Error("The key was not created.");
  caller = { kind: "tenant_key", keyId: key.id, tenant, scope: "live" };
  connectionId = await stream.open(caller, tenant);
});

const checkFrame = frameChecker(readServedDocument());
const PING = '{ "type": "ping" }';
const send = (text: string | null) => receiveFrame(stream.ports, { connectionId, text, now: testEnv.now() });
const pushPorts = () => ({ ...openStores(testEnv.table), ...stream.ports });
const frameTypes = () => stream.frames.map(({ text }) => JSON.parse(text).type);

/** The push worker sends the first frame. */
async function greet(): Promise<void> {
  await processHello(pushPorts(), { tenant, connectionId }, testEnv.now());
  expect(frameTypes()).toEqual(["hello"]);
  stream.frames.length = 0;
}

it("each ping before the first frame is answered after it, at once", async () => {
  for (const text of [PING, PING, "no JSON"]) await send(text);
  expect(stream.frames).toEqual([]);
  await processHello(pushPorts(), { tenant, connectionId }, testEnv.now());
  expect(frameTypes()).toEqual(["hello", "pong"]);
  await send(PING);
  expect(frameTypes()).toEqual(["hello", "pong", "pong"]);
});

it("a connection that sent no ping gets no answer to one", async () => {
  await send("no JSON");
  await greet();
});

it("a ping at any moment around the first frame is answered, and never before it", async () => {
  for (let moment = 0; ; moment++) {
    stream.frames.length = 0;
    connectionId = await stream.open(caller, tenant);
    let calls = 0;
    const ports = interceptCalls(pushPorts(), async (_name, call) => {
      const isNow = calls++ === moment;
      if (isNow && moment % 2 === 0) await send(PING);
      const result = await call();
      if (isNow && moment % 2 === 1) await send(PING);
      return result;
    });
    await processHello(ports, { tenant, connectionId }, testEnv.now());
    const isOver = calls <= moment;
    expect(frameTypes(), `a ping at call ${moment}`).toEqual(isOver ? ["hello"] : ["hello", "pong"]);
    if (isOver) return;
  }
});

it("each ping before the first frame counts", async () => {
  for (let i = 0; i < 60; i++) await send(PING);
  expect(stream.isOpen(connectionId)).toBe(true);
  await send(PING);
  expect([stream.isOpen(connectionId), stream.frames]).toEqual([false, []]);
});

it("a ping is answered, and any other frame is ignored", async () => {
  await greet();
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
  await greet();
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
  await greet();
  for (let i = 0; i < 60; i++) await send(i % 2 === 0 ? PING : "no JSON");
  expect([stream.isOpen(connectionId), stream.frames.length]).toEqual([true, 30]);
  testEnv.advance(MINUTE);
  await Promise.all(Array.from({ length: 60 }, () => send(PING)));
  expect([stream.isOpen(connectionId), stream.frames.length]).toEqual([true, 90]);
  await send(null);
  expect(stream.isOpen(connectionId)).toBe(false);
  expect(await stream.ports.sockets.listAll(tenant)).toEqual([]);
});

it("a flood of frames at once, right after the first one, closes its connection, and none is a fault", async () => {
  await greet();
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
