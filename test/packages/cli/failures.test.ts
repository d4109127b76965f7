import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { expect, test } from "vitest";
import { post } from "#cli/listen/post.ts";
import { hasOpenssl, selfSigned } from "../../base/net/certificates.ts";

/** Listens on a free loopback port until it is disposed. */
async function listening<T extends Server>(server: T) {
  server.on("connection", (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

function postTo(url: string, ca?: readonly string[]) {
  const options = { receiver: { url: new URL(url), ca }, timeout: 5_000, closing: new AbortController().signal };
  return post(options, { "content-type": "application/json" }, Buffer.from("{}"));
}

test.skipIf(!hasOpenssl())(
  "a self-signed certificate is named with how to trust it, and its file makes it trusted",
  async () => {
    const identity = selfSigned("localhost");
    await using server = await listening(createTlsServer(identity, (_request, response) => void response.end()));
    const url = `https://localhost:${server.port}/hooks`;
    const refused = await postTo(url);
    expect(refused).toMatchObject({ status: 502, failure: "unreachable" });
    expect(refused.reason).toMatch(
      new RegExp(
        `^localhost:${server.port} has a certificate that this machine does not trust \\(localhost, until [^)]+, SHA-256 [0-9A-F:]{95}\\)\\. Pass its file: --trust-certificate FILE, or set NODE_EXTRA_CA_CERTS=FILE\\.$`,
      ),
    );
    expect(await postTo(url, [identity.cert])).toMatchObject({ status: 200, failure: null });
    const otherName = await postTo(`https://127.0.0.1:${server.port}/hooks`, [identity.cert]);
    expect(otherName.reason).toMatch(/^The certificate of 127\.0\.0\.1:\d+ is for another name \(localhost, /);
  },
);

test.skipIf(!hasOpenssl())("each end of a TLS handshake has its own cause and fix", async () => {
  const identity = selfSigned("localhost");
  const clientCertificate = { requestCert: true, rejectUnauthorized: true };
  const wanted = "wants a client certificate, and Parley has none. Turn this off in the receiver.";
  const cases = [
    [
      { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      "speaks only a TLS older than 1.2. Enable TLS 1.2 or 1.3 in the receiver.",
    ],
    [clientCertificate, wanted],
    [{ ...clientCertificate, maxVersion: "TLSv1.2" }, wanted],
    [
      { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-GCM-SHA256" },
      "shares no cipher with this machine. Enable the ciphers of TLS 1.2 or 1.3 in the receiver.",
    ],
  ] as const;
  for (const [options, reason] of cases) {
    await using server = await listening(createTlsServer({ ...identity, ...options }));
    const place = `localhost:${server.port}`;
    expect((await postTo(`https://${place}/hooks`, [identity.cert])).reason).toBe(`${place} ${reason}`);
    expect((await postTo(`http://${place}/hooks`)).reason).toBe(`${place} speaks TLS. Use https:// in the URL.`);
  }
});

test("a receiver without TLS, without a listener, without a name and without a response has each its own cause", async () => {
  await using plain = await listening(
    createServer((socket) => void socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  );
  await using silent = await listening(
    createServer((socket) => void socket.once("data", () => socket.resetAndDestroy())),
  );
  const closed = await listening(createServer());
  await closed[Symbol.asyncDispose]();
  const reasons = [
    await postTo(`https://127.0.0.1:${plain.port}/`),
    await postTo(`http://127.0.0.1:${closed.port}/`),
    await postTo("http://receiver.invalid/"),
    await postTo(`http://127.0.0.1:${silent.port}/`),
  ].map(({ reason }) => reason);
  expect(reasons).toEqual([
    `127.0.0.1:${plain.port} does not speak TLS. Use http:// in the URL.`,
    `Nothing listens on 127.0.0.1:${closed.port}. Start the receiver.`,
    "The name receiver.invalid does not resolve. Check the URL.",
    `127.0.0.1:${silent.port} closed the connection without a response. See the log of the receiver.`,
  ]);
});
