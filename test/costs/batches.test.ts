import { expect, test } from "vitest";
import { readPrices } from "../../bin/bill/bill.ts";
import { priceMessages } from "../../bin/bill/message-price.ts";
import { readTemplateCounts } from "../../bin/bill/template-counts.ts";
import { measureFirst, measureInbound, measureReply } from "../bench/batches.ts";
import { firstTarget, inboundTarget, replyTarget, usageTarget } from "../bench/targets.ts";
import { readPage } from "../docs/markdown.ts";
import { openedOnce } from "../support/opened.ts";
import type { FullCost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact cost of a message in batches of ten and of one, as docs/design/table-costs.md shows it, and its price.

const pipeline = openedOnce(startMeteredPipeline);
const prices = readPrices();
const template = readTemplateCounts();

/** A message with a lookup, which has no price. */
const measureUnpriced: (...args: Parameters<typeof measureFirst>) => Promise<{ cost: FullCost; usage: null }> = async (
  ...args
) => ({ cost: await measureFirst(...args), usage: null });

const kinds = [
  ["Inbound", false, measureInbound, inboundTarget],
  ["First of a person", false, measureUnpriced, firstTarget],
  ["Reply and echo", true, measureReply, replyTarget],
] as const;

/** The rows of the page with the numbers of one kind of message. */
const rowsOf = (kind: string) =>
  readPage("docs/design/table-costs.md")
    .split("\n")
    .filter((line) => line.startsWith(`| ${kind} | `))
    .map((line) => line.split(" | ").slice(1).map(Number.parseFloat))
    .map(([batch = 0, endpoints = 0, sockets = 0, wcu, rcu, sqs, objects, frames]) => ({
      arrival: { batch, endpoints, sockets },
      cost: { wcu, rcu, sqs, objects, frames },
    }));

const rows = kinds.flatMap(([kind, isReply, measure, toTarget]) =>
  rowsOf(kind).map((row) => ({ kind, isReply, measure, toTarget, ...row })),
);

test("the page of costs has each message in batches of ten and of one", () => {
  const batches = rows.map(({ kind, arrival: { batch, endpoints, sockets } }) =>
    [kind, endpoints, sockets, batch].join(),
  );
  expect(new Set(batches)).toEqual(
    new Set(
      kinds.flatMap(([kind]) =>
        ["1,0", "2,0", "2,1", "5,0"].flatMap((tenant) => [10, 1].map((batch) => [kind, tenant, batch].join())),
      ),
    ),
  );
});

test.each(rows)(
  "one message costs what the page shows, and no more than its calls need: $kind, $arrival",
  async (row) => {
    const { arrival, isReply, toTarget } = row;
    const { cost, usage } = await row.measure(pipeline, arrival);
    expect(cost).toEqual(row.cost);
    const target = toTarget(arrival);
    for (const unit of ["wcu", "rcu", "sqs", "objects", "frames"] as const)
      expect([unit, cost[unit] <= target[unit]]).toEqual([unit, true]);
    if (usage === null) return;
    const targets = priceMessages(usageTarget(arrival, target, isReply), template, prices);
    for (const { name, dollars } of priceMessages(usage, template, prices)) {
      const most = targets.find((part) => part.name === name)?.dollars ?? 0;
      expect([name, dollars <= most + 1e-9]).toEqual([name, true]);
    }
  },
);

test("one inbound message of a batch of ten of two people reads two conversations for all", async () => {
  const { cost } = await measureInbound(pipeline, { batch: 10, people: 2 });
  expect(cost.rcu).toBe(0.65);
});

test("the price of messages is that of each unit, for a million of them", async () => {
  const usage = {
    messages: 2,
    wcu: 20,
    rcu: 4,
    sqs: 12,
    objects: 1,
    frames: 2,
    invocations: { Intake: 2, Ingest: 2 },
    handled: { Ingest: 2 },
    logBytes: 1_000,
    deliveries: 0,
    replies: 0,
    secrets: { Deliver: 0, Api: 0 },
  };
  const parts = new Map(priceMessages(usage, template, prices).map(({ name, dollars }) => [name, dollars]));
  expect(Object.fromEntries(parts)).toMatchObject({
    tableWrites: expect.closeTo(10 * 0.625, 9),
    tableReads: expect.closeTo(2 * 0.125, 9),
    queueRequests: expect.closeTo(6 * 0.4, 9),
    bucketWrites: expect.closeTo(0.5 * 5, 9),
    socketMessages: expect.closeTo(1, 9),
    gatewayRequests: expect.closeTo(1, 9),
    lambdaRequests: expect.closeTo(2 * 0.2, 9),
    // 20 ms in 256 MB, and 37 ms in 512 MB.
    lambdaTime: expect.closeTo((20 * 0.25 + 37 * 0.5) * 0.0133334, 6),
    logBytes: expect.closeTo((500 + 280) * 0.0005, 9),
    keyRequests: 0,
  });
});
