import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { assemblyContext } from "../../../local/stack/stack.ts";
import { synthesizeInto } from "../../../local/template/synthesis.ts";
import { type AccessRun, findAccessProblems, readRecords } from "./access/access-records.ts";
import { unusedGrants } from "./access/unused-grants.ts";
import { limitConcurrency } from "./limit-concurrency.ts";
import { waitFor } from "./wait-for.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the run's cloud assembly, synthesized like that of a local stack with default settings. */
    readonly assembly: string;
    /** The folder of the same assembly, with few concurrent invocations of each function. */
    readonly limitedAssembly: string;
    /** The folder with the data folders of the stacks that several test files share. */
    readonly sharedStacks: string;
    /** The folder with the records of what the functions of stopped stacks may do and did. */
    readonly accessRecords: string;
  }
}

/** Synthesizes and bundles once for all stacks of the run, and stops the shared stacks at its end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "parley-assembly-"));
  const assembly = join(folder, "cdk.out");
  await synthesizeInto({ outdir: assembly, context: assemblyContext(), useCache: true }, new AbortController().signal);
  project.provide("assembly", assembly);
  const limitedAssembly = join(folder, "cdk.out.limited");
  cpSync(assembly, limitedAssembly, { recursive: true });
  limitConcurrency(limitedAssembly);
  project.provide("limitedAssembly", limitedAssembly);
  const sharedStacks = join(folder, "stacks");
  mkdirSync(sharedStacks);
  project.provide("sharedStacks", sharedStacks);
  const accessRecords = join(folder, "access");
  mkdirSync(accessRecords);
  project.provide("accessRecords", accessRecords);
  return async () => {
    const shared = readdirSync(sharedStacks).map((name) => join(sharedStacks, name));
    await Promise.all(shared.map(stopStack));
    try {
      checkAccess(readRecords([accessRecords, ...shared]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

/**
 * Throws for each denial of the run. With `npm run test:access`, whose tests together use every grant, also for each grant
 * that is not used.
 */
function checkAccess(run: AccessRun): void {
  const { TEST_ACCESS } = process.env;
  const problems = findAccessProblems(run, TEST_ACCESS === "compare" ? unusedGrants : null);
  if (problems.length > 0) throw new Error(`The roles of the functions do not fit:\n${problems.join("\n")}`);
}

/** Ends the stack as Ctrl-C does. Its lock names the process. */
async function stopStack(dataDir: string): Promise<void> {
  const lock = join(dataDir, "lock");
  if (!existsSync(lock)) return;
  const { pid } = JSON.parse(readFileSync(lock, "utf8")) as { pid: number };
  signalProcess(pid, "SIGTERM");
  await waitFor(`the stack in ${dataDir} has stopped`, () => !existsSync(lock) || !signalProcess(pid, 0));
}

/** Returns false if the process has ended. */
function signalProcess(pid: number, signal: "SIGTERM" | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
