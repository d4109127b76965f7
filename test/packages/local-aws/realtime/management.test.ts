import {
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SECOND } from "#local-aws/support/time.ts";
import { openedEach } from "../../../support/opened.ts";
import { openSocket, type TestSocket } from "../../../support/sockets/test-socket.ts";
import { openGatewayFixture } from "./gateway-fixture.ts";

let socket: TestSocket;
let ConnectionId: string;
const fixture = openedEach(openGatewayFixture);
beforeEach(async () => {
  fixture.serve();
  socket = await openSocket(fixture.url);
  ({ connectionId: ConnectionId } = (await fixture.nextEvent("CONNECT")).requestContext);
});
afterEach(() => fixture.gateway.close());

const post = (data: string, id = ConnectionId, client = fixture.client()) =>
  client.send(new PostToConnectionCommand({ ConnectionId: id, Data: Buffer.from(data) }));
const unknownId = "AAAAAAAAAAAAAAA=";

describe("a post", () => {
  it("a post arrives as one text message, up to 128 KB", async () => {
    for (const text of ["{}", "é✓", "x".repeat(128 * 1024)]) {
      await post(text);
      expect(await socket.next()).toBe(text);
    }
  });

  it("a post over 128 KB is 413, to a connection that is gone 410, to an id that none has 400", async () => {
    await expect(post("x".repeat(128 * 1024 + 1))).rejects.toMatchObject({
      name: "PayloadTooLargeException",
      $metadata: { httpStatusCode: 413 },
    });
    await expect(post("x", unknownId)).rejects.toMatchObject({
      name: "GoneException",
      $metadata: { httpStatusCode: 410 },
    });
    await expect(post("x", "no-id")).rejects.toMatchObject({
      name: "BadRequestException",
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("a post to another stage, to no connection, or without a signature is 403", async () => {
    const other = fixture.client(fixture.endpoint.replace("live", "other"));
    await expect(post("x", ConnectionId, other)).rejects.toMatchObject({ name: "ForbiddenException" });
    for (const path of ["/live", "/live/@connections/", "/", "/live/@connections/a/b", "/%E0%A4%A/@connections/x"]) {
      const { status } = await fetch(`${fixture.gateway.origin}${path}`, { headers: { authorization: "AWS4" } });
      expect([path, status]).toEqual([path, 403]);
    }
    const unsigned = await fetch(`${fixture.endpoint}/@connections/${ConnectionId}`, { method: "POST", body: "x" });
    expect([unsigned.status, unsigned.headers.get("x-amzn-errortype")]).toEqual([
      403,
      "MissingAuthenticationTokenException",
    ]);
    expect(socket.messages).toEqual([]);
  });
});

it("a read names the client and its last message; a deletion closes the connection at once", async () => {
  const connectedAt = new Date(fixture.now());
  fixture.advance(SECOND);
  await post("x");
  const read = () => fixture.client().send(new GetConnectionCommand({ ConnectionId }));
  expect(await read()).toMatchObject({
    ConnectedAt: connectedAt,
    LastActiveAt: new Date(fixture.now()),
    Identity: { SourceIp: "127.0.0.1" },
  });
  const remove = () => fixture.client().send(new DeleteConnectionCommand({ ConnectionId }));
  await remove();
  await expect(post("x")).rejects.toMatchObject({ name: "GoneException" });
  await expect(read()).rejects.toMatchObject({ name: "GoneException" });
  await expect(remove()).rejects.toMatchObject({ name: "GoneException" });
  expect((await socket.ended).code).toBe(1000);
  expect((await fixture.nextEvent("DISCONNECT")).requestContext.disconnectStatusCode).toBe(1000);
  expect(fixture.gateway.counts).toEqual({ POST: 2, GET: 2, DELETE: 2 });
});

describe("with a fault", () => {
  it("the fault throttled: every request is 429 and does nothing", async () => {
    fixture.gateway.faults({ mode: "throttled" });
    await expect(post("x")).rejects.toMatchObject({
      name: "LimitExceededException",
      $metadata: { httpStatusCode: 429 },
    });
    fixture.gateway.faults({ mode: "none" });
    await post("y");
    expect(await socket.next()).toBe("y");
    expect(socket.messages).toEqual(["y"]);
  });

  it("slow: the frame is sent, and the answer comes later", async () => {
    fixture.gateway.faults({ mode: "slow", delay: 50 });
    const posted = post("x");
    expect(await socket.next()).toBe("x");
    await posted;
  });

  it("dead: a request gets no answer and does nothing", async () => {
    fixture.gateway.faults({ mode: "dead" });
    const abort = new AbortController();
    const posted = fixture.client().send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.from("x") }), {
      abortSignal: abort.signal,
    });
    await expect.poll(() => fixture.gateway.counts.POST).toBe(1);
    abort.abort();
    await expect(posted).rejects.toMatchObject({ name: "AbortError" });
    expect(socket.messages).toEqual([]);
  });

  it("a fault of a share of requests is decided for each by the random number", async () => {
    const draws = [0.4, 0.6, 0.4];
    fixture.gateway.faults({ mode: "throttled", share: 0.5, random: () => draws.shift() ?? 1 });
    const outcomes = [];
    for (const text of ["a", "b", "c"])
      outcomes.push(
        await post(text).then(
          () => "sent",
          () => "throttled",
        ),
      );
    expect(outcomes).toEqual(["throttled", "sent", "throttled"]);
  });
});
