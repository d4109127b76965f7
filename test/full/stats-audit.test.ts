import { afterAll, beforeAll, expect, it } from "vitest";
import { runAdmin, runAdminJson } from "../e2e/support/admin.ts";
import { createTestWebhook, listDeliveries, personWrites, type TestWebhook } from "../e2e/support/api-calls.ts";
import { failureLines, waitUntilIdle } from "../e2e/support/emulator-journals.ts";
import { type LocalStack, startLocalStack } from "../e2e/support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../e2e/support/platform-webhooks.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openReceiver, type Receiver } from "../e2e/support/webhook-receiver.ts";

// The responses as a client sees them. They are declared again here, so that a renamed field fails the type check.
interface Stats {
  readonly messages_24h: number;
  readonly dlq_total: number;
  readonly window_hours: number;
  readonly endpoints: readonly {
    readonly endpoint_id: string;
    readonly delivered: number;
    readonly failed: number;
    readonly dlq: number;
  }[];
}
interface AuditRow {
  readonly id: string;
  readonly action: string;
  readonly resource: string;
  readonly actor: string;
  readonly ip: string | null;
  readonly at: string;
}

let stack: LocalStack;
let receivers: { well: Receiver; gone: Receiver; flaky: Receiver };
let hooks: { well: TestWebhook; gone: TestWebhook; flaky: TestWebhook };
const MESSAGES = 50;

beforeAll(async () => {
  const [running, well, gone, flaky] = await Promise.all([
    startLocalStack({ env: { PARLEY_SQS_CHAOS: "0.5" } }),
    openReceiver(),
    openReceiver(),
    openReceiver(),
  ]);
  stack = running;
  receivers = { well, gone, flaky };
  gone.respondWith(() => ({ status: 410 }));
  flaky.respondWith(({ data }) => ({ status: data.message.text === "never" ? 500 : 200 }));
  const events = ["message.received", "message.sent"];
  hooks = {
    well: await createTestWebhook(stack, well.url, events),
    gone: await createTestWebhook(stack, gone.url, events),
    flaky: await createTestWebhook(stack, flaky.url, events),
  };
});
afterAll(async () => {
  await Promise.all([stack?.stop(), ...Object.values(receivers ?? {}).map((receiver) => receiver.close())]);
});

async function readData<T>(path: string, key?: string): Promise<T> {
  const { status, text, body } = await stack.api("GET", path, undefined, key);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return body.data as unknown as T;
}
const readStats = (key?: string) => readData<Stats>("/v1/stats", key);

async function deliveryCounts(hook: TestWebhook): Promise<number[]> {
  const row = (await readStats()).endpoints.find(({ endpoint_id }) => endpoint_id === hook.id);
  return row ? [row.delivered, row.failed, row.dlq] : [];
}

/**
 * Waits until all work is done. The second copy of a queue message may meet the attempt of the first one in progress.
 * It comes again when the attempt's lease has expired, so the clock is turned to then.
 */
async function finishAllWork(): Promise<void> {
  await waitUntilIdle(stack, 15).catch(async () => {
    await stack.clock("PT2M");
    await waitUntilIdle(stack);
  });
}

