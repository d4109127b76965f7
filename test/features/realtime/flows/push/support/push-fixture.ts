import { openQueue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { decodeEvent, messageEvent } from "#features/delivery/event-queue.ts";
import type { RecordedMessage } from "#features/inbox/store/messages.ts";
import type { PushPorts } from "#features/realtime/flows/push/ports.ts";
import { encodeRealtime, type RealtimeEvent, type RealtimeTask } from "#features/realtime/queue.ts";
import { pushWorker } from "../../../../../../functions/push/worker.ts";
import type { WorkerPorts } from "../../../../../../functions/worker/batch.ts";
import { observeFrame } from "../../../../../support/conformance/observed.ts";
import { invokeWithRecord, invokeWorker } from "../../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../../support/flows/test-env.ts";
import { openStores } from "../../../../../support/stores/open-stores.ts";
import { newTenant, SAMPLE_INBOX, sampleMessage } from "../../../../../support/stores/samples.ts";
import { openSocket } from "./open-socket.ts";

/** A frame as a connection got it. */
export interface SentFrame {
  readonly connectionId: string;
  // biome-ignore lint/suspicious/noExplicitAny: a frame is JSON of many forms.
  readonly frame: any;
}

export type PushFixture = Awaited<ReturnType<typeof openPushFixture>>;

/** A tenant with an account, and the gateway of its sockets, which records what each connection gets. */
export async function openPushFixture(testEnv: TestEnv, tenant: TenantId = newTenant()) {
  const queues = await testEnv.newQueues();
  const stores = openStores(testEnv.table);
  const frames: SentFrame[] = [];
  const closed: string[] = [];
  const gone = new Set<string>();
  let respond: (connectionId: string) => void = () => {};
  const externalId = await testEnv.connect(tenant);
  const account = { platform: "instagram", externalId } as const;
  const ports: PushPorts & WorkerPorts = {
    ...stores,
    connections: {
      async post(connectionId, text) {
        respond(connectionId);
        if (gone.has(connectionId)) return "gone";
        observeFrame("server", text);
        frames.push({ connectionId, frame: JSON.parse(text) });
        return "sent";
      },
      async close(connectionId) {
        closed.push(connectionId);
        return "closed";
      },
    },
    realtime: openQueue(queues.realtime, testEnv.sqs),
    receivedMessages: testEnv.receivedMessages,
    log: (line) => testEnv.lines.push(line),
  };
  const worker = (overrides: Partial<PushPorts> = {}) => pushWorker({ ...ports, ...overrides }, testEnv.now);
  const recordMessage = async (id: string, rest: Partial<Parameters<typeof sampleMessage>[1]> = {}) => {
    const message = sampleMessage(tenant, { id, account, sentAt: testEnv.now(), text: `text of ${id}`, ...rest });
    const recorded = await stores.messages.record(tenant, message, testEnv.now());
    if (message.scope === "live") await stores.conversations.advanceHead(tenant, recorded.message, SAMPLE_INBOX);
    return recorded;
  };

  return {
    tenant,
    account,
    queues,
    stores,
    ports,
    worker,
    recordMessage,
    closed,
    /** What the connections got, in order. Empty afterwards. */
    takeFrames: (): SentFrame[] => frames.splice(0),
    /** The gateway does not know these connections. */
    gone,
    /** Called before each post; it may throw. */
    onPost(callback: (connectionId: string) => void): void {
      respond = callback;
    },
    /** Opens a socket. By default it has its first frame. */
    async open({
      age,
      greeted = true,
      includesConversation = false,
    }: {
      readonly age?: Millis;
      readonly greeted?: boolean;
      readonly includesConversation?: boolean;
    } = {}) {
      const socket = await openSocket(testEnv.table, tenant, {
        now: testEnv.now(),
        includesConversation,
        ...(age === undefined ? {} : { age }),
      });
      if (greeted) await stores.sockets.markGreeted(tenant, socket.connectionId, testEnv.now());
      return socket;
    },
    event: (record: RecordedMessage): RealtimeEvent => {
      const event = decodeEvent(messageEvent(tenant, record).body);
      if (!event) throw new Error("The event is not readable.");
      const { eventUlid, type, source, test } = event;
      return { eventUlid, type, source, ...(test ? { test } : {}) };
    },
    /** Runs the worker on a message that is not on its queue. */
    push: (task: RealtimeTask, overrides: Partial<PushPorts> = {}) =>
      invokeWithRecord(worker(overrides), encodeRealtime({ tenant, ...task })),
    /** Runs the worker on its queue. */
    run: () => invokeWorker(testEnv.eventSource, queues.realtime, worker()),
    send: (task: RealtimeTask) =>
      openQueue(queues.realtime, testEnv.eventSource).send({ body: encodeRealtime({ tenant, ...task }) }),
  };
}
