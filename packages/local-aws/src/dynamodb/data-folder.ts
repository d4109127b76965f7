import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../access/private-files.ts";
import { LocalRefusal } from "../support/local-refusal.ts";

// One engine uses a data folder at a time. A file in the folder names it, so that the next start can stop an orphaned
// engine and refuses a folder in use.

interface Owner {
  readonly engine: number;
  readonly owner: number;
}

const FILE = "engine.json";

/**
 * Creates the folder and stops an engine whose owner has ended. Pids are reused, so a process counts as the engine only
 * if its command line names the folder.
 * @throws LocalRefusal when a running process uses the folder
 */
export async function claimFolder(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_FOLDER });
  const previous = readOwner(dataDir);
  if (previous === null || !usesFolder(previous.engine, dataDir)) return;
  if (commandLine(previous.owner) !== "") {
    throw new LocalRefusal(
      `The data folder ${dataDir} is in use by process ${previous.owner}. End that process, or choose another folder.`,
    );
  }
  await stopEngine(previous.engine, dataDir);
}

/** Records the engine that uses the folder. */
export function recordFolderOwner(dataDir: string, engine: number): void {
  const owner: Owner = { engine, owner: process.pid };
  writeFileSync(join(dataDir, FILE), JSON.stringify(owner), { mode: PRIVATE_FILE });
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
    // The process has ended by itself.
  }
}

function usesFolder(pid: number, dataDir: string): boolean {
  return commandLine(pid)
    .split("\0")
    .some((word) => word === dataDir || word.startsWith(`${dataDir}/`));
}

/** Empty for an ended process, and on systems without /proc, where only the watcher stops the engine. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
