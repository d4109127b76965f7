import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { tenantAttributes } from "#features/access/store/attributes.ts";
import { tenantKey } from "#features/access/store/items.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import type { ScanCursor } from "#features/tenants/store/tenant-rows.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { injectFaults } from "../../../support/faults.ts";
import { inboundBody, instagramWebhook } from "../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, receiveEvents } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { writeItem } from "../../../support/stores/items.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { linkTestAccount } from "../../accounts/flows/support/link-test-account.ts";

// A message belongs to the tenant that had the account when it was written, however late its webhook is processed.

let [first, second]: TenantId[] = [];
let ref: AccountRef;
const testEnv = openedOnce(openTestEnv);
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  [first, second] = [newTenant(), newTenant()];
  ref = { platform: "instagram", externalId: await testEnv.connect(first as TenantId) };
});

const worker = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
const runWorker = () => invokeWorker(testEnv.eventSource, queues.inbound, worker());
const queueMessage = (mid: string, at = testEnv.now()) =>
  openQueue(queues.inbound, testEnv.eventSource).send({
    body: inboundBody(instagramWebhook(ref.externalId, [{ mid, text: mid, at }]), testEnv.now()),
  });

async function connect(tenant: TenantId | undefined): Promise<void> {
  const account = { ...ref, connection: "instagram_login", handle: "@new", displayName: "New", pageId: null } as const;
  const ports = { ...openStores(testEnv.table), vault: testEnv.newVault() };
  await linkTestAccount(ports, {
    tenant: tenant as TenantId,
    account,
    token: "t",
    author: { actor: "cli" },
    now: testEnv.now(),
  });
}
/** Runs a worker that dies before it publishes. */
async function runDyingWorker(): Promise<void> {
  const end = injectFaults(testEnv.sqs as never, ({ command }) => (command.includes("Send") ? "crash" : "pass"));
  await runWorker();
  end();
}
/** The account goes from the first tenant to the second one. */
async function moveToSecond(): Promise<void> {
  await disconnect(first);
  testEnv.advance(2 * MINUTE);
  await connect(second);
  testEnv.advance(MINUTE);
}
const disconnect = (tenant: TenantId | undefined) => testEnv.disconnect(tenant as TenantId, ref);

/** Runs passes of a tenant's deletion, three minutes apart. */
async function runDeletion(tenant: TenantId | undefined, passes: number): Promise<void> {
  const { tenantDeletions, tenantRows } = openStores(testEnv.table);
  const item = { ...tenantKey(tenant as TenantId), [tenantAttributes.status]: "active" };
  await writeItem(testEnv.table, item);
  await tenantDeletions.start(tenant as TenantId, { actor: "cli", now: testEnv.now() });
  for (let pass = 1; pass <= passes; pass++) {
    if (pass > 1) testEnv.advance(3 * MINUTE);
    await tenantDeletions.removeAccess(tenant as TenantId, testEnv.now());
    let after: ScanCursor | null = null;
    do {
      const position: { after: ScanCursor | null; now: number } = { after, now: testEnv.now() };
      after = (await tenantRows.removePage(tenant as TenantId, position, async () => {})).next;
    } while (after);
  }
}

/** The texts of the messages in a tenant's inbox, the oldest first. */
async function texts(tenant: TenantId | undefined): Promise<string[]> {
  const { messages } = openStores(testEnv.table);
  const query = { includeTest: false, direction: null, before: null, limit: 100, now: testEnv.now() } as const;
  return (await messages.feed(tenant as TenantId, query)).rows.map(({ message }) => message.text).reverse();
}

/** The tenants whose messages were published, each as often as there are events of different ids. */
async function published(): Promise<(TenantId | undefined)[]> {
  const records = await receiveEvents(testEnv, queues);
  const events = new Map(records.map(({ body }) => [decodeEvent(body)?.eventUlid, decodeEvent(body)?.tenant]));
  return [...events.values()];
}

it("a message whose worker died is stored and published for the tenant that had the account then, although another has it now", async () => {
  await queueMessage("of the first");
  testEnv.advance(5 * SECOND);
  await moveToSecond();
  expect((await runWorker()).failed).toEqual([]);
  expect([await texts(first), await texts(second)]).toEqual([["of the first"], []]);
  expect(await published()).toEqual([first]);
});

it("a message that was stored before its worker died is published for its tenant, and is in no other inbox", async () => {
  await queueMessage("of the first");
  await runDyingWorker();
  expect([await texts(first), await published()]).toEqual([["of the first"], []]);
  await moveToSecond();
  expect((await runWorker()).failed).toEqual([]);
  expect([await texts(first), await texts(second)]).toEqual([["of the first"], []]);
  expect(await published()).toEqual([first]);
});

it("a message that was stored and not published is published after its tenant disconnected the account", async () => {
  await queueMessage("of the first");
  await runDyingWorker();
  await disconnect(first);
  testEnv.advance(3 * MINUTE);
  expect((await runWorker()).failed).toEqual([]);
  expect(await published()).toEqual([first]);
});

