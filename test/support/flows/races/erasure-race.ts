import { expect } from "vitest";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { newTenant } from "../../stores/samples.ts";
import { openErasureFixture } from "../erasure-fixture.ts";
import type { TestEnv } from "../test-env.ts";
import { concurrentActions } from "./concurrent-actions.ts";
import { interleave } from "./deterministic-scheduler.ts";

/** What an interleaving contained. */
const outcomeKinds = ["late", "newer head", "one replayed", "all replayed", "held", "sent", "profile fetched"] as const;
type OutcomeKind = (typeof outcomeKinds)[number];

/** Expects the invariants of an erasure, for any order of the calls. */
async function runInterleaving(testEnv: TestEnv, seed: number): Promise<Set<OutcomeKind>> {
  const tenant = newTenant();
  // A recent message makes a hold unnecessary, and an old one makes a reply impossible.
  const fixture = await openErasureFixture(testEnv, tenant, seed % 4 < 2 ? 0 : 2 * DAY);
  const actions = concurrentActions(testEnv, fixture);
  const existingHold = await actions.hold(testEnv.now() - 100);
  const outcomes = new Set<OutcomeKind>();
  const noteOutcome = (kind: OutcomeKind, occurred: boolean) => void (occurred && outcomes.add(kind));
  const erasedFrom = testEnv.now();
  const afterOthers = async (then: () => Promise<unknown>) => {
    for (let calls = (seed % 3) * 8; calls > 0; calls--) await fixture.listDeliveries();
    return then();
  };
  const results = await interleave(testEnv.client, seed, [
    () => afterOthers(() => fixture.eraseNow(erasedFrom)),
    () => fixture.ingest(fixture.update("late", erasedFrom - 5)),
    () => afterOthers(() => fixture.ingest(fixture.update("newer", erasedFrom + 5))),
    () => fixture.ingest(fixture.update("native", erasedFrom - 4, { echo: { appId: null, metadata: null } })),
    () => fixture.reply(erasedFrom - 1),
    () => fixture.ingestEdit(erasedFrom - 3),
    () => fixture.deliverEvent(fixture.undeliveredBody),
    () => fixture.retry(erasedFrom + MINUTE),
    async () => {
      noteOutcome("one replayed", await actions.replayOne(erasedFrom));
      await fixture.runRetries(erasedFrom);
    },
    async () => {
      noteOutcome("all replayed", await actions.replayAll(erasedFrom));
      await fixture.runRetries(erasedFrom);
    },
    async () => noteOutcome("held", (await actions.hold(erasedFrom - 1)) !== null),
    async () => noteOutcome("sent", existingHold !== null && (await actions.check(existingHold, erasedFrom - 1))),
    () => actions.lookUp(erasedFrom - 2),
    ...(seed % 2 ? [() => fixture.eraseNow(erasedFrom)] : []),
  ]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  await Promise.all(fixture.events.map((body) => fixture.deliverEvent(body)));
  await fixture.runRetries(erasedFrom);
  noteOutcome("late", (await fixture.listDeliveries()).length > 0);
  await fixture.drainErasures();

  const auditEntries = (
    await auditStore(testEnv.table).list(tenant, { before: null, limit: 50, now: testEnv.now() })
  ).rows.filter(({ action }) => action === "conversation.erase");
  const { erasures, traces } = testEnv.erasePorts({});
  const erasedAt = (await erasures.erasedAt(fixture.conversation, testEnv.now())) ?? 0;
  const { traces: remaining } = await traces.page(fixture.conversation, " ");

  // 1. No row of the conversation is as old as the erasure, and no delivery remains whose event is gone.
  expect(remaining.filter(({ at }) => at <= erasedAt)).toEqual([]);
  const remainingEvents = new Set(remaining.flatMap(({ event }) => event?.ulid ?? []));
  expect((await fixture.listDeliveries()).filter(({ eventUlid }) => !remainingEvents.has(eventUlid))).toEqual([]);

  for (const id of actions.heldIds) expect(await fixture.api.holds.get(id)).toBeNull();

  // 2. A head exists only where a newer message exists, and it shows nothing older.
  const head = await conversationStore(testEnv.table).get(tenant, fixture.conversation, testEnv.now());
  const hasNewer = remaining.some(({ counts }) => counts === "messages");
  expect(head !== null).toBe(hasNewer);
  noteOutcome("newer head", hasNewer);
  // No profile data from before is left, on the head or on any message.
  expect(head?.participantHandle ?? null).toBeNull();
  const query = { conversationId: fixture.conversation, direction: null, includeTest: true, before: null, limit: 100 };
  const { rows } = await messageStore(testEnv.table).listByConversation(tenant, { ...query, now: testEnv.now() });
  expect(rows.flatMap(({ message }) => message.participant.handle ?? message.participant.username ?? [])).toEqual([]);
  if (head) expect([head.lastAt > erasedAt, (head.lastOutboundAt ?? erasedFrom + 5) > erasedAt]).toEqual([true, true]);

  // 3. Each started erasure is audited once, with every row that existed before it and no row that never existed.
  expect(auditEntries.length).toBeGreaterThanOrEqual(1);
  expect(auditEntries.length).toBeLessThanOrEqual(seed % 2 ? 2 : 1);
  const sum = (kind: string) => auditEntries.reduce((all, { detail }) => all + Number(detail[kind]), 0);
  // An erasure of rows that have no head yet counts no conversation.
  expect(sum("conversation")).toBeGreaterThanOrEqual(1);
  expect(sum("conversation")).toBeLessThanOrEqual(auditEntries.length);
  expect(sum("profile")).toBeLessThanOrEqual(1);
  noteOutcome("profile fetched", sum("profile") === 1);
  expect(sum("holds")).toBeLessThanOrEqual((existingHold ? 1 : 0) + (outcomes.has("held") ? 1 : 0));
  expect(sum("messages")).toBeGreaterThanOrEqual(4);
  expect(sum("messages")).toBeLessThanOrEqual(8 - (hasNewer ? 1 : 0));
  expect(sum("deliveries")).toBeGreaterThanOrEqual(3);
  expect(sum("deliveries")).toBeLessThanOrEqual(9);

  // 4. Messages that arrive again are dropped: nothing old is posted, and nothing comes back.
  fixture.posted.length = 0;
  for (const body of [fixture.undeliveredBody, ...fixture.events]) await fixture.deliverEvent(body);
  await fixture.retry(testEnv.now());
  await fixture.runRetries(testEnv.now());
  for (const replay of [actions.replayOne, actions.replayAll]) expect(await replay(erasedFrom)).toBe(false);
  for (const text of fixture.posted) expect(text).toContain("said newer");
  for (const old of [
    fixture.update("first", erasedFrom - 20),
    fixture.update("late", erasedFrom - 5),
    fixture.update("unseen", erasedFrom - 7),
  ]) {
    await fixture.ingest(old, erasedAt);
  }
  expect((await traces.page(fixture.conversation, " ")).traces).toEqual(remaining);
  return outcomes;
}

/** Runs interleavings and expects every kind among them. Otherwise they would prove little. */
export async function runInterleavings(testEnv: TestEnv, seeds: { from: number; count: number }): Promise<void> {
  const tally = new Map<OutcomeKind, number>(outcomeKinds.map((kind) => [kind, 0]));
  for (let seed = seeds.from; seed < seeds.from + seeds.count; seed++) {
    const outcomes = await runInterleaving(testEnv, seed).catch((error: unknown) => {
      throw new Error(`In interleaving ${seed}`, { cause: error });
    });
    for (const kind of outcomes) tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  const rare = [...tally].filter(([, times]) => times <= seeds.count / 20);
  expect(rare).toEqual([]);
  expect(seeds.count - (tally.get("newer head") ?? 0)).toBeGreaterThan(seeds.count / 50);
}
