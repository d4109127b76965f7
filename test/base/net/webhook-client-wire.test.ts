import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "./receiver.ts";
import { blockLoop, startReceiverThread } from "./starved.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

// How long a receiver takes is measured from the last byte of the request.

const ANSWER_TIMEOUT = 200;
const LONGER = 4 * ANSWER_TIMEOUT;
/** More than the system stores for a connection. */
const LARGE = 24 * 2 ** 20;
const answerTimeout = ANSWER_TIMEOUT;

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function expectInTime(outcome: unknown): void {
  expect(outcome).toMatchObject({ kind: "answered", status: 200, durationMs: expect.any(Number) });
  expect((outcome as { durationMs: number }).durationMs).toBeLessThan(ANSWER_TIMEOUT);
}

test("a lookup that takes longer than an answer may does not count", async () => {
  const receiver = await startReceiver((response) => response.end());
  const resolver = () => wait(LONGER, ["127.0.0.1"]);
  const request = { ...webhookRequest(`http://hooks.example.com:${receiver.port}/`), answerTimeout };
  expectInTime(await openWebhookClient({ resolver }).send(request));
});

test("a request that its receiver reads for longer than an answer may take does not count", async () => {
  let bytes = 0;
  const port = await listen((socket) => {
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes > LARGE) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      else if (performance.now() - startedAt < LONGER) {
        socket.pause();
        setTimeout(() => socket.resume(), LONGER / 20);
      }
    });
  });
  const request = { ...webhookRequest(`http://127.0.0.1:${port}/`), body: "x".repeat(LARGE), answerTimeout };
  const startedAt = performance.now();
  expectInTime(await openWebhookClient().send(request));
  expect(performance.now() - startedAt).toBeGreaterThan(LONGER);
});

test("a request that its receiver never reads ends at the limit of connecting", async () => {
  const port = await listen((socket) => socket.pause());
  const request = { ...webhookRequest(`http://127.0.0.1:${port}/`), body: "x".repeat(LARGE), answerTimeout };
  const outcome = await openWebhookClient({ connectTimeout: LONGER }).send(request);
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  const { durationMs } = outcome as { durationMs: number };
  expect(durationMs).toBeGreaterThanOrEqual(LONGER - 1);
  expect(durationMs).toBeLessThan(5 * LONGER);
});

test("a block of the event loop longer than an answer may take does not count", async () => {
  const receiver = await startReceiverThread(50);
  const client = openWebhookClient();
  const request = { ...webhookRequest(`http://127.0.0.1:${receiver.port}/`), answerTimeout };
  // The second request is sent at once, on the connection of the first.
  await client.send(request);
  const sending = client.send(request);
  await new Promise((resolve) => setImmediate(resolve));
  blockLoop(8 * ANSWER_TIMEOUT);
  expectInTime(await sending);
  expect(await receiver.requests()).toHaveLength(2);
});

test("a receiver that hangs after the request ends the attempt at the limit of the answer", async () => {
  const receiver = await startReceiver(() => {});
  const request = { ...webhookRequest(`http://127.0.0.1:${receiver.port}/`), answerTimeout };
  const outcome = await openWebhookClient().send(request);
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  const { durationMs } = outcome as { durationMs: number };
  expect(durationMs).toBeGreaterThanOrEqual(ANSWER_TIMEOUT - 1);
  expect(durationMs).toBeLessThan(LONGER);
});

test("an answer that comes late counts with its whole time", async () => {
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), LONGER));
  const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
  // A busy machine blocks the loop for a while.
  expect((outcome as { durationMs: number }).durationMs).toBeGreaterThan(LONGER / 2);
});
