import { afterAll, beforeAll, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { ENDPOINTS_PER_TENANT_MAX } from "../../../../shared/domain/limits.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { openPoster } from "../../net/posting.ts";
import { startReceiver } from "../../net/receiver.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";
import { announce, endpointAt } from "../support/receivers.ts";

// The real worker and poster, and one host with many endpoints: nothing of one waits for a connection of another.

const BATCH = 10;
let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** A host that holds back its answers at some paths until it is told to give them. */
async function holdingHost(holds: (path: string) => boolean) {
  const held: (() => void)[] = [];
  const receiver = await startReceiver((response, { url = "" }) => {
    const answer = () => void response.end();
    if (holds(url)) held.push(answer);
    else answer();
  });
  return {
    urlOf: (path: string) => `http://127.0.0.1:${receiver.port}${path}`,
    cameTo: (path: string) => receiver.taken.filter(({ url }) => url === path).length,
    held: () => held.length,
    answerAll: () => {
      for (const answer of held.splice(0)) answer();
    },
  };
}

/** One batch of so many events of each tenant, and the worker that is at it until `ended`. */
async function batchOf(events: readonly (readonly [TenantId, number])[]) {
  const lane = await house.newLane();
  for (const [tenant, count] of events) {
    for (let i = 0; i < count; i++) {
      const { body } = await announce(house, tenant, `m${i}`);
      await openQueue(lane.events, house.eventSource).send({ body });
    }
  }
  const worker = deliverWorker(house.deliverPorts(lane, openPoster()), house.now, async () => {});
  return { lane, begin: () => ({ ended: handOut(house.eventSource, lane.events, worker) }) };
}

it("all attempts of a batch are under way at once: ten events to twenty endpoints of one host", async () => {
  const tenant = newTenant();
  const host = await holdingHost(() => true);
  const batch = await batchOf([[tenant, BATCH]]);
  for (let i = 0; i < ENDPOINTS_PER_TENANT_MAX; i++) await endpointAt(house, batch.lane, tenant, host.urlOf(`/${i}`));
  const { ended } = batch.begin();
  await expect.poll(host.held, { timeout: 10_000 }).toBe(BATCH * ENDPOINTS_PER_TENANT_MAX);
  host.answerAll();
  expect(await ended).toMatchObject({ records: { length: BATCH }, failed: [] });
});

it("endpoints that hang hold up no endpoint of another tenant at their host, nor of their own", async () => {
  const [hanging, other] = [newTenant(), newTenant()];
  const host = await holdingHost((path) => path.startsWith("/hang"));
  const batch = await batchOf([
    [hanging, BATCH - 1],
    [other, 1],
  ]);
  for (const path of ["/hang/0", "/hang/1", "/well"]) await endpointAt(house, batch.lane, hanging, host.urlOf(path));
  const well = await endpointAt(house, batch.lane, other, host.urlOf("/other"));
  const { ended } = batch.begin();
  await expect.poll(() => host.cameTo("/well"), { timeout: 10_000 }).toBe(BATCH - 1);
  await expect.poll(() => host.cameTo("/other")).toBe(1);
  await expect.poll(host.held).toBe(2 * (BATCH - 1));
  const query = { endpointId: well.id, before: null, limit: 100, now: house.now() };
  const { rows } = await house.apiPorts(batch.lane).deliveries.list(other, query);
  expect(rows.map(({ status }) => status)).toEqual(["delivered"]);
  host.answerAll();
  expect((await ended).failed).toEqual([]);
});
