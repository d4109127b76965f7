import { MINUTE } from "#base/kernel/time.ts";
import type { RecordOutcome } from "#base/queues/record-outcome.ts";
import { handOverUpload } from "#features/uploads/flows/hand-over.ts";
import type { CreatedUpload } from "#features/uploads/flows/uploads.ts";
import type { HandOverPorts } from "#features/uploads/ports.ts";
import { pngBytes, post } from "../features/uploads/flows/support/upload-fixture.ts";
import { everyoneWrites } from "../support/pipeline/workspace.ts";
import type { Cost, Pipeline } from "../support/pipeline.ts";
import { freshWorkspace, withoutKeyAndRate } from "./scenarios.ts";

// The operations of an upload, each measured through the API or through its worker.

const IMAGES = 10;

/** What a client calls for one upload, without its key. */
export async function uploadCosts(pipeline: Pipeline): Promise<{ create: Cost; finish: Cost; poll: Cost }> {
  const { liveKey, conversationIdFor } = await workspaceWithMessage(pipeline);
  const measure = async <T>(call: () => Promise<T>): Promise<{ cost: Cost; data: T }> => {
    let data: T | undefined;
    const cost = await pipeline.cost(async () => {
      data = await call();
    });
    return { cost: withoutKeyAndRate(cost), data: data as T };
  };
  const created = await measure(() => createUpload(pipeline, liveKey, conversationIdFor(0)));
  const { upload } = created.data;
  await post(upload, pngBytes());
  const finished = await measure(() => pipeline.call(liveKey, "POST", "/v1/attachments", { upload_id: upload.id }));
  const polled = await measure(() => pipeline.call(liveKey, "GET", `/v1/attachments/uploads/${upload.id}`));
  return { create: created.cost, finish: finished.cost, poll: polled.cost };
}

/** One hand-over that the platform accepts, until the upload is ready. SQS receives and deletes its message. */
export async function handOverCost(pipeline: Pipeline): Promise<Cost> {
  const { tenant, liveKey, conversationIdFor } = await workspaceWithMessage(pipeline);
  const { upload } = await createUpload(pipeline, liveKey, conversationIdFor(0));
  await post(upload, pngBytes());
  await pipeline.call(liveKey, "POST", "/v1/attachments", { upload_id: upload.id });
  const ports: HandOverPorts = {
    ...pipeline.apiPorts,
    ...pipeline.stores,
    platformFor: async () => ({ upload: async () => ({ kind: "accepted", attachmentId: "1857777774821032" }) }),
    uploadLinks: { readUrl: async (key) => `https://storage.example/${key}` },
  };
  const time = { now: pipeline.now, endsAt: pipeline.now() + MINUTE };
  let outcome: RecordOutcome | undefined;
  const cost = await pipeline.cost(async () => {
    outcome = await handOverUpload(ports, { tenant, uploadId: upload.id }, time);
  });
  if (outcome?.end !== "done") throw new Error("The upload was not handed over.");
  return cost;
}

/** What a reply with ten uploaded images costs more than one with ten images by URL. */
export async function attachmentIdsCost(pipeline: Pipeline): Promise<Cost> {
  const byUrl = await imagesCost(pipeline, (i) => ({ url: `https://shop.example/images/photo-${i}.png` }));
  const byId = await imagesCost(pipeline, (i) => ({ attachment_id: `18577777748210${i}` }));
  return { wcu: byId.wcu - byUrl.wcu, rcu: byId.rcu - byUrl.rcu, sqs: byId.sqs - byUrl.sqs };
}

async function imagesCost(pipeline: Pipeline, imageOf: (index: number) => object): Promise<Cost> {
  const { tenant, liveKey, newMessageId, conversationIdFor } = await workspaceWithMessage(pipeline);
  await pipeline.apiPorts.feedShards(tenant, pipeline.now());
  pipeline.loopback.nextMessageId(newMessageId());
  const attachments = Array.from({ length: IMAGES }, (_, i) => ({ type: "image", ...imageOf(i) }));
  return pipeline.cost(() =>
    pipeline.call(liveKey, "POST", "/v1/messages/reply", { conversation_id: conversationIdFor(0), attachments }),
  );
}

function createUpload(pipeline: Pipeline, key: string, conversationId: string) {
  const file = { filename: "photo.png", content_type: "image/png", size: pngBytes().length };
  const body = { conversation_id: conversationId, ...file };
  return pipeline.call<{ upload: CreatedUpload }>(key, "POST", "/v1/attachments/uploads", body);
}

async function workspaceWithMessage(pipeline: Pipeline) {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 1);
  return workspace;
}
