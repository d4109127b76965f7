import { beforeAll, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { QueueName } from "#base/config/names.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { encodeMail, NAMED_OWNER } from "#features/access/queue.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { encodeEndpointTask, encodeRetry } from "#features/delivery/queue.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import { encodeProfile } from "#features/inbox/profile-queue.ts";
import { encodeUpload } from "#features/uploads/queue.ts";
import { newUploadId } from "#features/uploads/rules/uploads.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { handOverWorker } from "../../../../functions/hand-over/worker.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { mailWorker } from "../../../../functions/mail/worker.ts";
import { profileWorker } from "../../../../functions/profile/worker.ts";
import { allRows } from "../../../support/flows/data-subject.ts";
import { buryMessages, lettersOf } from "../../../support/flows/dead-letters.ts";
import { inboundBody, instagramWebhook } from "../../../support/flows/inbound-webhooks.ts";
import { invokeWithRecord, type QueueWorker } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { newTenant, toTenantId } from "../../../support/stores/samples.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";
import { noStream } from "../../realtime/flows/support/no-stream.ts";
import { openWorkspace, runDeletion } from "./support/doomed-tenant.ts";

const tenant = toTenantId("zebra-shop");
let workers: Readonly<Record<"ingest" | "deliver" | "profile" | "erase" | "mail" | "uploads", QueueWorker>>;
let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let calls = 0;
let uploadId: string;
const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  const queues = await testEnv.newQueues();
  workspace = await openWorkspace(testEnv, queues, { tenant, size: { messages: 3, endpoints: 2, keys: 1 } });
  const webhookClient = {
    send: async () => void calls++,
    close: async () => {},
  } as unknown as DeliverPorts["webhookClient"];
  const log = (line: TestEnv["lines"][number]) => void testEnv.lines.push(line);
  const common = { ...openStores(testEnv.table), receivedMessages: testEnv.receivedMessages, log };
  const send = async () => {
    calls++;
    return "accepted" as const;
  };
  const mailPorts = {
    ...common,
    loginKeys: async () => oneKeyRing(randomToken(32)),
    addressKeys: testEnv.addressKeys,
    mail: { send },
    mails: openQueue(queues.mails, testEnv.sqs),
    baseUrl: "https://parley.example",
    isSignUpOpen: false,
  };
  const handOverPorts = {
    ...noStream,
    ...common,
    events: openQueue(queues.events, testEnv.sqs),
    accountWork: openQueue(queues.accounts, testEnv.sqs),
    vault: testEnv.newVault(),
    platformFor: async () => ({
      upload: async () => {
        calls++;
        return { kind: "late" } as const;
      },
    }),
    uploadLinks: { readUrl: async () => "https://files.example/file" },
    uploadFiles: testEnv.uploadFiles,
  };
  uploadId = newUploadId(testEnv.now());
  await common.uploads.create(
    {
      id: uploadId,
      conversationId: workspace.conversation,
      scope: "live",
      filename: "photo.png",
      contentType: "image/png",
      size: 1,
      type: "image",
    },
    testEnv.now(),
  );
  await common.uploads.startProcessing(uploadId, {
    copyKey: "h/2026-11-22T20/r/photo.png",
    size: 1,
    at: testEnv.now(),
  });
  workers = {
    ingest: ingestWorker(testEnv.ingestPorts(queues), testEnv.now) as QueueWorker,
    deliver: deliverWorker(testEnv.deliverPorts(queues, webhookClient), testEnv.now) as QueueWorker,
    profile: profileWorker(testEnv.profilePorts("http://127.0.0.1:9"), testEnv.now) as QueueWorker,
    erase: eraseWorker(testEnv.erasePorts(queues), testEnv.now) as QueueWorker,
    mail: mailWorker(mailPorts, testEnv.now) as QueueWorker,
    uploads: handOverWorker(handOverPorts, testEnv.now) as QueueWorker,
  };
});

interface QueuedMessage {
  readonly queue: QueueName;
  readonly worker: keyof typeof workers;
  readonly name: string;
  readonly body: string;
}

