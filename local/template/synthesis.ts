import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { assemblyKey, openAssemblyCache } from "./assembly-cache.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const ENTRY = fileURLToPath(new URL("./synthesis-entry.ts", import.meta.url));
const CACHE = join(PROJECT, "node_modules", ".cache", "parley-assemblies");

export interface SynthesisRequest {
  /** The folder of the cloud assembly. Its earlier content is removed. */
  readonly outdir: string;
  readonly context: Readonly<Record<string, string>>;
  /** False ignores the cache, for example after a package in `node_modules` was edited. */
  readonly useCache: boolean;
  /** Called before a synthesis, which takes seconds. */
  readonly onMiss?: () => void;
}

/**
 * Writes the cloud assembly, bundles included. Reuses the assembly of an earlier start if no source and no setting has
 * changed since. Throws a LocalRefusal with the output of the synthesis if it fails or is aborted.
 */
export async function synthesizeInto(request: SynthesisRequest, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { outdir, context, useCache, onMiss } = request;
  rmSync(outdir, { recursive: true, force: true, maxRetries: 5 });
  const cache = openAssemblyCache(CACHE);
  // Computed before the synthesis reads the sources: a source that changes during the synthesis misses next time.
  const key = assemblyKey(PROJECT, context);
  if (useCache && cache.restore(key, outdir)) return;
  onMiss?.();
  await runSynthesis(outdir, context, signal);
  if (assemblyKey(PROJECT, context) === key) cache.store(key, outdir);
}

async function runSynthesis(
  outdir: string,
  context: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, ["--no-warnings", ENTRY, outdir, JSON.stringify(context)], {
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group, so that aborting also ends the bundler it starts.
    detached: true,
  });
  const stop = (): void => killGroup(child.pid);
  signal.addEventListener("abort", stop, { once: true });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string): void => {
      const text = Buffer.concat(output).toString().trim();
      reject(new LocalRefusal(`Synthesis of the templates failed: ${reason}.\n${text}`.trim()));
    };
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => (code === 0 ? resolve() : fail(`exit code ${code}`)));
  }).finally(() => signal.removeEventListener("abort", stop));
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    // The process may have ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
