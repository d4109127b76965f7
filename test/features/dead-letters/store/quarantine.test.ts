import { expect, it } from "vitest";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { type DeadLetter, type QuarantinedMessage, quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { collectPages } from "../../../support/collect-pages.ts";
import { withFaults } from "../../../support/faults.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

let letterCount = 0;
const table = openedOnce(openTestTable);
const quarantine = openedEach(() => quarantineStore(table));

const deadLetter = (rest: Partial<DeadLetter> = {}): DeadLetter => ({
  queue: "Inbound",
  messageId: `message-${++letterCount}`,
  sentAt: NOW - MINUTE,
  body: "body",
  group: null,
  receives: 5,
  ...rest,
});

async function quarantineLetter(rest: Partial<DeadLetter> = {}): Promise<QuarantinedMessage> {
  const dead = deadLetter(rest);
  await quarantine.save(dead, NOW);
  const [stored] = (await listLetters(dead.queue)).filter(({ messageId }) => messageId === dead.messageId);
  if (!stored) throw new Error("It is not there.");
  return stored;
}

async function listLetters(queue: DeadLetter["queue"], order: "newest" | "oldest" = "newest", now = NOW) {
  return await collectPages(quarantine.list(queue, order, now));
}

it("a quarantined message is listed by queue in sending order, over all pages", async () => {
  // About three per page of 1 MB.
  for (let i = 0; i < 5; i++) await quarantine.save(deadLetter({ sentAt: NOW - i, body: `${i}`.repeat(340_000) }), NOW);
  await quarantine.save(deadLetter({ queue: "Events" }), NOW);
  const order = (rows: QuarantinedMessage[]) => rows.map(({ body }) => body[0]).join("");
  expect(order(await listLetters("Inbound"))).toBe("01234");
  expect(order(await listLetters("Inbound", "oldest"))).toBe("43210");
  const { value: first } = await quarantine.list("Inbound", "newest", NOW).next();
  expect(first?.length).toBeLessThan(5);
  expect(order(await listLetters("Inbound", "newest", NOW - 3))).toBe("34");
});

it("a quarantined message is found by its id alone, for seven days", async () => {
  const one = await quarantineLetter({ queue: "Profiles", group: "acme" });
  expect(await quarantine.get(one.id, NOW)).toEqual(one);
  expect(await quarantine.get(one.id, NOW + 7 * DAY - 1)).toEqual(one);
  expect(await quarantine.get(one.id, NOW + 7 * DAY)).toBeNull();
  expect(await listLetters("Profiles", "newest", NOW + 7 * DAY)).toEqual([]);
  expect(await quarantine.get(one.id.replace(/.$/, "~"), NOW)).toBeNull();
});

it("a quarantined message is stored whole up to the limit of a row; a longer one is cut and stores its full size", async () => {
  expect(await quarantineLetter({ queue: "Erasures", body: "漢".repeat(116_666) })).toMatchObject({
    cut: false,
    bytes: 349_998,
  });
  const cut = await quarantineLetter({ queue: "Erasures", body: "漢".repeat(116_667) });
  expect(cut).toMatchObject({ cut: true, bytes: 350_001 });
  expect(Buffer.byteLength(cut.body)).toBeLessThan(351_000);
});

it("a quarantined message is stored once, as it first arrived", async () => {
  const dead = deadLetter({ queue: "Events", messageId: "again" });
  expect(await quarantine.save(dead, NOW)).toBe("new");
  expect(await quarantine.save({ ...dead, receives: 6 }, NOW + MINUTE)).toBe("stored_before");
  const same = (await listLetters("Events")).filter(({ messageId }) => messageId === "again");
  expect(same).toMatchObject([{ receives: 5, quarantinedAt: NOW }]);
});

it("a redrive claim is exclusive for five minutes, and then free", async () => {
  const one = await quarantineLetter();
  const claims = await Promise.all(Array.from({ length: 5 }, () => quarantine.claimDeadLetter(one, NOW)));
  expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  expect(await quarantine.claimDeadLetter(one, NOW + 5 * MINUTE - 1)).toBeNull();
  const second = await quarantine.claimDeadLetter(one, NOW + 5 * MINUTE);
  expect(second).not.toBeNull();
  // The first redrive is slow and has lost its claim.
  const [first = ""] = claims.filter((claim) => claim !== null);
  await quarantine.settleDeadLetter(one, first, "sent", NOW + 6 * MINUTE);
  expect(await quarantine.get(one.id, NOW)).toMatchObject({ redriven: null });
  await quarantine.settleDeadLetter(one, second ?? "", "replayed", NOW + 6 * MINUTE);
  expect(await quarantine.get(one.id, NOW)).toMatchObject({
    redriven: { at: NOW + 6 * MINUTE, end: "replayed" },
    claimedUntil: null,
  });
  expect(await quarantine.claimDeadLetter(one, NOW + DAY)).toBeNull();
});

it("a redrive claim that is released is free at once", async () => {
  const one = await quarantineLetter();
  const claim = await quarantine.claimDeadLetter(one, NOW);
  await quarantine.release(one, claim ?? "");
  expect(await quarantine.get(one.id, NOW)).toEqual(one);
  expect(await quarantine.claimDeadLetter(one, NOW)).not.toBeNull();
});

it("a redrive claim recognizes itself when the table's response was lost", async () => {
  const one = await quarantineLetter();
  const claim = await withFaults(table.client, "lost", () => quarantine.claimDeadLetter(one, NOW));
  expect(claim).not.toBeNull();
});

it("a redrive claim of a missing row creates none", async () => {
  const one = await quarantineLetter();
  const gone = { ...one, id: one.id.replace(/^./, "7") };
  expect(await quarantine.claimDeadLetter(gone, NOW)).toBeNull();
  expect(await quarantine.get(gone.id, NOW)).toBeNull();
});

it("a redrive claim or a finished redrive is reported when the same message arrives again", async () => {
  const dead = deadLetter({ queue: "Events" });
  await quarantine.save(dead, NOW);
  const [one] = (await listLetters("Events")).filter(({ messageId }) => messageId === dead.messageId);
  if (!one) throw new Error("It is not there.");
  const claim = await quarantine.claimDeadLetter(one, NOW);
  expect(await quarantine.save(dead, NOW + 1)).toBe("redriven");
  expect(await quarantine.save(dead, NOW + 5 * MINUTE)).toBe("stored_before");
  await quarantine.settleDeadLetter(one, claim ?? "", "sent", NOW);
  expect(await quarantine.save(dead, NOW + DAY)).toBe("redriven");
});
