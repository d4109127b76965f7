import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { interleave, seededRandom } from "../../../support/flows/races/deterministic-scheduler.ts";
import { openTestEnv, type TestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions, sampled } from "../../../support/sampling.ts";
import { startFlowTable } from "../../../support/world/flow-table.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";
import { type AccountRace, openAccountRace } from "./support/account-race.ts";
import { subscriptionNode } from "./support/race-platform.ts";

/** A request to the table in this process costs a tenth of one to the engine. Both have the same effects. */
const tables = [
  {
    table: "of this process",
    startTable: openWorldTable,
    interleavings: repetitions({ whole: 5_000, sample: 80 }),
    pageInterleavings: repetitions({ whole: 1_000, sample: 80 }),
  },
  { table: "of the engine", startTable: startFlowTable, interleavings: 300, pageInterleavings: 300 },
];
/** Interleavings that once showed a fault, each with what happens in it. */
interface FoundInterleaving {
  readonly race: "one account" | "both accounts of a page";
  readonly seed: number;
  readonly found: string;
}
const foundInterleavings: readonly FoundInterleaving[] = JSON.parse(
  readFileSync(new URL("found-interleavings.json", import.meta.url), "utf8"),
);

/** The seeds that once showed a fault, then the first ones. */
function seedsOf(race: FoundInterleaving["race"], count: number): number[] {
  const found = foundInterleavings.filter((one) => one.race === race).map(({ seed }) => seed);
  expect(found).not.toEqual([]);
  return [...found, ...Array.from({ length: count }, (_, i) => i + 1)];
}

/** How many calls the others may be ahead of a work. */
const LEAD_MAX = 25;
/** What may be under way while an account is disconnected. The last three change who is connected. */
const works = ["reply", "release", "upload", "fetchProfile", "check", "elsewhere", "samePage", "again"] as const;
type Work = (typeof works)[number];

const outcomeKinds = ["gone", "connected again", "sent", "not sent", "looked up", "not looked up"] as const;
type Outcome = (typeof outcomeKinds)[number];

function startWork(race: AccountRace, work: Work): Promise<unknown> {
  if (work === "elsewhere") return race.connect(race.other, race.ref);
  if (work === "samePage") return race.connect(race.other, race.page);
  if (work === "again") return race.connect(race.tenant, race.ref);
  return race[work]();
}

async function runInterleaving(testEnv: TestEnv, seed: number): Promise<Set<Outcome>> {
  const random = seededRandom(seed);
  const connection = seed % 3 ? "instagram_page" : "instagram_login";
  const race = await openAccountRace(testEnv, { connection });
  const remembered = race.newResolver();
  expect(await race.ingest(remembered)).toBe(race.tenant);
  const underWay = works.filter((work) => random() < (work === "again" ? 0.2 : 0.5));
  const lead = () => Math.floor(random() * LEAD_MAX);
  const started = await interleave([testEnv.client], seed, [
    async () => {
      await race.waitFor(lead());
      return race.disconnect();
    },
    ...underWay.map((work) => async () => {
      await race.waitFor(lead());
      return startWork(race, work);
    }),
  ]);
  for (const result of started) if (result.status === "rejected") throw result.reason;
  const elsewhere = underWay.indexOf("elsewhere");
  if (elsewhere >= 0) expect(started[elsewhere + 1]).toMatchObject({ value: { refused: "account_in_use" } });
  // A worker may remember the former tenant, and no other tenant has the account yet.
  testEnv.advance(MINUTE - SECOND);
  expect([race.tenant, null]).toContain(await race.ingest(remembered));
  await race.drain();
  testEnv.advance(2 * MINUTE);

  const isConnected = await expectWhole(race, connection);
  if (!isConnected) await expectNothingMoves(race, remembered);
  expect(race.lateCalls).toEqual([]);
  return new Set<Outcome>([
    isConnected ? "connected again" : "gone",
    race.callsOf("reply") + race.callsOf("release") > 0 ? "sent" : "not sent",
    race.callsOf("fetchProfile") > 0 ? "looked up" : "not looked up",
  ]);
}

