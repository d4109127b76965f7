import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PROJECT, readPage } from "../../docs/markdown.ts";
import { openedOnce } from "../../support/opened.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { runProgram } from "../support/processes.ts";

// The calls to AWS that each command makes on the local stack need no other right than docs/operate/rights.md names.

const stack = openedOnce(startLocalStack);

/** The rights of a command: its row, and those of the commands that the row refers to. */
function rightsOf(command: string): Set<string> {
  const rows = [...readPage("docs/operate/rights.md").matchAll(/^\| (`[a-z].+?`) \|(.*)\|(.*)\|$/gm)];
  const [, , table = "", others = ""] = rows.find(([, cell = ""]) => cell.split(", ").includes(`\`${command}\``)) ?? [];
  const ofTable = [...table.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, action]) => `dynamodb:${action}`);
  const ofOthers = [...others.matchAll(/`([a-z\d]+:[A-Z][A-Za-z]+)`/g)].map(([, action = ""]) => action);
  const referred = [...table.matchAll(/`([a-z]+ [a-z]+)`/g)].flatMap(([, other = ""]) => [...rightsOf(other)]);
  return new Set([...ofTable, ...ofOthers, ...referred]);
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

it("the calls of each command need no right that the page does not name", async () => {
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
