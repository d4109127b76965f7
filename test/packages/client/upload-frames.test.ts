import { afterEach, beforeEach, expect, test } from "vitest";
import { Parley, type RealtimeConnection, type UploadOptions } from "#client";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { failureOf, hang, ok, type Step, startScriptedServer, text } from "./support/scripted-server.ts";
import { eventFrame, helloFrame, startStreamServer } from "./support/stream-server.ts";
import { TestClock } from "./support/test-clock.ts";

// An upload whose end a frame of the stream reports, and every way in which that frame may be missing.

const COVERED_POLL = 30_000;
let clock: TestClock;
let parley: Parley;
let stream: RealtimeConnection;
/** What the stream reported to its own callbacks. */
let reports: string[];

const server = openedOnce(startScriptedServer);
const streams = openedEach(startStreamServer);
beforeEach(async () => {
  clock = new TestClock();
  parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 1 });
  reports = [];
  stream = new Parley({ baseUrl: streams.url, apiKey: "svc_live_k", clock, random: () => 1 }).connect({
    onEvent: ({ id }) => reports.push(id),
    onHello: ({ connection_id }) => reports.push(connection_id),
    pingIntervalMs: 100_000_000,
  });
  await hello(1);
});
afterEach(async () => {
  stream.close();
  await streams[Symbol.asyncDispose]();
});

const poll = <T>(read: () => T) => expect.poll(read, { interval: 5, timeout: 5_000 });
/** Accepts the next connection of the stream. */
async function hello(count: number): Promise<void> {
  await poll(() => streams.sockets.length).toBe(count);
  streams.sockets[count - 1]?.send(helloFrame(`c${count}`));
  await poll(() => reports).toContain(`c${count}`);
}
/** Waits for a timer, then turns the clock to it. */
async function passTime(ms: number): Promise<void> {
  await poll(() => clock.pending).toContain(ms);
  clock.advance(ms);
}

let frames = 0;
/** Sends a frame, and waits until the client has it. */
async function sendFrame(upload: unknown): Promise<void> {
  frames += 1;
  const id = `evt_${frames}`;
  const frame = { ...JSON.parse(eventFrame(id, "upload.updated")), data: upload === undefined ? {} : { upload } };
  streams.sockets.at(-1)?.send(JSON.stringify(frame));
  await poll(() => reports).toContain(id);
}

const file = { conversation_id: "c", file: new Uint8Array(9), filename: "offer.pdf", content_type: "application/pdf" };
const grant: Step = (response, request) =>
  ok({ upload: { id: "upl_1", url: `${server.url}/storage`, fields: {}, method: "POST" } }, 201)(response, request);
const posted = text(204, "");
const finish = ok({ upload: { id: "upl_1", status: "processing" } }, 202);
const attachment = { id: "185", type: "file" };
const processing = { id: "upl_1", status: "processing" };
const ready = { id: "upl_1", status: "ready", attachment };
const read = (upload: object) => ok({ upload });
const upload = (options: UploadOptions = {}) => parley.attachments.upload(file, { realtime: stream, ...options });
const requests = () => server.requests.map(({ method, url }) => `${method} ${url}`);
const WRITES = ["POST /v1/attachments/uploads", "POST /storage", "POST /v1/attachments"];
const READ = "GET /v1/attachments/uploads/upl_1";

test("a frame ends the upload without a poll, and frames of other uploads and states do not", async () => {
  server.play(grant, posted, finish, read(processing));
  const result = upload();
  await poll(() => clock.pending).toContain(COVERED_POLL);
  for (const frame of [undefined, null, { ...ready, id: "upl_2" }, processing, { ...ready, attachment: undefined }])
    await sendFrame(frame);
  expect(clock.pending).toContain(COVERED_POLL);
  await sendFrame(ready);
  expect(await result).toEqual(ready);
  expect(requests()).toEqual(WRITES);
  expect(clock.pending).not.toContain(COVERED_POLL);
});

test("a frame that comes before the response to the finished upload ends it", async () => {
  server.play(
    grant,
    posted,
    (response, request) => void sendFrame(ready).then(() => finish(response, request)),
    read(processing),
  );
  expect(await upload()).toEqual(ready);
  expect(requests()).toEqual(WRITES);
});

