import { afterAll, beforeAll, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { openSocket, refusalOf, type TestSocket } from "../../support/sockets/test-socket.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";

let socket: TestSocket;
let keyId: string;
let ticketUrl: string;
const stack = openedOnce(openSharedStack);
beforeAll(async () => {
  const key = (await stack.api("POST", "/v1/keys", { label: "stream" })).body.data as unknown as {
    id: string;
    secret: string;
  };
  keyId = key.id;
  const { status, body } = await stack.api("POST", "/v1/realtime/ticket", undefined, key.secret);
  expect(status).toBe(200);
  const { ticket, url } = body.data as unknown as { ticket: string; url: string };
  expect(url).toBe(stack.info.ws_url);
  ticketUrl = `${url}?ticket=${ticket}`;
  socket = await openSocket(ticketUrl);
});
afterAll(async () => {
  socket?.terminate();
});

interface Frame {
  readonly type: string;
  readonly tenant_id?: string;
  readonly id?: string;
  readonly data?: {
    readonly message: { readonly id: string; readonly text: string; readonly conversation_id: string };
    readonly conversation: object;
  };
}

const nextFrame = async (type: string) => JSON.parse(await socket.next((text) => typeOf(text) === type)) as Frame;
const typeOf = (text: string) => (JSON.parse(text) as Frame).type;

it("a ticket opens one socket, whose first frame is hello", async () => {
  expect(await refusalOf(openSocket(ticketUrl))).toBe(401);
  expect(await refusalOf(openSocket(`${stack.info.ws_url}`))).toBe(401);
  // The delay of the first frame.
  await stack.clock("PT3S");
  const now = await stack.now();
  const hello = (await nextFrame("hello")) as unknown as { expires_at: number; connection_id: string };
  expect(hello.connection_id).toMatch(/^[\w-]{15}=$/);
  expect(hello.expires_at - now).toBeGreaterThan(7_100_000);
  expect(socket.messages.map(typeOf)).toEqual(["hello"]);
});

it("a socket gets each event of the tenant and the changed conversation, and an answer to a ping", async () => {
  const [mid, text] = [newMessageId(), "over the socket"];
  const entry = textEntry(demoAccountIds.messenger, newPersonId(), mid, text, await stack.now());
  expect((await postWebhook(stack, "page", [entry])).status).toBe(200);
  const event = await nextFrame("message.received");
  expect([event.tenant_id, event.data?.message.id, event.data?.message.text]).toEqual(["demo", mid, text]);
  const id = event.data?.message.conversation_id ?? "";
  // What other tests of this stack did just before has frames, too.
  const changed = JSON.parse(
    await socket.next((frame) => typeOf(frame) === "conversation.updated" && frame.includes(id)),
  ) as Frame;
  expect(changed.tenant_id).toBe("demo");
  expect(changed.data?.conversation).toMatchObject({ id });
  expect(JSON.stringify(changed.data?.conversation)).toContain(text);
  socket.send('{"type":"ping"}');
  expect(await nextFrame("pong")).toEqual({ type: "pong" });
  for (const ignored of ["no json", '{"type":"other"}', "[]"]) socket.send(ignored);
  socket.send('{"type":"ping"}');
  await nextFrame("pong");
});

it("a socket is closed when its key is revoked", async () => {
  expect((await stack.api("DELETE", `/v1/keys/${keyId}`)).status).toBe(200);
  expect((await socket.ended).code).toBe(1000);
});
