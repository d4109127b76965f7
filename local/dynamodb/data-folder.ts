import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LocalRefusal } from "../support/local-refusal.ts";

// A data folder serves one engine at a time. Who has it is written in the folder itself, so that the next start can end
// an engine that was left behind and leave alone one that is in use.

interface Owner {
  readonly engine: number;
  readonly owner: number;
}

const FILE = "engine.json";

/**
 * Makes the folder, and ends an engine of it whose owner is gone. A process is ours only if its command line names the
 * folder: process ids are used again.
 * @throws LocalRefusal when a living process has the folder in use
 */
export async function claimFolder(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const previous = readOwner(dataDir);
  if (previous === null || !usesFolder(previous.engine, dataDir)) return;
  if (commandLine(previous.owner) !== "") {
    throw new LocalRefusal(
      `The data folder ${dataDir} is in use by process ${previous.owner}: end that process, or choose another folder.`,
    );
  }
  await stopEngine(previous.engine, dataDir);
}

/** Notes which engine runs on the folder, for the next start. */
export function recordFolderOwner(dataDir: string, engine: number): void {
  const owner: Owner = { engine, owner: process.pid };
  writeFileSync(join(dataDir, FILE), JSON.stringify(owner));
}

export function releaseFolder(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}

function readOwner(dataDir: string): Owner | null {
  try {
    const { engine, owner } = JSON.parse(readFileSync(join(dataDir, FILE), "utf8"));
    return Number.isInteger(engine) && Number.isInteger(owner) ? { engine, owner } : null;
  } catch {
    return null;
  }
}

async function stopEngine(engine: number, dataDir: string): Promise<void> {
  for (let step = 0; usesFolder(engine, dataDir); step++) {
    if (step === 0) signal(engine, "SIGTERM");
    if (step === 200) signal(engine, "SIGKILL");
    await wait(10);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it ended by itself in between
  }
}

function usesFolder(pid: number, dataDir: string): boolean {
  return commandLine(pid)
    .split("\0")
    .some((word) => word === dataDir || word.startsWith(`${dataDir}/`));
}

/** Empty for a process that is gone, and on systems without /proc, where the engine's watcher alone must do. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
