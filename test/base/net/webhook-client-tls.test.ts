import { connect, createServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { hasOpenssl, selfSigned } from "./certificates.ts";
import { startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

const resolver = async () => ["127.0.0.1"];

// Node cannot create certificates. Without openssl on the machine only the handshake tests below run.
describe.skipIf(!hasOpenssl())("certificates", () => {
  const trustedBefore = getCACertificates("default");

  const trusted = openedOnce(() => selfSigned("hooks.example.com"));
  const otherIdentity = openedOnce(() => selfSigned("hooks.example.com"));
  beforeAll(() => {
    setDefaultCACertificates([trusted.cert]);
  });
  afterAll(() => setDefaultCACertificates(trustedBefore));

  test("the receiver is addressed by its name and trusted by its certificate", async () => {
    const names: unknown[] = [];
    const receiver = await startReceiver((response, _request, socket) => {
      names.push((socket as unknown as { servername: unknown }).servername);
      response.end();
    }, trusted);
    const outcome = await openWebhookClient({ resolver }).send(
      webhookRequest(`https://hooks.example.com:${receiver.port}/`),
    );
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    expect(names).toEqual(["hooks.example.com"]);
  });

  test("a handshake that takes longer than an answer may does not count", async () => {
    const receiver = await startReceiver((response) => response.end(), trusted);
    // Between client and receiver, it passes the first bytes on late.
    const relay = createServer((socket) => {
      const onward = connect({ port: receiver.port, host: "127.0.0.1" });
      for (const end of [socket, onward]) end.on("error", () => {});
      setTimeout(() => socket.pipe(onward).pipe(socket), 900);
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const { port } = relay.address() as { port: number };
    const request = { ...webhookRequest(`https://hooks.example.com:${port}/`), answerTimeout: 300 };
    const outcome = await openWebhookClient({ resolver }).send(request);
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    expect((outcome as { durationMs: number }).durationMs).toBeLessThan(300);
    relay.close();
  });

  test("an untrusted self-signed certificate is refused, and its receiver gets no request", async () => {
    const receiver = await startReceiver((response) => response.end(), otherIdentity);
    const outcome = await openWebhookClient({ resolver }).send(
      webhookRequest(`https://hooks.example.com:${receiver.port}/`),
    );
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
    expect(receiver.requests).toEqual([]);
  });

  test("a trusted certificate of another name is refused, and its receiver gets no request", async () => {
    const receiver = await startReceiver((response) => response.end(), trusted);
    const outcome = await openWebhookClient({ resolver }).send(
      webhookRequest(`https://other.example.com:${receiver.port}/`),
    );
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
    expect(receiver.requests).toEqual([]);
  });
});

describe("handshakes", () => {
  test("a receiver that does not speak TLS is a TLS failure", async () => {
    const receiver = await startReceiver((response) => response.end());
    const outcome = await openWebhookClient({ resolver }).send(
      webhookRequest(`https://hooks.example.com:${receiver.port}/`),
    );
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
  });

  test("a receiver that hangs up during the handshake is a TLS failure", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const outcome = await openWebhookClient({ resolver }).send(webhookRequest(`https://hooks.example.com:${port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
    await new Promise((resolve) => server.close(resolve));
  });
});
