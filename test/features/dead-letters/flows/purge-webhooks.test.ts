import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { QueueName } from "#base/config/names.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { purgeDeadWebhooks } from "#features/dead-letters/flows/purge-webhooks.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import { type QuarantinedMessage, quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { collectPages } from "../../../support/collect-pages.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { inboundBody } from "../../../support/flows/inbound-webhooks.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

let letters = 0;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  testEnv.advance(9 * DAY);
  await purge();
  testEnv.lines.length = 0;
});

const quarantine = () => quarantineStore(testEnv.table);
const log = (line: (typeof testEnv.lines)[number]) => void testEnv.lines.push(line);
const purge = (hasTime: () => boolean = () => true) =>
  purgeDeadWebhooks({ quarantine: quarantine(), log }, testEnv.now(), hasTime);

/** Quarantines a webhook now. @param sentAt when its queue message was sent, if it was redriven */
async function quarantineWebhook(arrivedAt: Millis, sentAt = arrivedAt, queue: QueueName = "Inbound"): Promise<void> {
  const body = inboundBody("{}", arrivedAt);
  const letter = { queue, messageId: `m${++letters}`, sentAt, body, group: null, receives: 11 };
  await quarantineDeadLetter(testEnv.deadLetterPorts(queue), letter, new Map(), testEnv.now());
}

const list = (queue: QueueName = "Inbound", at = testEnv.now()): Promise<QuarantinedMessage[]> =>
  collectPages(quarantine().list(queue, "oldest", at));

/** The number of rows, also of those whose retention is over. */
async function stored(): Promise<number> {
  const { Count = 0 } = await testEnv.client.send(
    new QueryCommand({
      TableName: testEnv.table.name,
      KeyConditionExpression: "PK = :q",
      ExpressionAttributeValues: { ":q": "QUAR#Inbound" },
    }),
  );
  return Count;
}

it("the dead letter of a webhook ends seven days after its arrival in every list, however late it was quarantined", async () => {
  const arrivedAt = testEnv.now();
  testEnv.advance(2 * DAY);
  await quarantineWebhook(arrivedAt);
  const [letter] = await list();
  expect(letter).toMatchObject({ sentAt: arrivedAt, quarantinedAt: testEnv.now() });
  expect(await list("Inbound", arrivedAt + RETENTION - 1)).toHaveLength(1);
  expect(await list("Inbound", arrivedAt + RETENTION)).toEqual([]);
  expect(await quarantine().get(letter?.id ?? "", arrivedAt + RETENTION - 1)).toEqual(letter);
  expect(await quarantine().get(letter?.id ?? "", arrivedAt + RETENTION)).toBeNull();
});

it("the dead letter of a webhook that was redriven counts from its first arrival", async () => {
  const arrivedAt = testEnv.now();
  testEnv.advance(6 * DAY);
  await quarantineWebhook(arrivedAt, testEnv.now() - MINUTE);
  expect(await list()).toMatchObject([{ sentAt: arrivedAt }]);
});

it("the dead letter of a webhook is purged in the last hour or so of its seven days, and no other letter is", async () => {
  await quarantineWebhook(testEnv.now());
  await quarantineWebhook(testEnv.now(), testEnv.now(), "Profiles");
  testEnv.advance(RETENTION - HOUR - 6 * MINUTE);
  await quarantineWebhook(testEnv.now());
  await purge();
  expect(await list()).toHaveLength(2);
  testEnv.advance(2 * MINUTE);
  await purge();
  expect(await list()).toHaveLength(1);
  expect(await list("Profiles")).toHaveLength(1);
  expect(testEnv.lines).toContainEqual({ event: "dead_letters.purged", dead_letters: 1, complete: true });
});

it("the dead letter of a webhook is not stored when the next purge would be too late for it", async () => {
  await quarantineWebhook(testEnv.now() - RETENTION + HOUR, testEnv.now());
  expect(await stored()).toBe(0);
  expect(testEnv.lines).toMatchObject([{ event: "dead_letter.expired", queue: "Inbound" }]);
  await quarantineWebhook(testEnv.now() - RETENTION + HOUR + 5 * MINUTE, testEnv.now());
  expect(await stored()).toBe(1);
});

it("the dead letter of a webhook is left to the next purge without time", async () => {
  await quarantineWebhook(testEnv.now());
  testEnv.advance(RETENTION);
  await purge(() => false);
  expect(await stored()).toBe(1);
  expect(testEnv.lines.at(-1)).toEqual({ event: "dead_letters.purged", dead_letters: 0, complete: false });
  await purge();
  expect(await stored()).toBe(0);
});

eachFault(
  "the dead letter of a webhook is purged by the next run, despite a fault (%s) at any call",
  testEnv,
  async (interrupt) => {
    for (let letter = 0; letter < 3; letter++) await quarantineWebhook(testEnv.now() + letter);
    testEnv.advance(RETENTION);
    await interrupt(purge);
    await purge();
    expect(await stored()).toBe(0);
  },
);
