import { afterEach, beforeEach, expect, test } from "vitest";
import { Parley, PRESENCE_LIFETIME_MS, type RealtimeConnection } from "#client";
import { openedEach } from "../../support/opened.ts";
import { helloFrame, startStreamServer } from "./support/stream-server.ts";
import { TestClock } from "./support/test-clock.ts";

// What a page reports of its person, within the limits of the service.

const CONVERSATION = "CONV#acme#instagram#1#2";
let clock: TestClock;
let connection: RealtimeConnection;

const server = openedEach(startStreamServer);
beforeEach(() => {
  clock = new TestClock();
  const parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 0 });
  connection = parley.connect({ onEvent: () => {}, pingIntervalMs: 100_000_000 });
});
afterEach(async () => {
  connection.close();
  await server[Symbol.asyncDispose]();
});

const poll = <T>(read: () => T) => expect.poll(read, { interval: 5, timeout: 5_000 });
async function open(index = 0): Promise<void> {
  await poll(() => server.sockets.length).toBe(index + 1);
  server.sockets[index]?.send(helloFrame(`c${index + 1}`));
  await poll(() => connection.isOpen).toBe(true);
}
const reported = (count: number) => poll(() => server.frames.length).toBe(count);

test("a state is reported once, again before the others forget it, and at once when it changes", async () => {
  expect(connection.presence(CONVERSATION, "reading")).toBe(false);
  await open();
  for (let i = 0; i < 3; i++) expect(connection.presence(CONVERSATION, "writing")).toBe(true);
  await reported(1);
  expect(JSON.parse(server.frames[0] ?? "")).toEqual({
    type: "presence",
    conversation_id: CONVERSATION,
    state: "writing",
  });
  clock.advance(PRESENCE_LIFETIME_MS.writing / 2);
  connection.presence(CONVERSATION, "writing");
  await reported(2);
  connection.presence(CONVERSATION, "reading");
  await reported(3);
  clock.advance(PRESENCE_LIFETIME_MS.reading - 1);
  connection.presence(CONVERSATION, "reading");
  await reported(4);
  for (let i = 0; i < 2; i++) connection.presence(CONVERSATION, "left");
  await reported(5);
  clock.advance(PRESENCE_LIFETIME_MS.reading);
  connection.presence(CONVERSATION, "left");
  connection.presence(`${CONVERSATION}3`, "left");
  await reported(6);
});

test("a page that reports more than thirty changes in a minute sends thirty", async () => {
  await open();
  const report = (i: number) => connection.presence(`${CONVERSATION}${i}`, "reading");
  expect(Array.from({ length: 31 }, (_, i) => report(i))).toEqual([...Array(30).fill(true), false]);
  await reported(30);
  clock.advance(60_000);
  expect(report(31)).toBe(true);
  await reported(31);
});

test("a new connection reports a state again", async () => {
  await open();
  connection.presence(CONVERSATION, "reading");
  await reported(1);
  server.sockets[0]?.terminate();
  await poll(() => connection.isOpen).toBe(false);
  expect(connection.presence(CONVERSATION, "left")).toBe(false);
  await poll(() => clock.pending.length).toBeGreaterThan(0);
  connection.check();
  await open(1);
  expect(connection.presence(CONVERSATION, "reading")).toBe(true);
  await reported(2);
});
