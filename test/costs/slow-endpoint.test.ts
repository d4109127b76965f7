import { expect, test } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { ATTEMPT_TIMEOUT, MOVE_TO_SLOW_AFTER } from "#base/kernel/limits.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { retryMessage } from "#features/delivery/schedule.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { openedOnce } from "../support/opened.ts";
import { introduce } from "../support/pipeline/workspace.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// docs/design/table-costs.md lists these figures.

/** A receiver that needs three seconds. */
const lateReceiver: WebhookClient = {
  async send({ answerTimeout: timeout = ATTEMPT_TIMEOUT }): Promise<AttemptOutcome> {
    return timeout <= MOVE_TO_SLOW_AFTER
      ? { kind: "no_answer", error: "timeout", durationMs: timeout }
      : { kind: "answered", status: 200, retryAfter: null, durationMs: 3_000 };
  },
  close: async () => {},
};
const pipeline = openedOnce(() => startMeteredPipeline({ webhookClient: lateReceiver }));

const [row, inIndex, mark, slot, claimed, settled, leftIndex, counted] = [1, 1, 1, 2, 1, 1, 1, 1];

test("a first attempt that moves to the slow queue costs the move, and then its place, its claim, its end and the mark", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  await introduce(pipeline, workspace, 1);
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  const moved = await pipeline.cost(() => pipeline.deliver());
  expect(moved).toEqual({ wcu: row + inIndex + mark + counted, rcu: 1, sqs: 3 });
  // Its late answer marks the endpoint for longer.
  const made = await pipeline.cost(() => pipeline.retrySlow());
  expect(made).toEqual({ wcu: slot + claimed + settled + leftIndex + counted + mark, rcu: 1.5, sqs: 2 });
});

test("a retry that moves to the slow queue costs its claim, the mark of its place and its release", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  await introduce(pipeline, workspace, 1);
  const [endpointId = ""] = workspace.endpointIds;
  const { tenant } = workspace;
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  await pipeline.deliver();
  // The mark is over, and the message is on the ordinary queue.
  pipeline.advance(6 * MINUTE);
  const query = { endpointId, before: null, limit: 1, now: pipeline.now() };
  const [delivery] = (await pipeline.stores.deliveries.list(tenant, query)).rows;
  const retry = { tenant, endpointId, eventUlid: delivery?.eventUlid ?? "", attempt: 1 };
  await pipeline.queues.retries.send(retryMessage(retry));
  const released = 1;
  const moved = await pipeline.cost(() => pipeline.retry());
  expect(moved).toEqual({ wcu: claimed + mark + released, rcu: 1.5, sqs: 3 });
});