it("a message of the history belongs to the tenant of its time, also when the next tenant fetched it", async () => {
  const writtenAt = testEnv.now();
  testEnv.advance(MINUTE);
  await disconnect(first);
  testEnv.advance(3 * MINUTE);
  await connect(second);
  testEnv.advance(HOUR);
  await queueMessage("of the first", writtenAt);
  await queueMessage("of the second");
  await runWorker();
  expect([await texts(first), await texts(second)]).toEqual([["of the first"], ["of the second"]]);
  expect((await published()).sort()).toEqual([first, second].sort());
});

it("a webhook that is six days late still belongs to the tenant of its time", async () => {
  const writtenAt = testEnv.now();
  testEnv.advance(MINUTE);
  await disconnect(first);
  testEnv.advance(6 * DAY);
  await connect(second);
  await queueMessage("of the first", writtenAt);
  await runWorker();
  expect([await texts(first), await texts(second)]).toEqual([["of the first"], []]);
});

it("what was written while no tenant had the account is no tenant's", async () => {
  await disconnect(first);
  testEnv.advance(HOUR);
  const writtenAt = testEnv.now();
  testEnv.advance(HOUR);
  await connect(second);
  await queueMessage("of no tenant", writtenAt);
  await runWorker();
  expect([await texts(first), await texts(second), await published()]).toEqual([[], [], []]);
});

it("a tenant that connects the account again has what it received before, and nothing of the pause", async () => {
  await queueMessage("before");
  testEnv.advance(2 * MINUTE);
  await disconnect(first);
  testEnv.advance(HOUR);
  const pauseAt = testEnv.now();
  testEnv.advance(HOUR);
  await connect(first);
  await queueMessage("in the pause", pauseAt);
  await queueMessage("after");
  await runWorker();
  expect(await texts(first)).toEqual(["before", "after"]);
});

it("a message of a tenant that was deleted is no tenant's, also where another tenant has the account now", async () => {
  const writtenAt = testEnv.now();
  testEnv.advance(MINUTE);
  await disconnect(first);
  testEnv.advance(2 * MINUTE);
  await connect(second);
  const row = { ...tenantKey(first as TenantId), [tenantAttributes.status]: "active" };
  await writeItem(testEnv.table, row);
  await openStores(testEnv.table).tenantDeletions.start(first as TenantId, { actor: "cli", now: testEnv.now() });
  await queueMessage("of the deleted", writtenAt);
  await runWorker();
  expect([await texts(second), await published()]).toEqual([[], []]);
});

it("a worker that remembers the former tenant stores a message for the new one", async () => {
  const running = worker();
  await queueMessage("of the first");
  await invokeWorker(testEnv.eventSource, queues.inbound, running);
  await disconnect(first);
  testEnv.advance(2 * MINUTE);
  await connect(second);
  testEnv.advance(SECOND);
  await queueMessage("of the second");
  await invokeWorker(testEnv.eventSource, queues.inbound, running);
  expect([await texts(first), await texts(second)]).toEqual([["of the first"], ["of the second"]]);
});

it("what was written before any tenant had the account is no tenant's", async () => {
  const writtenAt = testEnv.now();
  testEnv.advance(HOUR);
  const fresh = newTenant();
  ref = { platform: "instagram", externalId: `first-of-${fresh}` };
  await connect(fresh);
  await queueMessage("early", writtenAt);
  await runWorker();
  expect([await texts(fresh), await published()]).toEqual([[], []]);
});

it("what comes for an account while its tenant is being deleted is no tenant's", async () => {
  await runDeletion(first, 1);
  testEnv.advance(SECOND);
  await queueMessage("during the deletion");
  await runWorker();
  expect([await texts(first), await published()]).toEqual([[], []]);
});

it("a message of a tenant whose deletion removed the route is no tenant's", async () => {
  const writtenAt = testEnv.now();
  await runDeletion(first, 3);
  testEnv.advance(3 * MINUTE);
  await connect(second);
  await queueMessage("of the deleted", writtenAt);
  await runWorker();
  expect([await texts(second), await published()]).toEqual([[], []]);
});

it("the deletion of a later tenant leaves the times of the tenant before it", async () => {
  const writtenAt = testEnv.now();
  testEnv.advance(MINUTE);
  await disconnect(first);
  testEnv.advance(3 * MINUTE);
  await connect(second);
  const deletedAt = testEnv.now();
  testEnv.advance(HOUR);
  await runDeletion(second, 3);
  testEnv.advance(3 * MINUTE);
  const third = newTenant();
  await connect(third);
  await queueMessage("of the first", writtenAt);
  await queueMessage("of the deleted", deletedAt);
  await runWorker();
  expect([await texts(first), await texts(second), await texts(third)]).toEqual([["of the first"], [], []]);
  expect(await published()).toEqual([first]);
});
