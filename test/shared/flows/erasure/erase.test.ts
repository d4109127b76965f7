import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import { sha256Hex } from "../../../../shared/kernel/bytes.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { writeErasure } from "../../../../shared/queues/messages.ts";
import { auditStore } from "../../../../shared/stores/access/audit.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { injectFaults } from "../../../support/faults.ts";
import { conversationOf, INBOX, messageOf, newTenant } from "../../stores/support/samples.ts";
import {
  allRows,
  callerOf,
  endpointRow,
  erase,
  type Life,
  live,
  type Row,
  rowsTellingOf,
  untilErased,
} from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth } from "../support/queue-work.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let endpoints: string[];
let life: Life;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  tenant = newTenant();
  lane = await house.newLane();
  endpoints = [await endpointRow(house, tenant, "one"), await endpointRow(house, tenant, "gone", "deleted")];
  life = await live(house, tenant, endpoints);
  house.turn(SECOND);
});

const zeros = {
  conversation: 0,
  profile: 0,
  messages: 0,
  markers: 0,
  deliveries: 0,
  sendRecords: 0,
  uploads: 0,
  holds: 0,
};
const notFound = { refused: "conversation_not_found" };
const auditRows = async (of = tenant) =>
  (await auditStore(house.table).list(of, { before: null, limit: 50, now: house.now() })).rows.filter(
    ({ action }) => action === "conversation.erase",
  );
const head = () => conversationStore(house.table).get(tenant, life.conversation, house.now());
const idOf = ({ conversation }: Pick<Life, "conversation">) => sha256Hex(conversation);

