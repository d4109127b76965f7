import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { plantedFaults } from "./faults.ts";
import type { PlantedFault } from "./planted-fault.ts";
import { isFull, passes, runTests } from "./run-tests.ts";
import { Workspace } from "./workspace.ts";

/**
 * Plants each fault in a copy of the repository and runs the test that must notice it: that test passes without the
 * fault and fails with it. Arguments select faults by a part of their name.
 */
const words = process.argv.slice(2);
const selected = plantedFaults.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const root = resolve(import.meta.dirname, "../..");
const remaining = [...selected];
const survivors: string[] = [];

/** The tests' results without a fault. */
async function runWithoutFault() {
  const workspace = new Workspace(root);
  const tests = selected.map(({ killedBy }) => killedBy);
  try {
    return [
      ...(await runTests(
        workspace.directory,
        tests.filter((test) => !isFull(test)),
      )),
      ...(await runTests(workspace.directory, tests.filter(isFull))),
    ];
  } finally {
    workspace.remove();
  }
}

const withoutFault = await runWithoutFault();

/**
 * - `no_such_test`: the test fails or does not run without the fault
 * - `not_loaded`: the file with the fault is no program, so that no test saw the fault
 */
async function judge(
  workspace: Workspace,
  fault: PlantedFault,
): Promise<"killed" | "survived" | "no_such_test" | "not_loaded"> {
  const { killedBy } = fault;
  if (passes(withoutFault, killedBy) !== true) return "no_such_test";
  const isPassed = await workspace.withFault(fault, async () => {
    const quick = passes(await runTests(workspace.directory, [killedBy]), killedBy);
    // The call whose fault the test notices may be one into which the quick run injects another kind.
    return quick === true ? passes(await runTests(workspace.directory, [killedBy], 1), killedBy) : quick;
  });
  return isPassed === null ? "not_loaded" : isPassed ? "survived" : "killed";
}

async function work(): Promise<void> {
  const workspace = new Workspace(root);
  try {
    for (let fault = remaining.shift(); fault; fault = remaining.shift()) {
      const verdict = await judge(workspace, fault);
      if (verdict !== "killed") survivors.push(fault.name);
      process.stdout.write(`${verdict.padEnd(13)} ${fault.name}  (${fault.killedBy.file})\n`);
    }
  } finally {
    workspace.remove();
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
process.stdout.write(`${selected.length - survivors.length} killed, ${survivors.length} not\n`);
process.exitCode = selected.length === 0 || survivors.length > 0 ? 1 : 0;
