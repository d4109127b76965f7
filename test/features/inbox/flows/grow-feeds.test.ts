import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
import { inboundBody, instagramWebhook } from "../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, passNameWaits } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant, sampleCounts } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

it("a tenant's feeds get a second shard with the message that exceeds one shard's hourly load", async () => {
  const tenant = newTenant();
  const account = await testEnv.connect(tenant);
  const queues = await testEnv.newQueues();
  const states = tenantStateStore(testEnv.table);
  const take = async (mid: string) => {
    const raw = instagramWebhook(account, [{ mid: `${tenant}-${mid}`, text: mid, at: testEnv.now() }]);
    await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
    await invokeWorker(testEnv.eventSource, queues.inbound, ingestWorker(testEnv.ingestPorts(queues), testEnv.now));
    const deliver = deliverWorker(testEnv.deliverPorts(queues, openWebhookClient()), testEnv.now);
    await passNameWaits(testEnv, queues);
    await invokeWorker(testEnv.eventSource, queues.events, deliver);
  };
  await counterStore(testEnv.table).add(tenant, sampleCounts({ received: 539_999 }), testEnv.now());
  await take("last-of-one");
  expect((await states.get(tenant)).shards).toBe(1);
  await take("first-of-two");
  expect((await states.get(tenant)).shards).toBe(2);
  await take("after");
  const query = { includeTest: false, direction: null, before: null, limit: 10, now: testEnv.now() };
  const { rows } = await messageStore(testEnv.table).feed(tenant, query);
  expect(rows.map(({ message }) => message.text).sort()).toEqual(["after", "first-of-two", "last-of-one"]);
});
