import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commandRights, type Rights } from "../../../lib/config/operator-rights.ts";
import { PROJECT } from "../../docs/markdown.ts";
import { openedOnce } from "../../support/opened.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { runProgram } from "../support/processes.ts";

// The calls to AWS that each command makes on the local stack need no other right than the policy for operators has.

const stack = openedOnce(startLocalStack);

/** The rights of a command, each as `dynamodb:Query GS1`. That the page has the same is a test of the templates. */
function rightsOf(command: string): Set<string> {
  const rights: Rights = commandRights[command as keyof typeof commandRights];
  return new Set(Object.entries(rights).flatMap(([target, actions]) => actions.map((action) => `${action} ${target}`)));
}

const compared = new Set<string>();
const unnamed: string[] = [];

/** Runs a command, and moves the clock until it ends. @returns its output */
async function run(name: string, ...args: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "parley-rights-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "calls");
  writeFileSync(file, "");
  const program = runProgram("bin/admin", [...name.split(" "), ...args], {
    PARLEY_DATA: stack.dataDir,
    RECORDED_CALLS: file,
    NODE_OPTIONS: `--import ${join(PROJECT, "test/e2e/guides/record-calls.ts")}`,
  });
  let code: number | null | undefined;
  void program.exitCode.then((ended) => {
    code = ended;
  });
  while (code === undefined) {
    await Promise.race([program.exitCode, new Promise((resolve) => setTimeout(resolve, 5_000))]);
    // The second pass of a deletion starts three minutes later.
    if (code === undefined && /Pass|erasure/.test(program.output() + program.errors())) await stack.clock("PT3M1S");
  }
  expect([name, code, code === 0 ? "" : program.errors()]).toEqual([name, 0, ""]);
  const used = [...new Set(readFileSync(file, "utf8").trim().split("\n"))].sort();
  expect([name, used.length > 0]).toEqual([name, true]);
  const rights = rightsOf(name);
  unnamed.push(...used.filter((action) => !rights.has(action)).map((action) => `${name}: ${action}`));
  compared.add(name);
  return program.output();
}

it("the calls of each command need no right that the policy for operators does not have for this command", async () => {
  const idIn = (output: string) => /^id: (\S+)$/m.exec(output)?.[1] ?? "";
  await run("tenant create", "globex", "--owner", "first@example.com");
  await run("tenant invite-owner", "globex", "second@example.com");
  await run("sign-in-link", "second@example.com");
  const key = idIn(await run("key create", "--tenant", "globex", "--scope", "live"));
  await run("key list", "--tenant", "globex");
  await run("tenant suspend", "globex");
  await run("tenant resume", "globex");
  await run("key revoke", key, "--tenant", "globex");
  const operatorKey = idIn(await run("operator-key create", "--tenants", "globex,demo"));
  await run("operator-key list");
  await run("operator-key revoke", operatorKey);
  await run("migrate");
  await run("dlq list");
  await run("smoke");
  await run("rotate verify-token");
  await run("rotate root");
  await stack.clock("PT1H");
  await run("rotate root", "--force");
  await run("rotate root", "--leaked");
  await run("tenant delete", "demo", "--confirm", "demo");
  expect(unnamed).toEqual([]);
  expect(compared.size).toBe(17);
});
