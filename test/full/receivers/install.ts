import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const MINUTES_MAX = 5;

/** A temporary folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-receivers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs a command that installs packages. Throws with its output when it fails or takes more than 5 minutes, and names the
 * registry as the likely cause.
 */
export async function install(program: string, args: readonly string[], folder: string): Promise<void> {
  try {
    await promisify(execFile)(program, args, { cwd: folder, timeout: MINUTES_MAX * 60_000 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.slice(-4_000);
    throw new Error(
      `Packages were not installed within ${MINUTES_MAX} minutes by: ${[program, ...args].join(" ")}\n` +
        `Check that this machine reaches the registry of ${program.endsWith("npm") ? "npm" : "Python"}.\n${output}`,
    );
  }
}
