import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ApiGatewayManagementApiClient, PostToConnectionCommand } from "@aws-sdk/client-apigatewaymanagementapi";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { framePoster } from "#base/aws/connection-post.ts";
import { requestOptions } from "#base/config/request-times.ts";
import { SECOND } from "#base/kernel/time.ts";

const CONNECTION = "Ab_-cdEFghIJklM=";
const FRAME = '{"type":"pong","text":"é✓"}';
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "a secret", sessionToken: "a token/+=" };

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

let server: Server;
let client: ApiGatewayManagementApiClient;
let endpoint: string;
let received: Received[];
/** What the server answers next: a status, or `cut` for a connection that ends without an answer. */
let answers: (number | "cut")[];
beforeEach(async () => {
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
  received = [];
  answers = [];
  server = createServer(async (request, response) => {
    received.push({ request, body: await text(request) });
    const answer = answers.shift() ?? 200;
    if (answer === "cut") request.socket.destroy();
    else response.writeHead(answer, { "x-amzn-errortype": "SomeException:http://internal/" }).end('{"message":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
  const options = requestOptions(2 * SECOND);
  client = new ApiGatewayManagementApiClient({ endpoint, region: "eu-central-1", credentials, ...options });
});
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
  vi.restoreAllMocks();
});

const sha256 = (data: string) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();

/** The signature that AWS computes. Source: "Create a signed AWS API request" of the IAM User Guide. */
function signatureOf({ request: { method, url = "", headers }, body }: Received, signedHeaders: string): string {
  const time = String(headers["x-amz-date"]);
  const scope = `${time.slice(0, 8)}/eu-central-1/execute-api/aws4_request`;
  // Each segment is encoded a second time.
  const path = url.split("/").map(encodeURIComponent).join("/");
  const lines = signedHeaders.split(";").map((name) => `${name}:${headers[name]}\n`);
  const canonical = [method, path, "", lines.join(""), signedHeaders, sha256(body)].join("\n");
  const secret = `AWS4${credentials.secretAccessKey}`;
  const key = [time.slice(0, 8), "eu-central-1", "execute-api", "aws4_request"].reduce<string | Buffer>(hmac, secret);
  return hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex");
}

function parseAuthorization({ request }: Received) {
  const [, signedHeaders = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/[^,]+, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      request.headers.authorization ?? "",
    ) ?? [];
  return { signedHeaders, signature };
}

it("a frame is the request of the SDK's client: method, path, body and signature", async () => {
  await client.send(new PostToConnectionCommand({ ConnectionId: CONNECTION, Data: Buffer.from(FRAME) }));
  expect(await framePoster(client, endpoint)(CONNECTION, FRAME)).toBe("sent");
  const [reference, own] = received;
  if (!reference || !own) throw new Error("Two requests were expected.");
  for (const each of [reference, own]) {
    const { signedHeaders, signature } = parseAuthorization(each);
    expect(signature).toBe(signatureOf(each, signedHeaders));
    expect(signedHeaders.split(";")).toEqual(
      expect.arrayContaining(["host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]),
    );
  }
  const shape = ({ request: { method, url, headers }, body }: Received) => {
    const { host, "content-type": type, "content-length": length, "x-amz-security-token": token } = headers;
    return { method, url, host, type, length, token, body };
  };
  expect(shape(own)).toEqual(shape(reference));
});

it.each([
  [429, /answered 429/],
  [500, /answered 500/],
  [503, /answered 503/],
  ["cut", /socket hang up|ECONNRESET/],
] as const)("an attempt that ends with %s is repeated once", async (answer, message) => {
  answers = [answer];
  expect(await framePoster(client, endpoint)(CONNECTION, FRAME)).toBe("sent");
  answers = [answer, answer];
  await expect(framePoster(client, endpoint)(CONNECTION, FRAME)).rejects.toThrow(message);
  expect(received).toHaveLength(4);
});

it.each([400, 403, 413])(
  "a refusal with %i is not repeated, and has the name that the SDK gives it",
  async (status) => {
    answers = [status];
    await expect(framePoster(client, endpoint)(CONNECTION, FRAME)).rejects.toMatchObject({
      name: "SomeException",
      $metadata: { httpStatusCode: status },
    });
    expect(received).toHaveLength(1);
  },
);

it("a connection that is gone is asked for once", async () => {
  answers = [410];
  expect(await framePoster(client, endpoint)(CONNECTION, FRAME)).toBe("gone");
  expect(received).toHaveLength(1);
});

it("frames use their connections again", async () => {
  const post = framePoster(client, endpoint);
  for (let i = 0; i < 20; i++) await post(CONNECTION, FRAME);
  // One may still be reading its answer when the next frame is sent.
  expect(new Set(received.map(({ request }) => request.socket.remotePort)).size).toBeLessThan(3);
});
