import { beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { recordUnlessErased, undoLateWrite } from "#features/erasure/late-writes.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { putEndpointRow, tenantCaller } from "../../../support/flows/data-subject.ts";
import { inboundBody, instagramWebhook, type WebhookText } from "../../../support/flows/inbound-webhooks.ts";
import { ingestEvents } from "../../../support/flows/platform-events.ts";
import { invokeWorker, queueDepth, receiveEvents } from "../../../support/flows/queue-worker.ts";
import { SAMPLE_INBOX, sampleMessage } from "../../../support/stores/samples.ts";
import { recordAttempt, useConversation } from "./support/erased-conversations.ts";

const { drain, eraseNow, expectErased, partition, queues, sortKeyKinds, testEnv, world } = useConversation();
let tenant: TenantId;
let account: string;
let conversation: string;
let ingest: ReturnType<typeof ingestWorker>;
beforeEach(() => {
  ({ tenant, account, conversation } = world);
  ingest = ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
});

async function ingestTexts(...texts: WebhookText[]): Promise<void> {
  await openQueue(queues.inbound, testEnv.eventSource).send({
    body: inboundBody(instagramWebhook(account, texts), testEnv.now()),
  });
  const { failed } = await invokeWorker(testEnv.eventSource, queues.inbound, ingest);
  expect(failed).toEqual([]);
}

const countEvents = async () => (await receiveEvents(testEnv, queues)).length;

const firstText = { mid: "m1", text: "before" };

describe("after its conversation was erased", () => {
  it("a redelivered message is dropped, at once and until its retention ends", async () => {
    const at = testEnv.now();
    await ingestTexts({ ...firstText, at });
    expect(await countEvents()).toBe(1);
    await eraseNow();
    await ingestTexts({ ...firstText, at });
    expect(await sortKeyKinds()).toEqual(["~H"]);
    await drain();
    for (const later of [0, MINUTE, DAY, 5 * DAY, DAY - HOUR]) {
      testEnv.advance(later);
      await ingestTexts({ ...firstText, at });
      await ingestTexts({ mid: "m-never-seen", text: "older still", at: at - 1 });
      await ingestTexts({ mid: "m-echo", text: "of ours", at, echo: true });
    }
    testEnv.advance(HOUR);
    await ingestTexts({ ...firstText, at });
    expect(await partition()).toEqual([]);
    expect(await countEvents()).toBe(0);
  });

  it("a redelivered message is dropped by a worker that has the tenant's state cached, too", async () => {
    const at = testEnv.now();
    await ingestTexts({ ...firstText, at });
    testEnv.advance(SECOND);
    await eraseNow();
    // The same worker, which has the tenant's state from before the erasure cached.
    await ingestTexts({ ...firstText, at });
    await drain();
    await ingestTexts({ ...firstText, at });
    expect(await partition()).toEqual([]);
  });

  it("a newer message starts a new conversation, and older messages are still dropped", async () => {
    const at = testEnv.now();
    await ingestTexts({ ...firstText, at });
    await eraseNow();
    await drain();
    await ingestTexts({ mid: "m2", text: "after", at: testEnv.now() });
    await ingestTexts({ ...firstText, at });
    const head = await conversationStore(testEnv.table).get(tenant, conversation, testEnv.now());
    expect(head).toMatchObject({ lastMessageText: "after" });
    expect(await sortKeyKinds()).toEqual(["M#", "~H"]);
    testEnv.advance(DAY);
    await ingestTexts({ mid: "m3", text: "older", at });
    expect(await sortKeyKinds()).toEqual(["M#", "~H"]);
  });

  it("a message from before a repeated call, which found nothing, is dropped when it arrives at last", async () => {
    await ingestTexts({ ...firstText, at: testEnv.now() });
    testEnv.advance(SECOND);
    await eraseNow();
    for (const elapsed of [SECOND, MINUTE, 2 * DAY, 6 * DAY]) {
      testEnv.advance(elapsed);
      const at = testEnv.now();
      testEnv.advance(SECOND);
      expect(await eraseNow()).toMatchObject({ done: true, removed: { conversation: 0, messages: 0 } });
      await countEvents();
      await ingestTexts({ mid: `late-${elapsed}`, text: "failed before", at });
      expect(await sortKeyKinds()).toEqual(["~H"]);
      expect(await countEvents()).toBe(0);
      if (elapsed > SECOND) await drain();
      await countEvents();
      await ingestTexts({ mid: `later-${elapsed}`, text: "failed before", at });
      expect((await sortKeyKinds()).filter((kind) => kind !== "~H")).toEqual([]);
      expect(await countEvents()).toBe(0);
    }
    expect(await partition()).toEqual([]);
  });

  it("a message that a worker stores while a repeated call renews the marker is removed", async () => {
    await ingestTexts({ ...firstText, at: testEnv.now() });
    await eraseNow();
    await drain();
    await countEvents();
    const at = testEnv.now() + SECOND;
    testEnv.advance(2 * SECOND);
    let renewed = false;
    const end = injectFaults(testEnv.client, async ({ command }): Promise<Fault> => {
      if (renewed || command !== "PutItem") return "pass";
      renewed = true;
      await eraseNow();
      return "pass";
    });
    await ingestTexts({ mid: "beside", text: "beside it", at });
    end();
    expect(renewed).toBe(true);
    expect(await sortKeyKinds()).toEqual(["~H"]);
    await expectErased();
  });

  it("an echo of a message that the account sent after it starts a new conversation", async () => {
    const at = testEnv.now();
    await ingestTexts({ ...firstText, at });
    await eraseNow();
    await ingestTexts({ mid: "e1", text: "we write", at: at + 1, echo: true });
    await drain();
    expect(await sortKeyKinds()).toEqual(["K#", "M#", "~H"]);
  });
});

it("a message that is stored while its conversation is erased is removed, does not change the head and is not published", async () => {
  const at = testEnv.now();
  await ingestTexts({ ...firstText, at: at - 10 });
  await countEvents();
  let injected = false;
  // The erasure runs between the snapshot read and the message write.
  const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
    const isLateWrite = command === "PutItem" && JSON.stringify(input).includes('"late"');
    if (!isLateWrite || injected) return "pass";
    injected = true;
    await eraseNow();
    return "pass";
  });
  await ingestTexts({ mid: "m-late", text: "late", at: at - 5 });
  end();
  expect(injected).toBe(true);
  expect(await sortKeyKinds()).toEqual(["~H"]);
  expect((await partition())[0]).not.toHaveProperty("la");
  expect(await countEvents()).toBe(0);
  await expectErased();
});

