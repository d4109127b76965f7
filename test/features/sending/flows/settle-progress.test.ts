import { beforeAll, beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { deleteItem, scanItems } from "../../../support/stores/items.ts";
import { ACCOUNT, newTenant, PERSON } from "../../../support/stores/samples.ts";

// Sweeps of sends that stop early.

let ports: ApiPorts;
const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  ports = testEnv.apiPorts(await testEnv.newQueues());
});
beforeEach(async () => {
  testEnv.advance(30 * DAY);
  await deleteItem(testEnv.table, { PK: "QS", SK: "SWEPT" });
  await settleDueSends(ports, testEnv.now());
});

/** Abandoned sends of conversations that do not exist. A sweep reads each and removes it. */
async function startSends(count: number, interval: Millis): Promise<string[]> {
  const sendIds: string[] = [];
  for (let i = 0; i < count; i++) {
    const sendId = newUlid(testEnv.now());
    const missingConversation = conversationId({ tenant: newTenant(), account: ACCOUNT, participantId: PERSON });
    await ports.dueSends.put({
      conversationId: missingConversation,
      sendId,
      startedAt: testEnv.now(),
      content: { kind: "text", text: "hi" },
    });
    sendIds.push(sendId);
    testEnv.advance(interval);
  }
  return sendIds;
}

async function openSends(): Promise<string[]> {
  const Items = (await scanItems(testEnv.table, "QS#")).filter(({ c }) => c !== undefined);
  return Items.map(({ SK }) => String(SK).split("#")[1] ?? "").sort();
}

/** Allows a number of pages. */
function pageBudget(count: number): () => boolean {
  let pagesStarted = 0;
  return () => pagesStarted++ < count;
}

it("a sweep without time for a page changes nothing", async () => {
  const checkpoint = await ports.dueSends.checkpoint();
  const sends = await startSends(2, SECOND);
  testEnv.advance(MINUTE);
  expect(await settleDueSends(ports, testEnv.now(), () => false)).toBe(0);
  expect(await openSends()).toEqual(sends);
  expect(await ports.dueSends.checkpoint()).toEqual(checkpoint);
  expect(await settleDueSends(ports, testEnv.now())).toBe(2);
});

it("the next sweep continues from the last completed page, earliest first", async () => {
  const sends = await startSends(250, 10);
  testEnv.advance(10 * MINUTE);
  expect(await settleDueSends(ports, testEnv.now(), pageBudget(2))).toBe(200);
  expect(await openSends()).toEqual(sends.slice(200));
  expect((await ports.dueSends.checkpoint())?.key).toContain(sends[199]);
  expect(await settleDueSends(ports, testEnv.now())).toBe(50);
  expect(await openSends()).toEqual([]);
});

it("a send that cannot be settled keeps the checkpoint before its page, and is retried until it can be", async () => {
  const sends = await startSends(150, 10);
  const poison = sends[120];
  testEnv.advance(10 * MINUTE);
  const remove: typeof ports.dueSends.remove = (due) =>
    due.sendId === poison ? Promise.reject(new Error("injected")) : ports.dueSends.remove(due);
  const failingPorts = { ...ports, dueSends: { ...ports.dueSends, remove } };
  for (let i = 0; i < 3; i++) {
    await expect(settleDueSends(failingPorts, testEnv.now())).rejects.toThrow("injected");
    expect(await openSends()).toEqual([poison]);
    expect((await ports.dueSends.checkpoint())?.key).toContain(sends[99]);
    testEnv.advance(DAY);
  }
  expect(await settleDueSends(ports, testEnv.now())).toBe(1);
  expect(await openSends()).toEqual([]);
  expect((await ports.dueSends.checkpoint())?.at).toBe(testEnv.now());
});
