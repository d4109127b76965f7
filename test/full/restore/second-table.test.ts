import { DescribeTableCommand, DescribeTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it, vi } from "vitest";
import { openTable } from "#base/table/client.ts";
import { inspectTable } from "../../../bin/admin/adopt/table.ts";
import { openLostTime, PREPARED, RESTORED } from "../../features/recovery/support/lost-time.ts";
import { ACCOUNT, openAdoptFixture } from "../../local/admin/adopt/adopt-fixture.ts";
import { startTestTable } from "../../support/dynamodb.ts";
import { allRows } from "../../support/flows/data-subject.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";

// Both tables are in one engine: the one that functions use, and the copy of an earlier time.

const testEnv = openedOnce(() => openTestEnv({ startTable: startTestTable }));
const fixture = openedOnce(openAdoptFixture);

it("a copy in a second table is adopted only when it is prepared, and its restore changes nothing in the first", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", fixture.cloudFormation.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const lost = await openLostTime(testEnv);
  const existingTable = await fixture.newTable();
  const table = openTable(existingTable, testEnv.client);
  for (const Item of lost.copy) await table.client.send(new PutCommand({ TableName: existingTable, Item }));
  const second = await lost.openCopy(table);
  expect([await lost.read(), await second.read()]).toEqual([404, 200]);
  const first = await allRows(testEnv);

  // The engine does not know what it restored.
  const { table: client } = fixture.clients;
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const { Table } = answer.output as { Table?: Record<string, unknown> };
      if (Table?.TableName === existingTable) Table.RestoreSummary = { RestoreDateTime: new Date(lost.from) };
      return answer;
    },
    { step: "initialize", name: "copy" },
  );
  const unprepared = `it is a copy that was not prepared. Run npm run admin -- restore --table ${existingTable} first.`;
  const inspect = () => inspectTable(client, existingTable, { account: ACCOUNT, recoveryDays: 35 });
  await expect(inspect()).rejects.toThrow(unprepared);
  await expect(fixture.run({ existingTable })).rejects.toThrow("was not prepared");

  expect(await second.run(true)).toEqual({ kind: "prepared" });
  expect(await second.state()).toEqual(PREPARED);
  await fixture.run({ existingTable });
  expect(await inspect()).toEqual([]);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: existingTable }));
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: existingTable }));
  expect([Table?.DeletionProtectionEnabled, TimeToLiveDescription?.TimeToLiveStatus]).toEqual([true, "ENABLED"]);

  expect(await second.run(false)).toMatchObject({ kind: "done" });
  expect(await second.state()).toEqual(RESTORED);
  expect(await second.run(false)).toMatchObject({ kind: "ended" });
  expect(await allRows(testEnv)).toEqual(first);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
}, 120_000);
