import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import type { Row } from "../../../support/flows/data-subject.ts";
import {
  ingestEvents,
  type PlatformEvent,
  renderEventMessages,
  textEvent,
} from "../../../support/flows/platform-events.ts";
import { useConversation } from "./support/erased-conversations.ts";

// Messages that are stored long after they were sent: the retention of each counts from its sending.

const { drain, eraseNow: erase, expectErased, partition, queues, testEnv, world } = useConversation();

/** Ingests a webhook in a new process, whose clock shows `now`. @returns the ULIDs of the events that have a body */
async function ingest(event: PlatformEvent, now = testEnv.now()): Promise<string[]> {
  const effects = await ingestEvents(testEnv.ingestPorts(queues), world.account, [event], now);
  const events = await renderEventMessages(testEnv, world.tenant, effects.events);
  return events.flatMap(({ ulid, body }) => (body === null ? [] : [ulid]));
}

const rowsWith = (rows: Row[], start: string) => rows.filter(({ SK }) => SK.startsWith(start));
const endOf = (row: Row | undefined): Millis => (row?.x as number) * SECOND;

async function read(now = testEnv.now()): Promise<number> {
  const query = { conversationId: world.conversation, includeTest: false, limit: 9, now };
  const opened = await conversationStore(testEnv.table).getWithMessages(world.tenant, query);
  const byId = await messageStore(testEnv.table).getById(world.tenant, "m1", now);
  expect(byId === null).toBe(opened === null);
  return opened?.page.rows.length ?? 0;
}

/** Removes what a table with a time to live may already have removed. */
async function removeEndedRows(): Promise<void> {
  for (const row of await partition()) {
    if (endOf(row) > testEnv.now()) continue;
    const Key = { PK: row.PK, SK: row.SK };
    await testEnv.table.client.send(new DeleteCommand({ TableName: testEnv.table.name, Key }));
  }
}

describe.each([
  ["1 hour", HOUR],
  ["1 day", DAY],
  ["3 days", 3 * DAY],
  ["6 days", 6 * DAY],
  ["6 days and 23 hours", 6 * DAY + 23 * HOUR],
] as const)("a message that is stored %s after it was sent", (_name, late) => {
  let sentAt: Millis;
  let event: PlatformEvent;
  beforeEach(() => {
    sentAt = testEnv.now() - late;
    event = textEvent("m1", "canary", sentAt);
  });

  it("a late message is read until its 7 days end, and its row and the head end within an hour of that", async () => {
    expect(await ingest(event)).toHaveLength(1);
    expect([await read(), await read(sentAt + 7 * DAY - 1), await read(sentAt + 7 * DAY)]).toEqual([1, 1, 0]);
    const rows = await partition();
    for (const row of [rowsWith(rows, "M#")[0], rowsWith(rows, "~HEAD")[0]]) {
      expect(endOf(row)).toBeGreaterThanOrEqual(sentAt + 7 * DAY);
      expect(endOf(row)).toBeLessThan(sentAt + 7 * DAY + HOUR);
    }
    testEnv.advance(7 * DAY + HOUR - late);
    await removeEndedRows();
    expect(JSON.stringify(await partition())).not.toContain("canary");
  });

  it("a late message is erased within its 7 days, and not stored again", async () => {
    await ingest(event);
    testEnv.advance(SECOND);
    expect(await erase()).toMatchObject({ done: true, removed: { conversation: 1, messages: 1 } });
    await drain();
    expect(await ingest(event)).toEqual([]);
    expect(await partition()).toEqual([]);
  });

  it("a late message is erased after its 7 days, as long as any row is stored", async () => {
    await ingest(event);
    testEnv.advance(7 * DAY - late);
    expect(await read()).toBe(0);
    expect(await erase()).toMatchObject({ done: true, removed: { conversation: 1, messages: 1 } });
    expect(JSON.stringify(await partition())).not.toContain("canary");
    await expectErased();
  });

  it("a late message is erased when the table has removed the head alone", async () => {
    await ingest(event);
    const Key = { PK: world.conversation, SK: "~HEAD" };
    await testEnv.table.client.send(new DeleteCommand({ TableName: testEnv.table.name, Key }));
    testEnv.advance(7 * DAY - late);
    expect(await erase()).toMatchObject({ done: true, removed: { conversation: 0, messages: 1 } });
    await expectErased();
  });

  it("a late message is erased when the table has removed all but the head, and not found when nothing is left", async () => {
    await ingest(event);
    for (const { PK, SK } of (await partition()).filter((row) => row.SK !== "~HEAD"))
      await testEnv.table.client.send(new DeleteCommand({ TableName: testEnv.table.name, Key: { PK, SK } }));
    testEnv.advance(7 * DAY - late);
    expect(await erase()).toMatchObject({ done: true, removed: { conversation: 1, messages: 0 } });
    await drain();
    testEnv.advance(7 * DAY + HOUR + SECOND);
    expect(await erase()).toEqual({ refused: "conversation_not_found" });
  });

  it("a late message is not stored again when its row has ended and a webhook without a time comes", async () => {
    await ingest(event);
    testEnv.advance(7 * DAY - late + HOUR);
    await removeEndedRows();
    expect(rowsWith(await partition(), "K#")).toHaveLength(1);
    // No number in JSON: then the arrival counts, which is within its 7 days.
    expect(await ingest({ ...event, at: Number.NaN })).toEqual([]);
    expect(JSON.stringify(await partition())).not.toContain("canary");
  });
});

it.each([
  ["at once", 0],
  ["9 minutes", 9 * MINUTE],
  ["6 days", 6 * DAY],
] as const)(
  "a message that is stored %s after it was sent is not another event for a worker whose clock is 5 minutes behind",
  async (_name, late) => {
    const sentAt = testEnv.now() - late;
    const event = textEvent("m1", "canary", sentAt);
    const [ulid] = await ingest(event);
    testEnv.advance(7 * DAY - late + 5 * MINUTE - 1);
    await removeEndedRows();
    expect(await ingest(event, sentAt + 7 * DAY - 1)).toEqual([ulid]);
    expect(rowsWith(await partition(), "M#")).toHaveLength(1);
    expect(await ingest(event)).toEqual([]);
  },
);