describe("erasing a conversation", () => {
  it("removes and counts every kind of row, at deleted endpoints too", async () => {
    expect(await rowsTellingOf(house, life)).not.toEqual([]);
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: life.counts });
    const left = await rowsTellingOf(house, life);
    // The head without what it said, and the erasure itself, which still knows the conversation.
    expect(left.map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
    expect(Object.keys(left.find(({ SK }) => SK === "~HEAD") ?? {}).sort()).toEqual(["PK", "SK", "ea", "x"]);
    await untilErased(house, lane);
    expect(await rowsTellingOf(house, life)).toEqual([]);
  });

  it("leaves nothing in the end but a marker of hashes and an instant, for 7 days and an hour", async () => {
    const erasedAt = house.now();
    await erase(house, lane, life);
    await untilErased(house, lane);
    const rows = (await allRows(house)).filter(({ PK }) => PK.includes(idOf(life)));
    const x = Math.ceil((erasedAt + 7 * DAY + HOUR) / 1_000);
    const [marks, marker] = rows.sort((a, b) => (a.SK < b.SK ? -1 : 1));
    expect(rows).toHaveLength(2);
    expect(marker).toEqual({ PK: `ER#${idOf(life)}`, SK: "R", ea: erasedAt, x });
    expect(marks).toEqual({ PK: `ER#${idOf(life)}`, SK: expect.stringMatching(/^P#/), k: expect.any(Array), x });
    expect(marks?.k).toEqual(Array(life.counts.messages).fill(expect.stringMatching(/^[0-9A-Z]{10}$/)));
  });

  it("touches no other row: not another person's, not another tenant's conversation with the same person", async () => {
    const neighbour = await live(house, tenant, endpoints, { person: "7700000000000077" });
    const stranger = newTenant();
    await live(house, stranger, [await endpointRow(house, stranger, "one")]);
    const others = async () =>
      (await allRows(house)).filter(
        (row) => JSON.stringify(row).includes(stranger) || row.PK === neighbour.conversation,
      );
    const before = await others();
    const neighbours = await rowsTellingOf(house, neighbour);
    await erase(house, lane, life);
    await untilErased(house, lane);
    expect(await others()).toEqual(before);
    expect(await rowsTellingOf(house, neighbour)).toHaveLength(neighbours.length);
    expect(before.length).toBeGreaterThan(30);
  });

  it("takes it out of the inbox, the detail, the feed and the look-up by id at once", async () => {
    const messages = messageStore(house.table);
    const known = `${life.person} said 0`;
    expect(await messages.byId(tenant, known, house.now())).not.toBeNull();
    await erase(house, lane, life);
    const query = { before: null, limit: 9, now: house.now() };
    expect((await conversationStore(house.table).inbox(tenant, query)).heads).toEqual([]);
    expect(await head()).toBeNull();
    expect(await messages.byId(tenant, known, house.now())).toBeNull();
    const feed = await messages.feed(tenant, { ...query, direction: null, includeTest: true });
    expect("rows" in feed && feed.rows).toEqual([]);
  });

  it("writes one audit row, which names it by a hash and holds the counts", async () => {
    await erase(house, lane, life);
    await untilErased(house, lane);
    await erase(house, lane, life);
    const { sendRecords, ...rest } = life.counts;
    expect(await auditRows()).toMatchObject([
      {
        resource: `conversation:sha256:${idOf(life).slice(0, 16)}`,
        actor: "key:k1",
        ip: "203.0.113.7",
        detail: { ...rest, send_records: sendRecords },
      },
    ]);
    expect(JSON.stringify(await auditRows())).not.toContain(life.person);
  });

  it("counts a profile only where one is known", async () => {
    const participant = { id: "88", handle: null, username: null };
    const message = messageOf(tenant, { id: "m88", participant, sentAt: house.now() });
    await messageStore(house.table).record(tenant, message, house.now());
    await conversationStore(house.table).apply(tenant, message, INBOX);
    expect(await erase(house, lane, { tenant, conversation: conversationOf(tenant, "88") })).toEqual({
      done: true,
      removed: { ...zeros, conversation: 1, messages: 1 },
    });
  });

  it("erases what the platform's clock has stamped ahead of ours", async () => {
    const ahead = messageOf(tenant, { id: "ahead", sentAt: house.now() + MINUTE });
    await messageStore(house.table).record(tenant, ahead, house.now());
    await conversationStore(house.table).apply(tenant, ahead, INBOX);
    const { messages } = life.counts;
    expect(await erase(house, lane, life)).toMatchObject({ removed: { messages: messages + 1 } });
  });

  it("tells the log what its passes removed, and nothing of whom", async () => {
    house.lines.length = 0;
    await erase(house, lane, life);
    await untilErased(house, lane);
    const passes = house.lines.filter(({ event }) => event === "erasure_pass");
    const { messages, markers, sendRecords, uploads, holds, deliveries } = life.counts;
    const rows = messages + markers + sendRecords + uploads + holds;
    const erasure = idOf(life).slice(0, 16);
    expect(passes).toEqual([
      { event: "erasure_pass", erasure, pass: "first", rows, deliveries },
      { event: "erasure_pass", erasure, pass: "later", rows: 0, deliveries: 0 },
    ]);
  });
});

describe("erasing again", () => {
  it("has nothing left to do while the marker lives, and is unknown afterwards", async () => {
    const begun = house.now();
    await erase(house, lane, life);
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: zeros });
    await untilErased(house, lane);
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: zeros });
    house.turn(begun + 7 * DAY + HOUR - SECOND - house.now());
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: zeros });
    house.turn(2 * SECOND);
    expect(await erase(house, lane, life)).toEqual(notFound);
    expect(await depth(house.eventSource, lane.erasures)).toBe(0);
    expect(await auditRows()).toHaveLength(1);
  });

  it("goes on with what is left, and ends with the counts of all of it", async () => {
    const long = await live(house, tenant, endpoints, { person: "9900000000000099", messages: 250 });
    house.turn(SECOND);
    const first = await erase(house, lane, long, 1);
    expect(first).toMatchObject({ done: false, removed: { conversation: 1, profile: 1 } });
    const second = await erase(house, lane, long, 1);
    expect(second).toMatchObject({ done: false });
    expect(await auditRows()).toEqual([]);
    expect(await erase(house, lane, long)).toEqual({ done: true, removed: long.counts });
    expect(await erase(house, lane, long)).toEqual({ done: true, removed: zeros });
    expect(await auditRows()).toHaveLength(1);
    await untilErased(house, lane);
    expect(await rowsTellingOf(house, long)).toEqual([]);
  });

  it("finds that the background has ended what it could not", async () => {
    expect(await erase(house, lane, life, 0)).toEqual({
      done: false,
      removed: { ...zeros, conversation: 1, profile: 1 },
    });
    expect(await head()).toBeNull();
    await untilErased(house, lane);
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: zeros });
    const { sendRecords, ...rest } = life.counts;
    expect(await auditRows()).toMatchObject([{ actor: "key:k1", detail: { ...rest, send_records: sendRecords } }]);
    expect(await rowsTellingOf(house, life)).toEqual([]);
  });

  it("removes what one that died had counted and not removed, without counting it again", async () => {
    const end = injectFaults(house.client, ({ command }) => (command === "BatchWriteItem" ? "crash" : "pass"));
    await expect(erase(house, lane, life)).rejects.toThrow("crashed");
    end();
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: life.counts });
    expect((await rowsTellingOf(house, life)).map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
  });

  it("twice at once removes and counts each row once", async () => {
    const answers = await Promise.all([erase(house, lane, life), erase(house, lane, life), erase(house, lane, life)]);
    expect(answers.filter((answer) => "done" in answer && answer.done)).toHaveLength(3);
    expect(answers).toContainEqual({ done: true, removed: life.counts });
    for (const answer of answers) {
      expect([life.counts, zeros]).toContainEqual("removed" in answer && answer.removed);
    }
    expect(await auditRows()).toHaveLength(1);
    await untilErased(house, lane);
    expect(await rowsTellingOf(house, life)).toEqual([]);
  });

  it("a conversation that began after the first erasure erases that one too", async () => {
    await erase(house, lane, life);
    house.turn(MINUTE);
    const second = await live(house, tenant, endpoints, { messages: 1 });
    house.turn(SECOND);
    expect(await erase(house, lane, second)).toEqual({ done: true, removed: second.counts });
    await untilErased(house, lane);
    expect(await rowsTellingOf(house, life)).toEqual([]);
    expect(await auditRows()).toHaveLength(2);
  });
});

