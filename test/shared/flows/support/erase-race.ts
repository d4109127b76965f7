import { expect } from "vitest";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { auditStore } from "../../../../shared/table/audit.ts";
import { conversationStore } from "../../../../shared/table/conversations.ts";
import { newTenant } from "../../table/support/samples.ts";
import { openScene } from "./erase-scene.ts";
import type { House } from "./house.ts";
import { interleave } from "./schedule.ts";

/** What every interleaving must come to, whatever came first. */
async function race(house: House, seed: number): Promise<{ late: boolean; began: boolean }> {
  const tenant = newTenant();
  const scene = await openScene(house, tenant);
  const t = house.now();
  const ends = await interleave(house.client, seed, [
    () => scene.eraseNow(t),
    () => scene.take(scene.update("late", t - 5)),
    () => scene.take(scene.update("newer", t + 5)),
    () => scene.take(scene.update("native", t - 4, { echo: { appId: null, metadata: null } })),
    () => scene.reply(t - 1),
    () => scene.change(t - 3),
    () => scene.announceOne(scene.waits),
    () => scene.retry(t + MINUTE),
    ...(seed % 2 ? [() => scene.eraseNow(t)] : []),
  ]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  await Promise.all(scene.events.map((body) => scene.announceOne(body)));
  const deliveriesBefore = (await scene.deliveriesOf()).length;
  await scene.untilOver();

  const audited = (
    await auditStore(house.table).list(tenant, { before: null, limit: 9, now: house.now() })
  ).rows.filter(({ action }) => action === "conversation.erase");
  const { erasures, traces } = house.erasePorts({});
  const erasedAt = (await erasures.erasedAt(scene.conversation, house.now())) ?? 0;
  const { traces: left } = await traces.page(scene.conversation, " ");

  // 1. No row of the conversation is as old as the erasure, and no delivery of an event that is not there any more.
  expect(left.filter(({ at }) => at <= erasedAt)).toEqual([]);
  const known = new Set(left.flatMap(({ event }) => event?.ulid ?? []));
  expect((await scene.deliveriesOf()).filter(({ eventUlid }) => !known.has(eventUlid))).toEqual([]);

  // 2. There is a head only where something newer is, and it shows nothing older.
  const head = await conversationStore(house.table).get(tenant, scene.conversation, house.now());
  const began = left.some(({ counts }) => counts === "messages");
  expect(head !== null).toBe(began);
  if (head) expect([head.lastAt > erasedAt, (head.lastOutboundAt ?? t + 5) > erasedAt]).toEqual([true, true]);

  // 3. Told once a time it was begun, with all that was there before, and with no more than ever was.
  expect(audited.length).toBeGreaterThanOrEqual(1);
  expect(audited.length).toBeLessThanOrEqual(seed % 2 ? 2 : 1);
  const sum = (kind: string) => audited.reduce((all, { detail }) => all + Number(detail[kind]), 0);
  expect([sum("conversation"), sum("profile")]).toEqual([audited.length, 0]);
  expect(sum("messages")).toBeGreaterThanOrEqual(2);
  expect(sum("messages")).toBeLessThanOrEqual(6 - (began ? 1 : 0));
  expect(sum("deliveries")).toBeGreaterThanOrEqual(1);
  expect(sum("deliveries")).toBeLessThanOrEqual(7);

  // 4. Whatever comes again is dropped: nothing old is posted, and nothing comes back.
  scene.posted.length = 0;
  for (const body of [scene.waits, ...scene.events]) await scene.announceOne(body);
  await scene.retry(house.now());
  for (const text of scene.posted) expect(text).toContain("said newer");
  for (const old of [scene.update("first", t - 20), scene.update("late", t - 5), scene.update("unseen", t - 7)]) {
    await scene.take(old, erasedAt);
  }
  expect((await traces.page(scene.conversation, " ")).traces).toEqual(left);
  return { late: deliveriesBefore > 0, began };
}

/** Runs interleavings, and expects them to be of all kinds: else they would prove little. */
export async function raceAll(house: House, seeds: { from: number; count: number }): Promise<void> {
  const seen = { late: 0, began: 0 };
  for (let seed = seeds.from; seed < seeds.from + seeds.count; seed++) {
    const { late, began } = await race(house, seed).catch((error: unknown) => {
      throw new Error(`In interleaving ${seed}`, { cause: error });
    });
    if (late) seen.late++;
    if (began) seen.began++;
  }
  expect(seen.late).toBeGreaterThan(seeds.count / 10);
  expect(seen.began).toBeGreaterThan(seeds.count / 10);
  expect(seeds.count - seen.began).toBeGreaterThan(seeds.count / 50);
}
