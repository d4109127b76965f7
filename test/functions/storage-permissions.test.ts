import { expect, it } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import type { FunctionName } from "#base/config/names.ts";
import { DAY } from "#base/kernel/time.ts";
import { purgeUploads } from "#features/uploads/flows/purge.ts";
import { removeUploads } from "#features/uploads/remove-uploads.ts";
import { copyKey, newUploadId, postedKey } from "#features/uploads/rules/uploads.ts";
import { openHandOverFixture } from "../features/uploads/flows/support/hand-over-fixture.ts";
import { openUploadFixture, programBytes } from "../features/uploads/flows/support/upload-fixture.ts";
import { requiredPermissions } from "../histories/cloud/permissions.ts";
import { grantedPermissions } from "../histories/granted-permissions.ts";
import { synthesizeTemplates } from "../lib/synth-templates.ts";
import { injectFaults } from "../support/faults.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";

// The local stack checks no permissions, so these tests compare the calls to the bucket of uploads with each role's policy.

const testEnv = openedOnce(openTestEnv);

/** What a role needs for the calls to the bucket of uploads during some work. */
async function recordPermissions(work: () => Promise<unknown>): Promise<string[]> {
  const permissions = new Set<string>();
  const end = injectFaults(testEnv.s3 as never, ({ client, command, input }) => {
    for (const permission of requiredPermissions(client, command, input as object)) permissions.add(permission);
    return "pass";
  });
  await work();
  end();
  return [...permissions].sort();
}

/** What a role may do in the bucket of uploads. */
function allowedPermissions(name: FunctionName): string[] {
  const { service } = synthesizeTemplates();
  return grantedPermissions(service, name)
    .filter((permission) => /^s3:\w+ (u\/|h\/|uploads)$/.test(permission))
    .sort();
}

it("the Api role allows exactly the calls of creating and finishing an upload, and the write that a form makes with its permissions", async () => {
  const fixture = await openUploadFixture(testEnv);
  const ports = fixture.ports();
  const withoutQueue = {
    ...ports,
    uploadWork: { ...ports.uploadWork, send: () => Promise.reject(new Error("no queue")) },
  };
  const used = await recordPermissions(async () => {
    expect(await fixture.finish((await fixture.posted()).id)).toHaveProperty("upload");
    const program = await fixture.posted(programBytes());
    expect(await fixture.finish(program.id)).toMatchObject({ refused: "unsupported_media_type" });
    await expect(fixture.finish((await fixture.posted()).id, { ports: withoutQueue })).rejects.toThrow("no queue");
  });
  // S3 answers 404 for a file that is not posted yet only to a role that may list.
  const others = ["s3:PutObject u/", "s3:ListBucket uploads"];
  expect([...used, ...others].sort()).toEqual(allowedPermissions("Api"));
});

it("the Sweep role allows exactly the calls of the purge", async () => {
  const id = newUploadId(testEnv.now());
  const files = openFiles("uploads", testEnv.s3);
  for (const key of [postedKey(id), copyKey({ id, random: "r", name: `${id}.png` })]) {
    await files.put(key, Buffer.from("file"));
  }
  testEnv.advance(2 * DAY);
  const work = () => purgeUploads({ uploadFiles: files, log: () => {} }, testEnv.now(), () => true);
  expect(await recordPermissions(work)).toEqual(allowedPermissions("Sweep"));
});

it("the Erase role allows exactly the calls that remove the files of an upload", async () => {
  const id = newUploadId(testEnv.now());
  const upload = { id, key: { PK: id, SK: id }, copyKey: copyKey({ id, random: "r", name: `${id}.png` }) };
  const { uploadFiles } = testEnv;
  const uploadRemovals = { load: async () => [], remove: async () => [] };
  const used = await recordPermissions(() => removeUploads({ uploadFiles, uploadRemovals }, [upload]));
  expect(used).toEqual(allowedPermissions("Erase"));
});

it("the HandOver role allows exactly the deletion of a copy, and the read that its link makes with its permissions", async () => {
  const fixture = await openHandOverFixture(testEnv);
  await fixture.newUpload();
  let read: Response | undefined;
  fixture.setAnswer(async ({ url }) => {
    read = await fetch(url);
    return { kind: "accepted", attachmentId: "att" };
  });
  const used = await recordPermissions(() => fixture.run());
  expect([read?.status, await read?.text()]).toEqual([200, "file"]);
  expect([...used, "s3:GetObject h/"].sort()).toEqual(allowedPermissions("HandOver"));
});
