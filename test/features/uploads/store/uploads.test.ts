import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import {
  newUploadId,
  nextUploadStatus,
  type UploadStatus,
  type UploadTrigger,
  uploadError,
  uploadStatuses,
} from "#features/uploads/rules/uploads.ts";
import { type StoredUpload, uploadStore } from "#features/uploads/store/uploads.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { createSampleUpload, sampleUpload } from "../../../support/stores/upload-samples.ts";

const table = openedOnce(startTestTable);
const tableHandle = openedOnce(() => openTable(table.tableName, table.client));
const uploads = openedOnce(() => uploadStore(tableHandle));

const COPY = { copyKey: "h/2026-10-26T01/random/name.png", size: 11_111, at: NOW + MINUTE };
const OTHER_COPY = { ...COPY, copyKey: "h/2026-10-26T01/other/name.png" };
const REFUSED = uploadError("send_failed", "(#100) no");

async function rows(PK: string) {
  const query = { KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": PK } };
  return (await tableHandle.client.send(new QueryCommand({ TableName: tableHandle.name, ...query }))).Items ?? [];
}

/** Runs `action` with this fault at its first request. */
async function withFault<T>(fault: Fault, action: () => Promise<T>): Promise<T> {
  const removeFaults = injectFaults(tableHandle.client, ({ index }) => (index === 0 ? fault : "pass"));
  try {
    return await action();
  } finally {
    removeFaults();
  }
}

async function uploadIn(status: UploadStatus): Promise<StoredUpload> {
  const { id } = await createSampleUpload(tableHandle);
  if (status === "processing" || status === "ready") await uploads.startProcessing(id, COPY);
  if (status === "ready") await uploads.complete(id, "123", COPY.at);
  if (status === "failed") await uploads.fail(id, { error: REFUSED, from: "waiting", now: COPY.at });
  return storedUpload(id);
}

async function storedUpload(id: string): Promise<StoredUpload> {
  const upload = await uploads.get(id);
  if (!upload) throw new Error("There is no such upload.");
  return upload;
}

it("an upload without the key of its copy is not read", async () => {
  const upload = await createSampleUpload(tableHandle);
  const lacks = "Upload lacks an attribute of its status.";
  await expect(uploads.startProcessing(upload.id, { ...COPY, copyKey: undefined as never })).rejects.toThrow(lacks);
  await expect(uploads.get(upload.id)).rejects.toThrow(lacks);
});

it.each([{}, { scope: "test" as const, type: "file" as const }])(
  "a new upload is read as it was made, for a day (%j)",
  async (rest) => {
    const upload = await createSampleUpload(tableHandle, rest);
    expect(await uploads.get(upload.id)).toEqual({
      ...upload,
      tenant: upload.conversationId.split("#")[1],
      state: { status: "waiting" },
    });
    expect(await rows(`U#${upload.id}`)).toMatchObject([{ x: Math.ceil((NOW + DAY) / SECOND) }]);
  },
);

it("a new upload is stored with its ref, or not at all", async () => {
  const upload = await createSampleUpload(tableHandle);
  expect(await rows(upload.conversationId)).toContainEqual({
    PK: upload.conversationId,
    SK: `A#upload#${upload.id}`,
    at: NOW,
    x: Math.ceil((NOW + DAY) / SECOND),
  });

  const withoutConversation = sampleUpload(newTenant());
  expect(await uploads.create(withoutConversation, NOW)).toBe(false);
  expect(await uploads.get(withoutConversation.id)).toBeNull();
  expect(await rows(withoutConversation.conversationId)).toEqual([]);
});

it.each<Fault>(["lost", "fail", "twice"])(
  "a new upload is created once, with a fault of the table (%s)",
  async (fault) => {
    const upload = await createSampleUpload(tableHandle);
    const another = { ...upload, id: newUploadId(NOW) };
    expect(await withFault(fault, () => uploads.create(another, NOW))).toBe(true);
    expect(await rows(`U#${another.id}`)).toHaveLength(1);
  },
);

const triggers: Record<Exclude<UploadTrigger, "create">, (id: string) => Promise<unknown>> = {
  finish: (id) => uploads.startProcessing(id, OTHER_COPY),
  refuse: (id) => uploads.fail(id, { error: REFUSED, from: "waiting", now: COPY.at }),
  accept: (id) => uploads.complete(id, "456", COPY.at),
  fail: (id) => uploads.fail(id, { error: REFUSED, from: "processing", now: COPY.at }),
  lapse: (id) => uploads.lapse(id, REFUSED, COPY.at + 5 * MINUTE),
};

it.each(uploadStatuses)("an upload that is %s follows only the transitions of the table", async (status) => {
  for (const [trigger, apply] of Object.entries(triggers)) {
    const before = await uploadIn(status);
    await apply(before.id);
    const after = await storedUpload(before.id);
    const next = nextUploadStatus(status, trigger as UploadTrigger);
    if (next === null) expect(after).toEqual(before);
    else expect(after.state.status).toBe(next);
  }
});

it("an upload is finished by one of several callers, each with its own copy", async () => {
  const { id } = await uploadIn("waiting");
  const copies = Array.from({ length: 5 }, (_, index) => ({ ...COPY, copyKey: `copy-${index}` }));
  const results = await Promise.all(copies.map((copy) => uploads.startProcessing(id, copy)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await storedUpload(id)).toMatchObject({ size: COPY.size });
  expect((await storedUpload(id)).state).toEqual({
    status: "processing",
    copyKey: copies[results.indexOf(true)]?.copyKey,
    processingAt: COPY.at,
    tries: 0,
  });
});

it("an upload is finished by the caller whose answer was lost, also if its hand-over has ended by then", async () => {
  const { id } = await uploadIn("waiting");
  expect(await withFault("lost", () => uploads.startProcessing(id, COPY))).toBe(true);
  await uploads.complete(id, "123", COPY.at);
  expect(await uploads.startProcessing(id, COPY)).toBe(true);
  expect(await uploads.startProcessing(id, OTHER_COPY)).toBe(false);
  expect((await storedUpload(id)).state).toEqual({ status: "ready", copyKey: COPY.copyKey, attachmentId: "123" });
});

it("an upload becomes ready until it lapses", async () => {
  const late = await uploadIn("processing");
  expect(await uploads.complete(late.id, "123", COPY.at + 5 * MINUTE)).toMatchObject({
    state: { status: "processing" },
  });
  expect(await uploads.complete(late.id, "123", COPY.at + 5 * MINUTE - 1)).toMatchObject({
    state: { status: "ready", attachmentId: "123" },
  });
  expect(await uploads.complete(late.id, "456", COPY.at)).toMatchObject({ state: { attachmentId: "123" } });
});

it("an upload fails with the platform's text for five minutes, and lapses from then on", async () => {
  const { id } = await uploadIn("processing");
  const end = COPY.at + 5 * MINUTE;
  const lapsed = uploadError("internal_error");
  expect((await uploads.lapse(id, lapsed, end - 1))?.state.status).toBe("processing");
  expect((await uploads.fail(id, { error: REFUSED, from: "processing", now: end }))?.state.status).toBe("processing");
  const { state } = (await uploads.lapse(id, lapsed, end)) ?? {};
  expect(state).toEqual({ status: "failed", error: lapsed, copyKey: COPY.copyKey, processingAt: COPY.at });

  const other = await uploadIn("processing");
  const failed = await uploads.fail(other.id, { error: REFUSED, from: "processing", now: end - 1 });
  expect(failed?.state).toEqual({ status: "failed", error: REFUSED, copyKey: COPY.copyKey, processingAt: COPY.at });
});

it("an upload counts each failed call once, also if the answer is lost", async () => {
  const { id } = await uploadIn("processing");
  expect(await withFault("lost", () => uploads.countTry(id, 0))).toMatchObject({ state: { tries: 1 } });
  expect(await uploads.countTry(id, 0)).toMatchObject({ state: { tries: 1 } });
  expect(await uploads.countTry(id, 1)).toMatchObject({ state: { tries: 2 } });
  expect(await uploads.countTry(id, 0)).toMatchObject({ state: { tries: 2 } });
  await uploads.complete(id, "123", COPY.at);
  expect(await uploads.countTry(id, 2)).toMatchObject({ state: { status: "ready" } });
});

it("an upload that is gone is not created by a change", async () => {
  const id = newUploadId(NOW);
  const changes = await Promise.all(Object.values(triggers).map((apply) => apply(id)));
  expect(changes).toEqual([false, null, null, null, null]);
  expect(await uploads.countTry(id, 0)).toBeNull();
  expect(await uploads.get(id)).toBeNull();
});
