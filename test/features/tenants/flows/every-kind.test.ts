import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { DAY } from "#base/kernel/time.ts";
import { timeToLive } from "#base/table/keys.ts";
import { tenantKey } from "#features/access/store/items.ts";
import { messageKey } from "#features/inbox/store/items.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { postedKey } from "#features/uploads/rules/uploads.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { NOW, sampleConversationId, toTenantId } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";
import { noSubscriptions } from "./support/doomed-tenant.ts";
import {
  copyOf,
  keyKinds,
  rowsOfNoTenant,
  rowsOfTenant,
  rowsThatLoseTheTenant,
  uploadIdOf,
} from "./support/every-kind.ts";

const DELETED = toTenantId("zebra-shop");
/** Its slug starts with the other one. */
const OTHER = toTenantId("zebra-shop-2");

// The filter of the scan and its pages are those of the engine.

const table = openedOnce(openTestTable);

async function allRows(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name, ConsistentRead: true }));
  return Items.map((row) => [`${row.PK} ${row.SK}`, row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
}

async function plant(rows: readonly object[]): Promise<void> {
  for (const Item of rows) await table.client.send(new PutCommand({ TableName: table.name, Item }));
}

it("every kind of row has a plan for the deletion of its tenant", () => {
  const plans = [rowsOfTenant, rowsOfNoTenant, rowsThatLoseTheTenant].flatMap((kinds) => Object.keys(kinds));
  expect([...new Set(plans)].sort()).toEqual(keyKinds());
});

it("a deletion removes every kind of row of its tenant, and none of another one", async () => {
  const ofNoTenant = Object.values(rowsOfNoTenant).map((row) => row());
  const ofOther = [
    ...Object.values(rowsOfTenant).flatMap((rows) => rows(OTHER)),
    // Attributes mean something else in other kinds of rows.
    { ...messageKey(sampleConversationId(OTHER), "2#m"), t: DELETED, c: sampleConversationId(DELETED) },
  ];
  const operatorRows = (of: "before" | "after") =>
    Object.values(rowsThatLoseTheTenant).flatMap((rows) => rows(of === "before" ? [DELETED, OTHER] : [OTHER]));
  await plant([...ofNoTenant, ...ofOther]);
  await plant(operatorRows("after"));
  const expected = await allRows();
  await plant(operatorRows("before"));
  await plant(Object.values(rowsOfTenant).flatMap((rows) => rows(DELETED)));

  let now = NOW;
  const deletedFiles: string[] = [];
  const uploadFiles = { removeAll: async (keys: readonly string[]) => void deletedFiles.push(...keys) };
  await deleteTenant(
    { ...openStores(table), ...noSubscriptions, uploadFiles },
    {
      tenant: DELETED,
      author: { actor: "cli" },
      time: {
        now: () => now,
        wait: async (duration) => {
          now += duration;
        },
      },
      report: () => {},
    },
  );

  const stone = { ...tenantKey(DELETED), st: "deleted", db: "cli", ua: now, x: timeToLive(now + 30 * DAY) };
  const rows = await allRows();
  expect(rows).toContainEqual(stone);
  expect(deletedFiles).toEqual([postedKey(uploadIdOf(DELETED)), copyOf(DELETED)]);
  expect(rows.filter(({ PK }) => PK !== stone.PK)).toEqual(expected);
});