it("a message that is stored while its conversation is erased is removed with its deliveries, because an earlier run may have published it", async () => {
  const at = testEnv.now();
  const endpointId = await putEndpointRow(testEnv, tenant, "one");
  await ingestTexts({ ...firstText, at: at - 10 });
  await eraseNow();
  const late = sampleMessage(tenant, { id: "late", conversationId: conversation, sentAt: at - 5 });
  const recorded = await messageStore(testEnv.table).record(tenant, late, at);
  const advance = await conversationStore(testEnv.table).advanceHead(tenant, late, SAMPLE_INBOX);
  expect(await undoLateWrite(testEnv.ingestPorts(queues), tenant, recorded, advance)).toBe(true);
  await recordAttempt(testEnv, { tenant, endpointId, eventUlid: late.eventUlid });
  await drain();
  expect(await deliveryStore(testEnv.table).get(tenant, endpointId, late.eventUlid)).toBeNull();
});

it("a message that is stored while its conversation is erased is removed by the next pass when its worker crashes, and one more pass follows for its deliveries", async () => {
  const at = testEnv.now();
  await ingestTexts({ ...firstText, at: at - 10 });
  await eraseNow();
  const late = sampleMessage(tenant, { id: "late", conversationId: conversation, sentAt: at - 5 });
  await messageStore(testEnv.table).record(tenant, late, at);
  testEnv.lines.length = 0;
  await expectErased();
  const rows = testEnv.lines.flatMap((line) => (line.event === "erasure.pass_completed" ? line.rows : []));
  expect(rows).toEqual([1, 0]);
});

it("a reply that is stored while its conversation is erased is removed, and its echo is dropped", async () => {
  const at = testEnv.now();
  await ingestTexts({ ...firstText, at: at - 10 });
  const platform = { textTooLong: () => false, send: async () => ({ kind: "accepted", messageId: "r1" }) };
  const ports = { ...testEnv.apiPorts(queues), platformFor: async () => platform as unknown as Platform };
  let injected = false;
  const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
    if (command !== "PutItem" || injected || !JSON.stringify(input).includes('"M#')) return "pass";
    injected = true;
    await eraseNow();
    return "pass";
  });
  const reply = { conversationId: conversation, text: "late", replyTo: null };
  expect(await sendReply(ports, { caller: tenantCaller(tenant), reply, time: startRequestTime(() => at) })).toEqual({
    messageId: "r1",
  });
  end();
  expect(injected).toBe(true);
  expect(await sortKeyKinds()).toEqual(["~H"]);
  await ingestTexts({ mid: "r1", text: "late", at, echo: true });
  expect(await sortKeyKinds()).toEqual(["~H"]);
  await expectErased();
});

it("a first attempt in progress while its message is erased writes its row late, and the next pass removes it", async () => {
  const at = testEnv.now();
  const endpointId = await putEndpointRow(testEnv, tenant, "one");
  await ingestTexts({ ...firstText, at: at - 10 });
  const eventUlid = String((await partition()).find(({ SK }) => SK.startsWith("M#"))?.e);
  expect(await eraseNow()).toMatchObject({ removed: { deliveries: 0 } });
  await recordAttempt(testEnv, { tenant, endpointId, eventUlid });
  expect(await deliveryStore(testEnv.table).get(tenant, endpointId, eventUlid)).not.toBeNull();
  await drain();
  expect(await deliveryStore(testEnv.table).get(tenant, endpointId, eventUlid)).toBeNull();
});

