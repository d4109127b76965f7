import { beforeEach, describe, expect, it } from "vitest";
import { parseTenant } from "#base/kernel/tenant.ts";
import { createGate } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import { encodeMail } from "#features/access/queue.ts";
import { encodeAccountTask } from "#features/accounts/queue.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { encodeProfile } from "#features/inbox/profile-queue.ts";
import { encodeInbound } from "#features/inbox/queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { encodeRealtime } from "#features/realtime/queue.ts";
import { encodeUpload } from "#features/uploads/queue.ts";
import { accountsWorker } from "../../../functions/accounts/worker.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { eraseWorker } from "../../../functions/erase/worker.ts";
import { handOverWorker } from "../../../functions/hand-over/worker.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { mailWorker } from "../../../functions/mail/worker.ts";
import { profileWorker } from "../../../functions/profile/worker.ts";
import { pushWorker } from "../../../functions/push/worker.ts";
import { invokeWithRecord, type QueueWorker } from "../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { countedMetrics } from "../../support/metering/counted-metrics.ts";
import { openedOnce } from "../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
beforeEach(() => {
  testEnv.lines.length = 0;
});

const tenant = parseTenant("demo") ?? expect.unreachable("demo is a tenant");
const ulid = "01M7ZAN532DXZZ1TKP6RZ0YEPG";
const account = { platform: "messenger", externalId: "1" } as const;
const conversation = conversationId({ tenant, account, participantId: "2" });
const received = { eventUlid: ulid, type: "message.received", source: null } as const;

/** Any other port that a worker used for a message that it cannot read would end the test. */
const bare = () =>
  ({
    log: (line: never) => testEnv.lines.push(line),
    receivedMessages: {
      postpone: async () => [],
      sendBack: () => Promise.reject(new Error("No message is sent back.")),
    },
  }) as never;
const now = () => testEnv.now();
const webhookClient = createWebhookClient({ gate: createGate({ mode: "open" }) });

/** Each queue's worker, with a message that this release reads, and the field with its kind, if it has one. */
const workers: Record<string, { worker: () => QueueWorker; body: string; kind?: string }> = {
  Inbound: {
    worker: () => ingestWorker(testEnv.ingestPorts(queues), now),
    body: encodeInbound({ receivedAt: 1_790_000_000_000, bytes: Buffer.from("x"), file: null }),
  },
  Events: {
    worker: () => deliverWorker(testEnv.deliverPorts(queues, webhookClient), now),
    body: encodeEvent({ tenant, ...received, repeated: false }),
    kind: "event_type",
  },
  Deliveries: {
    worker: () => deliverWorker(testEnv.deliverPorts(queues, webhookClient), now),
    body: encodeRetry({ tenant, endpointId: ulid, eventUlid: ulid, attempt: 2 }),
    kind: "kind",
  },
  Profiles: {
    worker: () => profileWorker(bare(), now),
    body: encodeProfile({ tenant, conversationId: conversation }),
  },
  Erasures: { worker: () => eraseWorker(bare(), now), body: encodeErasure({ tenant, erasureId: "ab".repeat(32) }) },
  Mails: {
    worker: () => mailWorker(bare(), now),
    body: encodeMail({ kind: "sign_in", loginId: "ab".repeat(32) }),
    kind: "kind",
  },
  Uploads: { worker: () => handOverWorker(bare(), now), body: encodeUpload({ tenant, uploadId: `upl_${ulid}` }) },
  Accounts: {
    worker: () => accountsWorker(bare(), now),
    body: encodeAccountTask({ op: "check", tenant, account }),
    kind: "op",
  },
  Realtime: {
    worker: () => pushWorker(bare(), now),
    body: encodeRealtime({ kind: "events", tenant, events: [received] }),
    kind: "kind",
  },
};

const withFields = (body: string, fields: object) => JSON.stringify({ ...JSON.parse(body), ...fields });

describe.each(Object.entries(workers))("the worker of %s", (_queue, { worker, body, kind }) => {
  const bodies = [
    ["of a later version", withFields(body, { v: 3 }), 3],
    ["of no version", withFields(body, { v: undefined }), null],
    ...(kind ? ([["of a later kind", withFields(body, { [kind]: "call.received" }), 2]] as const) : []),
    ["that is not JSON", "not json", null],
  ] as const;

  it.each(bodies)(
    "a message %s stays in its queue, with an error line that names its version",
    async (_what, text, version) => {
      expect(await invokeWithRecord(worker(), text, 3)).toEqual({ batchItemFailures: [{ itemIdentifier: "m" }] });
      expect(testEnv.lines.filter(({ event }) => event.startsWith("record."))).toEqual([
        expect.objectContaining({
          event: "record.failed",
          message_id: "m",
          error: "UnreadableRecord",
          receives: 3,
          version,
        }),
      ]);
    },
  );
});

it("events for sockets of which one has a later type stay in their queue together", async () => {
  const { worker, body } = workers.Realtime ?? expect.unreachable();
  const events = [
    ...(JSON.parse(body) as { events: object[] }).events,
    { event_ulid: ulid, event_type: "call.received" },
  ];
  const { batchItemFailures } = await invokeWithRecord(worker(), withFields(body, { events }));
  expect(batchItemFailures).toHaveLength(1);
});

it("a message that no worker can read is counted once, at its first receive", async () => {
  const { worker } = workers.Profiles ?? expect.unreachable();
  for (const receives of [1, 2, 3]) await invokeWithRecord(worker(), "not json", receives);
  expect(countedMetrics(testEnv.lines)).toEqual([{ Unreadable: 1 }]);
});
