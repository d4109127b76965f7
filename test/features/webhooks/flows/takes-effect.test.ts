import { beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { SECOND } from "#base/kernel/time.ts";
import { updateWebhook } from "#features/webhooks/flows/update.ts";
import type { EndpointChanges } from "#features/webhooks/rules/endpoints.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";

// docs/guides/webhooks.md: a new endpoint and each change of one apply within a second.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));
const first = openedEach(async () => (await fixture.endpointWith({ path: "/first" })).endpoint);
beforeEach(async () => {
  // The worker has sent an event with the endpoints of before.
  await deliverMessage("before");
});

/** Delivers one message. @returns the ULID of its event */
async function deliverMessage(id: string): Promise<string> {
  const { message, body } = await recordMessage(testEnv, fixture.tenant, id);
  await openQueue(fixture.queues.events, testEnv.eventSource).send({ body });
  await fixture.drainQueues();
  return message.eventUlid;
}

async function update(changes: EndpointChanges): Promise<void> {
  const { tenant, by: actor } = fixture;
  await updateWebhook(fixture.ports, { tenant, endpointId: first.id, changes, author: actor, now: testEnv.now() });
  testEnv.advance(SECOND);
}

describe("a second after the response, a worker that has sent the tenant's events before", () => {
  it("sends events to a new endpoint", async () => {
    const { endpoint } = await fixture.endpointWith({ path: "/second" });
    testEnv.advance(SECOND);
    const eventUlid = await deliverMessage("after");
    expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "delivered" });
  });

  it("sends events to the new URL", async () => {
    fixture.respondWith(410, "/first");
    await update({ url: first.url.replace("/first", "/new") });
    expect(await fixture.row(first, await deliverMessage("after"))).toMatchObject({ status: "delivered" });
  });

  it("sends no event of a type that the endpoint no longer subscribes to", async () => {
    await update({ events: ["message.sent"] });
    expect(await fixture.row(first, await deliverMessage("after"))).toBeNull();
  });

  it("stores the events of a paused endpoint as blocked", async () => {
    await update({ status: "paused" });
    expect(await fixture.row(first, await deliverMessage("after"))).toMatchObject({ status: "blocked" });
  });
});
