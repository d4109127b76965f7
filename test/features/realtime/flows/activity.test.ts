import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { createKey } from "#features/access/flows/keys.ts";
import type { Caller, SessionCaller } from "#features/access/rules/callers.ts";
import { streamFrameSchemas } from "#features/realtime/events.ts";
import { receiveFrame } from "#features/realtime/flows/frames.ts";
import { processHello } from "#features/realtime/flows/push/greet.ts";
import { frameChecker } from "../../../support/conformance/check-frame.ts";
import { readServedDocument } from "../../../support/conformance/document.ts";
import { injectFaults } from "../../../support/faults.ts";
import { allRows } from "../../../support/flows/data-subject.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { sampleConversationId } from "../../../support/stores/samples.ts";
import { openStreamFixture } from "./support/stream-fixture.ts";

let tenant: TenantId;
let ada: SessionCaller;
let adaSocket: string;
let benSocket: string;
const testEnv = openedOnce(openTestEnv);
const stream = openedOnce(() => openStreamFixture(testEnv));
beforeEach(async () => {
  testEnv.advance(MINUTE);
  tenant = await stream.team.newTenant();
  ada = await stream.newMember(tenant);
  adaSocket = await openGreeted(ada);
  benSocket = await openGreeted(await stream.newMember(tenant));
});

async function openGreeted(caller: Caller, of = tenant): Promise<string> {
  const connectionId = await stream.open(caller, of);
  await processHello({ ...openStores(testEnv.table), ...stream.ports }, { tenant: of, connectionId }, testEnv.now());
  stream.frames.length = 0;
  return connectionId;
}

async function openKeySocket(): Promise<string> {
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  const key = await createKey(stream.ports, tenant, settings, testEnv.now());
  if (isRefusal(key)) throw new Error("The key was not created.");
  return openGreeted({ kind: "tenant_key", keyId: key.id, tenant, scope: "live" });
}

const presence = (conversationId = sampleConversationId(tenant), state = "reading") =>
  JSON.stringify({ type: "presence", conversation_id: conversationId, state });
const send = (connectionId: string, text: string) =>
  receiveFrame(stream.ports, { connectionId, text, now: testEnv.now() });
/** Who got frames since the last time, sorted. */
const receivers = () =>
  stream.frames
    .splice(0)
    .map(({ connectionId }) => connectionId)
    .sort();

it.each(["reading", "writing", "left"])(
  "a report of a person that says %s reaches the other people, and only them",
  async (state) => {
    const adaPhone = await openGreeted(ada);
    const keySocket = await openKeySocket();
    const otherTenant = await stream.team.newTenant();
    await openGreeted(await stream.newMember(otherTenant), otherTenant);
    await send(adaPhone, presence(sampleConversationId(tenant), state));
    const [frame, ...others] = stream.frames.splice(0);
    expect([frame?.connectionId, others]).toEqual([benSocket, []]);
    const event = streamFrameSchemas["presence.updated"]().parse(JSON.parse(frame?.text ?? ""));
    const data = { conversation_id: sampleConversationId(tenant), user_id: ada.userId, state };
    expect(event).toMatchObject({ type: "presence.updated", tenant_id: tenant, data });
    expect(keySocket).not.toBe("");
  },
);

it("a report costs no row and no queue message", async () => {
  const rowsBefore = (await allRows(testEnv)).length;
  const queued = stream.queue.length;
  await send(adaSocket, presence());
  expect(receivers()).toEqual([benSocket]);
  expect([(await allRows(testEnv)).length, stream.queue.length]).toEqual([rowsBefore, queued]);
});

it("a key reports nothing", async () => {
  const keySocket = await openKeySocket();
  await send(keySocket, presence());
  expect(receivers()).toEqual([]);
  await send(adaSocket, presence());
  expect(receivers()).toEqual([benSocket]);
});

it("a malformed report, and one of another tenant's conversation, gets no answer and reaches no one", async () => {
  const otherTenant = await stream.team.newTenant();
  const malformed = [
    '{"type":"presence"}',
    presence(sampleConversationId(tenant), "typing"),
    presence(sampleConversationId(tenant), ""),
    JSON.stringify({ type: "presence", conversation_id: [sampleConversationId(tenant)], state: "reading" }),
    JSON.stringify({ type: ["presence"], conversation_id: sampleConversationId(tenant), state: "reading" }),
  ];
  const checkFrame = frameChecker(readServedDocument());
  expect(malformed.filter((text) => checkFrame("client", text).length === 0)).toEqual([]);
  expect(checkFrame("client", presence())).toEqual([]);
  const foreign = [
    presence(sampleConversationId(otherTenant)),
    presence("CONV"),
    presence(""),
    presence("x".repeat(300)),
  ];
  for (const text of [...malformed, ...foreign]) {
    await send(adaSocket, text);
    expect(receivers(), text).toEqual([]);
  }
  expect(stream.isOpen(adaSocket)).toBe(true);
});

it("a report reaches no one whose first frame is not sent, and counts for nothing before the first frame of its own connection", async () => {
  const late = await stream.open(await stream.newMember(tenant), tenant);
  await send(adaSocket, presence());
  expect(receivers()).toEqual([benSocket]);
  await send(late, presence());
  expect(receivers()).toEqual([]);
});

it("a report reaches no socket that is being closed, and counts for nothing from one", async () => {
  await stream.ports.sockets.markEnded(tenant, [benSocket], testEnv.now());
  await send(adaSocket, presence());
  await send(benSocket, presence());
  expect(receivers()).toEqual([]);
});

it("a report reaches the others when a post to one of them fails", async () => {
  const thirdSocket = await openGreeted(await stream.newMember(tenant));
  const connections = {
    ...stream.ports.connections,
    async post(connectionId: string, text: string) {
      if (connectionId === benSocket) throw new Error("The gateway failed.");
      return stream.ports.connections.post(connectionId, text);
    },
  };
  const frame = { connectionId: adaSocket, text: presence(), now: testEnv.now() };
  await receiveFrame({ ...stream.ports, connections }, frame);
  expect(receivers()).toEqual([thirdSocket]);
});

it("a report is lost while the sockets cannot be read, and the next one is not", async () => {
  const end = injectFaults(testEnv.client, ({ command }) => (command === "Query" ? "crash" : "pass"));
  await expect(send(adaSocket, presence())).rejects.toThrow("crashed");
  end();
  expect(receivers()).toEqual([]);
  await send(adaSocket, presence());
  expect(receivers()).toEqual([benSocket]);
});

it("a report reaches the others of a tenant with fifty sockets, and no one of more", async () => {
  const ben = await stream.newMember(tenant);
  for (let sockets = 2; sockets < 50; sockets++) await stream.open(ben, tenant);
  await send(adaSocket, presence());
  expect(receivers()).toEqual([benSocket]);
  await stream.open(ben, tenant);
  await send(adaSocket, presence());
  expect(receivers()).toEqual([]);
});

it("a report counts as a frame: the sixty-first of a minute closes the connection and reaches no one", async () => {
  testEnv.advance(MINUTE - (testEnv.now() % MINUTE));
  for (let i = 0; i < 60; i++) await send(adaSocket, presence());
  expect(receivers()).toHaveLength(60);
  await send(adaSocket, presence());
  expect([receivers(), stream.isOpen(adaSocket)]).toEqual([[], false]);
});