/** The rows, the page's uses and the subscription say the same. @returns whether the account is connected */
async function expectWhole(race: AccountRace, connection: "instagram_page" | "instagram_login"): Promise<boolean> {
  const { tenant, other, ref, page, stores } = race;
  const [account, neighbour] = [await stores.accounts.get(tenant, ref), await stores.accounts.get(other, page)];
  const isOnPage = account !== null && connection === "instagram_page";
  expect(await race.tokenRows(tenant)).toEqual(account ? [`ACC#instagram#${ref.externalId}`] : []);
  expect(await race.tokenRows(other)).toEqual(neighbour ? [`ACC#messenger#${page.externalId}`] : []);
  expect((await stores.accounts.getRoute(ref))?.tenant).toBe(account ? tenant : undefined);
  expect(await race.pageUses()).toEqual(
    [
      ...(isOnPage ? [`${tenant} instagram#${ref.externalId}`] : []),
      ...(neighbour ? [`${other} messenger#${page.externalId}`] : []),
    ].sort(),
  );
  const node = (of: typeof ref) => subscriptionNode(connection, { ...of, pageId: page.externalId });
  const expected = [...(account ? [node(ref)] : []), ...(neighbour ? [`page ${page.externalId}`] : [])];
  expect([...race.subscribed].sort()).toEqual([...new Set(expected)].sort());
  return account !== null;
}

/** After disconnecting nothing is called, and the next tenant of the account receives its messages. */
async function expectNothingMoves(race: AccountRace, remembered: ReturnType<AccountRace["newResolver"]>) {
  const { tenant, other, ref } = race;
  const { length } = race.calls;
  expect(await race.reply()).toEqual({ refused: "account_not_found" });
  for (const work of ["upload", "fetchProfile", "check"] as const) await race[work]();
  expect(race.calls).toHaveLength(length);
  expect(isRefusal(await race.connect(other, ref))).toBe(false);
  for (const resolver of [remembered, race.newResolver()]) expect(await race.ingest(resolver)).toBe(other);
  expect(await race.tokenRows(tenant)).toEqual([]);
}

/** What may be under way while both accounts of a page are disconnected. The last two connect one again. */
const pageWorks = ["check", "checkNeighbour", "reconcile", "again", "neighbourAgain"] as const;

function startPageWork(race: AccountRace, work: (typeof pageWorks)[number]): Promise<unknown> {
  if (work === "checkNeighbour") return race.check(race.other, race.page);
  if (work === "again") return race.connect(race.tenant, race.ref);
  if (work === "neighbourAgain") return race.connect(race.other, race.page);
  return race[work]();
}

/** @returns the number of accounts that are connected in the end */
async function runPageInterleaving(testEnv: TestEnv, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const race = await openAccountRace(testEnv, { connection: "instagram_page" });
  await race.connect(race.other, race.page);
  await race.drain();
  // The platform ended the subscription.
  if (random() < 0.6) race.subscribed.clear();
  const underWay = pageWorks.filter((work) => random() < (work.endsWith("gain") ? 0.15 : 0.5));
  const lead = () => Math.floor(random() * LEAD_MAX);
  const works = [
    () => race.disconnect(),
    () => race.disconnect(race.other, race.page),
    ...underWay.map((work) => () => startPageWork(race, work)),
  ];
  const started = await interleave(
    [testEnv.client],
    seed,
    works.map((work) => async () => {
      await race.waitFor(lead());
      return work();
    }),
  );
  for (const result of started) if (result.status === "rejected") throw result.reason;
  await race.drain();
  await expectWhole(race, "instagram_page");
  return (await race.pageUses()).length;
}

describe.each(sampled(tables, { step: tables.length }))(
  "on the table $table",
  ({ startTable, interleavings, pageInterleavings }) => {
    const testEnv = openedOnce(() => openTestEnv({ startTable }));

    it("disconnecting an account while work of it is under way leaves no token, calls the platform with none, and stores no message for the wrong tenant", async () => {
      const tally = new Map<Outcome, number>(outcomeKinds.map((kind) => [kind, 0]));
      for (const seed of seedsOf("one account", interleavings)) {
        const outcomes = await runInterleaving(testEnv, seed).catch((error: unknown) => {
          throw new Error(`In interleaving ${seed}`, { cause: error });
        });
        for (const kind of outcomes) tally.set(kind, (tally.get(kind) ?? 0) + 1);
      }
      expect([...tally].filter(([, times]) => times <= interleavings / 50)).toEqual([]);
    }, 1_200_000);

    it("disconnecting both accounts of a page at once leaves no subscription, and one that is connected again has it", async () => {
      const ends = [0, 0, 0];
      for (const seed of seedsOf("both accounts of a page", pageInterleavings)) {
        const connected = await runPageInterleaving(testEnv, seed).catch((error: unknown) => {
          throw new Error(`In interleaving ${seed}`, { cause: error });
        });
        ends[connected] = (ends[connected] ?? 0) + 1;
      }
      expect(ends[0]).toBeGreaterThan(pageInterleavings / 2);
      expect(ends[1]).toBeGreaterThan(pageInterleavings / 50);
    }, 600_000);
  },
);
