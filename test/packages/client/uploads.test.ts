import { beforeEach, describe, expect, test } from "vitest";
import { Parley, type ParleyError, type Progress } from "#client";
import { openedOnce } from "../../support/opened.ts";
import {
  disconnect,
  fail,
  failureOf,
  hang,
  ok,
  type Step,
  startScriptedServer,
  text,
} from "./support/scripted-server.ts";
import { TestClock } from "./support/test-clock.ts";

/** Between polls, and before the retries of a poll. */
const WAITS = [1_000, 1_500, 2_250, 3_375, 5_000, 2_500];
let clock: TestClock;
let parley: Parley;
const server = openedOnce(startScriptedServer);
beforeEach(() => {
  clock = new TestClock((delayMs) => WAITS.includes(delayMs));
  parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 1 });
});

const content = new Uint8Array(200_000).fill(37);
const file = { conversation_id: "c", file: content, filename: "offer ü.pdf", content_type: "application/pdf" };
const grant: Step = (response, request) =>
  ok(
    { upload: { id: "upl_1", url: `${server.url}/storage`, fields: { key: "u/1", policy: "p" }, method: "POST" } },
    201,
  )(response, request);
const posted = text(204, "");
const state = (status: string, more: object = {}) => ok({ upload: { id: "upl_1", status, ...more } });
const attachment = { id: "185", type: "file" };
test("the client creates the upload, posts the file, finishes it and waits until it is ready", async () => {
  const wait = state("processing");
  const finish = ok({ upload: { id: "upl_1", status: "processing" } }, 202);
  server.play(grant, posted, finish, wait, wait, wait, wait, wait, wait, state("ready", { attachment }));
  expect(await parley.attachments.upload(file)).toMatchObject({ id: "upl_1", attachment });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /v1/attachments/uploads",
    "POST /storage",
    "POST /v1/attachments",
    ...Array(7).fill("GET /v1/attachments/uploads/upl_1"),
  ]);
  const [create, post, finished] = server.requests;
  expect(JSON.parse(String(create?.body))).toEqual({
    conversation_id: "c",
    filename: "offer ü.pdf",
    content_type: "application/pdf",
    size: 200_000,
  });
  expect(JSON.parse(String(finished?.body))).toEqual({ upload_id: "upl_1" });
  expect(post?.headers).not.toHaveProperty("authorization");
  expect(clock.waits).toEqual([1_000, 1_500, 2_250, 3_375, 5_000, 5_000, 5_000]);
  expect(clock.pending).toEqual([]);
});

async function postedForm(): Promise<FormData> {
  const [, post] = server.requests;
  const headers = { "content-type": String(post?.headers["content-type"]) };
  return new Response(new Uint8Array(post?.body ?? []), { headers }).formData();
}

test.each([
  ["without progress", undefined],
  ["with progress", () => undefined],
])("the posted form has every field, then the file, and its length: %s", async (_, onProgress) => {
  server.play(grant, posted, state("processing"), state("ready", { attachment }));
  await parley.attachments.upload(file, { onProgress });
  const form = await postedForm();
  expect([...form.keys()]).toEqual(["key", "policy", "file"]);
  const sent = form.get("file") as File;
  expect({ name: sent.name, size: sent.size }).toEqual({ name: "offer ü.pdf", size: 200_000 });
  expect(new Uint8Array(await sent.arrayBuffer())).toEqual(content);
  expect(server.requests[1]?.headers["content-length"]).toBe(String(server.requests[1]?.body.byteLength));
});

test("the posted form reports how much was sent", async () => {
  server.play(grant, posted, state("processing"), state("ready", { attachment }));
  const reports: Progress[] = [];
  await parley.attachments.upload(file, { onProgress: (progress) => reports.push(progress) });
  const total = server.requests[1]?.body.byteLength ?? 0;
  expect(reports.map(({ loaded }) => loaded)).toEqual([65_536, 131_072, 196_608, total]);
  expect(new Set(reports.map((progress) => progress.total))).toEqual(new Set([total]));
});

test("the posted form takes name and type of a File", async () => {
  server.play(grant, posted, state("processing"), state("ready", { attachment }));
  const picture = new File(["x"], "picture.png", { type: "image/png" });
  await parley.attachments.upload({ conversation_id: "c", file: picture, type: "file" });
  expect(JSON.parse(String(server.requests[0]?.body))).toEqual({
    conversation_id: "c",
    filename: "picture.png",
    content_type: "image/png",
    size: 1,
    type: "file",
  });
});

