import { afterEach, expect, test } from "vitest";
import { readTable } from "../e2e/support/dump-table.ts";
import { type LocalStack, startLocalStack } from "../e2e/support/local-stack.ts";
import { runProgram } from "../e2e/support/processes.ts";
import { waitFor } from "../e2e/support/wait-for.ts";

// `smoke` is killed at each of its steps, and then run once.

const steps = [
  "address",
  "signature",
  "tenant",
  "socket",
  "webhook",
  "message",
  "frame",
  "reply",
  "erasure",
  "deletion",
];

let stack: LocalStack | null = null;
afterEach(async () => {
  await stack?.stop();
});

test("smoke that was killed at every step ends when it runs again, and deletes what the killed runs left", async () => {
  const opened = await startLocalStack();
  stack = opened;
  const start = () => runProgram("bin/admin", ["smoke"], { PARLEY_DATA: opened.dataDir });
  const rows = async (partition: string) =>
    (await readTable(opened)).filter(({ PK }) => String(PK).startsWith(partition));
  for (const step of steps.slice(0, -1)) {
    const program = start();
    // The step is complete, and the next one in progress.
    await waitFor(`${step} is complete`, () => program.output().includes(`ok  ${step}`), { seconds: 60 });
    program.child.kill("SIGKILL");
    await program.exitCode;
  }
  expect((await rows("SMOKE")).length).toBeGreaterThanOrEqual(steps.length - 3);
  const program = start();
  await waitFor("the erasure", () => program.output().includes("ok  erasure"), { seconds: 60 });
  while (program.child.exitCode === null) await opened.clock("PT3M1S");
  expect([await program.exitCode, program.errors()]).toEqual([0, ""]);
  expect(await rows("SMOKE")).toEqual([]);
  const rest = (await readTable(opened)).filter((row) => JSON.stringify(row).includes("smoke-"));
  // The row that keeps the slug of a deleted tenant taken.
  expect(new Set(rest.map(({ PK }) => String(PK).replace(/smoke-\w{26}/, "<slug>")))).toEqual(new Set(["T#<slug>"]));
}, 300_000);
