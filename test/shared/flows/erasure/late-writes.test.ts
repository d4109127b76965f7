import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { isOfSendBefore, takeBack } from "../../../../shared/flows/erasure/late-writes.ts";
import { sendReply } from "../../../../shared/flows/sending/reply.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { Platform } from "../../../../shared/platforms/platform.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { headKey } from "../../../../shared/stores/keys.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { INBOX, messageOf } from "../../stores/support/samples.ts";
import { ingestOf } from "../support/changes.ts";
import { allRows, callerOf, endpointRow, erase, untilErased } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";
import { depth, handOut, receiveAll } from "../support/queue-work.ts";
import { inboundOf, type Said, webhook } from "../support/webhooks.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let account: string;
let conversation: string;
let ingest: ReturnType<typeof ingestWorker>;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  ({ tenant, account, conversation } = await newConversation(house));
  ingest = ingestWorker(house.ingestPorts(lane), house.now);
});

async function comes(...said: Said[]): Promise<void> {
  await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(webhook(account, said), house.now()) });
  const { failed } = await handOut(house.eventSource, lane.inbound, ingest);
  expect(failed).toEqual([]);
}

const partition = async () => (await allRows(house)).filter(({ PK }) => PK === conversation);
const kinds = async () => (await partition()).map(({ SK }) => SK.slice(0, 2)).sort();
const announced = async () => (await receiveAll(house.eventSource, lane.events)).length;
const eraseNow = () => erase(house, lane, { tenant, conversation });