describe("a conversation that begins while another of the same person is erased", () => {
  it("keeps all its rows", async () => {
    expect(await erase(house, lane, life, 0)).toMatchObject({ done: false });
    house.turn(1);
    const message = messageOf(tenant, { id: "new", text: "again", sentAt: house.now() });
    const kept = await messageStore(house.table).record(tenant, message, house.now());
    expect(await conversationStore(house.table).apply(tenant, message, INBOX)).toMatchObject({ started: true });
    await untilErased(house, lane);
    expect(await head()).toMatchObject({ lastMessageText: "again", participantHandle: null });
    expect((await messageStore(house.table).byRefs(tenant, [kept.ref])).size).toBe(1);
    const { sendRecords, ...rest } = life.counts;
    expect(await auditRows()).toMatchObject([{ detail: { ...rest, send_records: sendRecords } }]);
    const rows = (await allRows(house)).filter(({ PK }) => PK === life.conversation);
    expect(rows.map(({ SK }: Row) => SK.slice(0, 2))).toEqual(["M#", "~H"]);
  });
});

describe("who may erase, and what", () => {
  const ask = (conversationId: string, caller = callerOf(tenant), of = tenant) =>
    eraseConversation(house.erasePorts(lane), of, { conversationId, caller, ip: null }, () => true, house.now());

  it("is refused to a test key, whatever it names", async () => {
    const test = callerOf(tenant, "test");
    for (const id of [life.conversation, conversationOf(tenant, "nobody"), "x"]) {
      expect(await ask(id, test)).toEqual({ refused: "forbidden" });
    }
    expect(await head()).not.toBeNull();
  });

  it("is unknown where it is malformed, another tenant's, nobody's or past its retention", async () => {
    const stranger = newTenant();
    for (const id of ["", "x", `${life.conversation}#x`, conversationOf(tenant, "1"), conversationOf(stranger)]) {
      expect(await ask(id)).toEqual(notFound);
    }
    expect(await ask(life.conversation, callerOf(stranger), stranger)).toEqual(notFound);
    house.turn(7 * DAY);
    expect(await ask(life.conversation)).toEqual(notFound);
    expect(await depth(house.eventSource, lane.erasures)).toBe(0);
  });
});

describe("the queue message of an erasure", () => {
  it("names the conversation by its hash alone", async () => {
    const body = writeErasure({ tenant, erasureId: idOf(life) });
    expect(body).toContain(idOf(life));
    expect(body).not.toContain(life.person);
  });
});