describe("an upload that fails", () => {
  test.each<[string, Step[], Partial<ParleyError>, number]>([
    [
      "when it is created",
      [fail(413, { code: "attachment_too_large" })],
      { code: "attachment_too_large", status: 413 },
      1,
    ],
    [
      "at storage",
      [grant, text(403, "<Error><Code>EntityTooLarge</Code></Error>")],
      { code: "upload_refused", status: 403, detail: "EntityTooLarge" },
      2,
    ],
    [
      "at storage, which answers in HTML",
      [grant, text(500, "<html>no")],
      { code: "upload_refused", status: 500, detail: "<html>no" },
      2,
    ],
    ["in the connection to storage", [grant, disconnect], { code: "connection_failed", status: null }, 2],
    [
      "when it is finished",
      [grant, posted, fail(415, { code: "unsupported_media_type" })],
      { code: "unsupported_media_type" },
      3,
    ],
    ["at the end of a lost response", [grant, posted, disconnect], { code: "connection_failed" }, 3],
    [
      "at the platform",
      [
        grant,
        posted,
        state("processing"),
        state("failed", { error: { code: "send_failed", message: "Refused.", detail: "too long" } }),
      ],
      { code: "send_failed", message: "Refused.", detail: "too long", status: null },
      4,
    ],
  ])("%s throws, and repeats no write", async (_, steps, expected, requests) => {
    server.play(...steps, text(500, ""));
    const error = await failureOf(parley.attachments.upload(file, { onProgress: () => undefined }));
    expect(error).toMatchObject({ name: "ParleyError", ...expected });
    expect(server.requests).toHaveLength(requests);
  });
});

test("a poll is retried like any read", async () => {
  server.play(text(429, "", { "retry-after": "2" }), disconnect, state("ready", { attachment }));
  expect(await parley.attachments.waitForUpload("upl_1")).toMatchObject({ attachment });
  expect(clock.waits).toEqual([1_000, 2_500, 1_000]);
});

test("the whole upload ends after ten minutes, and names itself", async () => {
  server.play(grant, posted, state("processing"));
  const error = await failureOf(parley.attachments.upload(file));
  expect(error).toMatchObject({ code: "timeout", detail: "upl_1" });
  const waited = clock.waits.reduce((sum, delayMs) => sum + delayMs, 0);
  expect(waited).toBeLessThan(600_000);
  expect(waited).toBeGreaterThan(594_000);
});

describe("a time-out", () => {
  const steps: [string, Step[]][] = [
    ["while the file is posted", [grant, hang]],
    ["while the upload is finished", [grant, posted, hang]],
    ["within a poll", [grant, posted, state("processing"), hang]],
  ];

  test.each(steps)("%s names the upload", async (_, script) => {
    server.play(...script);
    const upload = failureOf(parley.attachments.upload(file, { timeoutMs: 20_000 }));
    await server.arrived(script.length);
    clock.advance(20_000);
    expect(await upload).toMatchObject({ name: "ParleyError", code: "timeout", status: null, detail: "upl_1" });
    expect(server.requests).toHaveLength(script.length);
    expect(clock.pending).toEqual([]);
  });

  test("a time-out of a wait for an upload names it, within a poll and between two", async () => {
    server.play(hang);
    const wait = failureOf(parley.attachments.waitForUpload("upl_2", { timeoutMs: 20_000 }));
    await server.arrived(1);
    clock.advance(20_000);
    expect(await wait).toMatchObject({ code: "timeout", detail: "upl_2" });
    server.play(state("processing"));
    const short = failureOf(parley.attachments.waitForUpload("upl_3", { timeoutMs: 2_000 }));
    expect(await short).toMatchObject({ code: "timeout", detail: "upl_3" });
  });

  test("a time-out before the upload is created names none", async () => {
    server.play(hang);
    const upload = failureOf(parley.attachments.upload(file, { timeoutMs: 20_000 }));
    await server.arrived(1);
    clock.advance(20_000);
    expect(await upload).toMatchObject({ code: "timeout", detail: "" });
  });
});

test("an aborted signal ends the post of the file", async () => {
  server.play(grant, hang);
  const controller = new AbortController();
  const upload = failureOf(parley.attachments.upload(file, { signal: controller.signal }));
  await server.arrived(2);
  controller.abort();
  expect(await upload).toMatchObject({ code: "aborted" });
  expect(server.requests).toHaveLength(2);
});
