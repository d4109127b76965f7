import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openConnections } from "#base/aws/realtime.ts";
import { openCallScope } from "#base/kernel/call-scope.ts";
import { openGatewayFixture } from "../../packages/local-aws/realtime/gateway-fixture.ts";
import { openSocket, type TestSocket } from "../../support/sockets/test-socket.ts";

let fixture: Awaited<ReturnType<typeof openGatewayFixture>>;
let socket: TestSocket;
let connectionId: string;
beforeEach(async () => {
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
  fixture = await openGatewayFixture();
  fixture.serve();
  socket = await openSocket(fixture.url);
  ({ connectionId } = (await fixture.nextEvent("CONNECT")).requestContext);
});
afterEach(async () => {
  await fixture.gateway.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("a frame arrives as it is, up to the limit of the gateway", async () => {
  const connections = openConnections(fixture.endpoint);
  for (const text of ['{"type":"hello"}', "é✓", "x".repeat(128 * 1024)]) {
    expect(await connections.post(connectionId, text)).toBe("sent");
    expect(await socket.next()).toBe(text);
  }
  await expect(connections.post(connectionId, "x".repeat(128 * 1024 + 1))).rejects.toMatchObject({
    name: "PayloadTooLargeException",
  });
});

it("a connection is closed once, and from then on it is gone", async () => {
  const connections = openConnections(fixture.endpoint);
  expect(await connections.close(connectionId)).toBe("closed");
  expect(await connections.post(connectionId, "x")).toBe("gone");
  expect(await connections.close(connectionId)).toBe("gone");
  expect((await socket.ended).code).toBe(1000);
  expect(socket.messages).toEqual([]);
});

it("a throttled request is made twice, and then throws", async () => {
  const connections = openConnections(fixture.endpoint);
  fixture.gateway.faults({ mode: "throttled" });
  await expect(connections.post(connectionId, "x")).rejects.toMatchObject({ name: "LimitExceededException" });
  await expect(connections.close(connectionId)).rejects.toMatchObject({ name: "LimitExceededException" });
  expect(fixture.gateway.counts).toEqual({ POST: 2, DELETE: 2 });
});

it("a request that is throttled once succeeds", async () => {
  const draws = [0, 1];
  fixture.gateway.faults({ mode: "throttled", share: 0.5, random: () => draws.shift() ?? 1 });
  expect(await openConnections(fixture.endpoint).post(connectionId, "x")).toBe("sent");
  expect(await socket.next()).toBe("x");
});

it("what an invocation left behind sends nothing", async () => {
  const connections = openConnections(fixture.endpoint);
  const invocation = openCallScope();
  invocation.end();
  await expect(invocation.run(() => connections.post(connectionId, "x"))).rejects.toMatchObject({ name: "OutOfTime" });
  await expect(invocation.run(() => connections.close(connectionId))).rejects.toMatchObject({ name: "OutOfTime" });
  expect(fixture.gateway.counts).toEqual({});
});
