import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { clockNow } from "#base/kernel/time.ts";
import { processClock, startProcess, suspendable } from "./processes.ts";
import { openWorldTable, type WorldTable } from "./world-table.ts";

let world: WorldTable;
let documents: DynamoDBDocumentClient;

beforeEach(() => {
  world = openWorldTable(() => 0);
  suspendable([world.client]);
  documents = DynamoDBDocumentClient.from(world.client);
});
afterEach(() => setRuntimeOverrides({}));

const write = (SK: string) => documents.send(new PutCommand({ TableName: "world", Item: { PK: "p", SK } }));
const exists = async (SK: string) =>
  (await documents.send(new GetCommand({ TableName: "world", Key: { PK: "p", SK } }))).Item !== undefined;
/** Whether the promise settles within a few turns of the event loop. */
async function settles(work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void work.finally(() => {
    settled = true;
  });
  for (let turns = 0; turns < 5; turns++) await new Promise((turn) => setImmediate(turn));
  return settled;
}

test("a frozen process stops at its next call and continues from there, while others go on", async () => {
  const frozen = startProcess("frozen");
  const work = frozen.run(async () => {
    await write("first");
    frozen.freeze();
    await write("second");
  });
  expect(await settles(work)).toBe(false);
  expect([await exists("first"), await exists("second")]).toEqual([true, false]);
  await startProcess("other").run(() => write("third"));
  frozen.thaw();
  await work;
  expect(await exists("second")).toBe(true);
});

test("a process that is frozen during a call gets the response after the thaw", async () => {
  const frozen = startProcess("frozen");
  const work = frozen.run(async () => {
    const response = write("a");
    frozen.freeze();
    await response;
  });
  expect(await settles(work)).toBe(false);
  frozen.thaw();
  await work;
  expect(await exists("a")).toBe(true);
});

test("nothing of a killed process continues", async () => {
  const killed = startProcess("killed");
  const work = killed.run(async () => {
    await write("first");
    killed.kill();
    await write("second");
  });
  expect(await settles(work)).toBe(false);
  expect([await exists("first"), await exists("second")]).toEqual([true, false]);
});

test("each process has a clock of its own", async () => {
  setRuntimeOverrides({ now: processClock(() => 10_000) });
  const ahead = startProcess("ahead", 2_000);
  const behind = startProcess("behind", -2_000);
  expect(await ahead.run(async () => clockNow())).toBe(12_000);
  expect(await behind.run(async () => clockNow())).toBe(8_000);
  expect(clockNow()).toBe(10_000);
});
