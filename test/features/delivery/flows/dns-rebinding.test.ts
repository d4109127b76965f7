import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { SECOND } from "#base/kernel/time.ts";
import { createGate, type GateOptions } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import { createWebhook } from "#features/webhooks/flows/create.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type Receiver, startReceiver } from "../../../base/net/receiver.ts";
import { closeAfterTest } from "../../../base/net/webhook-client-fixture.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";

// The endpoint's host had an allowed address when the endpoint was created. Its name server now returns another one.

const PUBLIC = "93.184.215.14";
let receiver: Receiver;
let status: number;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));
beforeEach(async () => {
  status = 200;
  // Each attempt opens its own connection, and each connection makes its own lookup.
  receiver = await startReceiver((response) => response.setHeader("connection", "close").writeHead(status).end());
});

/** An endpoint behind a gate, and a worker with the same gate. The host's lookups return `addresses`. */
async function createEndpointBehind(gateOptions: Pick<GateOptions, "mode" | "ports">, scheme: "http" | "https") {
  let addresses: readonly string[] = [scheme === "http" ? "127.0.0.1" : PUBLIC];
  const gate = createGate({ ...gateOptions, resolver: async () => [...addresses] });
  const request = { url: `${scheme}://hooks.example.com:${receiver.port}/in`, events: ["message.received"] as const };
  const result = await createWebhook(
    { ...fixture.ports, gate },
    { tenant: fixture.tenant, ...request, author: fixture.by, now: testEnv.now() },
  );
  if (isRefusal(result)) throw new Error(`The endpoint was refused: ${result.detail}`);
  const ports = testEnv.deliverPorts(fixture.queues, closeAfterTest(createWebhookClient({ gate })));
  const worker = deliverWorker(ports, testEnv.now);
  return {
    endpoint: result.endpoint,
    setAddresses(...next: readonly string[]): void {
      addresses = next;
    },
    /** Publishes an event and returns its delivery. */
    async event(id: string) {
      const { eventUlid } = await fixture.publish(id);
      await invokeWorker(testEnv.eventSource, fixture.queues.events, worker);
      return () => fixture.row(result.endpoint, eventUlid);
    },
    retries: () => invokeWorker(testEnv.eventSource, fixture.queues.deliveries, worker),
  };
}

const blockedDelivery = { status: "blocked", attempt: 0, lastError: "gate", lastResponseStatus: null };

it("a host whose addresses changed since its endpoint was created is not called at a loopback address, and its delivery is blocked", async () => {
  const behind = await createEndpointBehind({ mode: "public", ports: [receiver.port] }, "https");
  behind.setAddresses("127.0.0.1");
  expect(await (await behind.event("m1"))()).toMatchObject(blockedDelivery);
  behind.setAddresses(PUBLIC, "127.0.0.1");
  expect(await (await behind.event("m2"))()).toMatchObject(blockedDelivery);
  expect(receiver.connections()).toBe(0);
});

it.each(["10.0.0.7", "169.254.169.254", "fd00:ec2::254"])(
  "a host whose addresses changed since its endpoint was created is not called at %s, although it was called before, and is called again once it has its old address",
  async (address) => {
    const behind = await createEndpointBehind({ mode: "open" }, "http");
    expect(await (await behind.event("m1"))()).toMatchObject({ status: "delivered" });
    behind.setAddresses(address);
    expect(await (await behind.event("m2"))()).toMatchObject(blockedDelivery);
    behind.setAddresses("127.0.0.1");
    expect(await (await behind.event("m3"))()).toMatchObject({ status: "delivered" });
    expect(receiver.requests).toHaveLength(2);
  },
);

it("a host whose addresses changed since its endpoint was created has its waiting retries blocked, too", async () => {
  const behind = await createEndpointBehind({ mode: "open" }, "http");
  status = 503;
  const row = await behind.event("m1");
  expect(await row()).toMatchObject({ status: "retrying", lastError: "status" });
  behind.setAddresses("10.0.0.7");
  testEnv.advance(6 * SECOND);
  expect((await behind.retries()).records).toHaveLength(1);
  expect(await row()).toMatchObject({ status: "blocked", attempt: 1, lastError: "gate" });
  expect(receiver.requests).toHaveLength(1);
});
