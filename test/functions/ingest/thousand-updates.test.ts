import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { injectFaults } from "../../support/faults.ts";
import { PLATFORM_SECRET } from "../../support/host/emulated-services.ts";
import type { EventSource } from "../../support/pipeline/event-source.ts";
import { joinWebhooks, type SignedWebhook } from "../../support/pipeline/traffic.ts";
import { openWorkspace, type Workspace } from "../../support/pipeline/workspace.ts";
import { type Pipeline, startPipeline } from "../../support/pipeline.ts";
import { virtualTime } from "../../support/virtual-time.ts";
import { startFlowTable } from "../../support/world/flow-table.ts";

const PEOPLE = 100;
const UPDATES = 1_000;
const CALL_TIME: Millis = 25;
const WORKERS = 2;
/** When an ingest worker reports what is unfinished, from the beginning of its invocation. */
const REPORT_AFTER: Millis = 27 * SECOND;

let pipeline: Pipeline;
let workspaces = 0;
/** When each message was posted to the tenant's endpoint first, by its text. */
const posted = new Map<string, Millis>();
beforeAll(async () => {
  const webhookClient: WebhookClient = {
    async send({ body }) {
      const { data } = JSON.parse(body) as { data: { message: { id: string } } };
      if (!posted.has(data.message.id)) posted.set(data.message.id, pipeline.now());
      return { kind: "answered", status: 200, durationMs: 1, retryAfter: null, response: "" };
    },
    async close() {},
  };
  pipeline = await startPipeline({ webhookClient, startTable: startFlowTable, isMetered: false });
});
afterAll(() => pipeline.close());

/** A signed webhook with the messages of all people, ten of each, and their ids. */
function thousandUpdates(workspace: Workspace): { webhook: SignedWebhook; ids: string[] } {
  const ids = Array.from({ length: UPDATES }, (_, index) => `m-${index}`);
  const webhooks = ids.map((mid, index) => workspace.nextWebhookWith(index % PEOPLE, { mid }));
  return { webhook: joinWebhooks(webhooks, PLATFORM_SECRET), ids };
}

/** Ingests and delivers for some time, with calls to AWS that take their time. @returns what failed, and when */
async function run(duration: Millis) {
  const time = virtualTime(pipeline, pipeline.awsClients);
  for (const { middlewareStack } of pipeline.awsClients as unknown as Parameters<typeof virtualTime>[1]) {
    const wait = (next: (args: never) => Promise<unknown>) => async (args: never) => {
      await time.sleep(CALL_TIME);
      return next(args);
    };
    middlewareStack.add(wait, { step: "initialize", name: "call time", priority: "high" } as never);
  }
  const startedAt = time.now();
  let [failures, longest] = [0, 0];
  async function work(source: EventSource): Promise<void> {
    while (time.now() < startedAt + duration) {
      const batch = await source.next();
      if (!batch) {
        await time.sleep(SECOND);
        continue;
      }
      const from = time.now();
      failures += await batch.work();
      longest = Math.max(longest, time.now() - from);
    }
  }
  const { inbound, events } = pipeline.sources;
  const workers = Promise.all(
    [inbound, events].flatMap((source) => Array.from({ length: WORKERS }, () => work(source))),
  );
  try {
    await time.run();
    await workers;
  } finally {
    for (const client of pipeline.awsClients) client.middlewareStack.remove("call time");
    time.close();
  }
  return { failures, longest, startedAt };
}

async function openShop(): Promise<Workspace> {
  posted.clear();
  pipeline.lines.length = 0;
  const slug = `shop-${String(++workspaces).padStart(6, "0")}`;
  return openWorkspace(pipeline, { slug, platform: "instagram", endpoints: 1 });
}

const postedWithin = (startedAt: Millis) => [...posted].filter(([, at]) => at - startedAt < MINUTE).map(([id]) => id);

it("a webhook of 1,000 updates of 100 people at 25 ms a call is stored and posted within a minute, with no receive repeated", async () => {
  const { webhook, ids } = thousandUpdates(await openShop());
  await pipeline.receive(webhook);
  const { failures, longest, startedAt } = await run(MINUTE);
  expect(failures).toBe(0);
  expect(longest).toBeLessThan(REPORT_AFTER / 2);
  expect(postedWithin(startedAt).toSorted()).toEqual(ids.toSorted());
  expect(pipeline.lines.filter(({ event }) => event === "record.failed")).toEqual([]);
});

it("a webhook of 1,000 updates, one of which the table refuses, is posted but for that one, whose part alone is repeated", async () => {
  const { webhook, ids } = thousandUpdates(await openShop());
  const refused = ids[504] ?? "";
  const end = injectFaults(pipeline.table.client, ({ input }) => {
    if (!JSON.stringify(input).includes(`#${refused}"`)) return "pass";
    const message = "Item size has exceeded the maximum allowed size";
    throw new DynamoDBServiceException({ name: "ValidationException", $fault: "client", $metadata: {}, message });
  });
  await pipeline.receive(webhook);
  const { startedAt } = await run(MINUTE);
  end();
  expect(postedWithin(startedAt).toSorted()).toEqual(ids.filter((id) => id !== refused).toSorted());
  // One message is received again and again, until it is a dead letter.
  const failed = pipeline.lines.filter(({ event }) => event === "record.failed") as { message_id?: string }[];
  expect(failed.length).toBeGreaterThan(0);
  expect(new Set(failed.map(({ message_id }) => message_id)).size).toBe(1);
  const split = pipeline.lines.filter((line) => line.event === "webhook.split") as { parts: number; failed: number }[];
  expect(split.map(({ parts, failed: failedParts }) => [parts, failedParts])).toEqual([
    [20, 0],
    [1, 1],
  ]);
});
