import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { timeToLive } from "#base/table/keys.ts";
import { deliveryKey, failingIndex } from "#features/delivery/store/items.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { clientFor, testEngine } from "../support/engine/engine.ts";
import { introduce } from "../support/pipeline/workspace.ts";
import { startPipeline } from "../support/pipeline.ts";

const WAITING_EVENTS = 100_000;

it("an event of an endpoint with an open circuit costs two units beside 100,000 waiting deliveries", async () => {
  const pipeline = await startPipeline();
  const workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  const { tenant } = workspace;
  const [endpointId = ""] = workspace.endpointIds;
  await introduce(pipeline, workspace, 10);
  async function events(count: number) {
    for (let person = 0; person < count; person++) await pipeline.receive(workspace.nextWebhook(person));
    await pipeline.ingest();
    return pipeline.cost(() => pipeline.deliver());
  }
  pipeline.loopback.respondWith(500);
  // Ten failures open the circuit. The waiting deliveries are older.
  await events(10);
  const client = DynamoDBDocumentClient.from(clientFor((await testEngine()).url));
  const now = pipeline.now() - SECOND;
  const batches = Array.from({ length: WAITING_EVENTS / 25 }, () =>
    Array.from({ length: 25 }, () => {
      const ulid = newUlid(now);
      const row = { ty: "message.received", st: "retrying", n: 0, ua: now, x: timeToLive(now + 60 * MINUTE) };
      return { ...deliveryKey(tenant, endpointId, ulid), ...row, ...failingIndex(tenant, endpointId, "retrying") };
    }),
  );
  await forEachConcurrent(batches, 8, async (items) => {
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [pipeline.tableName]: requests } }));
  });
  client.destroy();

  pipeline.advance(SECOND);
  // The endpoint is read again, consistently, once for the batch: its circuit may have closed since. The messages of the
  // batch are counted by one write.
  expect(await events(10)).toEqual({ wcu: 10 * 2 + 1, rcu: 0.5 + 10 * 0.5 + 1, sqs: 2 });
  await pipeline.close();
}, 600_000);
