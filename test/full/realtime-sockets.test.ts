import { afterAll, beforeAll, expect, it } from "vitest";
import { failureLines, waitUntilIdle } from "../e2e/support/emulator-journals.ts";
import { crowdSize, SocketCrowd } from "../e2e/support/socket-crowd.ts";

let crowd: SocketCrowd;
beforeAll(async () => {
  crowd = await SocketCrowd.open();
}, 120_000);
afterAll(() => crowd?.close());

const { sockets, tenants, eventsPerSecond, seconds } = crowdSize;

it(`${sockets} sockets of ${tenants} tenants get each event of their tenant under one id at ${eventsPerSecond} events a second, and none of another`, async () => {
  await crowd.openSockets();
  await crowd.postEvents(seconds);
  await crowd.receiveAll();
  await waitUntilIdle(crowd.stack, 120);

  const eventIds = new Map<string, string>();
  for (const tenant of crowd.tenants) {
    for (const { received, foreign } of tenant.sockets) {
      expect(foreign).toEqual([]);
      expect(new Set(received.keys())).toEqual(new Set(tenant.postedAt.keys()));
      for (const [mid, { eventId }] of received) {
        // Each socket sees the same event under the same id.
        expect(eventIds.get(mid) ?? eventId).toBe(eventId);
        eventIds.set(mid, eventId);
      }
    }
  }
  expect(eventIds.size).toBe(eventsPerSecond * seconds);
  expect(new Set(eventIds.values()).size).toBe(eventIds.size);
  expect(failureLines(crowd.stack.log())).toEqual([]);
}, 1_200_000);
