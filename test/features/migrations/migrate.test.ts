import { DeleteCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import { migrate, previewMigration } from "#features/migrations/flows.ts";
import type { MigrationPorts } from "#features/migrations/ports.ts";
import { MIGRATION_LEASE, migrationKey, migrationProgressStore } from "#features/migrations/store/progress.ts";
import { migrationSteps, SEGMENTS } from "#features/migrations/store/steps.ts";
import { faultPoints, injectFaultAt } from "../../support/flows/fault-injection.ts";
import { attachMeter } from "../../support/meter.ts";
import { NOW } from "../../support/stores/samples.ts";
import { startFlowTable } from "../../support/world/flow-table.ts";

let now: Millis = NOW;
const clock = () => now;
const started = await startFlowTable(clock);
const table = openTable(started.tableName, started.client);
afterAll(() => started.close());

/** Few, so that a run has few calls. */
const FEW = 3;
const ports = (segments = FEW): MigrationPorts => ({
  progress: migrationProgressStore(table),
  steps: migrationSteps(table, segments),
  segments,
});

async function rows(): Promise<(Key & Record<string, unknown>)[]> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name, ConsistentRead: true }));
  return Items as (Key & Record<string, unknown>)[];
}
const save = (Item: Key & Record<string, unknown>) =>
  table.client.send(new PutCommand({ TableName: table.name, Item }));
const rowOf = async ({ PK, SK }: Key) => (await rows()).find((row) => row.PK === PK && row.SK === SK);

const route = (n: number) => ({ PK: `ACC#instagram#${n}`, SK: "R" });
const deletion = (n: number) => ({ PK: `DD#code${n}`, SK: "D" });
const pending = (n: number) => ({ PK: `DD#code${n}`, SK: `demo#instagram#${n}` });

/** The rows of the first release that the steps change, and others beside them. */
async function saveOldRows(): Promise<void> {
  for (const { PK, SK } of await rows())
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { PK, SK } }));
  for (let n = 0; n < 3; n++) {
    await save({ ...route(n), t: "demo", h: `@shop${n}`, later: n });
    await save({ ...deletion(n), st: "running", ra: NOW, x: 2_000_000_000 });
    await save({ ...pending(n), ra: NOW, x: 2_000_000_000 });
  }
  await save({
    ...route(7),
    t: "demo",
    h: "@new",
    ho: [
      ["other", "@old", 1, 2],
      ["demo", "@new", 3, 0],
    ],
  });
  await save({ ...route(8), fo: "demo", fr: NOW });
  await save({ ...deletion(8), st: "done", ra: NOW, da: NOW, x: 2_000_000_000 });
  await save({ PK: "ACC#instagram#9", SK: "other", t: "demo" });
}

async function expectMigrated(): Promise<void> {
  for (let n = 0; n < 3; n++) {
    expect(await rowOf(route(n))).toEqual({
      ...route(n),
      t: "demo",
      h: `@shop${n}`,
      later: n,
      ho: [["demo", `@shop${n}`, 0, 0]],
    });
    expect(await rowOf(deletion(n))).toMatchObject({ st: "running", F: "QDD" });
    expect(await rowOf(pending(n))).toMatchObject({ ra: NOW, F: "QDD" });
  }
  expect(await rowOf(route(7))).toMatchObject({
    ho: [
      ["other", "@old", 1, 2],
      ["demo", "@new", 3, 0],
    ],
  });
  expect(await rowOf(route(8))).toEqual({ ...route(8), fo: "demo", fr: NOW });
  expect(await rowOf(deletion(8))).not.toHaveProperty("F");
  expect(await rowOf({ PK: "ACC#instagram#9", SK: "other" })).not.toHaveProperty("ho");
  // The position names no row, so no person. A run that died at its end leaves its lease, which is over.
  const { o: _run, le: _lease, ...progress } = (await rowOf(migrationKey)) ?? expect.unreachable();
  expect(progress).toEqual({ ...migrationKey, c: 2, p: 0 });
}

beforeEach(async () => {
  now = NOW;
  await saveOldRows();
});

it("a migration completes the rows of the first release and changes no other, and the second run changes nothing", async () => {
  expect(await migrate(ports(), { now: clock })).toEqual({
    kind: "done",
    completed: 2,
    steps: [
      { number: 1, name: expect.any(String), rows: 3 },
      { number: 2, name: expect.any(String), rows: 6 },
    ],
  });
  await expectMigrated();
  const after = await rows();
  now += MINUTE;
  expect(await migrate(ports(), { now: clock })).toEqual({ kind: "done", completed: 2, steps: [] });
  expect(await rows()).toEqual(after);
});

it("a data deletion of the first release, whose message was lost, is continued by the sweep after the migration", async () => {
  const due = async () => {
    const pages = [];
    for await (const page of dataDeletionStore(table).listDue(now)) pages.push(...page);
    return pages.map(({ kind, code }) => `${kind} ${code}`).sort();
  };
  expect(await due()).toEqual([]);
  await migrate(ports(), { now: clock });
  expect(await due()).toEqual(
    [0, 1, 2].flatMap((n) => [`account code${n}`]).concat([0, 1, 2].map((n) => `status code${n}`)),
  );
});

