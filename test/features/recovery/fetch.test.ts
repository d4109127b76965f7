import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import { fetchMissing } from "#features/recovery/flows/fetch.ts";
import type { FetchPorts, RestorePorts } from "#features/recovery/flows/ports.ts";
import { restoreTable } from "#features/recovery/flows/restore.ts";
import { restoredRowStore } from "#features/recovery/store/restored-rows.ts";
import type { Restore } from "#features/recovery/store/restores.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import { newTenant } from "../../support/stores/samples.ts";
import { useTeam } from "../access/flows/team/support/team.ts";

// The step of a restore that has the platforms' histories read.

const { testEnv } = useTeam();
const time = { now: () => testEnv.now(), wait: async (duration: Millis) => testEnv.advance(duration) };

/** An account, and a restore whose histories are read as soon as they are asked for. */
async function openFetch(messagesAt: (now: Millis) => number) {
  const tenant = newTenant();
  const account = { platform: "instagram", externalId: await testEnv.connect(tenant) } as const;
  const stores = openStores(testEnv.table);
  const tasks: unknown[] = [];
  const ports: FetchPorts = {
    accounts: stores.accounts,
    accountChecks: {
      ...stores.accountChecks,
      get: async (...of) => {
        const check = await stores.accountChecks.get(...of);
        return check && (tasks.length > 0 ? { ...check, backfill: null } : check);
      },
    },
    accountWork: { send: async ({ body }) => void tasks.push(decodeAccountTask(body)) },
    restores: { setFetchUntil: async (_from, until) => until },
    inbound: { count: async () => messagesAt(testEnv.now()) },
  };
  const row = { kind: "account", tenant, account, connectionId: "" } as const;
  return { ports, row, tasks };
}

const restoreOf = (from: Millis, journalSince = from): Restore => ({
  from,
  journalSince,
  startedAt: testEnv.now(),
  fetchUntil: null,
  endedAt: null,
});

it("the step of the histories ends once the queue of webhooks was empty for a minute", async () => {
  testEnv.advance(DAY);
  const start = testEnv.now();
  // It is full, has a moment without a message in the sixth minute, and is empty from the ninth on.
  const { ports, row } = await openFetch((now) => {
    const at = now - start;
    return at >= 9 * MINUTE || (at >= 6 * MINUTE && at < 6 * MINUTE + 30 * SECOND) ? 0 : 7;
  });
  const result = await fetchMissing(ports, { restore: restoreOf(start - HOUR), rows: [row], time });
  expect(result).toEqual({ accounts: 1, unread: [], isStored: true });
  expect(testEnv.now() - start).toBeGreaterThanOrEqual(10 * MINUTE);
  expect(testEnv.now() - start).toBeLessThanOrEqual(10 * MINUTE + 10 * SECOND);
});

it("the step of the histories ends after half an hour with messages in the queue of webhooks, and says so", async () => {
  const start = testEnv.now();
  const { ports, row } = await openFetch(() => 1);
  const result = await fetchMissing(ports, { restore: restoreOf(start - HOUR), rows: [row], time });
  expect(result).toMatchObject({ isStored: false });
  expect(testEnv.now() - start).toBeLessThan(31 * MINUTE);
});

it("the histories are read from the time of an earlier restore on, which this one completes", async () => {
  testEnv.advance(DAY);
  const { ports, row, tasks } = await openFetch(() => 0);
  const { accountChecks } = openStores(testEnv.table);
  const since = testEnv.now() + HOUR;
  testEnv.advance(2 * DAY);
  await fetchMissing(ports, { restore: restoreOf(testEnv.now() - HOUR, since), rows: [row], time });
  expect(tasks).toEqual([expect.objectContaining({ op: "backfill", since: since - 5 * MINUTE })]);
  expect(await accountChecks.get(row.tenant, row.account)).toMatchObject({ backfill: { since: since - 5 * MINUTE } });
});

it("a restore that has ended lets those accounts send that another run of it has stopped since", async () => {
  const { row } = await openFetch(() => 0);
  const stores = openStores(testEnv.table);
  const restoredRows = restoredRowStore(testEnv.table);
  const from = testEnv.now();
  testEnv.advance(HOUR);
  const restores = restoreStore(testEnv.table);
  await restores.start(from, testEnv.now());
  const endedAt = await restores.end(from, testEnv.now());
  await restoredRows.stopSends(row.tenant, row.account, from);
  testEnv.advance(MINUTE);
  const ports = { restores, restoredRows, accountChecks: stores.accountChecks } as unknown as RestorePorts;
  const report = () => {};
  expect(await restoreTable(ports, { from, isPreparation: false, time, report })).toMatchObject({ kind: "ended" });
  expect((await stores.accounts.get(row.tenant, row.account))?.restore).toMatchObject({ from, until: endedAt });
});
