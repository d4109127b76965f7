import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPoster, requestTo } from "./posting.ts";
import { startReceiver } from "./receiver.ts";

const OPENSSL = "openssl";

function hasOpenssl(): boolean {
  try {
    execFileSync(OPENSSL, ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function selfSigned(host: string): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), "parley-tls-"));
  try {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    execFileSync(OPENSSL, ["req", "-x509", ...curve, "-keyout", key, "-out", cert, "-days", "1", ...name], {
      stdio: "ignore",
    });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const resolver = async () => ["127.0.0.1"];

// Node makes no certificates; without openssl on the machine only the handshake tests below run.
describe.skipIf(!hasOpenssl())("certificates", () => {
  const trustedBefore = getCACertificates("default");
  let trusted: { key: string; cert: string };
  let stranger: { key: string; cert: string };

  beforeAll(() => {
    trusted = selfSigned("hooks.example.com");
    stranger = selfSigned("hooks.example.com");
    setDefaultCACertificates([trusted.cert]);
  });
  afterAll(() => setDefaultCACertificates(trustedBefore));

  test("the receiver is asked for by its name and trusted by its certificate", async () => {
    const names: unknown[] = [];
    const receiver = await startReceiver((response, _taken, socket) => {
      names.push((socket as unknown as { servername: unknown }).servername);
      response.end();
    }, trusted);
    const outcome = await openPoster({ resolver }).post(requestTo(`https://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    expect(names).toEqual(["hooks.example.com"]);
  });

  test("a self-signed certificate that nobody trusts is refused, and gets no request", async () => {
    const receiver = await startReceiver((response) => response.end(), stranger);
    const outcome = await openPoster({ resolver }).post(requestTo(`https://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
    expect(receiver.taken).toEqual([]);
  });

  test("a trusted certificate of another name is refused, and gets no request", async () => {
    const receiver = await startReceiver((response) => response.end(), trusted);
    const outcome = await openPoster({ resolver }).post(requestTo(`https://other.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
    expect(receiver.taken).toEqual([]);
  });
});

describe("handshakes", () => {
  test("a receiver that does not speak TLS is a TLS failure", async () => {
    const receiver = await startReceiver((response) => response.end());
    const outcome = await openPoster({ resolver }).post(requestTo(`https://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
  });

  test("a receiver that hangs up in the handshake is a TLS failure", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.resetAndDestroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const outcome = await openPoster({ resolver }).post(requestTo(`https://hooks.example.com:${port}/`));
    expect(outcome).toMatchObject({ kind: "no_answer", error: "tls" });
    await new Promise((resolve) => server.close(resolve));
  });
});
