import type { Server as PlainServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type PlatformHttp, platformHttp } from "#platforms/graph/http.ts";
import { hasOpenssl, type Identity, selfSigned } from "../../base/net/certificates.ts";
import { openedOnce } from "../../support/opened.ts";

// When a request over TLS is certain not to have been sent.

async function listenPort(server: Server | PlainServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const post = (http: PlatformHttp, port: number) =>
  http.post({ url: `https://localhost:${port}/me/messages`, token: "token", body: { a: 1 } });

describe.skipIf(!hasOpenssl())("a platform with a certificate", () => {
  const trustedBefore = getCACertificates("default");
  const trusted = openedOnce(() => selfSigned("localhost"));
  const stranger = openedOnce(() => selfSigned("localhost"));
  beforeAll(() => {
    setDefaultCACertificates([trusted.cert]);
  });
  afterAll(() => setDefaultCACertificates(trustedBefore));

  /** Responds 200 with the request body. */
  function secure(identity: Identity, then: (socket: TLSSocket) => boolean = () => true) {
    const counts = { requests: 0, connections: 0 };
    const server = createSecureServer(identity, (request, response) => {
      counts.requests++;
      request.resume().on("end", () => {
        if (then(request.socket as TLSSocket)) response.end(JSON.stringify({ message_id: "m_1" }));
      });
    });
    server.on("secureConnection", () => counts.connections++);
    return { server, seen: counts };
  }

  test("a platform with a certificate is called repeatedly over one connection", async () => {
    const { server, seen: counts } = secure(trusted);
    const port = await listenPort(server);
    const http = platformHttp();
    for (let i = 0; i < 3; i++) {
      expect(await post(http, port)).toMatchObject({ kind: "answered", status: 200, body: '{"message_id":"m_1"}' });
    }
    expect(counts).toEqual({ requests: 3, connections: 1 });
  });

  test("a platform with a certificate with an untrusted certificate receives nothing", async () => {
    const { server, seen: counts } = secure(stranger);
    expect(await post(platformHttp(), await listenPort(server))).toEqual({ kind: "unsent" });
    expect(counts.requests).toBe(0);
  });

  test.each([
    ["over a new connection", 1],
    ["over one that was used", 2],
  ])(
    "a platform with a certificate that closes the connection on a request may have processed it: %s",
    async (_how, nth) => {
      let count = 0;
      const { server } = secure(trusted, (socket) => {
        if (++count < nth) return true;
        socket.destroy();
        return false;
      });
      const port = await listenPort(server);
      const http = platformHttp();
      for (let i = 1; i < nth; i++) expect(await post(http, port)).toMatchObject({ kind: "answered" });
      expect(await post(http, port)).toEqual({ kind: "lost" });
      expect(count).toBe(nth);
    },
  );
});

test("nothing is sent to a platform that accepts the connection and never completes the handshake", async () => {
  const port = await listenPort(createServer((socket) => socket.on("error", () => {})));
  expect(await post(platformHttp({ connect: 100 }), port)).toEqual({ kind: "unsent" });
});

test("nothing is sent to a platform that accepts the connection and never completes the handshake, when the total timeout ends first", async () => {
  const port = await listenPort(createServer((socket) => socket.on("error", () => {})));
  expect(await post(platformHttp({ total: 100 }), port)).toEqual({ kind: "unsent" });
});

test("nothing is sent to a platform that closes the connection during the handshake", async () => {
  const port = await listenPort(
    createServer((socket) => socket.on("error", () => {}).once("data", () => socket.destroy())),
  );
  expect(await post(platformHttp(), port)).toEqual({ kind: "unsent" });
});

test("nothing is sent to a platform that does not speak TLS", async () => {
  const port = await listenPort(createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\n\r\n")));
  expect(await post(platformHttp(), port)).toEqual({ kind: "unsent" });
});

test("nothing is sent to a platform that has an invalid URL", async () => {
  expect(await platformHttp().get({ url: "not a url", token: "token" })).toEqual({ kind: "unsent" });
});
