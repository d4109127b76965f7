import { getStats } from "#features/stats/flows.ts";
import { counterStore } from "#features/stats/store.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { openWebhookClient } from "../../base/net/webhook-client-fixture.ts";
import { type Fault, injectFaults } from "../faults.ts";
import { newTenant } from "../stores/samples.ts";
import { invokeWorker, passNameWaits } from "./queue-worker.ts";
import type { TestEnv } from "./test-env.ts";

/** One tenant with a connected account and its own queues, and helpers that read its counters. */
export async function openCountFixture(testEnv: TestEnv) {
  const queues = await testEnv.newQueues();
  const tenant = newTenant();
  const account = await testEnv.connect(tenant);
  const stats = (forTenant = tenant) =>
    getStats(
      { counters: counterStore(testEnv.table), endpoints: endpointStore(testEnv.table) },
      forTenant,
      testEnv.now(),
    );

  return {
    queues,
    tenant,
    account,
    stats,
    messages: async (forTenant = tenant) => (await stats(forTenant)).messages,
    /** Delivered, failed and dlq of the tenant's endpoints. */
    endpointCounts: async () => (await stats()).endpoints.map(({ delivered, failed, dlq }) => [delivered, failed, dlq]),
    countingFailures: () => testEnv.lines.filter(({ event }) => event === "counters.save_failed"),

    /** Injects the fault into updates of the counters only. */
    failCounterUpdates(fault: Fault): () => void {
      let isFirst = true;
      return injectFaults(testEnv.client, ({ command, input }) => {
        const isCounterUpdate = command === "UpdateItem" && JSON.stringify(input).includes(`"S#${tenant}"`);
        if (!isCounterUpdate || (!isFirst && fault !== "crash")) return "pass";
        isFirst = false;
        return fault;
      });
    },

    /** Runs the deliver worker over one of the tenant's queues, each time in a new process. */
    async deliver(queue: "events" | "deliveries" = "events", fromQueues = queues) {
      const ports = testEnv.deliverPorts(queues, openWebhookClient());
      const worker = deliverWorker(ports, testEnv.now);
      if (queue === "events") await passNameWaits(testEnv, fromQueues);
      return invokeWorker(testEnv.eventSource, fromQueues[queue], worker);
    },
  };
}
