import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LocalRefusal } from "../support/settings-error.ts";

const ENTRY = fileURLToPath(new URL("./synthesis-entry.ts", import.meta.url));

/**
 * Writes the cloud assembly, bundles included, into `outdir`, which is emptied first: a template of an earlier start
 * would be served too. Throws a LocalRefusal with what the synthesis printed when it fails or is aborted.
 */
export async function synthesizeInto(
  outdir: string,
  context: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  rmSync(outdir, { recursive: true, force: true, maxRetries: 5 });
  const child = spawn(process.execPath, ["--no-warnings", ENTRY, outdir, JSON.stringify(context)], {
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that the bundlers it starts can be ended with it.
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
      reject(new LocalRefusal(`The templates could not be written: ${reason}.\n${text}`.trim()));
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
    // It may just have ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
