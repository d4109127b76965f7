import { expect, test } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { freshWorkspace, perMessage } from "../bench/scenarios.ts";
import { openedOnce } from "../support/opened.ts";
import { everyoneWrites } from "../support/pipeline/workspace.ts";
import type { Cost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// What the context of a message adds to its cost. A row of at most 1 KB is one unit, and so is its entry in the feed.

const pipeline = openedOnce(startMeteredPipeline);

const BATCH = 10;
const storyUrl = `https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=17900000000000001&signature=${"Ab3_".repeat(40)}`;

async function inboundCost(context: object): Promise<Omit<Cost, "sqs">> {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, BATCH);
  pipeline.advance(SECOND);
  for (let person = 0; person < BATCH; person++) {
    await pipeline.receive(workspace.nextWebhookWith(person, context));
  }
  const cost = await pipeline.cost(async () => {
    await pipeline.ingest();
    await pipeline.deliver();
  });
  const { wcu, rcu } = perMessage(cost, BATCH);
  return { wcu, rcu };
}

test.each([
  ["no context", {}],
  ["a story reply", { reply_to: { story: { id: "17900000000000001", url: storyUrl } } }],
  ["a reply to a message", { reply_to: { mid: "m".repeat(160) } }],
  ["a quick reply", { quick_reply: { payload: "p".repeat(300) } }],
  [
    "a referral",
    { referral: { ref: "r".repeat(200), source: "ADS", type: "OPEN_THREAD", ad_id: "23851234567890123" } },
  ],
])("a message with %s costs what any message costs", async (_what, context) => {
  expect(await inboundCost(context)).toEqual({ wcu: 7.2, rcu: 1.05 });
});

test.each([
  ["a quick reply of the longest payload", { quick_reply: { payload: "p".repeat(1_000) } }],
  ["a referral of 1,000 characters", { referral: { ref: "r".repeat(1_000), source: "ADS", type: "OPEN_THREAD" } }],
])("a message with %s costs one unit more in the table and one in the feed", async (_what, context) => {
  expect(await inboundCost(context)).toEqual({ wcu: 9.2, rcu: 1.05 });
});