async function recordAttempt(endpointId: string, eventUlid: string): Promise<void> {
  await deliveryStore(house.table).recordFirst(
    tenant,
    { endpointId, eventUlid, eventType: "message.received", source: null },
    { status: "delivered" },
    { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
    house.now(),
  );
}

const first = { mid: "m1", text: "before" };

describe("after its conversation was erased", () => {
  it("a message that comes again is dropped, at once and for as long as it could be taken in", async () => {
    const at = house.now();
    await comes({ ...first, at });
    expect(await announced()).toBe(1);
    await eraseNow();
    await comes({ ...first, at });
    expect(await kinds()).toEqual(["~H"]);
    await untilErased(house, lane);
    for (const later of [0, MINUTE, DAY, 5 * DAY, DAY - HOUR]) {
      house.turn(later);
      await comes({ ...first, at });
      await comes({ mid: "m-never-seen", text: "older still", at: at - 1 });
      await comes({ mid: "m-echo", text: "of ours", at, echo: true });
    }
    house.turn(HOUR);
    await comes({ ...first, at });
    expect(await partition()).toEqual([]);
    expect(await announced()).toBe(0);
  });

  it("also by a worker that had looked the tenant up just before", async () => {
    const at = house.now();
    await comes({ ...first, at });
    house.turn(SECOND);
    await eraseNow();
    // The very worker that remembers the tenant without an erasure.
    await comes({ ...first, at });
    await untilErased(house, lane);
    await comes({ ...first, at });
    expect(await partition()).toEqual([]);
  });

  it("a newer message begins a new conversation, and what is older is still dropped", async () => {
    const at = house.now();
    await comes({ ...first, at });
    await eraseNow();
    await untilErased(house, lane);
    await comes({ mid: "m2", text: "after", at: house.now() });
    await comes({ ...first, at });
    const head = await conversationStore(house.table).get(tenant, conversation, house.now());
    expect(head).toMatchObject({ lastMessageText: "after" });
    expect(await kinds()).toEqual(["M#", "~H"]);
    house.turn(DAY);
    await comes({ mid: "m3", text: "older", at });
    expect(await kinds()).toEqual(["M#", "~H"]);
  });

  it("an echo of what the account wrote after it begins a new conversation", async () => {
    const at = house.now();
    await comes({ ...first, at });
    await eraseNow();
    await comes({ mid: "e1", text: "we write", at: at + 1, echo: true });
    await untilErased(house, lane);
    expect(await kinds()).toEqual(["K#", "M#", "~H"]);
  });
});

describe("a message that is kept while its conversation is erased", () => {
  it("is taken back, leaves the head alone and is not announced", async () => {
    const at = house.now();
    await comes({ ...first, at: at - 10 });
    await announced();
    let struck = false;
    // The erasure comes between the glimpse and the message.
    const end = injectFaults(house.client, async ({ command, input }): Promise<Fault> => {
      const written = command === "PutItem" && JSON.stringify(input).includes('"late"');
      if (!written || struck) return "pass";
      struck = true;
      await eraseNow();
      return "pass";
    });
    await comes({ mid: "m-late", text: "late", at: at - 5 });
    end();
    expect(struck).toBe(true);
    expect(await kinds()).toEqual(["~H"]);
    expect((await partition())[0]).not.toHaveProperty("la");
    expect(await announced()).toBe(0);
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
  });

  it("has its deliveries removed when it is taken back, for an earlier run may have announced it", async () => {
    const at = house.now();
    const endpointId = await endpointRow(house, tenant, "one");
    await comes({ ...first, at: at - 10 });
    await eraseNow();
    const late = messageOf(tenant, { id: "late", conversationId: conversation, sentAt: at - 5 });
    const kept = await messageStore(house.table).record(tenant, late, at);
    await takeBack(house.ingestPorts(lane), tenant, kept, at);
    await recordAttempt(endpointId, late.eventUlid);
    await untilErased(house, lane);
    expect(await deliveryStore(house.table).get(tenant, endpointId, late.eventUlid)).toBeNull();
  });

  it("by one who dies at once, is removed by the next pass, and one more pass follows for its deliveries", async () => {
    const at = house.now();
    await comes({ ...first, at: at - 10 });
    await eraseNow();
    const late = messageOf(tenant, { id: "late", conversationId: conversation, sentAt: at - 5 });
    await messageStore(house.table).record(tenant, late, at);
    house.lines.length = 0;
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
    const rows = house.lines.flatMap((line) => (line.event === "erasure_pass" ? line.rows : []));
    expect(rows).toEqual([1, 0]);
  });
});

describe("a reply that is kept while its conversation is erased", () => {
  it("is taken back, as an echo of it is dropped", async () => {
    const at = house.now();
    await comes({ ...first, at: at - 10 });
    const platform = { textTooLong: () => false, send: async () => ({ kind: "accepted", messageId: "r1" }) };
    const ports = { ...house.apiPorts(lane), platformOf: () => platform as unknown as Platform };
    let struck = false;
    const end = injectFaults(house.client, async ({ command, input }): Promise<Fault> => {
      if (command !== "PutItem" || struck || !JSON.stringify(input).includes('"M#')) return "pass";
      struck = true;
      await eraseNow();
      return "pass";
    });
    const reply = { conversationId: conversation, text: "late", replyTo: null };
    expect(await sendReply(ports, callerOf(tenant), reply, () => at)).toEqual({ messageId: "r1" });
    end();
    expect(struck).toBe(true);
    expect(await kinds()).toEqual(["~H"]);
    await comes({ mid: "r1", text: "late", at, echo: true });
    expect(await kinds()).toEqual(["~H"]);
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
  });
});

describe("a first attempt under way while its message is erased", () => {
  it("writes its row late, which goes with the next pass", async () => {
    const at = house.now();
    const endpointId = await endpointRow(house, tenant, "one");
    await comes({ ...first, at: at - 10 });
    const eventUlid = String((await partition()).find(({ SK }) => SK.startsWith("M#"))?.e);
    expect(await eraseNow()).toMatchObject({ removed: { deliveries: 0 } });
    await recordAttempt(endpointId, eventUlid);
    expect(await deliveryStore(house.table).get(tenant, endpointId, eventUlid)).not.toBeNull();
    await untilErased(house, lane);
    expect(await deliveryStore(house.table).get(tenant, endpointId, eventUlid)).toBeNull();
  });
});

describe("the head of an erased conversation", () => {
  it("never shows a message of the erasure's instant or before, and shows the next", async () => {
    const at = house.now();
    await comes({ ...first, at });
    await eraseNow();
    const apply = (id: string, sentAt: number) =>
      conversationStore(house.table).apply(
        tenant,
        messageOf(tenant, { id, conversationId: conversation, sentAt }),
        INBOX,
      );
    for (const sentAt of [at - MINUTE, at]) {
      expect((await apply("old", sentAt)).glimpse.erasedAt).toBe(at);
      expect(await conversationStore(house.table).get(tenant, conversation, at)).toBeNull();
    }
    await apply("new", at + 1);
    await apply("old", at);
    const head = (await partition()).find(({ SK }) => SK === headKey(conversation).SK);
    expect(head).toMatchObject({ la: at + 1, li: at + 1, ea: at });
    await untilErased(house, lane);
    expect(await depth(house.eventSource, lane.erasures)).toBe(0);
    expect(await kinds()).toEqual(["~H"]);
  });
});

describe("the echo of a send that began before the erasure", () => {
  const now = 1_793_000_000_000;
  const echoOf = (begunAt: number | null, at: number) => ({
    kind: "message" as const,
    account: { platform: "messenger" as const, externalId: "1" },
    participantId: "2",
    at,
    messageId: "m",
    form: "message" as const,
    text: "",
    attachments: [],
    replyTo: null,
    echo: { appId: "1", metadata: begunAt === null ? null : newUlid(begunAt) },
  });

  it("is known by its metadata, also where the platform stamped it later", () => {
    expect(isOfSendBefore(echoOf(now - 10, now + 500), now)).toBe(true);
    expect(isOfSendBefore(echoOf(now + 1, now + 500), now)).toBe(false);
    expect(isOfSendBefore(echoOf(null, now + 500), now)).toBe(false);
  });

  it("and no other app's metadata that merely looks like ours", () => {
    expect(isOfSendBefore(echoOf(now - DAY, now + 500), now)).toBe(false);
  });

  it("is dropped by whoever takes it in, while the echo of a send from after it begins a new conversation", async () => {
    await comes({ ...first, at: house.now() - 10 });
    await eraseNow();
    const erasedAt = house.now();
    house.turn(SECOND);
    const echoes = async (mid: string, begunAt: number) => {
      const message = { mid, text: "we write", is_echo: true, metadata: newUlid(begunAt) };
      const echo = { at: erasedAt + 500, ours: true, content: { message } };
      return (await ingestOf(house.ingestPorts(lane), account, [echo], house.now())).announcements.length;
    };
    expect(await echoes("before", erasedAt - 5)).toBe(0);
    expect(await kinds()).toEqual(["~H"]);
    expect(await echoes("after", erasedAt + 1)).toBe(1);
    expect(await kinds()).toEqual(["K#", "M#", "~H"]);
  });
});