it("the head of an erased conversation never shows a message stamped at the erasure or before, and shows the next", async () => {
  const at = testEnv.now();
  await ingestTexts({ ...firstText, at });
  await eraseNow();
  const apply = (id: string, sentAt: number) =>
    conversationStore(testEnv.table).advanceHead(
      tenant,
      sampleMessage(tenant, { id, conversationId: conversation, sentAt }),
      SAMPLE_INBOX,
    );
  for (const sentAt of [at - MINUTE, at]) {
    expect((await apply("old", sentAt)).snapshot.erasedAt).toBe(at);
    expect(await conversationStore(testEnv.table).get(tenant, conversation, at)).toBeNull();
  }
  await apply("new", at + 1);
  await apply("old", at);
  const head = (await partition()).find(({ SK }) => SK === headKey(conversation).SK);
  expect(head).toMatchObject({ la: at + 1, li: at + 1, ea: at });
  await drain();
  expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);
  expect(await sortKeyKinds()).toEqual(["~H"]);
});

const now = 1_793_000_000_000;
const echoOf = (startedAt: number | null, at: number) => ({
  kind: "message" as const,
  account: { platform: "messenger" as const, externalId: "1" },
  participantId: "2",
  at,
  messageId: "m",
  form: "message" as const,
  text: "",
  attachments: [],
  replyTo: null,
  echo: { appId: "1", metadata: startedAt === null ? null : newUlid(startedAt) },
});

const isCovered = async (echo: ReturnType<typeof echoOf>) => {
  const ports = testEnv.ingestPorts(queues);
  const snapshot = { exists: false, erasedAt: now };
  const account = { tenant, lastErasureAt: now };
  const read = { account, conversationId: conversation, snapshot, now };
  return (await recordUnlessErased(ports, echo, read, { record: async () => "recorded" })) === "erased";
};

it("the echo of a send that started before the erasure is recognized by its metadata where the platform stamped it later", async () => {
  expect(await isCovered(echoOf(now - 10, now + 500))).toBe(true);
  expect(await isCovered(echoOf(now + 1, now + 500))).toBe(false);
  expect(await isCovered(echoOf(null, now + 500))).toBe(false);
});

it("the echo of a send that started before the erasure is not recognized by another app's metadata that looks like ours", async () => {
  expect(await isCovered(echoOf(now - DAY, now + 500))).toBe(false);
});

it("the echo of a send that started before the erasure is dropped, and the echo of a send from after it starts a new conversation", async () => {
  await ingestTexts({ ...firstText, at: testEnv.now() - 10 });
  await eraseNow();
  const erasedAt = testEnv.now();
  testEnv.advance(SECOND);
  const echoes = async (mid: string, startedAt: number) => {
    const message = { mid, text: "we write", is_echo: true, metadata: newUlid(startedAt) };
    const echo = { at: erasedAt + 500, fromAccount: true, content: { message } };
    return (await ingestEvents(testEnv.ingestPorts(queues), account, [echo], testEnv.now())).events.length;
  };
  expect(await echoes("before", erasedAt - 5)).toBe(0);
  expect(await sortKeyKinds()).toEqual(["~H"]);
  expect(await echoes("after", erasedAt + 1)).toBe(1);
  expect(await sortKeyKinds()).toEqual(["K#", "M#", "~H"]);
});

it("the echo of a send that started before the erasure is removed where the erasure removed the send after the check, and before the echo was stored", async () => {
  await ingestTexts({ ...firstText, at: testEnv.now() - 10 });
  await eraseNow();
  testEnv.advance(SECOND);
  await ingestTexts({ mid: "m2", text: "again", at: testEnv.now() });
  const startedAt = testEnv.now();
  const platform = { textTooLong: () => false, send: async () => ({ kind: "accepted", messageId: "r1" }) };
  const apiPorts = { ...testEnv.apiPorts(queues), platformFor: async () => platform as unknown as Platform };
  const reply = { conversationId: conversation, text: "ours", replyTo: null };
  await sendReply(apiPorts, { caller: tenantCaller(tenant), reply, time: startRequestTime(() => startedAt) });
  await countEvents();
  const ports = testEnv.ingestPorts(queues);
  let checks = 0;
  const isRemoved: typeof ports.erasures.isRemoved = async (...question) => {
    const answer = await ports.erasures.isRemoved(...question);
    checks += 1;
    if (checks === 1) await eraseNow();
    return answer;
  };
  // Instagram names no send, and stamped the message after the erasure.
  const echo = {
    at: startedAt + SECOND,
    fromAccount: true,
    content: { message: { mid: "r1", text: "ours", is_echo: true } },
  };
  const erasing = { ...ports, erasures: { ...ports.erasures, isRemoved } };
  expect((await ingestEvents(erasing, account, [echo], testEnv.now())).events).toEqual([]);
  expect(checks).toBe(2);
  expect(await sortKeyKinds()).toEqual(["~H"]);
  await expectErased();
});
