import { afterAll, beforeAll, expect, it } from "vitest";
import { parseSocketEvent, type WebSocketEvent } from "../../../functions/realtime/socket-event.ts";
import { openGatewayFixture } from "../../packages/local-aws/realtime/gateway-fixture.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSocket } from "../../support/sockets/test-socket.ts";

const fixture = openedOnce(openGatewayFixture);
beforeAll(async () => {
  fixture.serve();
});
afterAll(() => fixture.gateway.close());

/** What the function reads of the handshake of a client. */
async function handshake(query: string, headers: Record<string, string | string[]> = {}) {
  const socket = await openSocket(fixture.url + query, { headers: headers as Record<string, string> });
  const event = parseSocketEvent((await fixture.nextEvent("CONNECT")) as unknown as WebSocketEvent);
  socket.terminate();
  if (event.kind !== "connect") throw new Error(event.kind);
  return event;
}

it.each([
  ["?ticket=wst_x", "wst_x"],
  ["?other=1&ticket=a%20b", "a b"],
  ["", null],
  ["?other=1", null],
  ["?ticket=a&ticket=b", null],
  ["?ticket=", ""],
])("a handshake with the query %j has the ticket %j", async (query, ticket) => {
  expect((await handshake(query)).ticket).toBe(ticket);
});

it.each([
  ["?ticket=a", false],
  ["?ticket=a&include=conversation", true],
  ["?ticket=a&include=other&include=conversation", true],
  ["?ticket=a&include=conversations", false],
])("a handshake with the query %j takes a conversation in a message's frame: %j", async (query, isIncluded) => {
  expect((await handshake(query)).includesConversation).toBe(isIncluded);
});

it.each([
  [{}, null],
  [{ Origin: "https://console.example.com" }, "https://console.example.com"],
  [{ ORIGIN: "null" }, "null"],
  [{ origin: ["https://a.example.com", "https://b.example.com"] }, "invalid"],
])("a handshake with the headers %j has the origin %j", async (headers, origin) => {
  expect((await handshake("", headers)).origin).toBe(origin);
});

it("a handshake has the gateway's time and id of the connection", async () => {
  const { connectionId, connectedAt } = await handshake("");
  expect([connectedAt, connectionId]).toEqual([fixture.now(), expect.stringMatching(/^[\w-]{15}=$/)]);
});

const requestContext = { connectionId: "c", connectedAt: 1, requestId: "r" };
const parse = (eventType: string, event: object = {}) =>
  parseSocketEvent({ requestContext: { ...requestContext, eventType }, ...event });

it.each([
  ["DISCONNECT", {}, { kind: "disconnect", connectionId: "c" }],
  ["MESSAGE", { body: "x", isBase64Encoded: false }, { kind: "frame", connectionId: "c", text: "x" }],
  ["MESSAGE", {}, { kind: "frame", connectionId: "c", text: "" }],
  ["MESSAGE", { body: "eA==", isBase64Encoded: true }, { kind: "frame", connectionId: "c", text: null }],
])("%s %j is %j", (type, event, parsed) => {
  expect(parse(type, event)).toEqual(parsed);
});

it("another event that is none of the WebSocket API throws", () => {
  expect(() => parse("OTHER")).toThrow("not one of the WebSocket API");
});
