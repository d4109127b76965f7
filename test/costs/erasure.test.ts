import { expect, test } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import { freshWorkspace, withoutKeyAndRate } from "../bench/scenarios.ts";
import { openedOnce } from "../support/opened.ts";
import { everyoneWrites } from "../support/pipeline/workspace.ts";
import type { Cost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact costs of an erasure, as in docs/design/table-costs.md.

const pipeline = openedOnce(startMeteredPipeline);

/** A conversation with this many messages, each delivered to every endpoint, erased by its route and then in the background. */
async function erasureCost(messages: number, endpoints: number): Promise<{ request: Cost; background: Cost }> {
  const workspace = await freshWorkspace(pipeline, { endpoints });
  for (let i = 0; i < messages; i++) await everyoneWrites(pipeline, workspace, 1);
  pipeline.advance(SECOND);
  const path = `/v1/conversations/${encodeURIComponent(workspace.conversationIdFor(0))}`;
  const call = () => pipeline.call<{ done: boolean; removed: object }>(workspace.liveKey, "DELETE", path);
  let removed: object = {};
  const request = await pipeline.cost(async () => {
    removed = (await call()).removed;
  });
  expect(removed).toMatchObject({ messages, deliveries: messages * endpoints });
  const background = await pipeline.cost(async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      pipeline.advance(MINUTE);
      await pipeline.erase();
    }
  });
  return { request: withoutKeyAndRate(request), background };
}

// 14 for the erasure, 3 per message with its index entries, 1 per delivery.
test.each([
  { messages: 1, endpoints: 0, wcu: 14 + 3, rcu: 7, again: 5 },
  { messages: 1, endpoints: 1, wcu: 14 + 3 + 1, rcu: 8, again: 6 },
  { messages: 10, endpoints: 1, wcu: 14 + 30 + 10, rcu: 18, again: 15 },
])(
  "erasing $messages messages with $endpoints endpoints costs $wcu write units and $rcu read units",
  async ({ messages, endpoints, wcu, rcu, again }) => {
    const { request, background } = await erasureCost(messages, endpoints);
    expect(request).toEqual({ wcu, rcu, sqs: 1 });
    expect(background).toEqual({ wcu: 3, rcu: again, sqs: 5 });
  },
);

test("an upload of an erased conversation costs a read, and the removal of its row and of what refers to it", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
  await everyoneWrites(pipeline, workspace, 1);
  const conversation_id = workspace.conversationIdFor(0);
  const file = { filename: "a.png", content_type: "image/png", size: 1_000 };
  await pipeline.call(workspace.liveKey, "POST", "/v1/attachments/uploads", { conversation_id, ...file });
  pipeline.advance(SECOND);
  const path = `/v1/conversations/${encodeURIComponent(conversation_id)}`;
  const cost = await pipeline.cost(() => pipeline.call(workspace.liveKey, "DELETE", path));
  expect(withoutKeyAndRate(cost)).toEqual({ wcu: 14 + 3 + 2, rcu: 7 + 1, sqs: 1 });
});

test("erasing a missing conversation costs only reads, and an erased one renews its marker", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
  const path = `/v1/conversations/${encodeURIComponent(workspace.conversationIdFor(0))}`;
  const call = () => pipeline.call<{ removed: object }>(workspace.liveKey, "DELETE", path);
  const reading = { wcu: 0, rcu: 3, sqs: 0 };
  expect(withoutKeyAndRate(await pipeline.cost(() => expect(call()).rejects.toThrow("not_found")))).toEqual(reading);
  await everyoneWrites(pipeline, workspace, 1);
  await call();
  // Nothing is older than the marker at the same instant.
  expect(withoutKeyAndRate(await pipeline.cost(call))).toEqual(reading);
  const background = async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      pipeline.advance(MINUTE);
      await pipeline.erase();
    }
  };
  await background();
  expect(withoutKeyAndRate(await pipeline.cost(call))).toEqual({ wcu: 5, rcu: 3, sqs: 1 });
  expect(await pipeline.cost(background)).toEqual({ wcu: 2, rcu: 5, sqs: 5 });
});

test("refusing a start that was not stored when its message came costs a read and a write", async () => {
  const { tenant, conversationIdFor } = await freshWorkspace(pipeline, { endpoints: 0 });
  const erasureId = deriveErasureId(conversationIdFor(0));
  const body = encodeErasure({ tenant, erasureId, op: newUlid(pipeline.now()) });
  await pipeline.apiPorts.erasureWork.send({ body, group: tenant });
  expect(await pipeline.cost(() => pipeline.erase())).toEqual({ wcu: 1, rcu: 1, sqs: 2 });
});

test("a message from before an erasure costs its mark, its raw copy and a look for an earlier change, each time it arrives", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
  await everyoneWrites(pipeline, workspace, 1);
  const late = workspace.nextWebhook(0);
  pipeline.advance(SECOND);
  await pipeline.call(
    workspace.liveKey,
    "DELETE",
    `/v1/conversations/${encodeURIComponent(workspace.conversationIdFor(0))}`,
  );
  const ingestLate = async () => {
    await pipeline.receive(late);
    await pipeline.ingest();
  };
  for (let arrivals = 0; arrivals < 2; arrivals++) {
    expect(await pipeline.cost(ingestLate)).toMatchObject({ wcu: 1 + 1, rcu: 1.5 });
  }
});
