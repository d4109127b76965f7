import { ApiGatewayManagementApiClient, PostToConnectionCommand } from "@aws-sdk/client-apigatewaymanagementapi";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { framePoster } from "#base/aws/realtime.ts";
import { awsSignature, openSignedRequests, parseAuthorization, requestShape } from "./support/signed-requests.ts";

const CONNECTION = "Ab_-cdEFghIJklM=";
const FRAME = '{"type":"pong","text":"é✓"}';

let server: Awaited<ReturnType<typeof openSignedRequests>>;
let client: ApiGatewayManagementApiClient;
let endpoint: string;
beforeEach(async () => {
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
  server = await openSignedRequests();
  endpoint = `${server.url}/live`;
  client = new ApiGatewayManagementApiClient({ endpoint, ...server.options });
});
afterEach(() => {
  client.destroy();
  server.close();
  vi.restoreAllMocks();
});

it("a frame is the request of the SDK's client: method, path, body and signature", async () => {
  await client.send(new PostToConnectionCommand({ ConnectionId: CONNECTION, Data: Buffer.from(FRAME) }));
  expect(await framePoster(client, endpoint)(CONNECTION, FRAME)).toBe("sent");
  const [reference, own] = server.received;
  if (!reference || !own) throw new Error("Two requests were expected.");
  for (const each of [reference, own]) {
    const { signedHeaders, signature } = parseAuthorization(each);
    expect(signature).toBe(awsSignature(each, "execute-api"));
    expect(signedHeaders.split(";")).toEqual(
      expect.arrayContaining(["host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]),
    );
  }
  expect(requestShape(own)).toEqual(requestShape(reference));
});

it.each([
  [429, /answered 429/],
  [500, /answered 500/],
  [503, /answered 503/],
  ["cut", /socket hang up|ECONNRESET/],
] as const)("an attempt that ends with %s is repeated once", async (answer, message) => {
  server.answers.push(answer);
  expect(await framePoster(client, endpoint)(CONNECTION, FRAME)).toBe("sent");
  server.answers.push(answer, answer);
  await expect(framePoster(client, endpoint)(CONNECTION, FRAME)).rejects.toThrow(message);
  expect(server.received).toHaveLength(4);
});

it.each([400, 403, 413])(
  "a refusal with %i is not repeated, and has the name that the SDK gives it",
  async (status) => {
    server.answers.push(status);
    await expect(framePoster(client, endpoint)(CONNECTION, FRAME)).rejects.toMatchObject({
      name: "SomeException",
      $metadata: { httpStatusCode: status },
    });
    expect(server.received).toHaveLength(1);
  },
);

it("a connection that is gone is asked for once", async () => {
  server.answers.push(410);
  expect(await framePoster(client, endpoint)(CONNECTION, FRAME)).toBe("gone");
  expect(server.received).toHaveLength(1);
});

it("frames use their connections again", async () => {
  const post = framePoster(client, endpoint);
  for (let i = 0; i < 20; i++) await post(CONNECTION, FRAME);
  // One may still be reading its answer when the next frame is sent.
  expect(new Set(server.received.map(({ request }) => request.socket.remotePort)).size).toBeLessThan(3);
});
