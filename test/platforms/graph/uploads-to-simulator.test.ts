import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { openUploadLinks } from "#base/aws/upload-files.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import type { UploadOutcome } from "#platforms/graph/platform.ts";
import { platformFor } from "#platforms/platforms.ts";
import { startEmulatorFixture } from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import {
  simulatorUpstream,
  startTestSimulator,
  startWebhookReceiver,
  testAccounts,
} from "../../packages/simulator/simulator-fixture.ts";
import { openedOnce } from "../../support/opened.ts";

// Uploads to the simulator, which fetches each file from storage by its signed URL.

const BUCKET = "uploads";
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), Buffer.alloc(100)]);
const mp4 = Buffer.concat([Buffer.alloc(4), Buffer.from("ftypisom"), Buffer.alloc(100)]);

const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  setRuntimeOverrides({ now: fixture.now });
  await fixture.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
});
afterAll(async () => {
  setRuntimeOverrides({});
});

type Name = keyof typeof testAccounts;
const names = ["login", "viaPage", "messenger"] as const;

/** A simulator and the connector of one of its accounts. */
async function connectSimulator(name: Name) {
  const simulator = await startTestSimulator((await startWebhookReceiver()).url);
  const { person } = await simulator.personSends(name);
  const { connection, token, externalId, pageId } = testAccounts[name];
  const platform = platformFor(connection, simulatorUpstream(simulator), platformHttp());
  const account = { platform: name === "messenger" ? "messenger" : "instagram", externalId, pageId } as const;
  const noLimit = { leavesBy: Number.POSITIVE_INFINITY, endsBy: Number.POSITIVE_INFINITY };
  return {
    upload: (type: MediaType, url: string): Promise<UploadOutcome> =>
      platform.upload(account, token, { type, url, ...noLimit }),
    send: (type: MediaType, attachmentId: string) =>
      platform.send(account, token, {
        recipientId: person as string,
        content: { kind: "attachments", attachments: [{ type, attachmentId }] },
        humanAgent: false,
        replyTo: null,
        metadata: "snd_1",
        ...noLimit,
      }),
  };
}

/** Stores a checked copy. @returns its key and its link */
async function storeCopy(name: string, ContentType: string, Body: Buffer) {
  const Key = `h/2026-11-22T20/${name}/upl_01M7ZAN532DXZZ1TKP6RZ0YEPG.bin`;
  await fixture.s3.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body, ContentType }));
  return { key: Key, url: await openUploadLinks(BUCKET, fixture.s3).readUrl(Key, 5 * MINUTE) };
}

test.each(names)("an image and a video are fetched by their links and can be sent (%s)", async (name) => {
  const { upload, send } = await connectSimulator(name);
  for (const [type, contentType, bytes] of [
    ["image", "image/png", png],
    ["video", "video/mp4", mp4],
  ] as const) {
    const { url } = await storeCopy(`${name}-${type}`, contentType, bytes);
    const outcome = await upload(type, url);
    expect(outcome).toEqual({ kind: "accepted", attachmentId: expect.stringMatching(/^\d{17}$/) });
    if (outcome.kind !== "accepted") return;
    expect(await send(type, outcome.attachmentId)).toMatchObject({ kind: "accepted" });
  }
});

test.each(names)(
  "a link that has expired, or whose file is gone, is refused so that another call may pass (%s)",
  async (name) => {
    const { upload } = await connectSimulator(name);
    const notFetched = { kind: "refused", class: "invalid", code: 100, subcode: 2018008, transient: true };
    const expired = await storeCopy(`${name}-expired`, "image/png", png);
    fixture.advance(5 * MINUTE + SECOND);
    expect(await upload("image", expired.url)).toMatchObject(notFetched);
    const gone = await storeCopy(`${name}-gone`, "image/png", png);
    await openFiles(BUCKET, fixture.s3).remove(gone.key);
    expect(await upload("image", gone.url)).toMatchObject(notFetched);
  },
);

test.each(names)("a file of another type is refused, and no other call may pass (%s)", async (name) => {
  const { upload } = await connectSimulator(name);
  const { url } = await storeCopy(`${name}-type`, "video/mp4", mp4);
  expect(await upload("image", url)).toMatchObject({ kind: "refused", subcode: 2018047, transient: false });
});
