import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { Parley, type Progress, verifyWebhook } from "#client";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { mediaFiles } from "../../support/files/media-files.ts";
import { openedOnce } from "../../support/opened.ts";
import { createTestWebhook, openClient, personWrites } from "../support/api-calls.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

// The client against the whole stack.

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);

it("the first program of the README and of the guide replies to the unanswered conversation", async () => {
  const [program = "", sameProgram] = ["packages/client/README.md", "docs/guides/client.md"].map(
    (page) => codeBlocks(page).find(({ language }) => language === "ts")?.code,
  );
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(10);
  expect(sameProgram).toBe(program);
  await personWrites(stack, "messenger", "Ann", "Is the coat ready?");
  const folder = mkdtempSync(join(tmpdir(), "parley-first-reply-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const main = join(folder, "reply.mjs");
  buildSync({
    stdin: { contents: program, loader: "ts", resolveDir: folder },
    alias: { "@parley/client": fileURLToPath(new URL("../../../packages/client/src/index.ts", import.meta.url)) },
    outfile: main,
    bundle: true,
    format: "esm",
    platform: "node",
  });
  const env = { ...process.env, PARLEY_URL: stack.info.base_url, PARLEY_KEY: stack.info.live_key };
  const { stdout } = await promisify(execFile)(process.execPath, [main], { env });
  expect(stdout).toMatch(/^Ann: Is the coat ready\?\nReplied with \S+\.\n$/);
  const replyId = /Replied with (\S+)\./.exec(stdout)?.[1] ?? "";
  const { message } = await openClient(stack).messages.get(replyId);
  expect(message).toMatchObject({ direction: "outbound", text: "Thank you for your message." });
});

it("the client uploads a file, sends it, and verifies the webhook of that message", async () => {
  const parley = openClient(stack);
  const { secret } = await createTestWebhook(stack, receiver.url, ["message.sent"]);
  await personWrites(stack, "messenger", "Bea", "Send me the picture.");
  const [conversation] = (await parley.conversations.list()).conversations;
  const conversation_id = conversation?.id ?? "";
  const file = new File([new Uint8Array(mediaFiles["image/png"]())], "coat.png", { type: "image/png" });
  const reports: Progress[] = [];
  const onProgress = (progress: Progress) => reports.push(progress);
  const { attachment } = await parley.attachments.upload({ conversation_id, file }, { onProgress });
  expect(attachment.type).toBe("image");
  expect(reports.at(-1)?.loaded).toBe(reports.at(-1)?.total);
  const attachments = [{ type: attachment.type, attachment_id: attachment.id }];
  const { platform_message_id } = await parley.messages.reply({ conversation_id, attachments });

  // Echoes of earlier replies may still arrive.
  const { raw, headers } = await waitFor("the delivery", () =>
    receiver.deliveries.find(({ event }) => event.data.message.id === platform_message_id),
  );
  const event = await verifyWebhook({ body: raw, headers }, secret, { now: await stack.now() });
  expect(event).toMatchObject({ type: "message.sent", data: { message: { id: platform_message_id } } });
  const forged = verifyWebhook({ body: Buffer.concat([raw, raw]), headers }, secret, { now: await stack.now() });
  await expect(forged).rejects.toMatchObject({ code: "signature_invalid" });
});

it("the client reports the events of the stream from hello on, until it is closed", async () => {
  const reports: string[] = [];
  const stream = openClient(stack).connect({
    onHello: () => reports.push("hello"),
    onEvent: ({ type }) => reports.push(type),
    onError: ({ code }) => reports.push(`error ${code}`),
    onClose: (error) => reports.push(`closed ${error?.code}`),
  });
  await waitFor("hello", () => reports.includes("hello"));
  await personWrites(stack, "messenger", "Cem", "Is anyone there?");
  const expected = ["message.received", "conversation.updated"];
  await waitFor("the events of the message", () => expected.every((type) => reports.includes(type)));
  expect(reports[0]).toBe("hello");
  stream.close();
  await waitFor("the end of the stream", () => reports.includes("closed undefined"));
  expect(reports.filter((report) => report.startsWith("error"))).toEqual([]);
});

it("the client waits for an upload by the frames of its stream, without a poll", async () => {
  const operations: string[] = [];
  const { base_url: baseUrl, live_key: apiKey } = stack.info;
  const parley = new Parley({ baseUrl, apiKey, onResponse: ({ operation }) => operations.push(operation) });
  const conversation_id = await personWrites(stack, "messenger", "Dee", "And the other picture?");
  const realtime = parley.connect({ onEvent: () => undefined });
  onTestFinished(() => realtime.close());
  await waitFor("the stream", () => realtime.isOpen);
  const file = new File([new Uint8Array(mediaFiles["image/png"]())], "coat.png", { type: "image/png" });
  const { attachment } = await parley.attachments.upload({ conversation_id, file }, { realtime });
  expect(attachment.type).toBe("image");
  expect(operations).toEqual(["POST /v1/realtime/ticket", "POST /v1/attachments/uploads", "POST /v1/attachments"]);
});

it("the client throws what the stack refuses", async () => {
  const wrongKey = openClient(stack, "svc_live_wrong").conversations.list();
  await expect(wrongKey).rejects.toMatchObject({
    code: "unauthorized",
    status: 401,
    correlationId: expect.any(String),
  });
  const unknown = openClient(stack).conversations.get("CONV#demo#messenger#1#2");
  await expect(unknown).rejects.toMatchObject({ code: "conversation_not_found", status: 404 });
});
