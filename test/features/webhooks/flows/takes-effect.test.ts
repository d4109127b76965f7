import { beforeEach, expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import type { EndpointChanges } from "#features/webhooks/rules/endpoints.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";

// docs/guides/webhooks.md: a new endpoint and each change of one apply within a second.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));
const first = openedEach(async () => (await fixture.endpointWith({ path: "/first" })).endpoint);
beforeEach(async () => {
  // The worker has sent an event with the endpoints of before.
  await deliverMessage();
});

/** Delivers one message. @returns the ULID of its event */
async function deliverMessage(): Promise<string> {
  const { eventUlid } = await fixture.publish();
  await fixture.drainQueues();
  return eventUlid;
}

async function update(changes: EndpointChanges): Promise<void> {
  await fixture.update(first, changes);
  testEnv.advance(SECOND);
}

it("a second after the response, a worker that has sent the tenant's events before sends events to a new endpoint", async () => {
  const { endpoint } = await fixture.endpointWith({ path: "/second" });
  testEnv.advance(SECOND);
  const eventUlid = await deliverMessage();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "delivered" });
});

it("a second after the response, a worker that has sent the tenant's events before sends events to the new URL", async () => {
  fixture.respondWith(410, "/first");
  await update({ url: first.url.replace("/first", "/new") });
  expect(await fixture.row(first, await deliverMessage())).toMatchObject({ status: "delivered" });
});

it("a second after the response, a worker that has sent the tenant's events before sends no event of a type that the endpoint no longer subscribes to", async () => {
  await update({ events: ["message.sent"] });
  expect(await fixture.row(first, await deliverMessage())).toBeNull();
});

it("a second after the response, a worker that has sent the tenant's events before stores the events of a paused endpoint as blocked", async () => {
  await update({ status: "paused" });
  expect(await fixture.row(first, await deliverMessage())).toMatchObject({ status: "blocked" });
});
