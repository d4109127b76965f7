import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import { SECOND } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { deliveryKey } from "#features/delivery/store/items.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messagePosition, toMessageItem } from "#features/inbox/store/items.ts";
import { eraseWorker } from "../../functions/erase/worker.ts";
import { allRows, putEndpointRow, runErasure } from "../support/flows/data-subject.ts";
import { invokeWorker, queueDepth } from "../support/flows/queue-worker.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../support/stores/samples.ts";

const MESSAGES = 50_000;
const testEnv = openedOnce(openTestEnv);

it(`a conversation of ${MESSAGES} messages with their deliveries is erased in several invocations, each row counted once`, async () => {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const conversation = sampleConversationId(tenant);
  const endpointId = await putEndpointRow(testEnv, tenant, "one");
  const now = testEnv.now();
  const put = (items: object[]) =>
    testEnv.table.client.send(
      new BatchWriteCommand({
        RequestItems: { [testEnv.table.name]: items.map((Item) => ({ PutRequest: { Item } })) },
      }),
    );
  for (let from = 0; from < MESSAGES; from += 25) {
    const batch = Array.from({ length: 25 }, (_, i) => {
      const id = `m${from + i}`;
      return sampleMessage(tenant, { id, sentAt: now - MESSAGES + from + i, eventUlid: deriveUlid(now, id) });
    });
    await put(
      batch.map((message) =>
        toMessageItem(tenant, message, { position: messagePosition(message.sentAt, message.id), now, shards: 1 }),
      ),
    );
    await put(batch.map(({ eventUlid }) => ({ ...deliveryKey(tenant, endpointId, eventUlid), st: "delivered", n: 1 })));
  }
  await conversationStore(testEnv.table).advanceHead(
    tenant,
    sampleMessage(tenant, { id: "m0", sentAt: now }),
    SAMPLE_INBOX,
  );
  testEnv.advance(SECOND);

  let [atOnce, most] = [0, 0];
  testEnv.client.middlewareStack.add(
    (next) => async (args) => {
      most = Math.max(most, ++atOnce);
      return next(args).finally(() => atOnce--);
    },
    { name: "gauge", step: "finalizeRequest" },
  );
  expect(await runErasure(testEnv, queues, { tenant, conversation }, 50)).toMatchObject({
    done: false,
    removed: { messages: 5_000, deliveries: 5_000 },
  });
  let invocations = 0;
  while ((await queueDepth(testEnv.eventSource, queues.erasures)) > 0) {
    testEnv.advance(30 * SECOND);
    // Each invocation may use the share of its minute that a real one uses, but only a few seconds here.
    const until = performance.now() + 20_000;
    const worker = eraseWorker(testEnv.erasePorts(queues), testEnv.now);
    const { records, failed } = await invokeWorker(testEnv.eventSource, queues.erasures, (event) =>
      worker(event, { getRemainingTimeInMillis: () => until - performance.now() }),
    );
    if (records.length === 0) continue;
    expect(failed).toEqual([]);
    if (++invocations > 200) throw new Error("The erasure does not end.");
  }
  testEnv.client.middlewareStack.remove("gauge");

  expect(invocations).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(4);
  const { rows } = await auditStore(testEnv.table).list(tenant, { before: null, limit: 9, now: testEnv.now() });
  expect(rows.map(({ detail }) => detail)).toEqual([
    expect.objectContaining({ conversation: 1, messages: MESSAGES, deliveries: MESSAGES }),
  ]);
  const remaining = (await allRows(testEnv)).filter(({ PK }) => !PK.startsWith("T#") && !PK.startsWith("A#"));
  // The marker, and for each message the few characters that identify a later change of it.
  const kinds = remaining.map((row) => Object.keys(row).sort().join());
  expect([...new Set(kinds)].sort()).toEqual(["PK,SK,ea,x", "PK,SK,k,x"]);
  expect(kinds.filter((kind) => kind === "PK,SK,ea,x")).toHaveLength(1);
  expect(remaining.reduce((sum, { k = [] }) => sum + (k as string[]).length, 0)).toBe(MESSAGES);
}, 600_000);
