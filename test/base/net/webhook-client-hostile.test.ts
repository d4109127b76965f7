import { spawn } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { endlessResponses, interimResponses, slowDrip, startHostileReceiver } from "../../support/hostile-receivers.ts";
import { hasOpenssl, type Identity, selfSigned } from "./certificates.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

const KIB = 1024;
const HOST = "hooks.example.com";
const resolver = async () => ["127.0.0.1"];

/** The client's own sockets. Their `bytesRead` is what it took from the network, before TLS and HTTP. */
const clientSockets: Socket[] = [];
const onSocket = (message: unknown) => clientSockets.push((message as { socket: Socket }).socket);
const socketChannel = channel("net.client.socket");
beforeEach(() => {
  clientSockets.length = 0;
  socketChannel.subscribe(onSocket);
});
afterEach(() => {
  socketChannel.unsubscribe(onSocket);
});
const bytesRead = () => clientSockets.reduce((sum, socket) => sum + socket.bytesRead, 0);

const GONE = "HTTP/1.1 410 Gone\r\nTransfer-Encoding: chunked\r\n\r\n1;";

async function open(response: Parameters<typeof startHostileReceiver>[0], identity?: Identity) {
  const receiver = await startHostileReceiver(response, identity);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

test.each(Object.entries(interimResponses))("%s before the response counts as a normal answer", async (_, response) => {
  const { port } = await open(response);
  const client = openWebhookClient();
  const request = webhookRequest(`http://127.0.0.1:${port}/`);
  expect(await client.send(request)).toMatchObject({ kind: "answered", status: 200 });
});

test("a connection is used again after interim responses", async () => {
  const { port, connections } = await open(interimResponses["103 and 100 in turn"]);
  const client = openWebhookClient();
  for (let attempt = 0; attempt < 3; attempt++) {
    const outcome = await client.send(webhookRequest(`http://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
  }
  expect(connections()).toBe(1);
});

test.each(Object.entries(endlessResponses))("%s ends after at most 256 KiB", async (name, response) => {
  const { port } = await open(response);
  const client = openWebhookClient({ attemptTimeout: 3_000 });
  const outcome = await client.send(webhookRequest(`http://127.0.0.1:${port}/`));
  // The parser's own limit on trailers comes after the status, so it counts as a broken connection.
  expect(outcome).toMatchObject({ kind: "no_answer", error: name === "endless trailers" ? "connect" : "too_large" });
  expect(bytesRead()).toBeLessThanOrEqual(256 * KIB);
  expect(bytesRead()).toBeGreaterThan(8 * KIB);
});

test("each attempt on a reused connection may read its own 256 KiB", async () => {
  const body = "x".repeat(60 * KIB);
  const { port, connections } = await open({
    start: `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  });
  const client = openWebhookClient();
  for (let attempt = 0; attempt < 10; attempt++) {
    const outcome = await client.send(webhookRequest(`http://127.0.0.1:${port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
  }
  expect(connections()).toBe(1);
  expect(bytesRead()).toBeGreaterThan(600 * KIB);
});

test("a flood after normal responses on a reused connection ends after at most 256 KiB of its own", async () => {
  let requests = 0;
  const normal = interimResponses["100 Continue"];
  const receiver = await open(() => (requests++ < 3 ? normal : endlessResponses["a flood of 103"]));
  const client = openWebhookClient();
  const send = () => client.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
  for (let attempt = 0; attempt < 3; attempt++) expect(await send()).toMatchObject({ kind: "answered" });
  const before = bytesRead();
  expect(await send()).toMatchObject({ kind: "no_answer", error: "too_large" });
  expect(receiver.connections()).toBe(1);
  expect(bytesRead() - before).toBeLessThanOrEqual(256 * KIB);
});

test("a status counts although its endless body is cut", async () => {
  const { port } = await open({ ...endlessResponses["endless chunk extensions"], start: GONE });
  const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${port}/`));
  expect(outcome).toMatchObject({ kind: "answered", status: 410 });
});

test("a response that comes byte by byte ends with the attempt's deadline", async () => {
  const { port } = await open(slowDrip);
  const client = openWebhookClient({ attemptTimeout: 500 });
  const outcome = await client.send(webhookRequest(`http://127.0.0.1:${port}/`));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
});

test("an upgrade that no one asked for is a failed connection", async () => {
  const { port } = await open({
    start: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
  });
  const outcome = await openWebhookClient().send(webhookRequest(`http://127.0.0.1:${port}/`));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "connect" });
});

describe.skipIf(!hasOpenssl())("over TLS", () => {
  const trustedBefore = getCACertificates("default");
  const identity = hasOpenssl() ? selfSigned(HOST) : { key: "", cert: "" };
  beforeEach(() => setDefaultCACertificates([identity.cert]));
  afterEach(() => setDefaultCACertificates(trustedBefore));

  test("100 Continue before the response counts as a normal answer, and the connection is used again", async () => {
    const { port, connections } = await open(interimResponses["100 Continue"], identity);
    const client = openWebhookClient({ resolver });
    for (let attempt = 0; attempt < 3; attempt++) {
      const outcome = await client.send(webhookRequest(`https://${HOST}:${port}/`));
      expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    }
    expect(connections()).toBe(1);
  });

  test.each(["a flood of 103", "endless chunk extensions", "blank lines without a status line"] as const)(
    "%s ends after at most 256 KiB",
    async (name) => {
      const { port } = await open(endlessResponses[name], identity);
      const client = openWebhookClient({ resolver, attemptTimeout: 3_000 });
      const outcome = await client.send(webhookRequest(`https://${HOST}:${port}/`));
      expect(outcome).toMatchObject({ kind: "no_answer", error: "too_large" });
      expect(bytesRead()).toBeLessThanOrEqual(256 * KIB);
      expect(bytesRead()).toBeGreaterThan(8 * KIB);
    },
  );

  test("TLS records of one byte each count with their framing", async () => {
    const { port } = await open({ start: "HTTP/1.1 200 ", flood: "x", pace: "bytes" }, identity);
    const client = openWebhookClient({ resolver, attemptTimeout: 3_000 });
    const outcome = await client.send(webhookRequest(`https://${HOST}:${port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "too_large" });
    expect(bytesRead()).toBeLessThanOrEqual(256 * KIB);
  });

  test("a handshake that the receiver begins again is refused", async () => {
    let handshakes = 0;
    const server = createServer({ ...identity, maxVersion: "TLSv1.2" }, (socket) => {
      socket.on("error", () => socket.destroy());
      const renegotiate = () => {
        handshakes += 1;
        socket.renegotiate({ rejectUnauthorized: false }, (error) => {
          if (error || handshakes === 100) socket.destroy();
          else renegotiate();
        });
      };
      socket.once("data", renegotiate);
    });
    server.on("tlsClientError", () => {});
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = openWebhookClient({ resolver, attemptTimeout: 3_000 });
    const outcome = await client.send(webhookRequest(`https://${HOST}:${(server.address() as AddressInfo).port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "connect" });
    expect(handshakes).toBe(1);
  });

  test("session tickets without data end after at most 256 KiB", async () => {
    const directory = mkdtempSync(join(tmpdir(), "parley-tickets-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, "identity.pem"), `${identity.key}${identity.cert}`);
    const pem = join(directory, "identity.pem");
    const server = spawn("openssl", [
      "s_server",
      "-accept",
      "127.0.0.1:0",
      "-cert",
      pem,
      "-key",
      pem,
      "-num_tickets",
      "5000",
    ]);
    onTestFinished(() => void server.kill());
    let output = "";
    for await (const text of server.stdout) {
      output += text;
      if (/ACCEPT \S*:\d+\n/.test(output)) break;
    }
    const port = Number(/ACCEPT \S*:(\d+)\n/.exec(output)?.[1]);
    const client = openWebhookClient({ resolver, attemptTimeout: 5_000 });
    const outcome = await client.send(webhookRequest(`https://${HOST}:${port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "too_large" });
    expect(bytesRead()).toBeLessThanOrEqual(256 * KIB);
  });
});
