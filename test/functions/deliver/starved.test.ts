import { expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { createGate, type Gate } from "#base/net/egress-gate.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { blockLoop, startReceiverThread, starve } from "../../base/net/starved.ts";
import { openWebhookClient } from "../../base/net/webhook-client-fixture.ts";
import { openEndpointFixture } from "../../support/flows/endpoint-fixture.ts";
import { invokeWorker } from "../../support/flows/queue-worker.ts";
import { createEndpointAt } from "../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

const ENDPOINTS = 20;
const EVENTS = 10;
/** What a new connection with TLS costs a process that has three tenths of a processor, in milliseconds. */
const CONNECTION_COST = 10;

const gate = createGate({ mode: "open" });
/** Checks every connection at the price of the whole of it. */
const costlyGate: Gate = {
  ...gate,
  async checkAndResolve(...check) {
    blockLoop(CONNECTION_COST);
    return await gate.checkAndResolve(...check);
  },
};

it("a cold worker with three tenths of a processor marks none of 20 receivers slow that answer after a second, and each gets each event once", async () => {
  const fixture = await openEndpointFixture(testEnv);
  const receiver = await startReceiverThread(SECOND);
  const endpoints = await Promise.all(
    Array.from({ length: ENDPOINTS }, (_, index) => {
      const url = `http://127.0.0.1:${receiver.port}/${index}`;
      return createEndpointAt(testEnv, fixture.queues, fixture.tenant, url);
    }),
  );
  for (let i = 0; i < EVENTS; i++) await fixture.publish();
  const webhookClient = openWebhookClient({ gate: costlyGate });
  const worker = deliverWorker(testEnv.deliverPorts(fixture.queues, webhookClient), testEnv.now);
  starve();
  expect((await invokeWorker(testEnv.eventSource, fixture.queues.events, worker)).failed).toEqual([]);
  const requests = await receiver.requests();
  expect(requests).toHaveLength(ENDPOINTS * EVENTS);
  expect(new Set(requests).size).toBe(ENDPOINTS * EVENTS);
  expect(testEnv.lines.filter((line) => JSON.stringify(line).includes("delivery.handed_over"))).toEqual([]);
  const stored = await Promise.all(endpoints.map((endpoint) => fixture.stored(endpoint)));
  expect(stored.map((endpoint) => endpoint?.breaker.slowUntil)).toEqual(Array(ENDPOINTS).fill(null));
  for (const endpoint of endpoints) {
    const rows = await fixture.rows(endpoint);
    expect(rows.map(({ status }) => status)).toEqual(Array(EVENTS).fill("delivered"));
  }
});
