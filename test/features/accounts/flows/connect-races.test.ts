import { expect, it } from "vitest";
import { isRefusal, refuse } from "#base/kernel/refusals.ts";
import { interleave } from "../../../support/flows/races/deterministic-scheduler.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { openAccountRace } from "./support/account-race.ts";

const INTERLEAVINGS = repetitions({ whole: 1_000, sample: 100 });
const testEnv = openedOnce(openTestEnv);

/** @returns whether the first of the two won */
async function runInterleaving(seed: number): Promise<boolean> {
  const race = await openAccountRace(testEnv, { connection: "instagram_login" });
  const { tenant, other, page, stores } = race;
  const results = await interleave([testEnv.client], seed, [
    async () => {
      await race.waitFor(seed % 7);
      return race.connect(tenant, page);
    },
    async () => {
      await race.waitFor(seed % 5);
      return race.connect(other, page);
    },
    // The same person in a second tab.
    ...(seed % 3 ? [] : [() => race.connect(other, page)]),
  ]);
  const values = results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value as Awaited<ReturnType<typeof race.connect>>;
  });
  await race.drain();
  const isFirst = !isRefusal(values[0]);
  const [winner, loser] = isFirst ? [tenant, other] : [other, tenant];
  const ofOther = values.slice(1);
  const refused = refuse("account_in_use");
  expect(isFirst ? ofOther : values.slice(0, 1)).toEqual((isFirst ? ofOther : [0]).map(() => refused));
  if (!isFirst) expect(ofOther.some((value) => !isRefusal(value))).toBe(true);

  expect((await stores.accounts.getRoute(page))?.tenant).toBe(winner);
  const key = `messenger#${page.externalId}`;
  const of = (rows: readonly string[]) => rows.filter((row) => row.endsWith(key));
  expect([of(await race.tokenRows(winner)), of(await race.tokenRows(loser))]).toEqual([[`ACC#${key}`], []]);
  expect(await race.pageUses()).toEqual([`${winner} ${key}`]);
  expect(race.subscribed.has(`page ${page.externalId}`)).toBe(true);
  expect(await stores.accountChecks.get(winner, page)).not.toBeNull();
  expect(await stores.accountChecks.get(loser, page)).toBeNull();
  const connecting = race.eventTypes(winner).filter((type) => type !== "account.reconnected");
  expect([connecting, race.eventTypes(loser)]).toEqual([["account.connected"], []]);
  return isFirst;
}

it("an account that two workspaces connect at once is connected to one, subscribed, and the other has no trace", async () => {
  let firsts = 0;
  for (let seed = 1; seed <= INTERLEAVINGS; seed++) {
    const isFirst = await runInterleaving(seed).catch((error: unknown) => {
      throw new Error(`In interleaving ${seed}`, { cause: error });
    });
    if (isFirst) firsts++;
  }
  expect(firsts).toBeGreaterThan(INTERLEAVINGS / 10);
  expect(firsts).toBeLessThan((INTERLEAVINGS * 9) / 10);
}, 300_000);
