import { beforeEach, describe, expect, it } from "vitest";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type OwnerMails, openOwnerMails } from "./support/owner-mails.ts";

let fixture: EndpointFixture;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  fixture = await openEndpointFixture(testEnv);
});

const pauseEvents = () =>
  fixture.receiver.requests.filter(({ headers }) => headers["svc-event-type"] === "webhook.paused");

it("a 410 at the first attempt pauses the endpoint; only the other endpoints are notified", async () => {
  const { endpoint } = await fixture.endpointWith();
  await fixture.endpointWith({ path: "/other", events: ["webhook.paused"] });
  fixture.respondWith(410);
  const { eventUlid } = await fixture.publish();
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({
    status: "failed",
    attempt: 1,
    lastResponseStatus: 410,
  });
  expect(await fixture.stored(endpoint)).toMatchObject({ status: "paused" });
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

describe("a receiver that responds with 410", () => {
  let mails: OwnerMails;
  const withOwner = async () => {
    mails = await openOwnerMails(testEnv, fixture, "owner@example.com");
  };
  beforeEach(withOwner);

  it.each([1, 2])(
    "the owner gets a mail at attempt %i: the endpoint's ID and host, and no other part of its URL",
    async (attempt) => {
      const { endpoint } = await fixture.endpointWith({ path: "/in?secret", events: ["message.received"] });
      fixture.respondWith(attempt === 1 ? 410 : 500, "/in?secret");
      for (let i = 0; i < 3; i++) await fixture.publish();
      await fixture.drainQueues();
      fixture.respondWith(410, "/in?secret");
      testEnv.advance(5_000);
      await fixture.drainQueues();
      const host = `127.0.0.1:${fixture.receiver.port}`;
      expect(await mails()).toMatchObject([
        { from: "parley@example.com", to: ["owner@example.com"], subject: `Webhook deliveries to ${host} are paused` },
      ]);
      const [{ text = "" } = {}] = await mails();
      expect(text).toContain(endpoint.id);
      expect(text).toContain("410");
      expect(text).not.toContain("secret");
    },
  );

  it.each(faultPoints)("the owner gets the mail despite a fault (%s) at any call of the worker", async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      fixture = await openEndpointFixture(testEnv);
      await withOwner();
      await fixture.endpointWith({ events: ["message.received"] });
      fixture.respondWith(410);
      await fixture.publish();
      await strike.invoke(fixture.queues.events, fixture.worker);
      testEnv.advance(31_000);
      await fixture.drainQueues();
      // The mail is sent twice when the worker died while sending it.
      expect((await mails()).length).toBeGreaterThanOrEqual(1);
      expect((await mails()).length).toBeLessThanOrEqual(2);
      if (!strike.reached()) {
        expect(await mails()).toHaveLength(1);
      }
    });
  });
});

it("a 410 at a retry pauses the endpoint, too", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  fixture.respondWith(500);
  const { eventUlid } = await fixture.publish();
  await fixture.drainQueues();
  fixture.respondWith(410);
  testEnv.advance(5_000);
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "failed", attempt: 2 });
  expect(await fixture.stored(endpoint)).toMatchObject({ status: "paused" });
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(1);
});

it("ten concurrent 410 responses pause the endpoint once and notify once; later deliveries are blocked", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  await fixture.endpointWith({ path: "/other", events: ["webhook.paused"] });
  fixture.respondWith(410);
  for (let i = 0; i < 10; i++) await fixture.publish();
  await fixture.drainQueues();
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(1);
  expect(pauseEvents()).toHaveLength(1);
  const { eventUlid: later } = await fixture.publish();
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, later)).toMatchObject({ status: "blocked", attempt: 0 });
});

it("a redelivered event does not pause an endpoint that was activated again", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  fixture.respondWith(410);
  const published = [await fixture.publish(), await fixture.publish()];
  await fixture.drainQueues();
  testEnv.advance(1_000);
  await fixture.update(endpoint, { status: "active" });
  for (const { body } of published)
    await fixture.deliverPorts.events.send({ body: JSON.stringify({ ...JSON.parse(body), r: 1 }) });
  await fixture.drainQueues();
  expect(await fixture.stored(endpoint)).toMatchObject({ status: "active" });
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(1);
  // A new 410 does.
  await fixture.publish();
  await fixture.drainQueues();
  expect(await fixture.stored(endpoint)).toMatchObject({ status: "paused" });
  expect(await fixture.audits("webhook.auto_pause")).toHaveLength(2);
});
