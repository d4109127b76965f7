import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { encodeEndpointTask } from "#features/delivery/queue.ts";
import { drainTask, scheduleTask } from "#features/delivery/schedule.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { ingestUpdates } from "#features/inbox/flows/ingest-updates.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { invokeWorker, receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { openReplyFixture, refusedWith } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { PERSON } from "../../../support/stores/samples.ts";

// Fair queues keep one busy group from delaying the others. These tests check the group of each message.

const testEnv = openedOnce(openTestEnv);

/** The groups of all messages that a queue delivers once the longest delay is over. */
async function readGroups(queue: string): Promise<(string | undefined)[]> {
  testEnv.advance(15 * MINUTE);
  return (await receiveAllMessages(testEnv.eventSource, queue)).map(({ attributes }) => attributes.MessageGroupId);
}

it("an event's group is its tenant, for every event type", async () => {
  const replies = await openReplyFixture(testEnv);
  await replies.sendReply();
  replies.setPlatformResponse(refusedWith({ class: "token", accountStatus: "needs_reauth" }));
  await replies.sendReply();
  await replies.echo("echo", "from the app");
  const groups = await readGroups(replies.queues.events);
  // A message received, one sent, one failed, the account disconnected, an echo.
  expect(groups).toEqual(Array(5).fill(replies.tenant));

  const effects = newEffects();
  const ports = testEnv.ingestPorts(replies.queues);
  const reaction = { kind: "reaction", action: "react", reaction: "love", emoji: null, by: "participant" } as const;
  const about = { account: replies.accountRef, participantId: PERSON, messageId: "echo", at: testEnv.now() };
  await ingestUpdates(ports, accountResolver(ports), [{ ...about, ...reaction }], { effects, now: testEnv.now() });
  expect(effects.events.map(({ group }) => group)).toEqual([replies.tenant]);

  const fixture = await openEndpointFixture(testEnv);
  await fixture.endpointWith({ events: ["message.received"] });
  fixture.respondWith(410);
  await createFailures(fixture);
  expect(await readGroups(fixture.queues.events)).toEqual([fixture.tenant]);
});

/** Ingests a message and delivers its event. */
async function createFailures(fixture: EndpointFixture): Promise<void> {
  await fixture.publish();
  await invokeWorker(testEnv.eventSource, fixture.queues.events, fixture.worker);
}

type QueueAction = (fixture: EndpointFixture, endpoint: Endpoint) => Promise<unknown>;

const queueActions: [string, QueueAction][] = [
  [
    "a retry",
    async (fixture, { url }) => {
      fixture.respondWith(500, new URL(url).pathname);
      await createFailures(fixture);
    },
  ],
  [
    "a retry that waited in the table",
    async (fixture, { id: endpointId }) => {
      const dueAt = testEnv.now() + 5 * MINUTE;
      await fixture.ports.due.put({ tenant: fixture.tenant, endpointId, eventUlid: newUlid(dueAt), attempt: 4, dueAt });
    },
  ],
  [
    "an endpoint task that waited in the table",
    async (fixture, { id: endpointId }) => {
      const dueAt = testEnv.now() + 5 * MINUTE;
      const { tenant } = fixture;
      await fixture.deliverPorts.due.putTask({
        tenant,
        endpointId,
        body: encodeEndpointTask(drainTask(tenant, endpointId)),
        dueAt,
      });
    },
  ],
  [
    "an endpoint task",
    (fixture, { id }) =>
      scheduleTask(fixture.deliverPorts, drainTask(fixture.tenant, id), testEnv.now(), testEnv.now()),
  ],
  ["a test event", (fixture, endpoint) => fixture.sendTest(endpoint)],
  ["a replay", async (fixture, endpoint) => fixture.replay(await fixture.createDelivery(endpoint, "dlq"))],
  [
    "a replay of a window",
    async (fixture, endpoint) => {
      await fixture.createDelivery(endpoint, "dlq");
      await fixture.replayWindow(endpoint);
    },
  ],
];

it.each(queueActions)("the group of %s is its tenant", async (_name, act) => {
  const fixture = await openEndpointFixture(testEnv);
  const { endpoint } = await fixture.endpointWith({ path: "/one", events: ["message.received"] });
  await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
  await act(fixture, endpoint);
  testEnv.advance(4 * MINUTE);
  await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
  expect(new Set(await readGroups(fixture.queues.deliveries))).toEqual(new Set([fixture.tenant]));
});