function queuedMessages(): readonly QueuedMessage[] {
  const { conversation, endpointIds, account, inviteId } = workspace;
  const now = testEnv.now();
  const endpointId = endpointIds[0] ?? "";
  const eventUlid = newUlid(now);
  const source = { conversationId: conversation, position: `${now}#m` };
  const event = { tenant, eventUlid, type: "message.received", source } as const;
  const drain = { kind: "drain", tenant, endpointId, after: null, pageSize: 100, repeat: true } as const;
  const webhook = instagramWebhook(account.externalId, [{ mid: `mid-${now}`, text: "hello", at: now }]);
  const on = (queue: QueueName, worker: keyof typeof workers) => (name: string, body: string) => ({
    queue,
    worker,
    name,
    body,
  });
  const onEvents = on("Events", "deliver");
  const onDeliveries = on("Deliveries", "deliver");
  return [
    on("Inbound", "ingest")("a webhook", inboundBody(webhook, now)),
    onEvents("an event", encodeEvent({ ...event, repeated: false, uncounted: true })),
    onEvents("a repeated event", encodeEvent({ ...event, repeated: true })),
    onEvents("an event with a stored body", encodeEvent({ ...event, source: null, repeated: false })),
    onDeliveries("an attempt", encodeRetry({ tenant, endpointId, eventUlid, attempt: 2 })),
    onDeliveries("a probe", encodeEndpointTask({ kind: "probe", tenant, endpointId, probe: now, after: null })),
    onDeliveries("a drain", encodeEndpointTask(drain)),
    onDeliveries("a warning", encodeEndpointTask({ kind: "warn", tenant, endpointId, since: now })),
    on("Profiles", "profile")("a profile", encodeProfile({ tenant, conversationId: conversation })),
    on("Erasures", "erase")(
      "an erasure",
      encodeErasure({ tenant, erasureId: deriveErasureId(conversation), op: newUlid(now) }),
    ),
    on("Mails", "mail")("an invite's mail", encodeMail({ kind: "invite", tenant, inviteId })),
    on("Mails", "mail")(
      "a mail about an endpoint",
      encodeMail({ kind: "endpoint_notice", what: "gone", endpointId, since: null, tenant, recipient: NAMED_OWNER }),
    ),
    on("Uploads", "uploads")("an upload", encodeUpload({ tenant, uploadId })),
  ];
}

const rowsNamingTenant = async () => (await allRows(testEnv)).filter((row) => JSON.stringify(row).includes(tenant));
const statusesOfTenant = async () => (await rowsNamingTenant()).map(({ SK, st }) => [SK, st]);
/** @returns how many dead letters were processed */
async function toDeadLetters({ queue, body }: QueuedMessage): Promise<number> {
  const dead = await testEnv.newQueues();
  const url = dead.inbound;
  await openQueue(url, testEnv.eventSource).send({ body });
  const ports = lettersOf(testEnv.deadLetterPorts(queue), { queue, url, sqs: testEnv.eventSource });
  return buryMessages(ports, testEnv.now());
}

describe("a message of a deleted tenant", () => {
  let messages: readonly QueuedMessage[];
  beforeAll(async () => {
    messages = queuedMessages();
    const rowsBefore = (await rowsNamingTenant()).length;
    const [webhook] = messages;
    if (!webhook) throw new Error("There is no webhook.");
    await invokeWithRecord(workers.ingest, webhook.body);
    expect((await rowsNamingTenant()).length).toBeGreaterThan(rowsBefore);
    for (const message of messages.slice(1)) await toDeadLetters(message);
    const quarantined = (await rowsNamingTenant()).map(({ PK }) => PK).filter((key) => key.startsWith("QUAR#"));
    const queuesWithTenant = ["Deliveries", "Erasures", "Events", "Mails", "Profiles", "Uploads"];
    expect([...new Set(quarantined)].sort()).toEqual(queuesWithTenant.map((queue) => `QUAR#${queue}`));
    await runDeletion(testEnv, tenant);
  });

  it("a message of a deleted tenant that is still on a queue ends without a failure, a call or a row that names the tenant", async () => {
    for (const { worker, name, body } of messages) {
      expect(await invokeWithRecord(workers[worker], body), name).toEqual({ batchItemFailures: [] });
      expect(await statusesOfTenant(), name).toEqual([["TENANT", "deleted"]]);
    }
    expect(calls).toBe(0);
  });

  it("a message of a deleted tenant that becomes a dead letter leaves no row that names the tenant", async () => {
    for (const message of messages) {
      expect(await toDeadLetters(message), message.name).toBe(1);
      expect(await statusesOfTenant(), message.name).toEqual([["TENANT", "deleted"]]);
    }
  });
});

it("an invite's mail is sent while its tenant exists", async () => {
  const other = await openWorkspace(testEnv, await testEnv.newQueues(), {
    tenant: newTenant(),
    size: { messages: 0, endpoints: 0, keys: 0 },
  });
  const body = encodeMail({ kind: "invite", tenant: other.tenant, inviteId: other.inviteId });
  await invokeWithRecord(workers.mail, body);
  expect(calls).toBe(1);
});
