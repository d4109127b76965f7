import { GetObjectCommand } from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { purgeUploads } from "#features/uploads/flows/purge.ts";
import { getUpload } from "#features/uploads/flows/uploads.ts";
import { postedKey } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import { injectFaults } from "../../../support/faults.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { runFrozen } from "../../../support/processes/frozen-process.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { queryItems } from "../../../support/stores/items.ts";
import { openUploadFixture, pngBytes, post, programBytes, type UploadFixture } from "./support/upload-fixture.ts";

let fixture: UploadFixture;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  testEnv.advance(MINUTE);
  fixture = await openUploadFixture(testEnv);
});

const NOT_FOUND = { refused: "upload_not_found" };

/** Ports that do `work` once, before or after the first call of this name. */
function portsWith(point: "before" | "after", callName: string, work: () => Promise<unknown>): ApiPorts {
  let isDone = false;
  return interceptCalls(fixture.ports(), async (name, call) => {
    const isPoint = name === callName && !isDone;
    isDone ||= isPoint;
    if (isPoint && point === "before") await work();
    const answer = await call();
    if (isPoint && point === "after") await work();
    return answer;
  });
}

/** The bytes of the checked copy; null when there is none. */
async function copiedBytes(id: string): Promise<Uint8Array | null> {
  const upload = await uploadStore(testEnv.table).get(id);
  if (upload?.state.status !== "processing") return null;
  const object = await testEnv.s3.send(new GetObjectCommand({ Bucket: "uploads", Key: upload.state.copyKey }));
  return (await object.Body?.transformToByteArray()) ?? null;
}

/** The purge that runs at an instant. */
async function purge(at: Millis): Promise<void> {
  await purgeUploads({ uploadFiles: testEnv.uploadFiles, log: () => {} }, at, () => true);
}

it.each([
  ["between its size and its first bytes", "before", "uploadFiles.firstBytes"],
  ["between its first bytes and the copy", "before", "uploadFiles.copy"],
] as const)(
  "a file that is replaced, %s, is not handed over, and the upload can be finished again",
  async (_case, point, call) => {
    const upload = await fixture.posted();
    const ports = portsWith(point, call, () => post(upload, programBytes()));
    expect(await fixture.finish(upload.id, { ports })).toEqual(NOT_FOUND);
    expect(await fixture.objects(upload.id)).toEqual([postedKey(upload.id)]);
    expect(await fixture.messages()).toEqual([]);
    await post(upload, pngBytes(3_000, 7));
    expect(await fixture.finish(upload.id)).toMatchObject({ state: { status: "processing" } });
    expect(await copiedBytes(upload.id)).toEqual(pngBytes(3_000, 7));
  },
);

it.each([
  ["uploadFiles.copy", "after"],
  ["uploads.startProcessing", "after"],
  ["uploadFiles.remove", "before"],
  ["uploadFiles.remove", "after"],
] as const)("a file that is replaced after the copy changes nothing (%s, %s)", async (call, point) => {
  const upload = await fixture.posted(pngBytes(2_000, 5));
  const ports = portsWith(point, call, () => post(upload, programBytes()));
  expect(await fixture.finish(upload.id, { ports })).toMatchObject({ state: { status: "processing" } });
  expect(await copiedBytes(upload.id)).toEqual(pngBytes(2_000, 5));
});

it("a file that is replaced by a program while a request copies it, whose answer is lost, leaves no copy", async () => {
  const upload = await fixture.posted();
  const ports = fixture.ports();
  const uploadFiles: ApiPorts["uploadFiles"] = {
    ...ports.uploadFiles,
    // The SDK repeats a request whose answer was lost.
    copy: async (version, to) => {
      await ports.uploadFiles.copy(version, to);
      await post(upload, programBytes());
      return ports.uploadFiles.copy(version, to);
    },
  };
  expect(await fixture.finish(upload.id, { ports: { ...ports, uploadFiles } })).toEqual(NOT_FOUND);
  expect(await fixture.objects(upload.id)).toEqual([postedKey(upload.id)]);
});

