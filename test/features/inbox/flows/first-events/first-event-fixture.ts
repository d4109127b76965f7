import { expect } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { loadRenderedEvent } from "#features/delivery/rendered-events.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import type { ProfileOutcome } from "#platforms/graph/platform.ts";
import { deliverWorker } from "../../../../../functions/deliver/worker.ts";
import { ingestWorker } from "../../../../../functions/ingest/worker.ts";
import { profileWorker } from "../../../../../functions/profile/worker.ts";
import { inboundBody, instagramWebhook } from "../../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, queueDepth } from "../../../../support/flows/queue-worker.ts";
import { createEndpointAt } from "../../../../support/flows/test-endpoints.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { newTenant, PERSON } from "../../../../support/stores/samples.ts";

export const ADA: ProfileOutcome = { kind: "found", name: "Ada Lind", username: "ada.lind", pictureUrl: null };
export const NAMED = { id: PERSON, handle: "ada.lind", username: "ada.lind", name: "Ada Lind" };
export const UNNAMED = { id: PERSON, handle: null, username: null, name: null };

/** What the endpoint got. */
export interface Post {
  readonly at: Millis;
  readonly body: string;
}

/** Longer than each wait for an attempt, and the visibility timeout of a queue. */
const ROUND: Millis = 31 * SECOND;

/** A person who writes to a tenant for the first time, and an endpoint that gets messages and changes of conversations. */
export async function openFirstEventWorld(testEnv: TestEnv) {
  const tenant = newTenant();
  const [queues, account] = await Promise.all([testEnv.newQueues(), testEnv.connect(tenant)]);
  const id = conversationId({ tenant, account: { platform: "instagram", externalId: account }, participantId: PERSON });
  const stores = openStores(testEnv.table);
  const endpoint = await createEndpointAt(testEnv, queues, tenant, "http://127.0.0.1:9/hook", [
    "message.received",
    "conversation.updated",
  ]);
  const posts: Post[] = [];
  let messages = 0;
  const world = {
    tenant,
    queues,
    id,
    stores,
    posts,
    /** The answers of the platform in turn; the last one stays. */
    answers: [ADA] as ProfileOutcome[],
    /** Happens while the platform answers. */
    duringLookup: async (): Promise<void> => {},
    /** The answer of the endpoint. */
    respond: async (): Promise<number> => 200,
    profilePorts: () => ({
      ...testEnv.profilePorts("http://127.0.0.1:9", queues),
      platformFor: async () => ({
        fetchProfile: async (): Promise<ProfileOutcome> => {
          await world.duringLookup();
          return (world.answers.length > 1 ? world.answers.shift() : world.answers[0]) ?? { kind: "unknown" };
        },
      }),
    }),
    deliverPorts: () => testEnv.deliverPorts(queues, webhookClient),
    ingester: () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now),
    profiler: () => profileWorker(world.profilePorts(), testEnv.now),
    deliverer: () => deliverWorker(world.deliverPorts(), testEnv.now),
    /** Queues a webhook with messages of the person, or of the account. */
    async write(mids: readonly string[] = [`m${++messages}`], echo = false): Promise<void> {
      const raw = instagramWebhook(
        account,
        mids.map((mid, index) => ({ mid: `${tenant}-${mid}`, text: mid, at: testEnv.now() + index, echo })),
      );
      await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
    },
    ingest: () => invokeWorker(testEnv.eventSource, queues.inbound, world.ingester()),
    lookUp: () => invokeWorker(testEnv.eventSource, queues.profiles, world.profiler()),
    async deliver(): Promise<void> {
      for (const queue of [queues.events, queues.deliveries])
        while ((await invokeWorker(testEnv.eventSource, queue, world.deliverer())).records.length > 0);
    },
    /** Runs every worker until nothing is queued. */
    async settle(): Promise<void> {
      const all = [queues.inbound, queues.profiles, queues.events, queues.deliveries];
      const depth = async () =>
        (await Promise.all(all.map((queue) => queueDepth(testEnv.eventSource, queue)))).reduce((sum, one) => sum + one);
      for (let rounds = 0; (await depth()) > 0; rounds++) {
        expect(rounds).toBeLessThan(10);
        await world.ingest();
        await world.lookUp();
        await world.deliver();
        testEnv.advance(ROUND);
      }
    },
    /** The events of a type that the endpoint got, in order, as often as it got them. */
    got: (type: string) =>
      posts.map(({ at, body }) => ({ at, ...JSON.parse(body) })).filter((event) => event.type === type),
    /** The people of the messages that the endpoint got, in order. */
    people: () => world.got("message.received").map(({ data }) => data.message.participant),
    /** The bodies of the deliveries, as a replay would send them. */
    async replayed(): Promise<readonly (string | undefined)[]> {
      const query = { endpointId: endpoint.id, before: null, limit: 100, now: testEnv.now() };
      const { rows } = await stores.deliveries.list(tenant, query);
      const events = await Promise.all(rows.map((row) => loadRenderedEvent(stores, tenant, row)));
      return events.map((event) => event?.body);
    },
    head: () => stores.conversations.get(tenant, id, testEnv.now()),
    /** Messages that were counted. */
    counted: async () => (await stores.counters.window(tenant, testEnv.now())).received,
    /**
     * What must hold at the end: each event has one body, which replays keep; the name is in the first event, or in one
     * `conversation.updated`.
     */
    async expectNamedOnce(): Promise<void> {
      const bodies = new Map<string, Set<string>>();
      for (const { body } of posts) {
        const { id: eventId } = JSON.parse(body);
        bodies.set(eventId, (bodies.get(eventId) ?? new Set()).add(body));
      }
      for (const same of bodies.values()) expect([...same]).toHaveLength(1);
      expect((await world.replayed()).toSorted()).toEqual([...bodies.values()].flatMap((same) => [...same]).toSorted());
      const [first] = world.got("message.received").toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const updates = new Set(world.got("conversation.updated").map(({ id: eventId }) => eventId));
      const { participant } = first?.data.message ?? expect.unreachable("the first message has an event");
      expect({ participant, updates: updates.size }).toEqual(
        participant.name === null ? { participant: UNNAMED, updates: 1 } : { participant: NAMED, updates: 0 },
      );
      expect((await world.head())?.participantName).toBe("Ada Lind");
    },
  };
  const webhookClient: WebhookClient = {
    async send({ body }) {
      posts.push({ at: testEnv.now(), body });
      return { kind: "answered", status: await world.respond(), durationMs: 1, retryAfter: null, response: "" };
    },
    close: async () => {},
  };
  return world;
}
