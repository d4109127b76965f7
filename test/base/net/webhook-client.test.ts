import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

const KIB = 1024;

test("the request is one POST with the unchanged body, the given headers and the client's own", async () => {
  const receiver = await startReceiver((response) => response.end());
  const webhookClient = openWebhookClient({ version: "7.8.9" });
  const body = '{"text":"naïve ☕"}';
  await webhookClient.send({ ...webhookRequest(`http://127.0.0.1:${receiver.port}/a/b?c=d`), body });
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]).toMatchObject({ method: "POST", url: "/a/b?c=d", body });
  expect(receiver.requests[0]?.headers).toMatchObject({
    host: `127.0.0.1:${receiver.port}`,
    "webhook-id": "evt_1",
    "content-type": "application/json",
    "user-agent": "Parley/7.8.9",
    "accept-encoding": "identity",
    "content-length": String(Buffer.byteLength(body)),
  });
});

test("the request with an invalid header throws, and nothing is sent", async () => {
  const receiver = await startReceiver((response) => response.end());
  const request = { ...webhookRequest(`http://127.0.0.1:${receiver.port}/`), headers: { "x-a": "1\r\nx-b: 2" } };
  await expect(openWebhookClient().send(request)).rejects.toThrow("invalid");
  expect(receiver.requests).toEqual([]);
});

describe("statuses", () => {
  test.each([200, 201, 204, 299, 300, 304, 400, 401, 404, 410, 429, 500, 503])(
    "%i is returned unchanged",
    async (status) => {
      const receiver = await startReceiver((response) => response.writeHead(status).end());
      expect(await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`))).toEqual({
        kind: "answered",
        status,
        retryAfter: null,
        durationMs: expect.any(Number),
      });
    },
  );

  test("Retry-After is returned in milliseconds from now, given as seconds or as a date", async () => {
    const now = Date.parse("2026-03-01T12:00:00Z");
    const waits = ["90", "Sun, 01 Mar 2026 12:02:00 GMT", "whenever"];
    const receiver = await startReceiver((response) => {
      response.writeHead(429, { "retry-after": waits[receiver.requests.length - 1] }).end();
    });
    const webhookClient = openWebhookClient({ now: () => now });
    const outcomes = [];
    for (const _ of waits)
      outcomes.push(await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`)));
    expect(outcomes).toMatchObject([{ retryAfter: 90_000 }, { retryAfter: 120_000 }, { retryAfter: null }]);
  });

  test("interim responses are skipped, with any content", async () => {
    const receiver = await startReceiver((_response, _request, socket) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nretry-after: 9\r\n\r\n".repeat(3));
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status: 200, retryAfter: null });
  });

  test.each([301, 302, 303, 307, 308])("a %i is never followed", async (status) => {
    const target = await startReceiver((response) => response.end());
    const receiver = await startReceiver((response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${target.port}/latest/meta-data/` }).end();
    });
    const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status });
    expect(receiver.requests).toHaveLength(1);
    expect(target.connections()).toBe(0);
  });
});

describe("responses that are too large", () => {
  test.each([
    [64 * KIB, { kind: "answered", status: 200 }],
    [64 * KIB + 1, { kind: "no_answer", error: "too_large" }],
  ])("a 2xx with %i bytes", async (size, outcome) => {
    const receiver = await startReceiver((response) => response.end(Buffer.alloc(size)));
    expect(await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`))).toMatchObject(outcome);
  });

  test.each([
    [200, { kind: "no_answer", error: "too_large" }],
    [500, { kind: "answered", status: 500 }],
    [410, { kind: "answered", status: 410 }],
  ])("an endless body under a %i is aborted shortly after the cap", async (status, outcome) => {
    let onClose: (value: unknown) => void = () => {};
    const closed = new Promise((resolve) => {
      onClose = resolve;
    });
    const block = Buffer.alloc(64 * KIB);
    const receiver = await startReceiver((response, _request, socket) => {
      socket.on("close", onClose);
      response.writeHead(status, { "content-length": 1024 * KIB * KIB });
      const writeBlocks = () => {
        while (!socket.destroyed && response.write(block));
        response.once("drain", writeBlocks);
      };
      writeBlocks();
    });
    const before = process.memoryUsage().rss;
    expect(await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`))).toMatchObject(outcome);
    await closed;
    // The kernel buffers what was written but not read.
    expect(receiver.bytesWritten()).toBeLessThan(16 * KIB * KIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * KIB * KIB);
  });

  test.each([
    ["in chunks", "transfer-encoding: chunked\r\n\r\n", `${(64 * KIB).toString(16)}\r\n${"a".repeat(64 * KIB)}\r\n`],
    ["until its connection ends", "connection: close\r\n\r\n", "a".repeat(64 * KIB)],
  ])("an endless body that arrives %s is aborted, too", async (_name, framing, block) => {
    let onClose: (value: unknown) => void = () => {};
    const closed = new Promise((resolve) => {
      onClose = resolve;
    });
    const receiver = await startReceiver((_response, _request, socket) => {
      socket.on("close", onClose);
      socket.write(`HTTP/1.1 200 OK\r\n${framing}`);
      const writeBlocks = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on("drain", writeBlocks);
      writeBlocks();
    });
    const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "too_large" });
    await closed;
    expect(receiver.bytesWritten()).toBeLessThan(16 * KIB * KIB);
  });

  test("a gzip bomb is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(32 * KIB * KIB));
    expect(bomb.byteLength).toBeLessThan(64 * KIB);
    const receiver = await startReceiver((response) => response.setHeader("content-encoding", "gzip").end(bomb));
    const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
  });

  test.each([
    [8, { kind: "answered", status: 200 }],
    [64, { kind: "no_answer", error: "too_large" }],
  ])("%i KiB of headers", async (size, outcome) => {
    const receiver = await startReceiver((_response, _request, socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(size * KIB)}\r\ncontent-length: 0\r\n\r\n`);
    });
    expect(await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`))).toMatchObject(outcome);
  });
});

describe("broken responses", () => {
  test.each([
    ["a reset before any byte", ""],
    ["an interim response with nothing after it", "HTTP/1.1 103 Early Hints\r\n\r\n"],
    ["a response that is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    [
      "an upgrade that was not requested",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    ],
    ["a 2xx whose body is cut short", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"],
    [
      "a 2xx whose trailers are beyond the cap",
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-long: ${"a".repeat(64 * KIB)}\r\n\r\n`,
    ],
  ])("%s is a connection failure", async (_name, bytes) => {
    const receiver = await startReceiver((_response, _request, socket) => {
      if (bytes === "") socket.resetAndDestroy();
      else socket.end(bytes);
    });
    const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "connect" });
  });

  test("another status stands although its body is cut short", async () => {
    const receiver = await startReceiver((_response, _request, socket) => {
      socket.end("HTTP/1.1 503 No\r\nretry-after: 3\r\ncontent-length: 10\r\n\r\nabc");
    });
    const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status: 503, retryAfter: 3_000 });
  });

  test("a port without a listener is a connection failure", async () => {
    const outcome = await openWebhookClient().send(webhookRequest("http://127.0.0.1:1/"));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "connect" });
  });
});
