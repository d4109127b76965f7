import { AsyncLocalStorage } from "node:async_hooks";
import type { QueueMessage } from "#base/aws/queues.ts";
import type { PostponedMessage } from "#base/aws/received-messages.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import { decodeRealtime } from "#features/realtime/queue.ts";
import { toQueueEvent } from "#local-aws/lambda/batch.ts";
import { deliverWorker } from "../../../../../../functions/deliver/worker.ts";
import { pushWorker } from "../../../../../../functions/push/worker.ts";
import { openWebhookClient } from "../../../../../base/net/webhook-client-fixture.ts";
import { Crash } from "../../../../../support/faults.ts";
import { type QueueWorker, toQueueArn } from "../../../../../support/flows/queue-worker.ts";
import type { TestEnv, TestQueues } from "../../../../../support/flows/test-env.ts";
import { interceptCalls } from "../../../../../support/processes/port-calls.ts";
import { openStores } from "../../../../../support/stores/open-stores.ts";
import { SAMPLE_INBOX, sampleMessage } from "../../../../../support/stores/samples.ts";
import type { VirtualTime } from "../../../../../support/virtual-time.ts";
import type { StreamFixture } from "../../support/stream-fixture.ts";

/** A frame as a connection got it. */
export interface LiveFrame {
  readonly connectionId: string;
  readonly at: Millis;
  // biome-ignore lint/suspicious/noExplicitAny: a frame is JSON of many forms.
  readonly frame: any;
}

/** A message that a platform sent. */
export interface LiveMessage {
  readonly id: string;
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly person: string;
  readonly at: Millis;
}

/** A function that died leaves its messages for this long. */
const VISIBILITY: Millis = 180 * SECOND;
const DUPLICATES = 0.15;

/** What decides the course of a run. */
interface Course {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly queues: TestQueues;
}

export type LiveStream = ReturnType<typeof openLiveStream>;

/**
 * The deliver worker and the push worker behind queues that deliver late, twice and in any order, in virtual time. Each
 * post takes time, so that what a worker has read may be old when it posts.
 */
export function openLiveStream(testEnv: TestEnv, stream: StreamFixture, { time, random, queues }: Course) {
  const stores = openStores(testEnv.table);
  const webhookClient = openWebhookClient();
  const frames: LiveFrame[] = [];
  const messages: LiveMessage[] = [];
  const failures: unknown[] = [];
  /** Short times are likely. */
  const upTo = (max: Millis): Millis => Math.round(random() ** 3 * max);
  const start = (work: Promise<unknown>) => void work.catch((error: unknown) => failures.push(error));
  /** A message is received by another invocation than the one that sent it. */
  const outside = AsyncLocalStorage.snapshot();
  let dyingKind: string | null = null;
  let written = 0;

  const gateway = {
    async post(connectionId: string, text: string) {
      await time.sleep(upTo(300));
      const result = await stream.ports.connections.post(connectionId, text);
      if (result === "sent") frames.push({ connectionId, at: time.now(), frame: JSON.parse(text) });
      return result;
    },
    async close(connectionId: string) {
      await time.sleep(upTo(300));
      return stream.ports.connections.close(connectionId);
    },
  };
  const realtime = {
    send: async (message: QueueMessage) => queue(message),
    sendAll: async (all: readonly QueueMessage[]) => {
      for (const message of all) queue(message);
    },
  };
  function queue({ body, delay = 0 }: QueueMessage): void {
    outside(() => start(receive(body, delay)));
    if (random() < DUPLICATES) outside(() => start(receive(body, delay + upTo(5 * SECOND))));
  }
  const ports = { ...stream.ports, ...stores, connections: gateway, realtime };

  /** The event source of the push worker: a message is received until its worker reports it as done. */
  async function receive(body: string, delay: Millis): Promise<void> {
    const sentAt = time.now();
    await time.sleep(delay + upTo(2 * SECOND));
    for (let receives = 1; ; receives++) {
      let redelivery = VISIBILITY;
      let isDead = false;
      const dies = decodeRealtime(body)?.kind === dyingKind;
      if (dies) dyingKind = null;
      const dyingCall = dies ? Math.floor(random() * 8) : Number.POSITIVE_INFINITY;
      let calls = 0;
      const receivedMessages = {
        postpone: async (_queue: string, [message]: readonly PostponedMessage[]) => {
          // The queue rounds up to seconds.
          redelivery = Math.ceil((message?.delay ?? VISIBILITY) / SECOND) * SECOND;
          return [];
        },
        sendBack: async (_queue: string, message: QueueMessage) => queue(message),
      };
      const process = interceptCalls(ports, async (_name, call) => {
        isDead ||= calls++ >= dyingCall;
        if (isDead) throw new Crash("The process died.");
        if (random() < 0.2) await time.sleep(upTo(SECOND));
        return call();
      });
      const worker = pushWorker({ ...process, receivedMessages, log: () => {} }, time.now);
      const failed = await invoke(worker, { body, receives, sentAt });
      if (isDead) redelivery = VISIBILITY;
      else if (!failed) return;
      if (receives > 20) throw new Error(`A message is not processed: ${body}`);
      await time.sleep(redelivery);
    }
  }

  const deliver = deliverWorker({ ...testEnv.deliverPorts(queues, webhookClient), realtime, log: () => {} }, time.now);

  /** An event is delivered a moment after its change. */
  async function deliverLater(body: string): Promise<void> {
    const sentAt = time.now();
    await time.sleep(upTo(SECOND));
    await invoke(deliver, { body, receives: 1, sentAt });
  }

  return {
    frames,
    messages,
    ports,
    failures,
    /** The next message of this kind meets a process that dies at one of its calls. */
    killWorkerOf(kind: string): void {
      dyingKind = kind;
    },
    /** A message arrives, and its event is delivered a moment later. */
    async write(tenant: TenantId, account: AccountRef, person = "person-1"): Promise<void> {
      const id = `message ${++written} of ${tenant}`;
      const at = time.now();
      const participant = { id: person, handle: null, username: null, name: null };
      const message = sampleMessage(tenant, { id, account, sentAt: at, text: `text of ${id}`, participant });
      const recorded = await stores.messages.record(tenant, message, at);
      await stores.conversations.advanceHead(tenant, recorded.message, SAMPLE_INBOX);
      messages.push({ id, tenant, conversationId: recorded.message.conversationId, person, at });
      await deliverLater(messageEvent(tenant, recorded).body);
    },
    deliverLater,
    /** Starts work beside the rest. */
    start,
    upTo,
  };
}

/** @returns whether the worker reported the message */
async function invoke(
  worker: QueueWorker,
  { body, receives, sentAt }: { readonly body: string; readonly receives: number; readonly sentAt: Millis },
): Promise<boolean> {
  const Attributes = { ApproximateReceiveCount: String(receives), SentTimestamp: String(sentAt) };
  const event = toQueueEvent([{ MessageId: "m", Body: body, Attributes }], toQueueArn("queue"));
  const { batchItemFailures } = await worker(event, { getRemainingTimeInMillis: () => 60_000 });
  return batchItemFailures.length > 0;
}
