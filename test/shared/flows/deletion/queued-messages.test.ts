import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { profileWorker } from "../../../../functions/profile/worker.ts";
import { deriveErasureId } from "../../../../shared/domain/erasure/erasures.ts";
import type { DeliverPorts } from "../../../../shared/flows/delivery/ports.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { encodeEndpointTask, encodeRetry } from "../../../../shared/queues/deliveries.ts";
import { encodeErasure } from "../../../../shared/queues/erasures.ts";
import { encodeEvent } from "../../../../shared/queues/events.ts";
import { encodeProfile } from "../../../../shared/queues/profiles.ts";
import { toTenantId } from "../../stores/support/samples.ts";
import { allRows } from "../support/data-subject.ts";
import { inboundBody, instagramWebhook } from "../support/inbound-webhooks.ts";
import { invokeWithRecord, type QueueWorker } from "../support/queue-worker.ts";
import { openTestEnv, type TestEnv } from "../support/test-env.ts";
import { openWorkspace, runDeletion } from "./support/doomed-tenant.ts";

const tenant = toTenantId("zebra-shop");

let testEnv: TestEnv;
let workers: Readonly<Record<"ingest" | "deliver" | "profile" | "erase", QueueWorker>>;
let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let calls = 0;
beforeAll(async () => {
  testEnv = await openTestEnv();
  const queues = await testEnv.newQueues();
  workspace = await openWorkspace(testEnv, queues, { tenant, size: { messages: 3, endpoints: 2, keys: 1 } });
  const webhookClient = {
    send: async () => void calls++,
    close: async () => {},
  } as unknown as DeliverPorts["webhookClient"];
  workers = {
    ingest: ingestWorker(testEnv.ingestPorts(queues), testEnv.now) as QueueWorker,
    deliver: deliverWorker(testEnv.deliverPorts(queues, webhookClient), testEnv.now) as QueueWorker,
    profile: profileWorker(testEnv.profilePorts("http://127.0.0.1:9"), testEnv.now) as QueueWorker,
    erase: eraseWorker(testEnv.erasePorts(queues), testEnv.now) as QueueWorker,
  };
});
afterAll(() => testEnv.close());

function bodies(): (readonly [keyof typeof workers, string, string])[] {
  const { conversation, endpointIds, account } = workspace;
  const now = testEnv.now();
  const endpointId = endpointIds[0] ?? "";
  const eventUlid = newUlid(now);
  const source = { conversationId: conversation, position: `${now}#m` };
  const event = { tenant, eventUlid, type: "message.received", source } as const;
  const webhook = instagramWebhook(account.externalId, [{ mid: `mid-${now}`, text: "hello", at: now }]);
  return [
    ["ingest", "a webhook", inboundBody(webhook, now)],
    ["deliver", "an event", encodeEvent({ ...event, repeated: false, uncounted: true })],
    ["deliver", "a repeated event", encodeEvent({ ...event, repeated: true })],
    ["deliver", "an event with a stored body", encodeEvent({ ...event, source: null, repeated: false })],
    ["deliver", "an attempt", encodeRetry({ tenant, endpointId, eventUlid, attempt: 2 })],
    ["deliver", "a probe", encodeEndpointTask({ kind: "probe", tenant, endpointId, probe: now, after: null })],
    [
      "deliver",
      "a drain",
      encodeEndpointTask({ kind: "drain", tenant, endpointId, after: null, pageSize: 100, repeat: true }),
    ],
    ["deliver", "a warning", encodeEndpointTask({ kind: "warn", tenant, endpointId, since: now })],
    ["profile", "a profile", encodeProfile({ tenant, conversationId: conversation })],
    ["erase", "an erasure", encodeErasure({ tenant, erasureId: deriveErasureId(conversation), op: newUlid(now) })],
  ];
}

const rowsNamingTenant = async () => (await allRows(testEnv)).filter((row) => JSON.stringify(row).includes(tenant));

describe("a message of a deleted tenant that is still on a queue", () => {
  it("ends without a failure, without a call of a receiver and without a row that names the tenant", async () => {
    const rowsBefore = (await rowsNamingTenant()).length;
    const messages = bodies();
    const webhook = messages[0]?.[2] ?? "";
    await invokeWithRecord(workers.ingest, webhook);
    expect((await rowsNamingTenant()).length).toBeGreaterThan(rowsBefore);
    await runDeletion(testEnv, tenant);
    for (const [worker, name, body] of messages) {
      expect(await invokeWithRecord(workers[worker], body), name).toEqual({ batchItemFailures: [] });
      expect(
        (await rowsNamingTenant()).map(({ SK, st }) => [SK, st]),
        name,
      ).toEqual([["TENANT", "deleted"]]);
    }
    expect(calls).toBe(0);
  });
});