it("finishing an upload by twenty callers at once starts one hand-over and leaves one copy", async () => {
  const upload = await fixture.posted();
  const results = await Promise.all(Array.from({ length: 20 }, () => fixture.finish(upload.id)));
  expect(results.filter((result) => !isRefusal(result))).toHaveLength(1);
  expect(results.filter(isRefusal)).toEqual(Array(19).fill(NOT_FOUND));
  expect(await fixture.messages()).toHaveLength(1);
  expect(await fixture.objects(upload.id)).toEqual([expect.stringMatching(/^h\//)]);
});

it("finishing an upload by twenty callers at once, of a program, refuses them all and leaves no file", async () => {
  const upload = await fixture.posted(programBytes());
  const results = await Promise.all(Array.from({ length: 20 }, () => fixture.finish(upload.id)));
  for (const result of results)
    expect(["unsupported_media_type", "upload_not_found"]).toContain(isRefusal(result) && result.refused);
  expect(results).toContainEqual(expect.objectContaining({ refused: "unsupported_media_type" }));
  expect(await fixture.objects(upload.id)).toEqual([]);
  expect(await fixture.messages()).toEqual([]);
});

it("finishing an upload by two callers, of which one saw a program that was replaced, has one result", async () => {
  const upload = await fixture.posted(programBytes());
  const ports = portsWith("before", "uploads.fail", async () => {
    await post(upload, pngBytes());
    expect(await fixture.finish(upload.id)).toMatchObject({ state: { status: "processing" } });
  });
  expect(await fixture.finish(upload.id, { ports })).toEqual(NOT_FOUND);
  expect(await copiedBytes(upload.id)).toEqual(pngBytes());
});

it("finishing an upload at the end of the grant copies what was posted before it", async () => {
  const upload = await fixture.posted();
  testEnv.advance(15 * MINUTE);
  expect(await post(upload, programBytes())).toBe(403);
  expect(await fixture.finish(upload.id)).toMatchObject({ state: { status: "processing" } });
  expect(await copiedBytes(upload.id)).toEqual(pngBytes());
});

it.each([
  ["before", "uploadFiles.head"],
  ["before", "uploadFiles.firstBytes"],
  ["before", "uploadFiles.copy"],
  ["after", "uploadFiles.copy"],
  ["before", "uploads.startProcessing"],
  ["before", "uploadWork.send"],
] as const)(
  "finishing an upload in a process that freezes %s %s until the purge of its hour starts no hand-over and leaves no file",
  async (when, call) => {
    const upload = await fixture.posted();
    const purgeTime = testEnv.now() - (testEnv.now() % HOUR) + 23 * HOUR;
    const point = { call, when };
    const { reached, result } = await runFrozen(fixture.ports(), point, {
      work: (ports) => fixture.finish(upload.id, { ports }),
      whileFrozen: async () => {
        await purge(purgeTime);
        testEnv.advance(purgeTime - testEnv.now());
      },
    });
    expect([reached, result.status]).toEqual([true, "fulfilled"]);
    expect(await fixture.objects(upload.id)).toEqual([]);
    expect(await fixture.read(upload.id)).toMatchObject({
      state: { status: call.startsWith("uploadFiles.") ? "waiting" : "failed" },
    });
  },
);

/** What must hold after any fault: a client that repeats the call gets somewhere, and no file outlives the day. */
async function requireCleanEnd(id: string): Promise<void> {
  const repeated = await fixture.finish(id);
  const view = await fixture.read(id);
  if (isRefusal(view)) throw new Error("The upload is gone.");
  expect(view.state.status).not.toBe("waiting");
  if (isRefusal(repeated)) expect(repeated.refused).toMatch(/^(upload_not_found|unsupported_media_type)$/);
  const messages = (await fixture.messages()).filter((message) => message.upload_id === id);
  if (view.state.status === "processing" && !isRefusal(repeated)) expect(messages.length).toBeGreaterThan(0);
  const later = await getUpload(fixture.ports(), fixture.callerFor("live"), id, testEnv.now() + 5 * MINUTE);
  expect(later).toMatchObject({ state: { status: "failed" } });
  await purge(testEnv.now() + 24 * HOUR);
  expect(await fixture.objects(id)).toEqual([]);
}

describe.each(["a photo", "a program"])("the file is %s", (kind) => {
  const bytes = kind === "a photo" ? pngBytes() : programBytes();

  it.each(faultPoints)(
    "finishing an upload in a process that dies or loses an answer (%s) at any call has one end",
    async (faultPoint) => {
      const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
        const upload = await fixture.posted(bytes);
        const [result] = await Promise.allSettled([strike.during(() => fixture.finish(upload.id))]);
        if (!strike.reached()) return;
        if (faultPoint === "lost") expect(result?.status).toBe("fulfilled");
        await requireCleanEnd(upload.id);
      });
      expect(calls).toBeGreaterThanOrEqual(6);
    },
  );

  it.each(["throttle", "fail", "twice"] as const)(
    "finishing an upload whose calls each meet a fault once (%s) succeeds",
    async (fault) => {
      const upload = await fixture.posted(bytes);
      const removals = testEnv.clients.map((client) =>
        injectFaults(client as never, ({ index }) =>
          index === 0 || (index % 2 === 0 && fault !== "throttle") ? fault : "pass",
        ),
      );
      const [result] = await Promise.allSettled([fixture.finish(upload.id)]);
      for (const removeFaults of removals) removeFaults();
      expect(result).toMatchObject({
        status: "fulfilled",
        value: kind === "a photo" ? { state: { status: "processing" } } : { refused: "unsupported_media_type" },
      });
      await requireCleanEnd(upload.id);
    },
  );
});

it.each(faultPoints)(
  "creating an upload in a process that dies or loses an answer (%s) at any call stores all or nothing",
  async (faultPoint) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      fixture = await openUploadFixture(testEnv);
      const [result] = await Promise.allSettled([strike.during(() => fixture.create())]);
      if (!strike.reached()) return;
      const refs = (await queryItems(testEnv.table, fixture.id, "A#upload#")).map(({ SK }) => String(SK));
      expect(refs.length).toBeLessThanOrEqual(1);
      const ids = refs.map((SK) => SK.slice("A#upload#".length));
      for (const id of ids) {
        expect(await fixture.read(id)).toMatchObject({ state: { status: "waiting" } });
        expect(await fixture.objects(id)).toEqual([]);
      }
      if (faultPoint === "lost") expect(result).toMatchObject({ value: { id: ids[0] } });
    });
    expect(calls).toBeGreaterThanOrEqual(3);
  },
);
