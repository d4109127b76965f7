import { expect } from "vitest";
import { DAY, MINUTE } from "../../../../shared/kernel/time.ts";
import { auditStore } from "../../../../shared/stores/access/audit.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { crowdOf } from "./erase-crowd.ts";
import { openScene } from "./erase-scene.ts";
import type { House } from "./house.ts";
import { interleave } from "./schedule.ts";

/** What an interleaving was of. */
const kinds = ["late", "began", "one replayed", "all replayed", "held", "sent", "looked up"] as const;
type Kind = (typeof kinds)[number];

/** What every interleaving must come to, whatever came first. */
async function race(house: House, seed: number): Promise<Set<Kind>> {
  const tenant = newTenant();
  // Of one who wrote just now there is nothing to hold, and one who wrote days ago gets no reply.
  const scene = await openScene(house, tenant, seed % 4 < 2 ? 0 : 2 * DAY);
  const crowd = crowdOf(house, scene);
  const held = await crowd.hold(house.now() - 100);
  const seen = new Set<Kind>();
  const note = (kind: Kind, came: boolean) => void (came && seen.add(kind));
  const t = house.now();
  const afterOthers = async (then: () => Promise<unknown>) => {
    for (let calls = (seed % 3) * 8; calls > 0; calls--) await scene.deliveriesOf();
    return then();
  };
  const ends = await interleave(house.client, seed, [
    () => afterOthers(() => scene.eraseNow(t)),
    () => scene.take(scene.update("late", t - 5)),
    () => afterOthers(() => scene.take(scene.update("newer", t + 5))),
    () => scene.take(scene.update("native", t - 4, { echo: { appId: null, metadata: null } })),
    () => scene.reply(t - 1),
    () => scene.change(t - 3),
    () => scene.announceOne(scene.waits),
    () => scene.retry(t + MINUTE),
    async () => {
      note("one replayed", await crowd.replayOne(t));
      await scene.attempts(t);
    },
    async () => {
      note("all replayed", await crowd.replayAll(t));
      await scene.attempts(t);
    },
    async () => note("held", (await crowd.hold(t - 1)) !== null),
    async () => note("sent", held !== null && (await crowd.check(held, t - 1))),
    () => crowd.lookUp(t - 2),
    ...(seed % 2 ? [() => scene.eraseNow(t)] : []),
  ]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  await Promise.all(scene.events.map((body) => scene.announceOne(body)));
  await scene.attempts(t);
  note("late", (await scene.deliveriesOf()).length > 0);
  await scene.untilOver();

  const audited = (
    await auditStore(house.table).list(tenant, { before: null, limit: 50, now: house.now() })
  ).rows.filter(({ action }) => action === "conversation.erase");
  const { erasures, traces } = house.erasePorts({});
  const erasedAt = (await erasures.erasedAt(scene.conversation, house.now())) ?? 0;
  const { traces: left } = await traces.page(scene.conversation, " ");

  // 1. No row of the conversation is as old as the erasure, and no delivery of an event that is not there any more.
  expect(left.filter(({ at }) => at <= erasedAt)).toEqual([]);
  const known = new Set(left.flatMap(({ event }) => event?.ulid ?? []));
  expect((await scene.deliveriesOf()).filter(({ eventUlid }) => !known.has(eventUlid))).toEqual([]);

  for (const id of crowd.held) expect(await scene.api.holds.get(id)).toBeNull();

  // 2. There is a head only where something newer is, and it shows nothing older.
  const head = await conversationStore(house.table).get(tenant, scene.conversation, house.now());
  const began = left.some(({ counts }) => counts === "messages");
  expect(head !== null).toBe(began);
  note("began", began);
  // Nothing that was learned of the person before is left, on the head or on any message.
  expect(head?.participantHandle ?? null).toBeNull();
  const query = { conversationId: scene.conversation, direction: null, includeTest: true, before: null, limit: 100 };
  const { rows } = await messageStore(house.table).ofConversation(tenant, { ...query, now: house.now() });
  expect(rows.flatMap(({ message }) => message.participant.handle ?? message.participant.username ?? [])).toEqual([]);
  if (head) expect([head.lastAt > erasedAt, (head.lastOutboundAt ?? t + 5) > erasedAt]).toEqual([true, true]);

  // 3. Told once a time it was begun, with all that was there before, and with no more than ever was.
  expect(audited.length).toBeGreaterThanOrEqual(1);
  expect(audited.length).toBeLessThanOrEqual(seed % 2 ? 2 : 1);
  const sum = (kind: string) => audited.reduce((all, { detail }) => all + Number(detail[kind]), 0);
  // An erasure of rows that have no head yet is one of no conversation.
  expect(sum("conversation")).toBeGreaterThanOrEqual(1);
  expect(sum("conversation")).toBeLessThanOrEqual(audited.length);
  expect(sum("profile")).toBeLessThanOrEqual(1);
  note("looked up", sum("profile") === 1);
  expect(sum("holds")).toBeLessThanOrEqual((held ? 1 : 0) + (seen.has("held") ? 1 : 0));
  expect(sum("messages")).toBeGreaterThanOrEqual(4);
  expect(sum("messages")).toBeLessThanOrEqual(8 - (began ? 1 : 0));
  expect(sum("deliveries")).toBeGreaterThanOrEqual(3);
  expect(sum("deliveries")).toBeLessThanOrEqual(9);

  // 4. Whatever comes again is dropped: nothing old is posted, and nothing comes back.
  scene.posted.length = 0;
  for (const body of [scene.waits, ...scene.events]) await scene.announceOne(body);
  await scene.retry(house.now());
  await scene.attempts(house.now());
  for (const come of [crowd.replayOne, crowd.replayAll]) expect(await come(t)).toBe(false);
  for (const text of scene.posted) expect(text).toContain("said newer");
  for (const old of [scene.update("first", t - 20), scene.update("late", t - 5), scene.update("unseen", t - 7)]) {
    await scene.take(old, erasedAt);
  }
  expect((await traces.page(scene.conversation, " ")).traces).toEqual(left);
  return seen;
}

/** Runs interleavings, and expects them to be of all kinds: else they would prove little. */
export async function raceAll(house: House, seeds: { from: number; count: number }): Promise<void> {
  const seen = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
  for (let seed = seeds.from; seed < seeds.from + seeds.count; seed++) {
    const of = await race(house, seed).catch((error: unknown) => {
      throw new Error(`In interleaving ${seed}`, { cause: error });
    });
    for (const kind of of) seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
  const rare = [...seen].filter(([, times]) => times <= seeds.count / 20);
  expect(rare).toEqual([]);
  expect(seeds.count - (seen.get("began") ?? 0)).toBeGreaterThan(seeds.count / 50);
}
