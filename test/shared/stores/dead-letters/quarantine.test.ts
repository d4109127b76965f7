import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DAY, MINUTE } from "../../../../shared/kernel/time.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import {
  type DeadLetter,
  type KeptLetter,
  type Quarantine,
  quarantineStore,
} from "../../../../shared/stores/dead-letters/quarantine.ts";
import { startTestTable, type TestTable } from "../../../support/dynamo.ts";
import { injectFaults } from "../../../support/faults.ts";
import { allOf } from "../../../support/pages.ts";
import { NOW } from "../support/samples.ts";

let table: TestTable;
let quarantine: Quarantine;
let letters = 0;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());
beforeEach(() => {
  quarantine = quarantineStore(openTable(table.tableName, table.client));
});

const letter = (rest: Partial<DeadLetter> = {}): DeadLetter => ({
  queue: "Inbound",
  messageId: `message-${++letters}`,
  sentAt: NOW - MINUTE,
  body: "body",
  group: null,
  receives: 5,
  ...rest,
});

async function kept(rest: Partial<DeadLetter> = {}): Promise<KeptLetter> {
  const dead = letter(rest);
  await quarantine.keep(dead, NOW);
  const [found] = (await listed(dead.queue)).filter(({ messageId }) => messageId === dead.messageId);
  if (!found) throw new Error("It is not there.");
  return found;
}

async function listed(queue: DeadLetter["queue"], order: "newest" | "oldest" = "newest", now = NOW) {
  return await allOf(quarantine.ofQueue(queue, order, now));
}

describe("what was set aside", () => {
  it("is listed by its queue in the order it was sent, over as many pages as there are", async () => {
    // Some three to a page of a megabyte.
    for (let i = 0; i < 5; i++) await quarantine.keep(letter({ sentAt: NOW - i, body: `${i}`.repeat(340_000) }), NOW);
    await quarantine.keep(letter({ queue: "Events" }), NOW);
    const order = (rows: KeptLetter[]) => rows.map(({ body }) => body[0]).join("");
    expect(order(await listed("Inbound"))).toBe("01234");
    expect(order(await listed("Inbound", "oldest"))).toBe("43210");
    const { value: first } = await quarantine.ofQueue("Inbound", "newest", NOW).next();
    expect(first?.length).toBeLessThan(5);
    expect(order(await listed("Inbound", "newest", NOW - 3))).toBe("34");
  });

  it("is found by its id alone, and for seven days", async () => {
    const one = await kept({ queue: "Profiles", group: "acme" });
    expect(await quarantine.find(one.id, NOW)).toEqual(one);
    expect(await quarantine.find(one.id, NOW + 7 * DAY - 1)).toEqual(one);
    expect(await quarantine.find(one.id, NOW + 7 * DAY)).toBeNull();
    expect(await listed("Profiles", "newest", NOW + 7 * DAY)).toEqual([]);
    expect(await quarantine.find(one.id.replace(/.$/, "~"), NOW)).toBeNull();
  });

  it("is whole up to what a row holds; above that it says how much there was, and that it is cut", async () => {
    expect(await kept({ queue: "Erasures", body: "漢".repeat(116_666) })).toMatchObject({ cut: false, bytes: 349_998 });
    const cut = await kept({ queue: "Erasures", body: "漢".repeat(116_667) });
    expect(cut).toMatchObject({ cut: true, bytes: 350_001 });
    expect(Buffer.byteLength(cut.body)).toBeLessThan(351_000);
  });

  it("is kept once however often it comes, and as it came first", async () => {
    const dead = letter({ queue: "Events", messageId: "again" });
    expect(await quarantine.keep(dead, NOW)).toBe("new");
    expect(await quarantine.keep({ ...dead, receives: 6 }, NOW + MINUTE)).toBe("kept_before");
    const same = (await listed("Events")).filter(({ messageId }) => messageId === "again");
    expect(same).toMatchObject([{ receives: 5, keptAt: NOW }]);
  });
});

describe("redriving", () => {
  it("is one's alone for five minutes, and then another's", async () => {
    const one = await kept();
    const claims = await Promise.all(Array.from({ length: 5 }, () => quarantine.claim(one, NOW)));
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await quarantine.claim(one, NOW + 5 * MINUTE - 1)).toBeNull();
    const second = await quarantine.claim(one, NOW + 5 * MINUTE);
    expect(second).not.toBeNull();
    // The first one is slow, and no longer has a say.
    const [first = ""] = claims.filter((claim) => claim !== null);
    await quarantine.settle(one, first, "sent", NOW + 6 * MINUTE);
    expect(await quarantine.find(one.id, NOW)).toMatchObject({ redriven: null });
    await quarantine.settle(one, second ?? "", "replayed", NOW + 6 * MINUTE);
    expect(await quarantine.find(one.id, NOW)).toMatchObject({
      redriven: { at: NOW + 6 * MINUTE, end: "replayed" },
      claimedUntil: null,
    });
    expect(await quarantine.claim(one, NOW + DAY)).toBeNull();
  });

  it("that is given back may begin again at once", async () => {
    const one = await kept();
    const claim = await quarantine.claim(one, NOW);
    await quarantine.release(one, claim ?? "");
    expect(await quarantine.find(one.id, NOW)).toEqual(one);
    expect(await quarantine.claim(one, NOW)).not.toBeNull();
  });

  it("knows its own claim though the table's answer was lost", async () => {
    const one = await kept();
    const end = injectFaults(table.client, ({ index }) => (index === 0 ? "lost" : "pass"));
    const claim = await quarantine.claim(one, NOW);
    end();
    expect(claim).not.toBeNull();
  });

  it("of a row that is gone makes none", async () => {
    const one = await kept();
    const gone = { ...one, id: one.id.replace(/^./, "7") };
    expect(await quarantine.claim(gone, NOW)).toBeNull();
    expect(await quarantine.find(gone.id, NOW)).toBeNull();
  });

  it("or having been redriven is what a letter that comes again meets", async () => {
    const dead = letter({ queue: "Events" });
    await quarantine.keep(dead, NOW);
    const [one] = (await listed("Events")).filter(({ messageId }) => messageId === dead.messageId);
    if (!one) throw new Error("It is not there.");
    const claim = await quarantine.claim(one, NOW);
    expect(await quarantine.keep(dead, NOW + 1)).toBe("redriven");
    expect(await quarantine.keep(dead, NOW + 5 * MINUTE)).toBe("kept_before");
    await quarantine.settle(one, claim ?? "", "sent", NOW);
    expect(await quarantine.keep(dead, NOW + DAY)).toBe("redriven");
  });
});
