import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { assemblyContext } from "../../../local/stack/stack.ts";
import { synthesizeInto } from "../../../local/template/synthesis.ts";
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
  return async () => {
    await Promise.all(readdirSync(sharedStacks).map((name) => stopStack(join(sharedStacks, name))));
    rmSync(folder, { recursive: true, force: true });
  };
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