describe("a migration that is interrupted", () => {
  it.each(faultPoints)(
    "a run with the fault %s at any of its calls is continued by the same command",
    async (point) => {
      for (let call = 0; ; call++) {
        now = NOW;
        await saveOldRows();
        const injection = injectFaultAt([started.client], point, call);
        await migrate(ports(), { now: clock }).catch(() => {});
        injection.remove();
        // A run that died keeps its lease for a minute.
        now += MIGRATION_LEASE;
        expect(await migrate(ports(), { now: clock })).toMatchObject({ kind: "done", completed: 2 });
        await expectMigrated();
        if (!injection.reached()) break;
      }
    },
  );

  it("a run that failed because of a fault of the table gives its lease back", async () => {
    const failing = ports();
    const [first, ...others] = failing.steps;
    const broken = { ...(first ?? expect.unreachable()), apply: () => Promise.reject(new Error("no table")) };
    await expect(migrate({ ...failing, steps: [broken, ...others] }, { now: clock })).rejects.toThrow("no table");
    expect(await migrate(ports(), { now: clock })).toMatchObject({ kind: "done" });
    await expectMigrated();
  });

  it("a continued run begins with the segment of the table after the last complete one", async () => {
    await save({ ...migrationKey, c: 1, p: 2 });
    const scanned: string[] = [];
    const watched = ports().steps.map((step) => ({
      ...step,
      pages: (segment: number) => {
        scanned.push(`${step.number}.${segment}`);
        return step.pages(segment);
      },
    }));
    await migrate({ ...ports(), steps: watched }, { now: clock });
    expect(scanned).toEqual(["2.2"]);
  });
});

it("one of two runs at the same time works, and the other learns until when to wait", async () => {
  const results = await Promise.all([migrate(ports(), { now: clock }), migrate(ports(), { now: clock })]);
  expect(results.map(({ kind }) => kind).sort()).toEqual(["busy", "done"]);
  expect(results.find(({ kind }) => kind === "busy")).toEqual({ kind: "busy", leaseUntil: NOW + MIGRATION_LEASE });
  await expectMigrated();
});

it("a run that was frozen for longer than its lease ends without storing its progress over that of the next one", async () => {
  let isFrozen = false;
  const frozen = ports().steps.map((step) => ({
    ...step,
    async *pages(segment: number) {
      if (!isFrozen) {
        isFrozen = true;
        now += MIGRATION_LEASE;
        expect(await migrate(ports(), { now: clock })).toMatchObject({ kind: "done", completed: 2 });
      }
      yield* step.pages(segment);
    },
  }));
  expect(await migrate({ ...ports(), steps: frozen }, { now: clock })).toEqual({ kind: "overtaken" });
  await expectMigrated();
});

it("a run that takes long keeps its lease", async () => {
  const slow = ports().steps.map((step) => ({
    ...step,
    async *pages(segment: number) {
      for await (const page of step.pages(segment)) {
        now += 50 * SECOND;
        expect(await migrate(ports(), { now: clock })).toMatchObject({ kind: "busy" });
        yield page;
      }
    },
  }));
  expect(await migrate({ ...ports(), steps: slow }, { now: clock })).toMatchObject({ kind: "done" });
  await expectMigrated();
});

it("a row that changes between its read and its write stays as it is then", async () => {
  const [first, ...others] = ports().steps;
  const step = first ?? expect.unreachable();
  const holders = [["demo", "@moved", 5, 0]];
  const raced = {
    ...step,
    apply: async (row: Parameters<typeof step.apply>[0], at: Millis) => {
      if (row.PK === route(1).PK) await save({ ...route(1), t: "demo", h: "@moved", ho: holders });
      return step.apply(row, at);
    },
  };
  await migrate({ ...ports(), steps: [raced, ...others] }, { now: clock });
  expect(await rowOf(route(1))).toEqual({ ...route(1), t: "demo", h: "@moved", ho: holders });
});

it("a dry run counts the rows and writes nothing", async () => {
  const before = await rows();
  expect((await previewMigration(ports(SEGMENTS))).steps.map(({ rows: count }) => count)).toEqual([3, 6]);
  expect(await rows()).toEqual(before);
});

it("a table that a later release migrated needs nothing of this one", async () => {
  await save({ ...migrationKey, c: 9, p: 0 });
  const before = await rows();
  expect(await migrate(ports(), { now: clock })).toEqual({ kind: "done", completed: 9, steps: [] });
  expect(await previewMigration(ports())).toEqual({ kind: "done", completed: 9, steps: [] });
  expect(await rows()).toEqual(before);
});

it("the steps are numbered from 1 without gaps", () => {
  expect(ports().steps.map(({ number }) => number)).toEqual(ports().steps.map((_, index) => index + 1));
});

it("a migration whose steps are complete costs one read, and a step 64 writes, two for the lease and one for each row", async () => {
  await save({ ...migrationKey, c: 1, p: 0 });
  const meter = attachMeter(started.client, started.tableName);
  // Three rows of a data deletion and three accounts, each with a new entry in the index of what is due.
  expect(await meter.measure("step", () => migrate(ports(SEGMENTS), { now: clock }))).toMatchObject({
    wcu: SEGMENTS + 2 + 6 * 2,
  });
  expect(await meter.measure("complete", () => migrate(ports(SEGMENTS), { now: clock }))).toMatchObject({
    wcu: 0,
    rcu: 1,
  });
});
