import { DeleteMessageCommand } from "@aws-sdk/client-sqs";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eraseWorker } from "../../functions/erase/worker.ts";
import { ulidOf } from "../../shared/kernel/ids.ts";
import { SECOND } from "../../shared/kernel/time.ts";
import { auditStore } from "../../shared/stores/access/audit.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { itemOf } from "../../shared/stores/inbox/message-items.ts";
import { deliveryKey, messagePlace } from "../../shared/stores/keys.ts";
import { allRows, endpointRow, erase } from "../shared/flows/support/erasing.ts";
import { type House, openHouse } from "../shared/flows/support/house.ts";
import { depth, receive } from "../shared/flows/support/queue-work.ts";
import { conversationOf, INBOX, messageOf, newTenant } from "../shared/stores/support/samples.ts";

const MESSAGES = 50_000;

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

it(`a conversation of ${MESSAGES} messages with their deliveries is erased in several invocations, each row counted once`, async () => {
  const tenant = newTenant();
  const lane = await house.newLane();
  const conversation = conversationOf(tenant);
  const endpointId = await endpointRow(house, tenant, "one");
  const now = house.now();
  const put = (items: object[]) =>
    house.table.client.send(
      new BatchWriteCommand({ RequestItems: { [house.table.name]: items.map((Item) => ({ PutRequest: { Item } })) } }),
    );
  for (let from = 0; from < MESSAGES; from += 25) {
    const batch = Array.from({ length: 25 }, (_, i) => {
      const id = `m${from + i}`;
      return messageOf(tenant, { id, sentAt: now - MESSAGES + from + i, eventUlid: ulidOf(now, id) });
    });
    await put(batch.map((message) => itemOf(tenant, message, messagePlace(message.sentAt, message.id), now, 1)));
    await put(batch.map(({ eventUlid }) => ({ ...deliveryKey(tenant, endpointId, eventUlid), st: "delivered", n: 1 })));
  }
  await conversationStore(house.table).apply(tenant, messageOf(tenant, { id: "m0", sentAt: now }), INBOX);
  house.turn(SECOND);

  let [atOnce, most] = [0, 0];
  house.client.middlewareStack.add(
    (next) => async (args) => {
      most = Math.max(most, ++atOnce);
      return next(args).finally(() => atOnce--);
    },
    { name: "gauge", step: "finalizeRequest" },
  );
  expect(await erase(house, lane, { tenant, conversation }, 50)).toMatchObject({
    done: false,
    removed: { messages: 5_000, deliveries: 5_000 },
  });
  let invocations = 0;
  while ((await depth(house.eventSource, lane.erasures)) > 0) {
    house.turn(30 * SECOND);
    const Records = await receive(house.eventSource, lane.erasures);
    if (Records.length === 0) continue;
    // Each may work for as long as a real one works of its minute, but no longer than a few seconds here.
    const until = performance.now() + 20_000;
    const worker = eraseWorker(house.erasePorts(lane), house.now);
    const { batchItemFailures } = await worker(
      { Records },
      { getRemainingTimeInMillis: () => until - performance.now() },
    );
    expect(batchItemFailures).toEqual([]);
    for (const { receiptHandle } of Records) {
      await house.eventSource.send(new DeleteMessageCommand({ QueueUrl: lane.erasures, ReceiptHandle: receiptHandle }));
    }
    if (++invocations > 200) throw new Error("The erasure does not end.");
  }
  house.client.middlewareStack.remove("gauge");

  expect(invocations).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(4);
  const { rows } = await auditStore(house.table).list(tenant, { before: null, limit: 9, now: house.now() });
  expect(rows.map(({ detail }) => detail)).toEqual([
    expect.objectContaining({ conversation: 1, messages: MESSAGES, deliveries: MESSAGES }),
  ]);
  const left = (await allRows(house)).filter(({ PK }) => !PK.startsWith("T#") && !PK.startsWith("A#"));
  // The marker, and of each message a few characters by which what comes of it later is known.
  const kinds = left.map((row) => Object.keys(row).sort().join());
  expect([...new Set(kinds)].sort()).toEqual(["PK,SK,ea,x", "PK,SK,k,x"]);
  expect(kinds.filter((kind) => kind === "PK,SK,ea,x")).toHaveLength(1);
  expect(left.reduce((sum, { k = [] }) => sum + (k as string[]).length, 0)).toBe(MESSAGES);
}, 600_000);
