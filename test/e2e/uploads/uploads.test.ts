import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, inject, it } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import { acceptedTypes, type ClosedType, maxUploadSize } from "#features/uploads/rules/media-types.ts";
import { typeByBytes } from "#features/uploads/rules/signatures.ts";
import { COPY_PREFIX } from "#features/uploads/rules/uploads.ts";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { zip } from "../../support/files/archive-files.ts";
import { mediaFileOfSize, mediaFiles } from "../../support/files/media-files.ts";
import { corpus } from "../../support/files/program-files.ts";
import { openedOnce } from "../../support/opened.ts";
import { personWrites, sentMessages } from "../support/api-calls.ts";
import { readTable } from "../support/dump-table.ts";
import { failureLines, listBucketKeys, listPutKeys, sentBodies, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import {
  type ClientFile,
  createUpload,
  finishUpload,
  postFile,
  readUpload,
  upload,
  waitForEnd,
} from "./upload-client.ts";

// A file's whole path: grant, form post, checks, hand-over to the simulator, and a sent message. `npm run test:full`
// takes each accepted type and each limit, `npm test` a sample.

const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];
const kinds: readonly MediaType[] = ["image", "video", "audio", "file"];
// The comparison of grants needs no type twice.
const isWhole = inject("fullRun") && process.env.TEST_ACCESS === undefined;
/** In the name and in the content of every file. */
const CANARY = "canary-5b1f09";
/** The extension of every name. */
const CANARY_EXTENSION = "canary";

const withCanary = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(CANARY)]);
const mediaFile = (contentType: ClosedType, size?: number): ClientFile => ({
  filename: `${CANARY} ä.${CANARY_EXTENSION}`,
  contentType,
  bytes: withCanary(
    size === undefined ? mediaFiles[contentType]() : mediaFileOfSize(contentType, size - CANARY.length),
  ),
});
const stack = openedOnce(openSharedStack);
// A key has 600 requests per minute.
beforeEach(async () => {
  if (isWhole) await stack.clock("PT1M");
});