it("the statistics are exact although queues repeat half of all messages and the platform repeats webhooks", async () => {
  const people = Array.from({ length: 10 }, newPersonId);
  const at = (await stack.now()) - 1_000;
  const entries = Array.from({ length: MESSAGES }, (_, n) =>
    textEntry(demoAccountIds.messenger, people[n % 10] ?? "", newMessageId(), n === 7 ? "never" : `text ${n}`, at + n),
  );
  const responses = await Promise.all(
    entries
      .flatMap((entry, n) => (n % 3 === 0 ? [entry, entry] : [entry]))
      .map((one) => postWebhook(stack, "page", [one])),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  await finishAllWork();
  expect(await readStats()).toEqual({
    messages_24h: MESSAGES,
    dlq_total: 0,
    window_hours: 24,
    endpoints: [
      { endpoint_id: hooks.well.id, delivered: MESSAGES, failed: 0, dlq: 0 },
      // Later deliveries were also refused with 410, or blocked.
      { endpoint_id: hooks.gone.id, delivered: 0, failed: MESSAGES, dlq: 0 },
      { endpoint_id: hooks.flaky.id, delivered: MESSAGES - 1, failed: 0, dlq: 0 },
    ],
  });
  expect(failureLines(stack.log())).toEqual([]);
  expect(stack.log()).not.toContain("counters.save_failed");
});

it("the statistics count a reply once despite its echo, and the reply of a test key not at all", async () => {
  const before = (await readStats()).messages_24h;
  const conversation_id = await personWrites(stack, "messenger", "Robin");
  for (const key of [stack.info.live_key, stack.info.test_key]) {
    const { status } = await stack.api("POST", "/v1/messages/reply", { conversation_id, text: "hi" }, key);
    expect(status).toBe(200);
  }
  await waitUntilIdle(stack);
  await waitFor("both messages are counted", async () => (await readStats()).messages_24h >= before + 2);
  await waitUntilIdle(stack);
  expect((await readStats()).messages_24h).toBe(before + 2);
});

it("the statistics count a delivery as dlq after its last attempt, and no longer count older days", async () => {
  for (const [action, advance] of [
    "PT10S",
    "PT6M",
    "PT35M",
    "PT2H30M",
    "PT6H",
    "PT12H",
    "PT16H",
    "PT23H",
    "PT27H",
  ].entries()) {
    await waitFor(`attempt ${action + 1} is settled`, async () => {
      const never = (await listDeliveries(stack, hooks.flaky.id)).find(({ status }) => status !== "delivered");
      // On a busy machine the second attempt may already be due.
      return never !== undefined && never.attempt_number > action && never.status === "retrying";
    });
    await stack.clock(advance);
  }
  await waitFor("the last attempt has failed", async () => (await deliveryCounts(hooks.flaky))[2] === 1, {
    seconds: 60,
  });
  await finishAllWork();
  expect(await deliveryCounts(hooks.flaky)).toEqual([0, 0, 1]);
  expect(await readStats()).toMatchObject({ messages_24h: 0, dlq_total: 1 });
  expect(await deliveryCounts(hooks.well)).toEqual([0, 0, 0]);
});

it("the audit trail lists the actions of command line and API with actor and address, and nothing of another tenant", async () => {
  const { dataDir } = stack;
  await runAdminJson(dataDir, "tenant", "create", "other-shop", "--owner", "owner@example.com");
  const { secret: other } = await runAdminJson(dataDir, "key", "create", "--tenant", "other-shop", "--scope", "live");
  await runAdminJson(dataDir, "operator-key", "create", "--tenants", "demo,other-shop");
  expect((await runAdmin(dataDir, "tenant", "create", "other-shop", "--owner", "owner@example.com")).code).toBe(1);
  await createTestWebhook(stack, receivers.well.url, undefined, other);
  await createTestWebhook(stack, receivers.well.url);

  const summarize = ({ action, actor, ip }: AuditRow) => [
    action,
    actor.split(":")[0],
    ip === null ? null : "an address",
  ];
  const theirs = await readData<{ audit: AuditRow[]; next_cursor: null }>("/v1/audit", other);
  expect(theirs.next_cursor).toBeNull();
  expect(theirs.audit.slice(0, -2).map(summarize)).toEqual([
    ["webhook.create", "key", "an address"],
    ["operator_key.create", "cli", null],
    ["key.create", "cli", null],
  ]);
  // One transaction creates a tenant and the invite of its owner, so their entries have the same time and no order.
  expect(theirs.audit.slice(-2).map(summarize).sort()).toEqual([
    ["invite.create", "cli", null],
    ["tenant.create", "cli", null],
  ]);

  const auditResponse = await readData<{ audit: AuditRow[] }>("/v1/audit");
  const entriesBy = (actor: string) => auditResponse.audit.filter((entry) => entry.actor.startsWith(actor));
  const actionsByCli = entriesBy("cli").map(({ action }) => action);
  expect(actionsByCli.slice(0, -2)).toEqual([
    "operator_key.create",
    ...Array(3).fill("account.connect"),
    "operator_key.create",
    "key.create",
    "key.create",
  ]);
  expect(actionsByCli.slice(-2).sort()).toEqual(["invite.create", "tenant.create"]);
  expect(entriesBy("key:").map(summarize)).toEqual(Array(4).fill(["webhook.create", "key", "an address"]));
  const [newest] = theirs.audit;
  const shared = new Set(auditResponse.audit.map(({ resource }) => resource));
  expect(shared.has(newest?.resource ?? "")).toBe(false);
  const instants = auditResponse.audit.map(({ at }) => at);
  expect(instants).toEqual([...instants].sort().reverse());

  const trail = JSON.stringify([auditResponse, theirs]);
  for (const secret of [other, stack.info.live_key, hooks.well.secret, "owner@example.com", receivers.well.url]) {
    expect(trail).not.toContain(secret);
  }
});
