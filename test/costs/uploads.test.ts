import { beforeAll, expect, test } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { type CreatedUpload, createUpload, finishUpload, getUpload } from "#features/uploads/flows/uploads.ts";
import { postedKey } from "#features/uploads/rules/uploads.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { pngBytes, post, programBytes } from "../features/uploads/flows/support/upload-fixture.ts";
import { openedOnce } from "../support/opened.ts";
import { interceptCalls } from "../support/processes/port-calls.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact costs of an upload up to its hand-over, as in docs/design/table-costs.md.

/** Calls of storage, each one request. */
let storageCalls: string[] = [];
const pipeline = openedOnce(startMeteredPipeline);
const workspace = openedOnce(() => freshWorkspace(pipeline));
beforeAll(async () => {
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
});

const caller = () => ({ kind: "tenant_key", keyId: "k", tenant: workspace.tenant, scope: "live" }) as const;
const ports = () =>
  interceptCalls(pipeline.apiPorts, (name, call) => {
    if (name.startsWith("uploadFiles.")) storageCalls.push(name.slice("uploadFiles.".length));
    return call();
  });
/** The longest name that a file may have. */
const FILE = { filename: `${"n".repeat(251)}.png`, contentType: "image/png", size: 5_000 };

async function create(): Promise<CreatedUpload> {
  const conversationId = workspace.conversationIdFor(0);
  const upload = await createUpload(ports(), caller(), { conversationId, file: FILE }, pipeline.now());
  if (isRefusal(upload)) throw new Error(upload.refused);
  return upload;
}

/** Units of the table, requests of queues, and those of storage. */
async function measure<T>(work: () => Promise<T>): Promise<{ cost: unknown[]; result: T }> {
  storageCalls = [];
  let result: T | undefined;
  const { wcu, rcu, sqs } = await pipeline.cost(async () => {
    result = await work();
  });
  return { cost: [wcu, rcu, sqs, storageCalls], result: result as T };
}
const finish = (id: string) => finishUpload(ports(), caller(), id, startRequestTime(pipeline.now));

test("creating an upload is two reads and one transaction, and reading it one item", async () => {
  const [upload, ref, head] = [2, 2, 2];
  const { cost, result } = await measure(create);
  expect(cost).toEqual([upload + ref + head, 2, 0, []]);
  expect((await measure(() => getUpload(ports(), caller(), result.id, pipeline.now()))).cost).toEqual([0, 1, 0, []]);
});

test("finishing an upload is three reads, one write, one message and four requests to storage", async () => {
  const upload = await create();
  expect((await measure(() => finish(upload.id))).cost).toEqual([0, 3, 0, ["head"]]);
  await post(upload, pngBytes());
  const { cost, result } = await measure(() => finish(upload.id));
  expect(result).toHaveProperty("state.status", "processing");
  expect(cost).toEqual([1, 3, 1, ["head", "firstBytes", "copy", "remove"]]);
  expect((await measure(() => finish(upload.id))).cost).toEqual([0, 1, 0, []]);
});

test("the first poll of an upload that did not end in time costs a write, and each later one a read", async () => {
  const upload = await create();
  await post(upload, pngBytes());
  await finish(upload.id);
  const pollAfter = (minutes: number) =>
    measure(() => getUpload(ports(), caller(), upload.id, pipeline.now() + minutes * MINUTE));
  expect((await pollAfter(4)).cost).toEqual([0, 1, 0, []]);
  expect((await pollAfter(5)).cost).toEqual([1, 1, 0, []]);
  expect((await pollAfter(6)).cost).toEqual([0, 1, 0, []]);
});

test("a refused file costs one write and three requests to storage, and one replaced in between none", async () => {
  const refused = await create();
  await post(refused, programBytes());
  expect((await measure(() => finish(refused.id))).cost).toEqual([1, 3, 0, ["head", "firstBytes", "remove"]]);

  const replaced = await create();
  await post(replaced, pngBytes());
  const racing = interceptCalls(ports(), async (name, call) => {
    if (name === "uploadFiles.copy") await post(replaced, pngBytes(4_000));
    return call();
  });
  const { cost } = await measure(() => finishUpload(racing, caller(), replaced.id, startRequestTime(pipeline.now)));
  expect(cost).toEqual([0, 3, 0, ["head", "firstBytes", "copy", "remove"]]);
  expect(await pipeline.apiPorts.uploadFiles.head(postedKey(replaced.id))).toMatchObject({ size: 4_000 });
});