/** The keys of files in the bucket of uploads. */
const storedFiles = () => listBucketKeys(stack.dataDir).filter((key) => /^[uh]\//.test(key));

describe.each(connections)("an upload for an account on %s", (connection) => {
  const accepted = kinds.map((kind) => acceptedTypes(connection, kind));
  const types = isWhole ? accepted.flat() : accepted.flatMap((ofKind) => ofKind.slice(-1));

  it("an upload of each accepted type arrives on the platform and in a sent message", async () => {
    let conversation = "";
    for (const [index, contentType] of types.entries()) {
      // A conversation takes ten messages in ten seconds.
      if (index % 8 === 0) conversation = await personWrites(stack, connection, `Uma ${index} of ${connection}`);
      const file = mediaFile(contentType);
      const { attachment, ...ready } = await upload(stack, conversation, file);
      expect(ready).toEqual({
        id: expect.stringMatching(/^upl_/),
        status: "ready",
        conversation_id: conversation,
        filename: file.filename,
        content_type: contentType,
        size: file.bytes.length,
        type: kinds.find((_, index) => accepted[index]?.includes(contentType)),
      });
      await sendAttachment(conversation, attachment);
    }
    expect(storedFiles()).toEqual([]);
  });

  it.runIf(isWhole).each(kinds)(
    "an upload of the kind %s may have its limit and no byte more",
    async (kind) => {
      const conversation = await personWrites(stack, connection, `Lim of ${connection} ${kind}`);
      const contentType = acceptedTypes(connection, kind)[0] ?? "image/png";
      const limit = maxUploadSize(kind);
      const { status, attachment } = await upload(stack, conversation, mediaFile(contentType, limit));
      expect(status).toBe("ready");
      await sendAttachment(conversation, attachment);

      const larger = mediaFile(contentType, limit + 1);
      const refused = await createUpload(stack, conversation, larger);
      expect([refused.status, refused.body.error.code]).toEqual([413, "attachment_too_large"]);
      const { body } = await createUpload(stack, conversation, { ...larger, size: 1 });
      expect(body.data.upload.max_size).toBe(limit);
      const posted = await postFile(body.data.upload, larger.bytes);
      expect([posted.status, posted.text]).toEqual([400, expect.stringContaining("EntityTooLarge")]);
      expect((await finishUpload(stack, body.data.upload.id)).status).toBe(404);
      expect(await readUpload(stack, body.data.upload.id)).toMatchObject({ status: "waiting" });
      expect(storedFiles()).toEqual([]);
    },
    60_000,
  );

  it("an upload that is not what it claims is refused, consumed and deleted", async () => {
    const conversation = await personWrites(stack, connection, `Fay of ${connection}`);
    const claims = isWhole ? accepted.flat() : (["image/jpeg", "application/pdf"] as const);
    // In both directions: each type with the content of the next one.
    const falseClaims = claims.flatMap((claim, index) => {
      const next = claims[(index + 1) % claims.length] ?? claim;
      return [[claim, next] as const, [next, claim] as const];
    });
    for (const [claim, type] of falseClaims) {
      // An MP4 does not say at its start whether it contains sound only.
      if (claim === "audio/mp4" && type === "video/mp4") continue;
      // One family.
      if (claim.startsWith("video/") && typeByBytes(claim, mediaFile(type).bytes) !== null) continue;
      await expectRefusedContent(conversation, { ...mediaFile(type), contentType: claim });
    }
    expect(storedFiles()).toEqual([]);
  });

  it("an upload of a GIF is refused by Instagram Login only", async () => {
    const conversation = await personWrites(stack, connection, `Gil of ${connection}`);
    const file = mediaFile("image/gif");
    if (connection === "instagram_login") {
      const { status, body } = await createUpload(stack, conversation, file);
      expect([status, body.error.code]).toEqual([415, "unsupported_media_type"]);
    } else {
      const { status, attachment } = await upload(stack, conversation, file);
      expect(status).toBe("ready");
      await sendAttachment(conversation, attachment);
    }
  });

  it("an upload of an archive passes on Messenger only, and of a program nowhere", async () => {
    const conversation = await personWrites(stack, connection, `Pru of ${connection}`);
    const filename = `${CANARY}.${CANARY_EXTENSION}`;
    const archive = { filename, contentType: "application/zip", bytes: withCanary(zip({ a: "b" })) };
    const programs = isWhole ? corpus.slice(0, 3) : corpus.slice(0, 1);
    if (connection === "messenger") {
      const { attachment } = await upload(stack, conversation, archive);
      await sendAttachment(conversation, attachment);
      const pictureAsFile = await upload(stack, conversation, { ...mediaFile("image/png"), type: "file" });
      expect(pictureAsFile.attachment?.type).toBe("file");
      for (const { bytes } of programs)
        await expectRefusedContent(conversation, { ...archive, bytes: withCanary(bytes) });
    } else {
      expect((await createUpload(stack, conversation, archive)).status).toBe(415);
    }
    for (const { filename, contentType, bytes } of programs) {
      const { status, body } = await createUpload(stack, conversation, { filename, contentType, bytes });
      expect([status, body.error.code]).toEqual([415, "unsupported_media_type"]);
    }
  });

  it.runIf(isWhole || connection === "instagram_page")(
    "an upload with a test key takes every check, and its id is sent by a test key only",
    async () => {
      const conversation = await personWrites(stack, connection, `Tess of ${connection}`);
      const testKey = stack.info.test_key;
      const callsBefore = (await sentMessages(stack)).length;
      const { attachment } = await upload(stack, conversation, mediaFile("image/png"), testKey);
      expect(attachment).toEqual({ id: expect.stringMatching(/^mock_att_/), type: "image" });
      const content = {
        conversation_id: conversation,
        attachments: [{ type: "image", attachment_id: attachment?.id }],
      };
      expect((await stack.api("POST", "/v1/messages/reply", content, testKey)).status).toBe(200);
      expect((await stack.api("POST", "/v1/messages/reply", content)).status).toBe(400);
      expect(await sentMessages(stack)).toHaveLength(callsBefore);
    },
  );

  it.runIf(isWhole || connection === "instagram_login")(
    "an upload for one account cannot be sent by another",
    async () => {
      const conversation = await personWrites(stack, connection, `Ona of ${connection}`);
      const other = connections.find((one) => one !== connection) ?? connection;
      const elsewhere = await personWrites(stack, other, `Otto of ${other} for ${connection}`);
      const { attachment } = await upload(stack, conversation, mediaFile("image/jpeg"));
      const attachments = [{ type: "image", attachment_id: attachment?.id }];
      const { status, body } = await stack.api("POST", "/v1/messages/reply", {
        conversation_id: elsewhere,
        attachments,
      });
      expect([status, body.error.code, body.error.detail]).toEqual([
        400,
        "invalid_request",
        expect.stringContaining("attachment"),
      ]);
    },
  );
});

it.runIf(["jq", "curl"].every(isInstalled))("the commands of the guide post a file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-upload-"));
  try {
    const file = mediaFile("application/pdf");
    const created = await createUpload(stack, await personWrites(stack, "messenger", "Gus of the guide"), file);
    writeFileSync(join(folder, "upload.json"), created.text);
    writeFileSync(join(folder, "offer.pdf"), file.bytes);
    const commands = codeBlocks("docs/guides/uploads.md").find(({ language }) => language === "bash");
    const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-euc", commands?.code ?? "exit 1"], {
      cwd: folder,
    });
    expect([status, stdout.toString(), stderr.toString()]).toEqual([0, "", ""]);
    expect((await finishUpload(stack, created.body.data.upload.id)).status).toBe(202);
    await waitForEnd(stack, created.body.data.upload.id);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("nothing of a file's name or content is in a log, a queue message, an audit entry or another row", async () => {
  await waitUntilIdle(stack);
  const items = await readTable(stack);
  const withName = items.filter((item) => JSON.stringify(item).includes(CANARY));
  // The upload itself has the name of its file.
  expect(withName.length).toBeGreaterThan(0);
  expect(withName.map(({ PK }) => PK).filter((key) => !key.startsWith("U#"))).toEqual([]);
  expect(stack.log()).toContain('"event":"');
  expect(stack.log()).not.toContain(CANARY);
  expect(stack.errors()).not.toContain(CANARY);
  expect(failureLines(stack.log())).toEqual([]);
  const bodies = sentBodies(stack.dataDir, () => true);
  expect(bodies.some((body) => body.includes("upl_"))).toBe(true);
  expect(bodies.filter((body) => body.includes(CANARY))).toEqual([]);
  expect((await stack.api("GET", "/v1/audit?limit=100")).text).not.toContain(CANARY);
  const keys = listPutKeys(stack.dataDir);
  expect(keys.some((key) => key.startsWith(COPY_PREFIX) && key.endsWith(".bin"))).toBe(true);
  expect(keys.filter((key) => key.includes("canary"))).toEqual([]);
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

/** Uploads a file that is refused when it is finished. */
async function expectRefusedContent(conversation: string, file: ClientFile): Promise<void> {
  const { body } = await createUpload(stack, conversation, file);
  const grant = body.data.upload;
  expect((await postFile(grant, file.bytes)).status).toBe(204);
  const finished = await finishUpload(stack, grant.id);
  expect([finished.status, finished.body.error.code]).toEqual([415, "unsupported_media_type"]);
  expect(finished.text).not.toContain(CANARY);
  expect(await readUpload(stack, grant.id)).toMatchObject({
    status: "failed",
    error: { code: "unsupported_media_type" },
  });
  expect((await finishUpload(stack, grant.id)).status).toBe(404);
}

/** Sends an attachment as a reply, and checks what the platform got. */
async function sendAttachment(
  conversation: string,
  attachment: { id: string; type: string } | undefined,
): Promise<void> {
  const attachments = [{ type: attachment?.type, attachment_id: attachment?.id }];
  const { status, text, body } = await stack.api("POST", "/v1/messages/reply", {
    conversation_id: conversation,
    attachments,
  });
  expect([status, text]).toEqual([200, expect.any(String)]);
  const { sent } = await stack.sim<{ sent: { mid: string; request: unknown }[] }>("GET", "/sent");
  const message = sent.find(({ mid }) => mid === body.data.platform_message_id);
  expect(JSON.stringify(message?.request)).toContain(`"attachment_id":"${attachment?.id}"`);
}
