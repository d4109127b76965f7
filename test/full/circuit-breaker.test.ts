import { beforeAll, expect, it } from "vitest";
import { createTestWebhook, listDeliveries } from "../e2e/support/api-calls.ts";
import type { ListedDelivery } from "../e2e/support/api-response.ts";
import { failureLines, waitUntilIdle } from "../e2e/support/emulator-journals.ts";
import { openSharedStack } from "../e2e/support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../e2e/support/platform-webhooks.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openReceiver } from "../e2e/support/webhook-receiver.ts";
import { openedOnce } from "../support/opened.ts";

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

let startedAt = 0;
let earlierMails = 0;

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
const otherReceiver = openedOnce(openReceiver);
const hook = openedOnce(() => createTestWebhook(stack, receiver.url, ["message.received"]));
beforeAll(async () => {
  await createTestWebhook(stack, otherReceiver.url, ["webhook.paused"]);
  receiver.respondWith(() => ({ status: 500 }));
  startedAt = await stack.now();
  earlierMails = (await allMails()).length;
});

async function sendMessages(count: number): Promise<void> {
  const at = await stack.now();
  const entries = Array.from({ length: count }, (_, n) =>
    textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), "hello", at + n),
  );
  expect((await postWebhook(stack, "page", entries)).status).toBe(200);
  await waitUntilIdle(stack);
}

const listRows = () => listDeliveries(stack, hook.id);
const waitForRows = (description: string, matches: (row: ListedDelivery) => boolean, count: number) =>
  waitFor(description, async () => {
    const deliveries = await listRows();
    return deliveries.length === count && deliveries.every(matches) ? deliveries : null;
  });
/** All mails of the stack, the oldest first. */
const allMails = async (): Promise<Mail[]> => (await stack.local<{ mails: Mail[] }>("GET", "/mail")).mails.toReversed();
const mails = async (): Promise<Mail[]> => (await allMails()).slice(earlierMails);
/** Advances the clock past the next probe and waits for it. */
async function probe(advance: string): Promise<void> {
  const before = receiver.deliveries.length;
  await stack.clock(advance);
  await waitFor(`a probe after ${advance}`, () => receiver.deliveries.length > before);
  await waitUntilIdle(stack);
}

it("after ten consecutive failures an endpoint is probed once a minute, then less often, and its events wait", async () => {
  await sendMessages(10);
  await waitForRows(
    "ten attempts have failed",
    ({ status, attempt_number }) => status === "retrying" && attempt_number === 1,
    10,
  );
  expect(receiver.deliveries).toHaveLength(10);
  await sendMessages(3);
  const deliveries = await waitFor("three more wait", async () => {
    const all = await listRows();
    return all.length === 13 ? all : null;
  });
  expect(deliveries.slice(0, 3)).toMatchObject(
    Array(3).fill({ status: "retrying", attempt_number: 0, next_retry_at: null }),
  );
  expect(receiver.deliveries).toHaveLength(10);
  await probe("PT61S");
  expect(receiver.deliveries).toHaveLength(11);
  await stack.clock("PT90S");
  await waitUntilIdle(stack);
  expect(receiver.deliveries).toHaveLength(11);
  await probe("PT31S");
  expect(receiver.deliveries).toHaveLength(12);
});

it("the owner of a failing endpoint is warned after 2.5 days; after 5 days it is paused and its waiting deliveries are blocked", async () => {
  for (const advance of ["PT241S", "PT481S", "PT961S", "PT1801S", "PT1801S", "PT1801S", "PT1801S", "PT1801S"])
    await probe(advance);
  expect(await mails()).toEqual([]);
  await probe("PT60H");
  const [warning] = await waitFor("the warning", async () => ((await mails()).length > 0 ? mails() : null));
  expect(warning).toMatchObject({
    from: "parley@local.test",
    to: ["owner@local.invalid"],
    subject: expect.stringContaining("are failing"),
  });
  await probe("PT60H");
  const [, paused] = await waitFor("the second mail", async () => ((await mails()).length > 1 ? mails() : null));
  expect(paused?.subject).toContain("are paused");
  expect(paused?.text).toContain(hook.id);
  await waitForRows("what waited is blocked", ({ status }) => status === "blocked" || status === "retrying", 13);
  await stack.clock("PT10M");
  await stack.clock("PT24H");
  await waitForRows("all of it is blocked", ({ status }) => status === "blocked", 13);
  await waitFor("the other endpoint is notified", () => otherReceiver.deliveries.length > 0);
  expect(otherReceiver.deliveries[0]?.event).toMatchObject({
    type: "webhook.paused",
    data: { endpoint_id: hook.id, reason: "failing" },
  });
  const { body } = await stack.api("GET", `/v1/webhooks/${hook.id}`);
  expect(body.data.endpoint.status).toBe("paused");
  expect(await mails()).toHaveLength(2);
});

it("after an endpoint is active again, a replay of its window sends the blocked deliveries", async () => {
  receiver.respondWith(() => ({ status: 200 }));
  const before = receiver.deliveries.length;
  expect((await stack.api("PATCH", `/v1/webhooks/${hook.id}`, { status: "active" })).status).toBe(200);
  const path = `/v1/webhooks/${hook.id}/deliveries/replay?from=${startedAt}&status=blocked`;
  expect((await stack.api("POST", path)).body.data).toMatchObject({ matched: 13, enqueued: 13 });
  await waitForRows("all are delivered", ({ status }) => status === "delivered", 13);
  expect(new Set(receiver.deliveries.slice(before).map(({ event }) => event.id)).size).toBe(13);
  expect(failureLines(stack.log())).toEqual([]);
});
