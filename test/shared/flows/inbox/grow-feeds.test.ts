import { afterAll, beforeAll, expect, it } from "vitest";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { tenantStateStore } from "../../../../shared/stores/access/tenant-states.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";
import { inboundOf, webhook } from "../support/webhooks.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

it("a tenant's feeds get a second shard with the message that makes its hour too much for one", async () => {
  const tenant = newTenant();
  const account = await house.connect(tenant);
  const lane = await house.newLane();
  const states = tenantStateStore(house.table);
  const take = async (mid: string) => {
    const raw = webhook(account, [{ mid: `${tenant}-${mid}`, text: mid, at: house.now() }]);
    await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
    await handOut(house.eventSource, lane.inbound, ingestWorker(house.ingestPorts(lane), house.now));
  };
  await counterStore(house.table).add(tenant, { messages: 539_999, endpoints: new Map() }, house.now());
  await take("last-of-one");
  expect((await states.get(tenant)).shards).toBe(1);
  await take("first-of-two");
  expect((await states.get(tenant)).shards).toBe(2);
  await take("after");
  const query = { includeTest: false, direction: null, before: null, limit: 10, now: house.now() };
  const { rows } = await messageStore(house.table).feed(tenant, query);
  expect(rows.map(({ message }) => message.text).sort()).toEqual(["after", "first-of-two", "last-of-one"]);
});
