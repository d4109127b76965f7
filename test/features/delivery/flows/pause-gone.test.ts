import { beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { updateWebhook } from "#features/webhooks/flows/update.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
import { recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

let fixture: EndpointFixture;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  fixture = await openEndpointFixture(testEnv);
});

const eventBodies = new Map<string, string>();
const queueEvent = (body: string) => openQueue(fixture.queues.events, testEnv.eventSource).send({ body });
async function queueMessage(id: string): Promise<string> {
  const { message, body } = await recordMessage(testEnv, fixture.tenant, id);
  eventBodies.set(id, body);
  await queueEvent(body);
  return message.eventUlid;
}
const redeliver = (id: string) => queueEvent(JSON.stringify({ ...JSON.parse(eventBodies.get(id) ?? ""), r: 1 }));
const readEndpoint = (id: string) => fixture.ports.endpoints.get(fixture.tenant, id);
const pauseEvents = () =>
  fixture.receiver.requests.filter(({ headers }) => headers["svc-event-type"] === "webhook.paused");

it("410 at the first attempt pauses the endpoint; only the other endpoints are notified", async () => {
  const { endpoint } = await fixture.endpointWith();
  await fixture.endpointWith({ path: "/other", events: ["webhook.paused"] });
  fixture.respondWith(410);
  const eventUlid = await queueMessage("m1");
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({
    status: "failed",
    attempt: 1,
    lastResponseStatus: 410,
  });
  expect(await readEndpoint(endpoint.id)).toMatchObject({ status: "paused" });
  expect(await fixture.audits("webhook.auto_pause")).toMatchObject([
    { rs: `webhook:${endpoint.id}`, by: "system", dt: { reason: "gone" } },
  ]);
  expect(pauseEvents().map(({ url }) => url)).toEqual(["/other"]);
  expect(JSON.parse(pauseEvents()[0]?.body ?? "")).toMatchObject({
    type: "webhook.paused",
    tenant_id: fixture.tenant,
    data: { endpoint_id: endpoint.id, reason: "gone" },
  });
  expect(eventSchema("webhook.paused").safeParse(JSON.parse(pauseEvents()[0]?.body ?? "")).success).toBe(true);
  expect((await fixture.rows(endpoint)).map(({ eventType }) => eventType)).toEqual(["message.received"]);
});

describe("the owner of a tenant whose receiver responds with 410", () => {
  let mailsBefore = 0;
  /** The mails since the last call, oldest first. */
  const mails = () => testEnv.emulators.mail.list().toReversed().slice(mailsBefore);
  beforeEach(() => withOwner());

  async function withOwner(): Promise<void> {
    const audit = {
      action: "tenant.create",
      resource: "tenant:x",
      actor: "cli",
      ip: null,
      detail: {},
      at: testEnv.now(),
    } as const;
    const tenant = { id: fixture.tenant, name: "A shop", status: "active", createdAt: testEnv.now() } as const;
    await tenantStore(testEnv.table).create({ ...tenant, ownerEmail: "owner@example.com" }, audit);
    mailsBefore = testEnv.emulators.mail.list().length;
  }

  it.each([1, 2])(
    "gets a mail at attempt %i: the endpoint's ID and host, and no other part of its URL",
    async (attempt) => {
      const { endpoint } = await fixture.endpointWith({ path: "/in?secret", events: ["message.received"] });
      fixture.respondWith(attempt === 1 ? 410 : 500, "/in?secret");
      for (let i = 0; i < 3; i++) await queueMessage(`m${i}`);
      await fixture.drainQueues();
      fixture.respondWith(410, "/in?secret");
      testEnv.advance(5_000);
      await fixture.drainQueues();
      const host = `127.0.0.1:${fixture.receiver.port}`;
      expect(mails()).toMatchObject([
        { from: "parley@example.com", to: ["owner@example.com"], subject: `Webhook deliveries to ${host} are paused` },
      ]);
      const [{ text = "" } = {}] = mails();
      expect(text).toContain(endpoint.id);
      expect(text).toContain("410");
      expect(text).not.toContain("secret");
    },
  );

  it.each(faultPoints)("gets the mail despite a fault (%s) at any call of the worker", async (faultPoint) => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      fixture = await openEndpointFixture(testEnv);
      await withOwner();
      await fixture.endpointWith({ events: ["message.received"] });
      fixture.respondWith(410);
      await queueMessage("m1");
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      await invokeWorker(testEnv.eventSource, fixture.queues.events, injection.crashable(fixture.worker));
      injection.remove();
      testEnv.advance(31_000);
      await fixture.drainQueues();
      // The mail is sent twice when the worker died while sending it.
      expect(mails().length).toBeGreaterThanOrEqual(1);
      expect(mails().length).toBeLessThanOrEqual(2);
      if (!injection.reached()) {
        expect(mails()).toHaveLength(1);
        return;
      }
    }
  });
});

it("410 at a retry does the same", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  fixture.respondWith(500);
  const eventUlid = await queueMessage("m1");
  await fixture.drainQueues();
  fixture.respondWith(410);
  testEnv.advance(5_000);
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "failed", attempt: 2 });
  expect(await readEndpoint(endpoint.id)).toMatchObject({ status: "paused" });
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(1);
});

it("ten concurrent 410 responses pause the endpoint once and notify once; later deliveries are blocked", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  await fixture.endpointWith({ path: "/other", events: ["webhook.paused"] });
  fixture.respondWith(410);
  for (let i = 0; i < 10; i++) await queueMessage(`m${i}`);
  await fixture.drainQueues();
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(1);
  expect(pauseEvents()).toHaveLength(1);
  const later = await queueMessage("later");
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, later)).toMatchObject({ status: "blocked", attempt: 0 });
});

it("a redelivered event does not pause an endpoint that was activated again", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  fixture.respondWith(410);
  await queueMessage("m1");
  await queueMessage("m2");
  await fixture.drainQueues();
  testEnv.advance(1_000);
  await updateWebhook(fixture.ports, {
    tenant: fixture.tenant,
    endpointId: endpoint.id,
    changes: { status: "active" },
    author: fixture.by,
    now: testEnv.now(),
  });
  await redeliver("m1");
  await redeliver("m2");
  await fixture.drainQueues();
  expect(await readEndpoint(endpoint.id)).toMatchObject({ status: "active" });
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(1);
  // A new 410 does.
  await queueMessage("m3");
  await fixture.drainQueues();
  expect(await readEndpoint(endpoint.id)).toMatchObject({ status: "paused" });
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(2);
});
