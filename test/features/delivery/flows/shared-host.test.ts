import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { ENDPOINTS_PER_TENANT_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

// The real worker and webhook client, and one host with many endpoints: no endpoint waits for a connection of another.

const BATCH = 10;
const testEnv = openedOnce(openTestEnv);

/** A host that holds its responses at some paths until they are released. */
async function startHoldingHost(shouldHold: (path: string) => boolean) {
  const heldResponses: (() => void)[] = [];
  const receiver = await startReceiver((response, { url = "" }) => {
    const answer = () => void response.end();
    if (shouldHold(url)) heldResponses.push(answer);
    else answer();
  });
  return {
    urlFor: (path: string) => `http://127.0.0.1:${receiver.port}${path}`,
    cameTo: (path: string) => receiver.requests.filter(({ url }) => url === path).length,
    held: () => heldResponses.length,
    answerAll: () => {
      for (const answer of heldResponses.splice(0)) answer();
    },
  };
}

/** One batch with this many events of each tenant, and the worker that processes it until `ended`. */
async function createBatch(events: readonly (readonly [TenantId, number])[]) {
  const queues = await testEnv.newQueues();
  for (const [tenant, count] of events) {
    for (let i = 0; i < count; i++) {
      const { body } = await recordMessage(testEnv, tenant, `m${i}`);
      await openQueue(queues.events, testEnv.eventSource).send({ body });
    }
  }
  const worker = deliverWorker(testEnv.deliverPorts(queues, openWebhookClient()), testEnv.now);
  return { queues, begin: () => ({ ended: invokeWorker(testEnv.eventSource, queues.events, worker) }) };
}

it("all attempts of a batch are in progress at once: ten events to twenty endpoints of one host", async () => {
  const tenant = newTenant();
  const host = await startHoldingHost(() => true);
  const batch = await createBatch([[tenant, BATCH]]);
  for (let i = 0; i < ENDPOINTS_PER_TENANT_MAX; i++)
    await createEndpointAt(testEnv, batch.queues, tenant, host.urlFor(`/${i}`));
  const { ended } = batch.begin();
  await expect.poll(host.held, { timeout: 10_000 }).toBe(BATCH * ENDPOINTS_PER_TENANT_MAX);
  host.answerAll();
  expect(await ended).toMatchObject({ records: { length: BATCH }, failed: [] });
});

it("endpoints that hang delay no endpoint of another tenant at their host, and none of their own tenant", async () => {
  const [hanging, other] = [newTenant(), newTenant()];
  const host = await startHoldingHost((path) => path.startsWith("/hang"));
  const batch = await createBatch([
    [hanging, BATCH - 1],
    [other, 1],
  ]);
  for (const path of ["/hang/0", "/hang/1", "/well"])
    await createEndpointAt(testEnv, batch.queues, hanging, host.urlFor(path));
  const healthyEndpoint = await createEndpointAt(testEnv, batch.queues, other, host.urlFor("/other"));
  const { ended } = batch.begin();
  await expect.poll(() => host.cameTo("/well"), { timeout: 10_000 }).toBe(BATCH - 1);
  await expect.poll(() => host.cameTo("/other")).toBe(1);
  await expect.poll(host.held).toBe(2 * (BATCH - 1));
  const query = { endpointId: healthyEndpoint.id, before: null, limit: 100, now: testEnv.now() };
  const { deliveries } = testEnv.apiPorts(batch.queues);
  // The row follows the answer.
  const statuses = async () => (await deliveries.list(other, query)).rows.map(({ status }) => status);
  await expect.poll(statuses, { timeout: 10_000 }).toEqual(["delivered"]);
  host.answerAll();
  expect((await ended).failed).toEqual([]);
});
