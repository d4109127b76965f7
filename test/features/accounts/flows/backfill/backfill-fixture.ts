import { openQueue } from "#base/aws/queues.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { BackfillTask } from "#features/accounts/flows/backfill/run-backfill.ts";
import { encodeAccountTask } from "#features/accounts/queue.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import { ingestWorker } from "../../../../../functions/ingest/worker.ts";
import { inboundBody } from "../../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, type QueueWorker, queueDepth, receiveEvents } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { FakeHistory, type HistoryMessage } from "./fake-history.ts";

/** A tenant with an account whose webhooks were missing from `since` until `until`, two hours ago. */
export async function openBackfillFixture(testEnv: TestEnv) {
  const tenant = newTenant();
  const externalId = await testEnv.connect(tenant);
  const queues = await testEnv.newQueues();
  const ref = { platform: "instagram", externalId } as const;
  const stores = openStores(testEnv.table);
  const account = await stores.accounts.get(tenant, ref);
  if (!account) throw new Error("The account is not connected.");
  const history = new FakeHistory(externalId, testEnv.now);
  const until = testEnv.now() - 20 * MINUTE;
  const since = until - DAY;
  const upstream = { facebookGraph: "http://fb.test", instagramGraph: "http://ig.test", graphVersion: "v26.0" };
  const app = { metaAppId: null, metaSecret: null };

  const ports = () => ({
    ...testEnv.accountsPorts(queues, {
      accountPlatformFor: async (connection) => accountPlatformFor(connection, { upstream, http: history.http(), app }),
    }),
    wait: async (duration: number) => testEnv.advance(duration),
  });

  /** The worker of the accounts queue, in a process of its own. */
  const backfillWorker = () => accountsWorker(ports(), testEnv.now);

  const ingest = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
  const depth = (url: string) => queueDepth(testEnv.eventSource, url);

  /** Runs a worker until its queue is empty. @returns how often it ran */
  async function drain(url: string, worker: () => QueueWorker, roundsMax = 120): Promise<number> {
    for (let round = 0; round < roundsMax; round++) {
      if ((await depth(url)) === 0) return round;
      testEnv.advance(31 * SECOND);
      await invokeWorker(testEnv.eventSource, url, worker());
    }
    throw new Error("The queue does not empty.");
  }

  return {
    tenant,
    account: ref,
    history,
    queues,
    since,
    until,
    ports,
    ingest,
    drainInbound: () => drain(queues.inbound, ingest),

    task: (changes: Partial<BackfillTask> = {}): BackfillTask => ({
      op: "backfill",
      tenant,
      account: ref,
      connectionId: account.connectionId,
      since,
      until,
      after: null,
      done: 0,
      ...changes,
    }),

    /** Queues the task of the backfill. */
    async start(changes: Partial<BackfillTask> = {}): Promise<void> {
      const body = encodeAccountTask(this.task(changes));
      await openQueue(queues.accounts, testEnv.eventSource).send({ body });
    },

    /** Runs the workers until nothing is queued. @returns how often the worker of accounts ran */
    async run(worker: () => QueueWorker = backfillWorker): Promise<number> {
      const rounds = await drain(queues.accounts, worker);
      await drain(queues.inbound, ingest);
      return rounds;
    },
    /** Queues the task of the backfill, and runs the workers until nothing is queued. */
    async backfill(changes: Partial<BackfillTask> = {}): Promise<void> {
      await this.start(changes);
      await this.run();
    },
    backfillWorker,
    runOnce: (worker: QueueWorker) => invokeWorker(testEnv.eventSource, queues.accounts, worker),

    /** Adds messages to the platform's history only: no webhook brings them. */
    missed(...messages: readonly HistoryMessage[]): void {
      history.messages.push(...messages);
    },

    /** Adds messages to the platform's history and queues their webhook. */
    async received(...messages: readonly HistoryMessage[]): Promise<void> {
      history.messages.push(...messages);
      await this.queueWebhook(...messages);
    },

    async queueWebhook(...messages: readonly HistoryMessage[]): Promise<void> {
      const messaging = messages.map(({ id, person, at, text, isEcho }) => ({
        sender: { id: isEcho ? externalId : person },
        recipient: { id: isEcho ? person : externalId },
        timestamp: at,
        message: { mid: id, text, ...(isEcho ? { is_echo: true } : {}) },
      }));
      const raw = JSON.stringify({ object: "instagram", entry: [{ id: externalId, time: testEnv.now(), messaging }] });
      await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
    },

    /** The texts of a person's conversation as it is stored, oldest first. */
    async texts(person: string): Promise<string[]> {
      const { rows } = await messageStore(testEnv.table).listByConversation(tenant, {
        conversationId: conversationId({ tenant, account: ref, participantId: person }),
        direction: null,
        includeTest: false,
        before: null,
        limit: 100,
        now: testEnv.now(),
      });
      return rows.map(({ message }) => message.text).reverse();
    },

    feed: () =>
      messageStore(testEnv.table).feed(tenant, {
        includeTest: false,
        direction: null,
        before: null,
        limit: 100,
        now: testEnv.now(),
      }),

    conversation: (person: string) => conversationId({ tenant, account: ref, participantId: person }),

    /** How many messages have an event, and how many events there are at most for one of them. */
    async events(): Promise<{ messages: number; eventIds: number }> {
      const records = await receiveEvents(testEnv, queues);
      const events = records.map(({ body }) => decodeEvent(body)).filter((event) => event !== null);
      const messageEvents = events.filter(({ type }) => type.startsWith("message."));
      return {
        messages: new Set(messageEvents.map(({ source }) => JSON.stringify(source))).size,
        eventIds: new Set(messageEvents.map(({ eventUlid }) => eventUlid)).size,
      };
    },
  };
}

/** The id of a message, as long as a platform's. */
export function messageId(...parts: readonly (string | number)[]): string {
  return `aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE-${parts.join("-")}`;
}
