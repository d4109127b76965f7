import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { readStats } from "../../../../shared/flows/stats/read-stats.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { endpointStore } from "../../../../shared/stores/webhooks/endpoints.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openPoster } from "../../net/posting.ts";
import { newTenant } from "../../stores/support/samples.ts";
import type { House } from "./house.ts";
import { handOut } from "./queue-work.ts";

/** One tenant with a connected account and queues of its own, and what its counters say. */
export type CountScene = Awaited<ReturnType<typeof openCountScene>>;

export async function openCountScene(house: House) {
  const lane = await house.newLane();
  const tenant = newTenant();
  const account = await house.connect(tenant);
  const stats = (of = tenant) =>
    readStats({ counters: counterStore(house.table), endpoints: endpointStore(house.table) }, of, house.now());

  return {
    lane,
    tenant,
    account,
    stats,
    messages: async (of = tenant) => (await stats(of)).messages,
    /** Delivered, failed and dlq of the tenant's endpoints. */
    states: async () => (await stats()).endpoints.map(({ delivered, failed, dlq }) => [delivered, failed, dlq]),
    failures: () => house.lines.filter(({ event }) => event === "counting_failed"),

    /** Only the counters' own update is spoiled. */
    spoilCounting(fault: Fault): () => void {
      let first = true;
      return injectFaults(house.client, ({ command, input }) => {
        const counting = command === "UpdateItem" && JSON.stringify(input).includes(`"S#${tenant}"`);
        if (!counting || (!first && fault !== "crash")) return "pass";
        first = false;
        return fault;
      });
    },

    /** The deliver worker over a queue of its lane, a process of its own each time. */
    async deliver(queue: "events" | "deliveries" = "events", from = lane) {
      const ports = house.deliverPorts(lane, openPoster());
      const worker = deliverWorker(ports, house.now, (record, after) =>
        ports.retries.postpone(record.receiptHandle, after),
      );
      return handOut(house.eventSource, from[queue], worker);
    },
  };
}