test("a frame of a failed upload throws its error", async () => {
  server.play(grant, posted, finish, read(processing));
  const result = failureOf(upload());
  await poll(() => clock.pending).toContain(COVERED_POLL);
  await sendFrame({ ...processing, status: "failed", error: { code: "send_failed", message: "No.", detail: "why" } });
  expect(await result).toMatchObject({ code: "send_failed", message: "No.", detail: "why", status: null });
});

test("a frame that is lost is replaced by a poll every 30 seconds", async () => {
  server.play(grant, posted, finish, read(processing), read(ready));
  const result = upload();
  await passTime(COVERED_POLL);
  await server.arrived(4);
  await passTime(COVERED_POLL);
  expect(await result).toEqual(ready);
  expect(requests()).toEqual([...WRITES, READ, READ]);
});

test("a frame ends the upload while a poll hangs", async () => {
  server.play(grant, posted, finish, hang);
  const result = upload();
  await passTime(COVERED_POLL);
  await server.arrived(4);
  await sendFrame(ready);
  expect(await result).toEqual(ready);
  expect(clock.pending).not.toContain(31_000);
});

test("an upload is polled as ever while its stream is not open, and by frames again after a poll of an open one", async () => {
  server.play(grant, posted, finish, read(processing));
  const result = upload();
  await poll(() => clock.pending).toContain(COVERED_POLL);
  clock.advance(1);
  streams.sockets[0]?.terminate();
  // The wait for a frame ends at once.
  for (const [index, waitMs] of [1_000, 1_500].entries()) {
    if (waitMs === 1_500) await hello(2);
    await passTime(waitMs);
    await server.arrived(4 + index);
  }
  await poll(() => clock.pending).toContain(COVERED_POLL);
  expect(requests()).toEqual([...WRITES, READ, READ]);
  await sendFrame(ready);
  expect(await result).toEqual(ready);
  expect(requests()).toEqual([...WRITES, READ, READ]);
});

test("the hello of a renewal is followed by a poll, because a frame before it may be missing", async () => {
  clock.advance(7_200_000 * 0.95 - 10_000);
  server.play(grant, posted, finish, read(ready));
  const result = upload();
  await poll(() => clock.pending).toContain(COVERED_POLL);
  await passTime(10_000);
  await hello(2);
  await passTime(1_000);
  expect(await result).toEqual(ready);
  expect(requests()).toEqual([...WRITES, READ]);
});

test("a stream that is closed leaves the upload to polls", async () => {
  server.play(grant, posted, finish, read(ready));
  const result = upload();
  await poll(() => clock.pending).toContain(COVERED_POLL);
  stream.close();
  await passTime(1_000);
  expect(await result).toEqual(ready);
});

test("an aborted signal ends the wait for a frame", async () => {
  server.play(grant, posted, finish, read(processing));
  const controller = new AbortController();
  const result = failureOf(upload({ signal: controller.signal }));
  await poll(() => clock.pending).toContain(COVERED_POLL);
  controller.abort("enough");
  expect(await result).toMatchObject({ code: "aborted", cause: "enough" });
  expect(clock.pending).not.toContain(COVERED_POLL);
  expect(requests()).toEqual(WRITES);
});

test("a time-out names the upload, which was polled at half of the time that remained", async () => {
  server.play(grant, posted, finish, read(processing));
  const result = failureOf(upload({ timeoutMs: 20_000 }));
  for (const [index, waitMs] of [10_000, 5_000, 2_500, 1_250].entries()) {
    await passTime(waitMs);
    await server.arrived(4 + index);
  }
  await passTime(1_000);
  expect(await result).toMatchObject({ code: "timeout", detail: "upl_1" });
  expect(requests()).toEqual([...WRITES, ...Array(5).fill(READ)]);
});

test("a wait for a finished upload polls first, because its frame may have come before", async () => {
  server.play(read(processing));
  const result = parley.attachments.waitForUpload("upl_1", { realtime: stream });
  await passTime(1_000);
  await server.arrived(1);
  await poll(() => clock.pending).toContain(COVERED_POLL);
  await sendFrame(ready);
  expect(await result).toEqual(ready);
  expect(requests()).toEqual([READ]);
});

test("an upload that failed before it was finished leaves the stream as it was", async () => {
  server.play(grant, text(403, "<Error><Code>EntityTooLarge</Code></Error>"));
  expect(await failureOf(upload())).toMatchObject({ code: "upload_refused" });
  await sendFrame(ready);
  expect(stream.state).toBe("open");
});
